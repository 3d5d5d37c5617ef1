//===- Windows.cpp - Where the windows of an op lie -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/QNN/IR/Windows.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace qcc::qnn;

/// No number of a window is larger, so that no size computed of them overflows.
static constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
/// A transposed convolution becomes one convolution for each pixel of a stride.
static constexpr int64_t kMostPhases = 256;
static constexpr StringLiteral kDimNames[] = {"H", "W"};

int64_t WindowDim::outputSize(int64_t size) const {
  if (ShapedType::isDynamic(size))
    return size;
  // Unsigned, since sizes may be close to the largest i64.
  uint64_t padded = static_cast<uint64_t>(size) + padBefore + padAfter;
  return (padded - extent()) / stride + 1;
}

Windows Windows::get(ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides,
                     ArrayRef<int64_t> dilations, ArrayRef<int64_t> padding) {
  Windows windows;
  for (unsigned d = 0; d < 2; ++d)
    windows.dims[d] = {kernel[d], strides[d], dilations[d], padding[2 * d],
                       padding[2 * d + 1]};
  return windows;
}

/// Checks that `numbers` are `count` numbers from `least` on.
static LogicalResult verifyNumbers(Operation *op, StringRef name,
                                   ArrayRef<int64_t> numbers, size_t count,
                                   StringRef order, int64_t least) {
  if (numbers.size() != count)
    return op->emitOpError() << "has '" << name << "' of length "
                             << numbers.size() << "; give " << order;
  for (int64_t number : numbers)
    if (number < least || number > kLargest)
      return op->emitOpError()
             << "has " << number << " in '" << name << "'; give numbers from "
             << least << " to " << kLargest;
  return success();
}

FailureOr<Windows> Windows::verify(Operation *op, ArrayRef<int64_t> kernel,
                                   ArrayRef<int64_t> strides,
                                   ArrayRef<int64_t> dilations,
                                   ArrayRef<int64_t> padding,
                                   StringRef kernelName) {
  StringRef pair = "[H, W]";
  if (failed(verifyNumbers(op, kernelName, kernel, 2, pair, 1)) ||
      failed(verifyNumbers(op, "strides", strides, 2, pair, 1)) ||
      failed(verifyNumbers(op, "dilations", dilations, 2, pair, 1)) ||
      failed(verifyNumbers(op, "padding", padding, 4,
                           "[top, bottom, left, right]", 0)))
    return failure();
  return get(kernel, strides, dilations, padding);
}

LogicalResult qcc::qnn::verifyPixels(Operation *op, RankedTensorType input,
                                     RankedTensorType result,
                                     std::array<int64_t, 3> expected) {
  if (result.getShape().take_front(3) == ArrayRef<int64_t>(expected))
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError() << "has a result of type " << result
                        << "; for an input of type " << input << " make it [";
  for (int64_t size : expected)
    if (ShapedType::isDynamic(size))
      diagnostic << "?, ";
    else
      diagnostic << size << ", ";
  return diagnostic << result.getDimSize(3) << "]";
}

/// Checks that padding on each side is less than a window extends over;
/// `reason` is why.
static LogicalResult verifyPadding(Operation *op, const Windows &windows,
                                   StringRef reason) {
  for (auto [name, dim] : llvm::zip_equal(kDimNames, windows.dims))
    if (std::max(dim.padBefore, dim.padAfter) >= dim.extent())
      return op->emitOpError()
             << "has a padding of " << std::max(dim.padBefore, dim.padAfter)
             << " along " << name << ", where a window extends over "
             << dim.extent() << ": " << reason
             << "; give less padding than that";
  return success();
}

LogicalResult Windows::verifyShapes(Operation *op, RankedTensorType input,
                                    RankedTensorType result) const {
  if (failed(verifyPadding(op, *this, "windows could lie in padding alone")))
    return failure();
  std::array<int64_t, 3> expected = {input.getDimSize(0)};
  for (unsigned d = 0; d < 2; ++d) {
    const WindowDim &dim = dims[d];
    int64_t size = input.getDimSize(1 + d);
    if (!ShapedType::isDynamic(size) && size < dim.leastInputSize())
      return op->emitOpError()
             << "has windows that extend over " << dim.extent() << " along "
             << kDimNames[d] << ", where the input has " << size
             << " elements and a padding of " << dim.padBefore + dim.padAfter
             << "; give a smaller window or more padding";
    expected[1 + d] = dim.outputSize(size);
  }
  return verifyPixels(op, input, result, expected);
}

