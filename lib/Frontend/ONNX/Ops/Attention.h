//===- Attention.h - Parts of attentions ------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_OPS_ATTENTION_H
#define QCC_LIB_FRONTEND_ONNX_OPS_ATTENTION_H

#include "../Compose.h"

namespace qcc::onnx {

/// The scores [..., rows, columns], with -infinity wherever the column is more
/// than `past` behind the row.
Composer::Ref maskLater(NodeImporter &n, Composer &c, Composer::Ref scores,
                        OpFoldResult past);

/// [batch, heads, rows, size] as [batch, rows, heads * size].
Composer::Ref joinHeads(NodeImporter &n, Composer &c, Composer::Ref x);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_OPS_ATTENTION_H
