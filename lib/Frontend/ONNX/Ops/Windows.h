//===- Windows.h - Windows of convolutions and poolings ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_OPS_WINDOWS_H
#define QCC_LIB_FRONTEND_ONNX_OPS_WINDOWS_H

#include "../Emit.h"

namespace qcc::onnx {

/// The windows along one spatial dimension.
struct WindowDim {
  int64_t kernel = 1, stride = 1, dilation = 1;
  /// What is added before and behind the image.
  int64_t before = 0, after = 0;
  /// How much of `after` is only there for a last window that is not full
  /// (ceil_mode).
  int64_t rest = 0;
  /// What is added before and behind an image of a dynamic size, on which it
  /// depends; null otherwise.
  OpFoldResult dynamicBefore, dynamicAfter;

  int64_t extent() const { return dilation * (kernel - 1) + 1; }
};

/// The attributes strides, dilations, pads, auto_pad and ceil_mode for windows
/// of `kernel` on `x`, whose first two dimensions are batch and channels.
/// Refuses padding that depends on a dynamic size unless the node `adapts`.
FailureOr<SmallVector<WindowDim>> readWindows(NodeImporter &n,
                                              const GraphValue &x,
                                              ArrayRef<int64_t> kernel,
                                              bool adapts = false);
/// The number of windows along each spatial dimension.
Shape windowCounts(NodeImporter &n, const GraphValue &x,
                   ArrayRef<WindowDim> windows);
/// The image with its padding.
GraphValue padWindows(NodeImporter &n, GraphValue &x,
                      ArrayRef<WindowDim> windows, double value);
/// The place in the image of element `k` of window `o`.
AffineExpr windowPlace(const WindowDim &window, AffineExpr o, AffineExpr k);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_OPS_WINDOWS_H
