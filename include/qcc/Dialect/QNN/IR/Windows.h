//===- Windows.h - Where the windows of an op lie ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The geometry of ops that compute each pixel of an NHWC result of a window of
// an NHWC input: sizes, and the messages of verifiers about them.
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

  /// From the first element of a window to its last one, both included.
  int64_t extent() const { return dilation * (kernel - 1) + 1; }
  bool hasPadding() const { return padBefore != 0 || padAfter != 0; }
  /// The least size of the input at which a window fits.
  int64_t leastInputSize() const {
    return std::max<int64_t>(0, extent() - padBefore - padAfter);
  }
  /// The least size of the input at which a window fits and none lies in
  /// padding alone, which windows with a dilation may do even where there is
  /// less padding than a window extends over.
  int64_t leastPooledSize() const {
    bool isBetween = padBefore != 0 && padAfter != 0;
    return std::max<int64_t>(leastInputSize(), isBetween ? dilation : 1);
  }
  /// How many windows there are in an input of `size` elements, which is at
  /// least `leastInputSize()`, or dynamic; the result is dynamic then.
  int64_t outputSize(int64_t size) const;

  // Of a transposed convolution, where a window is in the result, which loses
  // the padding, and gains `outputPadding` behind it.

  /// The least size of the input at which the result has an element.
  int64_t leastTransposedInputSize(int64_t outputPadding) const;
  /// The size of the result for an input of `size` elements, which is at least
  /// `leastTransposedInputSize()`, or dynamic; the result is dynamic then.
  int64_t transposedSize(int64_t size, int64_t outputPadding) const;
};

/// Along one dimension of a transposed convolution, the results whose places
/// are equal modulo the stride: a *phase*. Each phase is a convolution with
/// stride 1 of the input and of a part of the kernel, read backwards.
struct TransposedPhase {
  int64_t tap = 0;  ///< the first element of the kernel that adds to the phase
  int64_t taps = 0; ///< how many elements of the kernel do; they may be none
  /// Where the window of the first result begins in the input; it may be
  /// negative.
  int64_t offset = 0;
};

/// All phases along one dimension. The windows of phase q in the input begin
/// `offset` elements behind the number of the result, have `taps` elements that
/// are `dilation` apart, and element j of a window is multiplied by element
/// tap + (taps - 1 - j) * tapStep of the kernel.
struct TransposedPhases {
  llvm::SmallVector<TransposedPhase> phases; ///< one for each place in a stride
  int64_t tapStep = 1, dilation = 1;
  /// How many results each phase has more than the input has elements; rounded
  /// up, so that the last phases may have one too many.
  int64_t more = 0;
  /// How many elements of the results of all phases are none of the op: they
  /// are the last ones.
  int64_t rest = 0;
  /// What windows reach before and behind the input.
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
  /// The same after a check of the numbers; errors are reported at `op`, whose
  /// attribute `kernelName` the sizes of a window are.
  static mlir::FailureOr<Windows> verify(mlir::Operation *op,
                                         llvm::ArrayRef<int64_t> kernel,
                                         llvm::ArrayRef<int64_t> strides,
                                         llvm::ArrayRef<int64_t> dilations,
                                         llvm::ArrayRef<int64_t> padding,
                                         llvm::StringRef kernelName = "kernel");
  /// Checks that the windows fit in `input` with its padding, that none lies in
  /// padding alone, and that `result` has an element for each along H and W,
  /// and the N of the input. Both are of rank 4.
  mlir::LogicalResult verifyShapes(mlir::Operation *op,
                                   mlir::RankedTensorType input,
                                   mlir::RankedTensorType result) const;
};

/// Checks that dimensions N, H and W of `result` are `expected`.
mlir::LogicalResult verifyPixels(mlir::Operation *op,
                                 mlir::RankedTensorType input,
                                 mlir::RankedTensorType result,
                                 std::array<int64_t, 3> expected);

/// Checks shapes of a transposed convolution, and `outputPadding`, [H, W].
mlir::LogicalResult
verifyTransposedShapes(mlir::Operation *op, const Windows &windows,
                       llvm::ArrayRef<int64_t> outputPadding,
                       mlir::RankedTensorType input,
                       mlir::RankedTensorType result);

} // namespace qcc::qnn

#endif // QCC_DIALECT_QNN_IR_WINDOWS_H
