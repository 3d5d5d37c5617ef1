//===- QNNContraction.h - qnn contractions ----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_QNNCONTRACTION_H
#define QCC_LIB_REFERENCE_QNNCONTRACTION_H

#include "QNNParams.h"

namespace qcc::reference {

/// The result of a contraction, and how it follows from accumulators.
struct ContractionEnd {
  Tensor result;
  const Tensor *bias = nullptr;
  std::optional<RuntimeParams> output; ///< of a quantized result
  std::optional<float> low, high;      ///< of a clamp

  /// Fills in `output` and the clamp; `result` is there already.
  template <typename Op>
  llvm::Error read(Op op, const Evaluator &evaluator, const Env &env) {
    if (op.getClampMin())
      low = op.getClampMin()->convertToFloat();
    if (op.getClampMax())
      high = op.getClampMax()->convertToFloat();
    if (!op.hasQuantizedResult())
      return llvm::Error::success();
    llvm::Expected<RuntimeParams> params = RuntimeParams::get(
        op, op.getResultParams(), result.shape, evaluator, env);
    if (!params)
      return params.takeError();
    output = std::move(*params);
    return llvm::Error::success();
  }
  float clamped(float v) const;
  bool biasIsFloat() const { return bias && bias->elem.isFloat(); }
  /// An element of the result in column, or channel, `column` (N3, N6).
  Scalar finish(int64_t acc, float xScale, float yScale, int64_t column) const;
};

llvm::Expected<RtValue>
evaluateLinear(qnn::LinearOp op, const Evaluator &evaluator, const Env &env);
llvm::Expected<RtValue>
evaluateMatmul(qnn::MatmulOp op, const Evaluator &evaluator, const Env &env);
llvm::Expected<RtValue>
evaluateConv2D(qnn::Conv2DOp op, const Evaluator &evaluator, const Env &env);
llvm::Expected<RtValue> evaluateConvTranspose2D(qnn::ConvTranspose2DOp op,
                                                const Evaluator &evaluator,
                                                const Env &env);

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_QNNCONTRACTION_H
