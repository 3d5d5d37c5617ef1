//===- WeightNote.h - Note on the weight of a contraction -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowering folds the scales of a weight into epilogues and packs its elements.
// So the pass that lowers a contraction notes what the source says of the
// weight, for `qcc explain`.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_WEIGHTNOTE_H
#define QCC_DIALECT_QNN_IR_WEIGHTNOTE_H

#include "qcc/Dialect/QNN/IR/QuantParams.h"
#include "llvm/ADT/StringRef.h"

namespace qcc {

/// Dictionary on a contraction with a constant operand. Losing it costs
/// information in `qcc explain`. Its keys:
///
///   shape: array of i64      dimensions of the operand in the source
///   type: string             stored elements, "i8", "u8" or "f32"
///   axis: i64                dimension along which scales or zero points vary;
///                            absent if neither varies along a dimension
///   scales: array of f32     number of scales, least, greatest
///   zero_points: array of i64  number of zero points, least, greatest
///
/// Scales and zero points that are not constants are left out.
inline constexpr llvm::StringLiteral kWeightAttr = "qcc.weight";

/// The note for operand `weight`, or null if the operand is not a constant.
/// Without `params` the operand holds real numbers.
mlir::DictionaryAttr noteOfWeight(mlir::Value weight,
                                  const qnn::QuantParams *params = nullptr);

} // namespace qcc

#endif // QCC_DIALECT_QNN_IR_WEIGHTNOTE_H
