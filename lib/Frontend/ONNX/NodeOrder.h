//===- NodeOrder.h - The order in which nodes can be computed ---*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_NODEORDER_H
#define QCC_LIB_FRONTEND_ONNX_NODEORDER_H

#include "qcc/ONNXModel/Model.h"
#include "llvm/ADT/SmallVector.h"

namespace qcc::onnx {

/// The nodes in an order in which each follows the nodes whose results it, or
/// one of its branches, reads. ONNX asks models to have this order, but some
/// writers append nodes that others read. A model in order keeps its order. In
/// a cycle of nodes, one precedes a node that it reads.
llvm::SmallVector<const Node *> orderNodes(const std::vector<Node> &nodes);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_NODEORDER_H
