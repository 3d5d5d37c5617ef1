//===- Windows.cpp - Windows of convolutions and poolings -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

/// Greater strides, filters and dilations than any network has.
static constexpr int64_t kMost = 1 << 20;

FailureOr<Window> tflite::makeWindow(OpImporter &n, OpFoldResult size,
                                     int64_t kernel, int64_t stride,
                                     int64_t dilation, fb::Padding padding) {
  for (int64_t number : {kernel, stride, dilation})
    if (number < 1 || number > kMost)
      return n.refuse() << "has a filter, stride or dilation of " << number
                        << "; correct the model";
  if (padding != fb::Padding_Same && padding != fb::Padding_Valid)
    return n.refuse() << "has a padding of number " << static_cast<int>(padding)
                      << "; correct the model";
  int64_t extent = (kernel - 1) * dilation + 1;
  std::optional<int64_t> known = knownSize(size);
  Window w{kernel, stride, dilation, n.size(0), n.size(0), {}};
  if (padding == fb::Padding_Valid) {
    if (known && *known < extent)
      return n.refuse() << "has a filter of " << extent
                        << " elements for an image of " << *known
                        << "; correct the model";
    w.count = n.add(n.floorDiv(n.sub(size, n.size(extent)), n.size(stride)),
                    n.size(1));
    return w;
  }
  w.count = n.ceilDiv(size, n.size(stride));
  OpFoldResult covered =
      n.add(n.mul(n.sub(w.count, n.size(1)), n.size(stride)), n.size(extent));
  OpFoldResult total = n.max(n.sub(covered, size), n.size(0));
  w.before = n.floorDiv(total, n.size(2));
  w.after = n.sub(total, w.before);
  return w;
}

GraphValue tflite::padImage(OpImporter &n, GraphValue &image,
                            const Window &height, const Window &width,
                            double value) {
  SmallVector<OpFoldResult> low{n.size(0), height.before, width.before,
                                n.size(0)};
  SmallVector<OpFoldResult> high{n.size(0), height.after, width.after,
                                 n.size(0)};
  Value scalar = Scalars(n.b, n.loc).constant(image.element, value);
  return pad(n, image, low, high, scalar);
}
