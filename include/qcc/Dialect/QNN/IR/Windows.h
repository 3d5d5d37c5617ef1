//===- Windows.h - Windows of ops on images ---------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that compute each pixel of an NHWC result from a window of an NHWC input:
// sizes of their results, and checks for verifiers.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_WINDOWS_H
#define QCC_DIALECT_QNN_IR_WINDOWS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include <array>

namespace qcc::qnn {

/// The windows along one dimension of the input.
struct WindowDim {
  int64_t kernel = 1; ///< elements of a window
  int64_t stride = 1, dilation = 1;
  int64_t padBefore = 0, padAfter = 0;

  /// The distance from the first element of a window to its last one, both
  /// included.
  int64_t extent() const { return dilation * (kernel - 1) + 1; }
  bool hasPadding() const { return padBefore != 0 || padAfter != 0; }
  /// The least size of the input at which a window fits.
  int64_t leastInputSize() const {
    return std::max<int64_t>(0, extent() - padBefore - padAfter);
  }
  /// The least size of the input at which a window fits and every window has an
  /// element of the input. A window with a dilation may skip a small input,
  /// even if there is less padding than its extent.
  int64_t leastPooledSize() const {
    bool isBetween = padBefore != 0 && padAfter != 0;
    return std::max<int64_t>(leastInputSize(), isBetween ? dilation : 1);
  }
  /// The number of windows in an input of `size` elements. `size` is at least
  /// `leastInputSize()`, or dynamic; then the result is dynamic.
  int64_t outputSize(int64_t size) const;

  // In a transposed convolution, windows lie in the result. The result loses
  // the padding, and gains `outputPadding` elements at its end.

  /// The least size of the input at which the result has an element.
  int64_t leastTransposedInputSize(int64_t outputPadding) const;
  /// The size of the result for an input of `size` elements. `size` is at least
  /// `leastTransposedInputSize()`, or dynamic; then the result is dynamic.
  int64_t transposedSize(int64_t size, int64_t outputPadding) const;
};

/// A *phase* of a transposed convolution, along one dimension: the results
/// whose positions are equal modulo the stride. Each phase is a convolution of
/// the input by a part of the filter, read backwards, with stride 1.
struct TransposedPhase {
  int64_t tap = 0;  ///< the first element of the kernel that adds to the phase
  int64_t taps = 0; ///< how many elements of the kernel do; they may be none
  /// The position in the input at which the window of the first result begins;
  /// it may be negative.
  int64_t offset = 0;
};

/// All phases along one dimension. In phase q, the window of result i begins at
/// position i + `offset` of the input. It has `taps` elements, which are
/// `dilation` apart. Element j of a window is multiplied by element tap + (taps
/// - 1 - j) * tapStep of the filter.
struct TransposedPhases {
  llvm::SmallVector<TransposedPhase> phases; ///< one for each place in a stride
  int64_t tapStep = 1, dilation = 1;
  /// The number of results of each phase, minus the number of elements of the
  /// input. It is rounded up, so the last phases may have a result too many.
  int64_t more = 0;
  /// The number of last elements of all phases that are not in the result of
  /// the op.
  int64_t rest = 0;
  /// The number of elements that windows need before and behind the input.
  int64_t before = 0, after = 0;

  /// The phases of a transposed convolution with windows `dim`, whose result
  /// gains `outputPadding`.
  static TransposedPhases get(const WindowDim &dim, int64_t outputPadding);
};

/// The windows of an op along H and W.
struct Windows {
  std::array<WindowDim, 2> dims;

  bool hasPadding() const {
    return dims[0].hasPadding() || dims[1].hasPadding();
  }

  /// The windows of an op that was verified. `kernel`, `strides` and
  /// `dilations` are [H, W], `padding` is [top, bottom, left, right].
  static Windows get(llvm::ArrayRef<int64_t> kernel,
                     llvm::ArrayRef<int64_t> strides,
                     llvm::ArrayRef<int64_t> dilations,
                     llvm::ArrayRef<int64_t> padding);
  /// Checks the numbers, then returns the windows. Reports errors at `op`,
  /// whose attribute `kernelName` gives the sizes of a window.
  static mlir::FailureOr<Windows> verify(mlir::Operation *op,
                                         llvm::ArrayRef<int64_t> kernel,
                                         llvm::ArrayRef<int64_t> strides,
                                         llvm::ArrayRef<int64_t> dilations,
                                         llvm::ArrayRef<int64_t> padding,
                                         llvm::StringRef kernelName = "kernel");
  /// Checks shapes along N, H and W; both types have rank 4. The windows must
  /// fit in `input` with its padding, which must be less than their extent.
  /// `result` must have the N of the input, and an element for each window.
  mlir::LogicalResult verifyShapes(mlir::Operation *op,
                                   mlir::RankedTensorType input,
                                   mlir::RankedTensorType result) const;
};

/// Checks that dimensions N, H and W of `result` are `expected`.
mlir::LogicalResult verifyPixels(mlir::Operation *op,
                                 mlir::RankedTensorType input,
                                 mlir::RankedTensorType result,
                                 std::array<int64_t, 3> expected);

/// Checks the shapes of a transposed convolution, and its `outputPadding`, [H,
/// W].
mlir::LogicalResult
verifyTransposedShapes(mlir::Operation *op, const Windows &windows,
                       llvm::ArrayRef<int64_t> outputPadding,
                       mlir::RankedTensorType input,
                       mlir::RankedTensorType result);

} // namespace qcc::qnn

#endif // QCC_DIALECT_QNN_IR_WINDOWS_H
