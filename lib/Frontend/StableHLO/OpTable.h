//===- OpTable.h - The ops of StableHLO that are imported -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_STABLEHLO_OPTABLE_H
#define QCC_LIB_FRONTEND_STABLEHLO_OPTABLE_H

#include "OpImporter.h"

namespace qcc::stablehlo {

/// Computes an element of the result from elements of the operands, whose types
/// `op` declares.
using ScalarFunction = Value (*)(Scalars &s, Operation *op, ValueRange x);

struct OpInfo {
  /// With its dialect.
  llvm::StringLiteral name;
  LogicalResult (*import)(OpImporter &);
  /// Null but for elementwise ops.
  ScalarFunction scalar = nullptr;
  /// How many operands the op has; -1: any number.
  int operands = -1;
  /// What elements its operands may have: i (signed integers), u (unsigned
  /// ones), b (bool), f (f16, bf16, f32), d (f64).
  llvm::StringLiteral elements = "iubfd";
  /// The attributes that the op may have, each behind a space; " *": any.
  llvm::StringLiteral attributes = "";
};

/// Null for an op that is not imported.
const OpInfo *findOp(StringRef name);
/// All ops that are imported, ordered by name.
ArrayRef<OpInfo> opTable();
/// Why an op of the specification is not imported, and what to do; empty for an
/// op that the specification does not have.
StringRef reasonOf(StringRef name);

/// Refuses an op with other operands, elements, regions or attributes than the
/// table has.
LogicalResult verifyOp(Operation *op, const OpInfo &info);

} // namespace qcc::stablehlo

#endif // QCC_LIB_FRONTEND_STABLEHLO_OPTABLE_H
