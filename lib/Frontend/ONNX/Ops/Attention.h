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

/// An attribute that is a number of heads.
FailureOr<int64_t> readCount(NodeImporter &n, llvm::StringRef name);

/// [batch, rows, heads * size] as [batch, heads, rows, size].
FailureOr<Composer::Ref> splitHeads(NodeImporter &n, Composer &c,
                                    Composer::Ref x, int64_t heads);

/// The product of [batch, heads, ...] by a value of which `group` heads share a
/// head.
Composer::Ref multiplyHeads(NodeImporter &n, Composer &c, Composer::Ref x,
                            Composer::Ref y, int64_t group);

/// cap * Tanh(scores / cap); the scores if `cap` is 0.
Composer::Ref capScores(Composer &c, Composer::Ref scores, float cap);

/// The scores, replaced by -infinity where `isSeen` is false.
Composer::Ref maskUnseen(Composer &c, Composer::Ref scores,
                         Composer::Ref isSeen);

/// The scores [..., rows, columns], with -infinity wherever the column is more
/// than `past` behind the row.
Composer::Ref maskLater(NodeImporter &n, Composer &c, Composer::Ref scores,
                        OpFoldResult past);

/// [batch, heads, rows, size] as [batch, rows, heads * size].
Composer::Ref joinHeads(NodeImporter &n, Composer &c, Composer::Ref x);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_OPS_ATTENTION_H