//===----------------------------------------------------------------------===//
// Transposed convolutions
//===----------------------------------------------------------------------===//

int64_t WindowDim::leastTransposedInputSize(int64_t outputPadding) const {
  int64_t missing = 1 + padBefore + padAfter - extent() - outputPadding;
  return missing <= 0 ? 1 : 1 + (missing + stride - 1) / stride;
}

int64_t WindowDim::transposedSize(int64_t size, int64_t outputPadding) const {
  if (ShapedType::isDynamic(size))
    return size;
  // Too large a size is no size of any tensor, but must not overflow.
  uint64_t covered = llvm::SaturatingMultiplyAdd<uint64_t>(
      size - 1, stride, extent() + outputPadding);
  return std::min<uint64_t>(covered, std::numeric_limits<int64_t>::max()) -
         padBefore - padAfter;
}

TransposedPhases TransposedPhases::get(const WindowDim &dim,
                                       int64_t outputPadding) {
  TransposedPhases result;
  int64_t common = std::gcd(dim.stride, dim.dilation);
  result.tapStep = dim.stride / common;
  result.dilation = dim.dilation / common;
  // Behind the last element of the input times the stride.
  int64_t end = dim.extent() + outputPadding - dim.padBefore - dim.padAfter;
  result.more = llvm::divideCeilSigned(end, dim.stride) - 1;
  result.rest = (result.more + 1) * dim.stride - end;
  // The first tap of each place in a stride, and how far before it the element
  // of the input lies.
  SmallVector<std::optional<int64_t>> firstTaps(dim.stride);
  for (int64_t tap = 0; tap < std::min(result.tapStep, dim.kernel); ++tap)
    firstTaps[tap * dim.dilation % dim.stride] = tap;
  for (int64_t q = 0; q < dim.stride; ++q) {
    TransposedPhase &phase = result.phases.emplace_back();
    int64_t place = q + dim.padBefore;
    std::optional<int64_t> tap = firstTaps[place % dim.stride];
    if (!tap)
      continue;
    phase.tap = *tap;
    phase.taps = llvm::divideCeil(dim.kernel - *tap, result.tapStep);
    int64_t reach = (phase.taps - 1) * result.dilation;
    phase.offset = (place - *tap * dim.dilation) / dim.stride - reach;
    result.before = std::max(result.before, -phase.offset);
    result.after = std::max(result.after, result.more + phase.offset + reach);
  }
  return result;
}

LogicalResult qcc::qnn::verifyTransposedShapes(Operation *op,
                                               const Windows &windows,
                                               ArrayRef<int64_t> outputPadding,
                                               RankedTensorType input,
                                               RankedTensorType result) {
  if (failed(verifyPadding(op, windows,
                           "the result could lose all that a pixel adds")) ||
      failed(
          verifyNumbers(op, "output_padding", outputPadding, 2, "[H, W]", 0)))
    return failure();
  int64_t strideH = windows.dims[0].stride, strideW = windows.dims[1].stride;
  if (strideH > kMostPhases || strideW > kMostPhases / strideH)
    return op->emitOpError() << "has strides of " << strideH << " and "
                             << strideW << ", whose product is more than "
                             << kMostPhases << "; give smaller ones";
  std::array<int64_t, 3> expected = {input.getDimSize(0)};
  for (unsigned d = 0; d < 2; ++d) {
    const WindowDim &dim = windows.dims[d];
    if (outputPadding[d] >= std::max(dim.stride, dim.dilation))
      return op->emitOpError()
             << "has an output padding of " << outputPadding[d] << " along "
             << kDimNames[d] << ", where the stride is " << dim.stride
             << " and the dilation " << dim.dilation
             << "; give less than the larger one of them";
    int64_t size = input.getDimSize(1 + d);
    int64_t least = dim.leastTransposedInputSize(outputPadding[d]);
    if (!ShapedType::isDynamic(size) && size < least)
      return op->emitOpError()
             << "has an input of " << size << " elements along " << kDimNames[d]
             << ", of which nothing is left in the result; with this padding "
                "give at least "
             << least;
    expected[1 + d] = dim.transposedSize(size, outputPadding[d]);
  }
  return verifyPixels(op, input, result, expected);
}
