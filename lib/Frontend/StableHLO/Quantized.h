//===- Quantized.h - Quantized types of StableHLO ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The specification defines an op on quantized values by the op on real ones:
// dequantize the operands, compute, quantize the results. Before a program is
// imported, it is written so, and its values become tensors of integers.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_STABLEHLO_QUANTIZED_H
#define QCC_LIB_FRONTEND_STABLEHLO_QUANTIZED_H

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinOps.h"

namespace qcc::stablehlo {

/// A type, on uniform_quantize and uniform_dequantize: the quantized one whose
/// integers the op writes or reads.
inline constexpr llvm::StringLiteral kQuantizedAttr = "qcc.quantized";

/// Replaces the quantized types of a program by those of their integers. Ops
/// that move elements, and those with regions, stay as they are; all others
/// compute real numbers between uniform_dequantize and uniform_quantize.
/// Refuses types other than !quant.uniform per tensor and per axis with
/// integers of 8, 16 or 32 bits, and an op that moves elements into a type of
/// other parameters.
mlir::LogicalResult expandQuantized(mlir::ModuleOp module);

} // namespace qcc::stablehlo

#endif // QCC_LIB_FRONTEND_STABLEHLO_QUANTIZED_H
