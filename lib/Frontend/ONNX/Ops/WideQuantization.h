//===- WideQuantization.h - Quantization to 16 bits -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_OPS_WIDEQUANTIZATION_H
#define QCC_LIB_FRONTEND_ONNX_OPS_WIDEQUANTIZATION_H

#include "../../Builder/Emit.h"
#include "../NodeImporter.h"

namespace qcc::onnx {

/// The floats as integers of 16 bits: int16, or uint16 as int32.
mlir::LogicalResult quantizeWide(NodeImporter &n, GraphValue &x,
                                 bool isUnsigned);
/// Integers of 16 bits as floats of type `element`.
mlir::LogicalResult dequantizeWide(NodeImporter &n, mlir::Type element);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_OPS_WIDEQUANTIZATION_H
