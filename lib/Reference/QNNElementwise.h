//===- QNNElementwise.h - Elementwise qnn ops -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop over elements that all ops of qnn::ElementwiseOpInterface share, and
// what their formulas see. The formulas are in QNNFormulas.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_QNNELEMENTWISE_H
#define QCC_LIB_REFERENCE_QNNELEMENTWISE_H

#include "QNNParams.h"

namespace qcc::reference {

/// An element of an operand, and its parameters where it is quantized.
struct Element {
  Scalar value; ///< a real number, or the stored integer
  float scale;
  int64_t zeroPoint;

  /// q - z, an i32 that wraps.
  int64_t difference() const {
    return static_cast<int32_t>(value.i - zeroPoint);
  }
};

/// The parameters of an element of the result, where it is quantized.
struct ResultElement {
  float scale;
  int64_t zeroPoint;
  StorageRange range;
};

/// An op that is being evaluated. Tensors are numbered as in
/// ElementwiseOpInterface::getTensors; the last is the result.
class Elementwise {
public:
  Elementwise(qnn::ElementwiseOpInterface op, const Evaluator &evaluator,
              const Env &env)
      : op(op), evaluator(evaluator), env(env) {}

  /// Reads operands and parameters, and allocates the result.
  llvm::Error start();

  /// The value of any operand.
  const Tensor &valueOf(mlir::Value operand) const {
    return evaluator.valueOf(operand, env).tensor;
  }
  const Tensor &operand(unsigned i) const { return *operands[i]; }
  /// Of a tensor that is quantized.
  const RuntimeParams &params(unsigned tensor) const {
    return *tensorParams[tensor];
  }
  unsigned threads() const { return evaluator.threads; }

  /// Sets every element of the result to formula(elements of the operands,
  /// element of the result).
  template <typename Formula> void fill(Formula formula) {
    forRows(evaluator.threads, shape,
            [&](int64_t row, int64_t first, int64_t length) {
              fillRow(formula, row, first, length);
            });
  }

  qnn::ElementwiseOpInterface op;
  std::vector<int64_t> shape; ///< of the result
  Tensor result;

private:
  /// Where a tensor has the elements of the places of the result: strides that
  /// are 0 along dimensions in which its only element is at every place.
  struct Places {
    llvm::SmallVector<int64_t>
        rowStrides;            ///< in rows, of all dims but the last
    int64_t elementStride = 1; ///< along a row
    int64_t length = 1;        ///< of a row of the tensor
  };
  Places placesOf(unsigned tensor);
  /// Which row of a tensor belongs to a row of the result.
  int64_t rowOf(const Places &tensor, int64_t row) const;

  template <typename Formula>
  void fillRow(Formula &formula, int64_t row, int64_t first, int64_t length) {
    llvm::SmallVector<RowParams, 4> rows;
    llvm::SmallVector<int64_t, 4> starts;
    for (auto [params, tensor] : llvm::zip(tensorParams, places)) {
      int64_t own = rowOf(tensor, row);
      starts.push_back(own * tensor.length);
      rows.push_back(params ? params->row(own) : RowParams{&one, 0, &zero, 0});
    }
    llvm::SmallVector<Element, 4> elements(operands.size());
    const std::optional<RuntimeParams> &to = tensorParams.back();
    ResultElement y;
    if (to)
      y.range = to->range();
    for (int64_t i = 0; i < length; ++i) {
      for (size_t t = 0; t < operands.size(); ++t) {
        int64_t column = i * places[t].elementStride;
        int64_t at = starts[t] + column;
        if (tensorParams[t])
          elements[t].value.i = tensorParams[t]->stored(*operands[t], at);
        else
          elements[t].value = operands[t]->get(at);
        elements[t].scale = rows[t].scale(column);
        elements[t].zeroPoint = rows[t].zeroPoint(column);
      }
      y.scale = rows.back().scale(i);
      y.zeroPoint = rows.back().zeroPoint(i);
      result.set(first + i, formula(elements.data(), y));
    }
  }

  static constexpr float one = 1;
  static constexpr int64_t zero = 0;

  const Evaluator &evaluator;
  const Env &env;
  llvm::SmallVector<const Tensor *> operands;
  /// Nothing for tensors that are not quantized.
  std::vector<std::optional<RuntimeParams>> tensorParams;
  llvm::SmallVector<Places, 4> places;
};

/// Fills the result by the op's formula; false if it has none.
bool evaluateFormula(Elementwise &run);

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_QNNELEMENTWISE_H
