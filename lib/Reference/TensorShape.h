//===- TensorShape.h - Tensor ops that move elements ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_TENSORSHAPE_H
#define QCC_LIB_REFERENCE_TENSORSHAPE_H

#include "Evaluator.h"

namespace qcc::reference {

/// A box in a tensor.
struct SliceShape {
  llvm::SmallVector<int64_t> offsets, sizes, strides;

  void copy(Tensor &box, const Tensor &whole) const;
  void insert(Tensor &whole, const Tensor &box) const;

private:
  /// Makes the strides of a tensor those of the box in it; its offset.
  int64_t step(std::vector<int64_t> &wholeStrides) const;
};

/// Whether an index follows from more than constants and dimensions (N11).
bool dependsOnData(mlir::Value index);

/// The nearest of 0 to `last`.
int64_t clampIndex(int64_t index, int64_t last);

/// The slice that tensor.extract_slice or insert_slice takes of a tensor of
/// `shape`: an offset that depends on data is clamped (N11), any other that
/// leaves the tensor is an error.
llvm::Expected<SliceShape> sliceOf(mlir::OffsetSizeAndStrideOpInterface op,
                                   llvm::ArrayRef<int64_t> shape,
                                   const Evaluator &evaluator, const Env &env);

/// tensor.extract_slice, expand_shape, collapse_shape and cast.
llvm::Expected<RtValue> moveTensor(mlir::Operation *op,
                                   const Evaluator &evaluator, const Env &env);

/// tensor.pad; `fill` sets all elements to the padding.
llvm::Expected<RtValue>
padTensor(mlir::tensor::PadOp op, const RtValue &source,
          llvm::function_ref<llvm::Error(Tensor &)> fill,
          const Evaluator &evaluator, const Env &env);

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_TENSORSHAPE_H
