//===- Windows.cpp - Windows of convolutions and poolings -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Windows.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

/// More than any model has; products of such numbers and sizes do not overflow.
static constexpr int64_t kMaxNumber = 1 << 24;

FailureOr<AutoPad> onnx::readAutoPad(NodeImporter &n) {
  StringRef mode = n.getString("auto_pad", "NOTSET");
  auto known = llvm::StringSwitch<std::optional<AutoPad>>(mode)
                   .Case("NOTSET", AutoPad::NotSet)
                   .Case("VALID", AutoPad::Valid)
                   .Case("SAME_UPPER", AutoPad::SameUpper)
                   .Case("SAME_LOWER", AutoPad::SameLower)
                   .Default(std::nullopt);
  if (!known)
    return n.refuse() << "has auto_pad = " << mode
                      << ", which is not defined; correct the attribute";
  return *known;
}

/// Sets the padding so that there are ceil(size / stride) windows.
static void padToSame(NodeImporter &n, OpFoldResult size, bool atStart,
                      WindowDim &w) {
  OpFoldResult stride = n.size(w.stride), extent = n.size(w.extent());
  w.count = n.ceilDiv(size, stride);
  // With a stride of 1, or windows of one element, it is the same for all
  // sizes.
  OpFoldResult end = n.add(n.mul(n.sub(w.count, n.size(1)), stride), extent),
               total = w.stride == 1 || w.extent() == 1
                           ? n.size(w.extent() - 1)
                           : n.max(n.sub(end, size), n.size(0)),
               less = n.floorDiv(total, n.size(2)), more = n.sub(total, less);
  w.before = atStart ? more : less;
  w.after = atStart ? less : more;
}

/// Warns where windows are so much shorter than strides that ONNX Runtime pads
/// by a negative amount: its first window begins behind the first element.
static void warnOfGaps(NodeImporter &n, OpFoldResult size, const WindowDim &w) {
  int64_t gap = w.stride - w.extent(), least = -gap;
  if (std::optional<int64_t> known = knownSize(size))
    least = (llvm::divideCeilSigned(*known, w.stride) - 1) * w.stride +
            w.extent() - *known;
  if (gap < 2 || least > -2)
    return;
  n.warn() << "has auto_pad, a stride of " << w.stride << " and windows of "
           << w.extent()
           << ": no element is cut off, as in TensorFlow; ONNX Runtime may cut "
              "off elements at the start; use pads to be sure of either";
}

/// Counts the windows that fit in the padded image. With ceil_mode they are
/// one more where it would begin inside of the image or of the padding before
/// it, and padding is added for the rest of it.
static void countWindows(NodeImporter &n, OpFoldResult size, bool isCeil,
                         WindowDim &w) {
  OpFoldResult stride = n.size(w.stride), one = n.size(1),
               start = n.add(size, w.before),
               span = n.sub(n.add(start, w.after), n.size(w.extent()));
  if (!isCeil) {
    w.count = n.add(n.floorDiv(span, stride), one);
    return;
  }
  w.count =
      n.min(n.add(n.ceilDiv(span, stride), one), n.ceilDiv(start, stride));
  OpFoldResult end = n.mul(n.sub(w.count, one), stride);
  w.rest = n.max(n.sub(end, span), n.size(0));
  w.after = n.add(w.after, w.rest);
}

/// Strides, dilations and pads of dimension `d`; auto_pad adds nothing yet.
static FailureOr<WindowDim> readWindow(NodeImporter &n, int64_t kernel,
                                       size_t d, size_t count, bool isPadded) {
  auto strides = n.getInts("strides", count, 1);
  auto dilations = n.getInts("dilations", count, 1);
  auto pads = n.getInts("pads", 2 * count, 0);
  if (failed(strides) || failed(dilations) || failed(pads))
    return failure();
  WindowDim w;
  w.kernel = kernel;
  w.stride = (*strides)[d];
  w.dilation = (*dilations)[d];
  for (int64_t number : {w.kernel, w.stride, w.dilation})
    if (number < 1 || number > kMaxNumber)
      return n.refuse() << "has a kernel, stride or dilation of " << number
                        << "; it has to be from 1 to " << kMaxNumber;
  int64_t before = isPadded ? (*pads)[d] : 0,
          after = isPadded ? (*pads)[count + d] : 0;
  for (int64_t number : {before, after})
    if (number < 0 || number > kMaxNumber)
      return n.refuse() << "has padding of " << number
                        << ", which is not supported; use Slice and Pad";
  w.before = n.size(before);
  w.after = n.size(after);
  w.rest = n.size(0);
  return w;
}

FailureOr<SmallVector<WindowDim>> onnx::readWindows(NodeImporter &n,
                                                    const GraphValue &x,
                                                    ArrayRef<int64_t> kernel) {
  FailureOr<AutoPad> automatic = readAutoPad(n);
  if (failed(automatic))
    return failure();
  bool atStart = *automatic == AutoPad::SameLower;
  bool isSame = atStart || *automatic == AutoPad::SameUpper;
  bool isCeil = n.getInt("ceil_mode", 0) != 0;
  SmallVector<WindowDim> windows;
  for (size_t d = 0; d < kernel.size(); ++d) {
    FailureOr<WindowDim> w = readWindow(n, kernel[d], d, kernel.size(),
                                        *automatic == AutoPad::NotSet);
    if (failed(w))
      return failure();
    OpFoldResult size = x.shape[2 + d];
    if (isSame) {
      warnOfGaps(n, size, *w);
      padToSame(n, size, atStart, *w);
    } else {
      countWindows(n, size, isCeil, *w);
    }
    std::optional<int64_t> known = knownSize(size), count = knownSize(w->count);
    if (known && count && *count < 1)
      return n.refuse() << "has windows of " << w->extent()
                        << " elements, which do not fit in an image of "
                        << *known << " with its padding";
    windows.push_back(*w);
  }
  return windows;
}

GraphValue onnx::padWindows(NodeImporter &n, GraphValue &x,
                            ArrayRef<WindowDim> windows, double value) {
  SmallVector<OpFoldResult> low(2, n.size(0)), high(2, n.size(0));
  for (const WindowDim &w : windows) {
    low.push_back(w.before);
    high.push_back(w.after);
  }
  Value scalar = Scalars(n.b, n.loc).constant(x.element, value);
  return pad(n, x, low, high, scalar);
}

AffineExpr onnx::windowPlace(const WindowDim &window, AffineExpr o,
                             AffineExpr k) {
  return o * window.stride + k * window.dilation;
}
