//===- NodeOrder.h - The order in which nodes can be computed ---*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_NODEORDER_H
#define QCC_LIB_FRONTEND_ONNX_NODEORDER_H

#include "Model.h"
#include "llvm/ADT/SmallVector.h"

namespace qcc::onnx {

/// The nodes, each behind those whose results it reads, also inside of its
/// branches. ONNX asks models to have this order, but some writers put nodes
/// at the end that others read; a model in order keeps its order. Of nodes
/// that read each other in a circle, one comes before what it reads.
llvm::SmallVector<const Node *> orderNodes(const std::vector<Node> &nodes);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_NODEORDER_H
