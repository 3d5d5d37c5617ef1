//===- Windows.cpp - Windows of convolutions and poolings -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Windows.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

/// More than any model has; products of such numbers and sizes do not overflow.
static constexpr int64_t kMaxNumber = 1 << 24;

/// The padding with which there are ceil(size / stride) windows, of a dynamic
/// size.
static void padToDynamic(NodeImporter &n, OpFoldResult size, bool atStart,
                         WindowDim &window) {
  OpFoldResult last = n.sub(n.ceilDiv(size, n.size(window.stride)), n.size(1)),
               end = n.add(n.mul(last, n.size(window.stride)),
                           n.size(window.extent())),
               total = n.max(n.sub(end, size), n.size(0)),
               less = n.floorDiv(total, n.size(2)), more = n.sub(total, less);
  window.dynamicBefore = atStart ? more : less;
  window.dynamicAfter = atStart ? less : more;
}

/// Sets the padding so that there are ceil(size / stride) windows. With a
/// stride of 1, or windows of one element, it is the same for all sizes.
static LogicalResult padToSame(NodeImporter &n, OpFoldResult size, bool atStart,
                               bool adapts, WindowDim &window) {
  std::optional<int64_t> known = knownSize(size);
  if (!known && window.stride > 1 && window.extent() > 1) {
    if (!adapts)
      return n.refuse() << "has auto_pad for a dynamic size and a stride of "
                        << window.stride << "; give pads, or the size";
    padToDynamic(n, size, atStart, window);
    return success();
  }
  int64_t total = window.extent() - 1;
  if (known) {
    int64_t count = llvm::divideCeil(*known, window.stride);
    total = std::max<int64_t>(0, (count - 1) * window.stride + window.extent() -
                                     *known);
  }
  window.before = atStart ? total - total / 2 : total / 2;
  window.after = total - window.before;
  return success();
}

/// Adds padding for a last window that begins inside of the padded image.
static LogicalResult padForRest(NodeImporter &n, OpFoldResult size,
                                WindowDim &window) {
  std::optional<int64_t> known = knownSize(size);
  if (!known)
    return n.refuse() << "has ceil_mode for a dynamic size, which is not "
                         "supported; give the size";
  int64_t span = *known + window.before + window.after - window.extent();
  if (span < 0)
    return success(); // No window fits, which is refused later.
  int64_t count = llvm::divideCeil(span, window.stride) + 1;
  // A window that would begin behind the image and its padding does not exist.
  if ((count - 1) * window.stride >= *known + window.before)
    --count;
  window.rest = std::max<int64_t>(0, (count - 1) * window.stride - span);
  window.after += window.rest;
  return success();
}

FailureOr<SmallVector<WindowDim>> onnx::readWindows(NodeImporter &n,
                                                    const GraphValue &x,
                                                    ArrayRef<int64_t> kernel,
                                                    bool adapts) {
  size_t count = kernel.size();
  auto strides = n.getInts("strides", count, 1);
  auto dilations = n.getInts("dilations", count, 1);
  auto pads = n.getInts("pads", 2 * count, 0);
  if (failed(strides) || failed(dilations) || failed(pads))
    return failure();
  StringRef automatic = n.getString("auto_pad", "NOTSET");
  bool atStart = automatic == "SAME_LOWER";
  if (!atStart && automatic != "SAME_UPPER" && automatic != "NOTSET" &&
      automatic != "VALID")
    return n.refuse() << "has auto_pad = " << automatic
                      << ", which is not defined; correct the attribute";
  bool isCeil = n.getInt("ceil_mode", 0) != 0;
  SmallVector<WindowDim> windows(count);
  for (size_t d = 0; d < count; ++d) {
    WindowDim &w = windows[d];
    w.kernel = kernel[d];
    w.stride = (*strides)[d];
    w.dilation = (*dilations)[d];
    if (automatic == "NOTSET") {
      w.before = (*pads)[d];
      w.after = (*pads)[count + d];
    }
    for (int64_t number : {w.kernel, w.stride, w.dilation})
      if (number < 1 || number > kMaxNumber)
        return n.refuse() << "has a kernel, stride or dilation of " << number
                          << "; it has to be at least 1";
    for (int64_t number : {w.before, w.after})
      if (number < 0 || number > kMaxNumber)
        return n.refuse() << "has padding of " << number
                          << ", which is not supported; use Slice and Pad";
    if ((atStart || automatic == "SAME_UPPER") &&
        failed(padToSame(n, x.shape[2 + d], atStart, adapts, w)))
      return failure();
    if (isCeil && failed(padForRest(n, x.shape[2 + d], w)))
      return failure();
    std::optional<int64_t> known = knownSize(x.shape[2 + d]);
    if (known && *known + w.before + w.after < w.extent())
      return n.refuse() << "has windows of " << w.extent()
                        << " elements, which do not fit in an image of "
                        << *known << " with its padding";
  }
  return windows;
}

Shape onnx::windowCounts(NodeImporter &n, const GraphValue &x,
                         ArrayRef<WindowDim> windows) {
  Shape counts;
  for (auto [d, w] : llvm::enumerate(windows)) {
    if (w.dynamicBefore) {
      counts.push_back(n.ceilDiv(x.shape[2 + d], n.size(w.stride)));
      continue;
    }
    OpFoldResult span =
        n.add(x.shape[2 + d], n.size(w.before + w.after - w.extent()));
    counts.push_back(n.add(n.floorDiv(span, n.size(w.stride)), n.size(1)));
  }
  return counts;
}

GraphValue onnx::padWindows(NodeImporter &n, GraphValue &x,
                            ArrayRef<WindowDim> windows, double value) {
  SmallVector<OpFoldResult> low(2, n.size(0)), high(2, n.size(0));
  for (const WindowDim &w : windows) {
    low.push_back(w.dynamicBefore ? w.dynamicBefore : n.size(w.before));
    high.push_back(w.dynamicAfter ? w.dynamicAfter : n.size(w.after));
  }
  Value scalar = Scalars(n.b, n.loc).constant(x.element, value);
  return pad(n, x, low, high, scalar);
}

AffineExpr onnx::windowPlace(const WindowDim &window, AffineExpr o,
                             AffineExpr k) {
  return o * window.stride + k * window.dilation;
}
