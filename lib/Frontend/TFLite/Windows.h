//===- Windows.h - Windows of convolutions and poolings ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_TFLITE_WINDOWS_H
#define QCC_LIB_FRONTEND_TFLITE_WINDOWS_H

#include "OpImporter.h"

namespace qcc::tflite {

/// The windows along one dimension of an image.
struct Window {
  int64_t kernel, stride, dilation;
  /// What is added before and behind the image, and the number of windows.
  OpFoldResult before, after, count;

  /// The position in the padded image of element `k` of window `o`.
  AffineExpr position(AffineExpr o, AffineExpr k) const {
    return o * stride + k * dilation;
  }
};

/// The windows on `size` elements. Refuses numbers that are not positive, and
/// an image without any window.
FailureOr<Window> makeWindow(OpImporter &n, OpFoldResult size, int64_t kernel,
                             int64_t stride, int64_t dilation,
                             fb::Padding padding);

/// An image [batch, height, width, channels] with its padding of `value`.
GraphValue padImage(OpImporter &n, GraphValue &image, const Window &height,
                    const Window &width, double value);

} // namespace qcc::tflite

#endif // QCC_LIB_FRONTEND_TFLITE_WINDOWS_H
