//===- ImportedOps.h - The ops of TFLite that are imported ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_FRONTEND_TFLITE_IMPORTEDOPS_H
#define QCC_FRONTEND_TFLITE_IMPORTEDOPS_H

#include <string>
#include <vector>

namespace qcc {

struct TFLiteOp {
  std::string name; ///< "CONV_2D"
  /// The types of its first operand: "int8, uint8, float32"; empty for an op
  /// without operands.
  std::string elements;
};

/// All ops that are imported, by name.
std::vector<TFLiteOp> tfliteOps();

} // namespace qcc

#endif // QCC_FRONTEND_TFLITE_IMPORTEDOPS_H
