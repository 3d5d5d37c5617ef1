//===- QNNParams.h - Scales and zero points at run time ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters of a quantized tensor (N1), from its type or from operands, as
// they apply to each of its elements.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_QNNPARAMS_H
#define QCC_LIB_REFERENCE_QNNPARAMS_H

#include "Evaluator.h"
#include "QuantMath.h"
#include "Threads.h"
#include "qcc/Dialect/QNN/IR/QNN.h"

namespace qcc::reference {

/// Parameters along one row (the last dimension) of a tensor: of its elements,
/// or of its groups of K.
struct RowParams {
  const float *scales;
  int64_t scaleStride;
  const int64_t *zeroPoints;
  int64_t zeroPointStride;

  float scale(int64_t i) const { return scales[i * scaleStride]; }
  int64_t zeroPoint(int64_t i) const { return zeroPoints[i * zeroPointStride]; }
};

class RuntimeParams {
public:
  /// Of a tensor of `shape`; the shapes of run-time operands are checked.
  static llvm::Expected<RuntimeParams> get(mlir::Operation *op,
                                           const qnn::QuantParams &params,
                                           const std::vector<int64_t> &shape,
                                           const Evaluator &evaluator,
                                           const Env &env);

  StorageRange range() const { return {params.qmin, params.qmax}; }
  bool isSigned() const { return params.isSigned; }
  const qnn::QuantParams &description() const { return params; }
  /// Row number `row` in row-major order.
  RowParams row(int64_t row) const;

  /// The stored integer of an element.
  int64_t stored(const Tensor &tensor, int64_t i) const {
    int64_t value = tensor.get(i).i;
    return params.isSigned ? value : value & 0xff;
  }

private:
  struct Values {
    qnn::QuantParams::Kind kind;
    int64_t rowStride = 0;     ///< between rows, where one per row
    int64_t channelStride = 0; ///< rows per channel, where not the last axis
    int64_t channels = 1;
    int64_t elementStride = 0; ///< between elements, where the last axis

    int64_t start(int64_t row) const {
      if (channelStride)
        return row / channelStride % channels;
      return row * rowStride;
    }
  };
  static llvm::Expected<Values> layout(mlir::Operation *op,
                                       qnn::QuantParams::Kind kind,
                                       const qnn::QuantParams &params,
                                       size_t count,
                                       const std::vector<int64_t> &shape);

  qnn::QuantParams params;
  std::vector<float> scales;
  std::vector<int64_t> zeroPoints;
  Values scaleLayout, zeroPointLayout;
};

/// Calls body(row, first element, elements per row) for every row of `shape`.
template <typename Body>
void forRows(unsigned threads, const std::vector<int64_t> &shape, Body body) {
  int64_t length = shape.empty() ? 1 : shape.back();
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < shape.size(); ++d)
    rows *= shape[d];
  parallelFor(threads, rows, std::max<int64_t>(1, 4096 / (length + 1)),
              [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row)
                  body(row, row * length, length);
              });
}

/// qnn.max_pool2d, qnn.avg_pool2d and qnn.resize.
llvm::Expected<RtValue> evaluateMaxPool(qnn::MaxPool2DOp op,
                                        const Evaluator &evaluator,
                                        const Env &env);
llvm::Expected<RtValue> evaluateAvgPool(qnn::AvgPool2DOp op,
                                        const Evaluator &evaluator,
                                        const Env &env);
llvm::Expected<RtValue>
evaluateResize(qnn::ResizeOp op, const Evaluator &evaluator, const Env &env);

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_QNNPARAMS_H
