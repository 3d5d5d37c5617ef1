//===- QuantizedWindows.cpp - Convolutions of qnn -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One to three layers of qnn.conv2d and qnn.conv_transpose2d, in groups now and
// then, with every kind of parameters.
//
//===----------------------------------------------------------------------===//

#include "Extended.h"
#include "Windows.h"
#include <algorithm>
#include <cmath>

namespace qcc::fuzz {

/// Larger convolutions cost more time than they are worth.
static constexpr int64_t kMostSteps = 120000;

namespace {
/// The windows along H or W.
struct Along {
  int64_t kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;
  int64_t added = 0; ///< output_padding

  int64_t reach() const { return dilation * (kernel - 1); }
};
} // namespace

/// Windows that fit whatever size the run has: with padding, even of nothing.
static Along someWindows(Builder &b, DimId size, bool isTransposed) {
  Random &random = b.random;
  Along along;
  along.kernel = random.pick<int64_t>({1, 2, 3, 3, 3, 4, 5});
  along.stride = random.pick<int64_t>({1, 1, 1, 2, 2, 3});
  along.dilation = random.pick<int64_t>({1, 1, 1, 1, 2, 3});
  if (!b.isStatic(size) && along.kernel == 1)
    along.kernel = 3;
  int64_t reach = along.reach();
  if (isTransposed) {
    // The result of one pixel is left.
    along.before = random.between(0, reach / 2);
    along.after = random.between(0, reach - reach / 2);
    along.added = random.between(0, std::max(along.stride, along.dilation) - 1);
    return along;
  }
  int64_t least = b.isStatic(size) ? reach + 1 - b.staticSize(size) : reach + 1;
  along.before = random.between(0, std::min<int64_t>(reach, 2));
  along.after = random.between(0, std::min<int64_t>(reach, 2));
  while (along.before + along.after < least && along.before < reach)
    ++along.before;
  while (along.before + along.after < least && along.after < reach)
    ++along.after;
  // Where even that is too little, a window of one element fits.
  if (along.before + along.after < least)
    return Along();
  return along;
}

static int64_t someGroups(Random &random, int64_t channels) {
  int64_t groups = random.pick<int64_t>({1, 1, 1, 2, 3, 4, channels, channels});
  return channels % groups == 0 ? groups : 1;
}

static std::string attributesOf(Random &random, const Along &h, const Along &w,
                                int64_t groups, bool isTransposed) {
  std::string text;
  auto add = [&](const std::string &name, std::vector<int64_t> numbers,
                 int64_t usual) {
    // What is the default is written now and then.
    bool isDefault = std::all_of(numbers.begin(), numbers.end(),
                                 [&](int64_t n) { return n == usual; });
    if (isDefault && !random.chance(30))
      return;
    text += (text.empty() ? "" : ", ") + name + " = array<i64: ";
    for (size_t i = 0; i < numbers.size(); ++i)
      text += (i ? ", " : "") + std::to_string(numbers[i]);
    text += ">";
  };
  add("strides", {h.stride, w.stride}, 1);
  add("dilations", {h.dilation, w.dilation}, 1);
  add("padding", {h.before, h.after, w.before, w.after}, 0);
  if (isTransposed)
    add("output_padding", {h.added, w.added}, 0);
  if (groups != 1)
    text += (text.empty() ? "" : ", ") + std::string("groups = ") +
            std::to_string(groups) + " : i64";
  return text;
}

/// The size of the result along H or W.
static DimId sizeOf(Builder &b, DimId size, const Along &along,
                    bool isTransposed) {
  int64_t padding = along.before + along.after;
  if (isTransposed)
    return b.scaled(size, along.stride,
                    along.reach() + 1 + along.added - padding - along.stride);
  return b.scaled(size, 1, padding - along.reach(), along.stride);
}

static Builder::Outcome convolution(Builder &b, const Quantized &x,
                                    bool wantQuantized) {
  Random &random = b.random;
  Dims dims = b.dimsOf(x.value);
  int64_t channels = b.staticSize(dims[3]);
  bool isTransposed = random.chance(30) && b.isStatic(dims[1]) &&
                      b.isStatic(dims[2]) && b.staticSize(dims[1]) > 0 &&
                      b.staticSize(dims[2]) > 0;
  Along h = someWindows(b, dims[1], isTransposed);
  Along w = someWindows(b, dims[2], isTransposed);
  int64_t groups = someGroups(random, channels);
  int64_t depth = channels / groups;
  int64_t filters = groups * random.pick<int64_t>({1, 1, 2, 3, 5, 8, 17});
  Dims result = {dims[0], sizeOf(b, dims[1], h, isTransposed),
                 sizeOf(b, dims[2], w, isTransposed), dims[3]};
  int64_t pixels = b.elements(result) / std::max<int64_t>(1, channels);
  int64_t k = h.kernel * w.kernel * depth;
  if (pixels * k * filters > kMostSteps)
    filters = groups;
  DimId columns = b.fixed(filters);
  result[3] = columns;
  Quantized weight = b.quantizedLeaf(
      {columns, b.fixed(h.kernel), b.fixed(w.kernel), b.fixed(depth)}, 70, 0.02,
      random.chance(40) ? 0 : -1);
  std::string name = isTransposed ? "qnn.conv_transpose2d" : "qnn.conv2d";
  OpText text;
  text.text = name + " ";
  text.text += text.use(x.value) + ", ";
  text.text += text.use(weight.value);
  bool isInteger = !wantQuantized && random.chance(20);
  addBias(b, text, columns, isInteger ? BiasKind::I32 : BiasKind::Any);
  text.parameters("input_", x);
  text.parameters("weight_", weight);
  return finishLayer(b, name, std::move(text), result, wantQuantized, isInteger,
                     0.05 * 0.02 * 60 * std::sqrt(double(k)),
                     attributesOf(random, h, w, groups, isTransposed));
}

void addQuantizedWindowNetwork(Builder &b) {
  Random &random = b.random;
  Quantized x = b.keep(b.quantizedLeaf(someInput(b, "nhwc"), 3, 0.05));
  unsigned layers = 1 + static_cast<unsigned>(random.weighted({55, 35, 10}));
  for (unsigned i = 0; i < layers; ++i) {
    Builder::Outcome outcome =
        convolution(b, x, i + 1 < layers || random.chance(60));
    b.keep(outcome);
    if (!outcome.isQuantized)
      return;
    x = outcome.quantized;
  }
}

} // namespace qcc::fuzz
