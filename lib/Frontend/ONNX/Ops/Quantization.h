//===- Quantization.h - Stored integers and their parameters ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_OPS_QUANTIZATION_H
#define QCC_LIB_FRONTEND_ONNX_OPS_QUANTIZATION_H

#include "../../Builder/Emit.h"
#include "../NodeImporter.h"

namespace qcc::onnx {

/// A scale and a zero point as operands of qnn.
struct QuantParams {
  Value scale, zeroPoint; ///< no zero point: it is 0
  mlir::IntegerAttr axis; ///< null: one for the tensor
};

/// Which inputs of a node a quantized value has.
struct QuantInputs {
  unsigned stored, scale, zeroPoint;
};

/// Stored integers with their parameters.
struct StoredValue {
  GraphValue integers;
  QuantParams params;
};

/// Whether a scale or zero point is one number, of no dimension or of one.
bool isOneNumber(const GraphValue &param);
/// Whether all bytes of a constant are `byte`.
bool isConstantByte(const GraphValue &value, uint8_t byte);
/// Refuses a constant scale of float32 that is not positive, finite and normal.
mlir::LogicalResult verifyScale(NodeImporter &n, const GraphValue &scale);

/// The parameters for `x`: a scale and a zero point, inputs of the node. A zero
/// point that is the constant 0 counts as none. Refuses parameters that qnn
/// does not take.
FailureOr<QuantParams> readQuantParams(NodeImporter &n, const GraphValue &x,
                                       unsigned scale, unsigned zeroPoint);
/// A quantized value of the node's inputs. A uint8 constant with the zero point
/// 128 becomes int8 with 0.
FailureOr<StoredValue> readStored(NodeImporter &n, QuantInputs inputs);

/// QuantizeLinear of `x` to int8 or uint8, and DequantizeLinear to `element`,
/// with a scale for each block of `block_size` elements
/// (QuantizationBlocks.cpp).
mlir::LogicalResult quantizeInBlocks(NodeImporter &n, const GraphValue &x,
                                     mlir::Type element);
mlir::LogicalResult dequantizeInBlocks(NodeImporter &n, mlir::Type element);

/// a * b + bias for a [.., K], b [K, N], or [N, K] with `transB`, and a bias
/// [N] or null; nothing unless both operands are results of DequantizeLinear,
/// of which one has blocks along K (QuantizedProducts.cpp).
std::optional<GraphValue> matchBlockedProduct(NodeImporter &n,
                                              const GraphValue &a,
                                              const GraphValue &b, bool transB,
                                              const GraphValue *bias);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_OPS_QUANTIZATION_H
