//===- Quantization.h - Parts of quantization -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_OPS_QUANTIZATION_H
#define QCC_LIB_FRONTEND_ONNX_OPS_QUANTIZATION_H

#include "../Emit.h"

namespace qcc::onnx {

/// A scale and a zero point as operands of qnn.
struct QuantParams {
  Value scale, zeroPoint;
  mlir::IntegerAttr axis; ///< null: one for the tensor
};

/// The parameters of `x`, inputs 1 and 2 of the node. `zero` is the zero point
/// where the node has one that is not 0.
FailureOr<QuantParams> readQuantParams(NodeImporter &n, const GraphValue &x,
                                       GraphValue *zero);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_OPS_QUANTIZATION_H
