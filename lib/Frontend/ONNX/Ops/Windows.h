//===- Windows.h - Windows of convolutions and poolings ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_OPS_WINDOWS_H
#define QCC_LIB_FRONTEND_ONNX_OPS_WINDOWS_H

#include "../../Builder/Emit.h"
#include "../NodeImporter.h"

namespace qcc::onnx {

/// The windows along one spatial dimension.
struct WindowDim {
  int64_t kernel = 1, stride = 1, dilation = 1;
  /// What is added before and behind the image. With auto_pad and ceil_mode it
  /// depends on the size of the image, which may be dynamic.
  OpFoldResult before, after;
  /// How much of `after` is only there for a last window that is not full
  /// (ceil_mode).
  OpFoldResult rest;
  /// The number of windows.
  OpFoldResult count;

  int64_t extent() const { return dilation * (kernel - 1) + 1; }
};

/// The attribute auto_pad.
enum class AutoPad { NotSet, Valid, SameUpper, SameLower };
FailureOr<AutoPad> readAutoPad(NodeImporter &n);

/// The attributes strides, dilations, pads, auto_pad and ceil_mode for windows
/// of `kernel` on `x`, whose first two dimensions are batch and channels.
FailureOr<SmallVector<WindowDim>>
readWindows(NodeImporter &n, const GraphValue &x, ArrayRef<int64_t> kernel);
/// The image with its padding.
GraphValue padWindows(NodeImporter &n, GraphValue &x,
                      ArrayRef<WindowDim> windows, double value);
/// The place in the image of element `k` of window `o`.
AffineExpr windowPlace(const WindowDim &window, AffineExpr o, AffineExpr k);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_OPS_WINDOWS_H
