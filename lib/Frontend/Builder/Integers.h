//===- Integers.h - Arithmetic when a model is imported ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The integer evaluator: integers that are constants, or follow from sizes of
// inputs (GraphValue::integers), are computed when a model is imported.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_BUILDER_INTEGERS_H
#define QCC_LIB_FRONTEND_BUILDER_INTEGERS_H

#include "GraphBuilder.h"

namespace qcc::frontend {

enum class IntegerOp {
  Add,
  Sub,
  Mul,
  Min,
  Max,
  TruncDiv,
  TruncRem,
  FloorDiv,
  FloorRem
};

/// Whether a constant that was computed of constants is what integers of the
/// element type give, which wrap. So is every number that is not constant.
bool fitsType(mlir::OpFoldResult integer, mlir::Type element);

/// The number of results of an elementwise op on integers that the evaluator
/// knows, in at most one dimension; a single integer is repeated.
std::optional<size_t> meetIntegers(GraphBuilder &n,
                                   llvm::ArrayRef<GraphValue *> values);
/// Element `i` of such a result's operand.
mlir::OpFoldResult integerAt(const GraphValue &value, size_t i);

/// The integers that an elementwise op gives, one operand after the other; all
/// have the type of the first. Nothing if the evaluator does not know them, or
/// a divisor may be 0 or less.
std::optional<GraphValue> computeIntegers(GraphBuilder &n, IntegerOp op,
                                          llvm::ArrayRef<GraphValue *> values);

/// All elements of a value of one dimension, combined: a value without
/// dimensions, or of one element. Nothing if the evaluator does not know them,
/// or there are none.
std::optional<GraphValue> reduceIntegers(GraphBuilder &n, IntegerOp op,
                                         GraphValue &x, bool keepsDim);

} // namespace qcc::frontend

#endif // QCC_LIB_FRONTEND_BUILDER_INTEGERS_H
