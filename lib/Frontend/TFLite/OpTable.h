//===- OpTable.h - The ops of TensorFlow Lite that are imported -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_TFLITE_OPTABLE_H
#define QCC_LIB_FRONTEND_TFLITE_OPTABLE_H

#include "OpImporter.h"

namespace qcc::tflite {

struct OpRow {
  int32_t code;
  llvm::StringLiteral name;
  LogicalResult (*import)(OpImporter &);
  /// How many operands the op has at least and at most; -1: any number.
  int least = 1, most = 1;
  /// What elements its first operand may have: q (int8, uint8), s (int16), i
  /// (int32, int64), b (bool), f (float32), h (float16, bfloat16, float64); r:
  /// a variable; empty: any.
  llvm::StringLiteral elements = "qsibf";
  /// How many of its operands have the element type of the first one; -1: all.
  int alike = 1;
};

/// Null for an op that is not imported.
const OpRow *findOp(int32_t code);
/// The name of an op of the format, also of one that is not imported.
std::string opName(const OpInfo &op);

/// Refuses an op with other operands or elements than the table has.
LogicalResult verifyOp(OpImporter &n, const OpRow &row);

} // namespace qcc::tflite

#endif // QCC_LIB_FRONTEND_TFLITE_OPTABLE_H
