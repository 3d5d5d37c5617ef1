//===- ChannelsLast.cpp - Ops on images with the channels last ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ONNX Runtime saves quantized images as [N, ..., C]. Each op is the one of
// ONNX between two transposes, which the graph stage removes.
//
//===----------------------------------------------------------------------===//

#include "../Compose.h"
#include "../Ops.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Ref = Composer::Ref;

Ref onnx::channelsFirst(Composer &c, Ref x) {
  if (x->rank() <= 2)
    return x;
  SmallVector<int64_t> order{0, x->rank() - 1};
  for (int64_t d = 1; d < x->rank() - 1; ++d)
    order.push_back(d);
  return c.transpose(x, order);
}

Ref onnx::channelsLast(Composer &c, Ref x) {
  if (x->rank() <= 2)
    return x;
  SmallVector<int64_t> order{0};
  for (int64_t d = 2; d < x->rank(); ++d)
    order.push_back(d);
  order.push_back(1);
  return c.transpose(x, order);
}

LogicalResult onnx::importNhwcMaxPool(NodeImporter &n) {
  Composer c(n);
  Ref y = c.op("MaxPool", {channelsFirst(c, c.in(0))}, n.node.attributes);
  return c.set(0, channelsLast(c, y));
}

/// QLinearConv, whose weight has the order of ONNX in both cases.
LogicalResult onnx::importMicrosoftQLinearConv(NodeImporter &n) {
  Composer c(n);
  Composer::Attributes attributes;
  for (const NodeAttribute &given : n.node.attributes)
    if (given.name != "channels_last")
      attributes.push_back(given);
  bool isLast = n.getInt("channels_last", 0) != 0;
  Composer::Refs inputs;
  for (unsigned i = 0; i < n.numInputs(); ++i)
    inputs.push_back(c.in(i));
  if (isLast)
    inputs[0] = channelsFirst(c, inputs[0]);
  Ref y = c.op("QLinearConv", inputs, attributes);
  return c.set(0, isLast ? channelsLast(c, y) : y);
}
