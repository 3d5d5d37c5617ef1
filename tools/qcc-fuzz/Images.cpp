//===- Images.cpp - Quantized images --------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Poolings, other sizes and broadcasts of NHWC images by ops of qnn.
//
//===----------------------------------------------------------------------===//

#include "Extended.h"

namespace qcc::fuzz {

/// A dynamic H is at least so large, so that small windows fit.
static constexpr int64_t kLeastHeight = 5;

static Dims someImage(Builder &b) {
  Random &random = b.random;
  bool isDynamic = random.chance(40), isTall = isDynamic && random.chance(35);
  int64_t most = isDynamic ? 6 : 11;
  DimId run = isDynamic ? b.graph.dim({Dim::Dynamic, 0}) : -1;
  DimId batch = isDynamic && !isTall ? run : b.fixed(random.between(1, 3));
  DimId height = isTall ? b.scaled(run, 1, kLeastHeight)
                        : b.fixed(random.between(1, most));
  return {batch, height, b.fixed(random.between(1, most)),
          b.fixed(random.pick<int64_t>({1, 2, 3, 4, 7, 8, 16, 17, 33}))};
}

/// "name = array<i64: 1, 2>"
static std::string attribute(const std::string &name,
                             const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return name + " = array<i64: " + text + ">";
}

namespace {
/// The windows of a pooling, as attributes, and the dimensions of its result.
struct Pools {
  std::string attributes;
  Dims dims;
};
} // namespace

static Pools somePools(Builder &b, const Dims &image, bool hasDilations) {
  Random &random = b.random;
  Pools pools;
  pools.dims = image;
  std::vector<int64_t> window, strides, dilations, padding;
  for (int d : {1, 2}) {
    int64_t size = b.graph.sizeOf(image[d], {0, 0, 0});
    int64_t dilation =
        hasDilations && size > 1 ? random.pick<int64_t>({1, 1, 2}) : 1;
    int64_t most = std::min<int64_t>(4, (size - 1) / dilation + 1);
    window.push_back(random.between(1, most));
    strides.push_back(random.pick<int64_t>({1, 1, 2, 3}));
    dilations.push_back(dilation);
    int64_t extent = dilation * (window.back() - 1) + 1;
    for (int side = 0; side < 2; ++side)
      padding.push_back(
          random.chance(50)
              ? 0
              : random.between(0, std::min<int64_t>(2, extent - 1)));
    int64_t around = padding[2 * d - 2] + padding[2 * d - 1];
    pools.dims[d] = b.scaled(image[d], 1, around - extent + 1, strides.back());
  }
  pools.attributes =
      attribute("window", window) + ", " + attribute("strides", strides);
  if (hasDilations)
    pools.attributes += ", " + attribute("dilations", dilations);
  pools.attributes += ", " + attribute("padding", padding);
  return pools;
}

/// An op that keeps stored integers: only the dimensions of the type change.
static Quantized sameIntegers(Builder &b, const Quantized &x,
                              const std::string &name,
                              const std::string &attributes, const Dims &dims) {
  Type type = b.typeOf(x.value);
  type.dims = dims;
  Quantized result = x;
  result.value = b.op(
      name, {name + " $0 {" + attributes + "} : $t0 -> $r0", {x.value}}, type);
  return result;
}

/// An op with new parameters, or with a real result, which is kept.
static Quantized newNumbers(Builder &b, const Quantized &x,
                            const std::string &name,
                            const std::string &attributes, const Dims &dims) {
  Random &random = b.random;
  bool isReal = random.chance(35);
  Type type;
  Quantized result;
  if (isReal)
    type = Builder::tensor(
        random.pick({Element::F32, Element::F32, Element::F16, Element::BF16}),
        dims);
  else
    result = b.resultParameters(dims, 0.05, type);
  OpText text;
  text.text = name + " " + text.use(x.value);
  text.parameters("input_", x);
  text.parameters("output_", result);
  text.text += " {" + attributes + "} : $t0 -> $r0";
  ValueId value = b.op(name, std::move(text), type);
  if (isReal) {
    b.keep(value);
    return x;
  }
  result.value = value;
  return result;
}

static Quantized maxPool(Builder &b, const Quantized &x) {
  Pools pools = somePools(b, b.dimsOf(x.value), /*hasDilations=*/true);
  return sameIntegers(b, x, "qnn.max_pool2d", pools.attributes, pools.dims);
}

static Quantized avgPool(Builder &b, const Quantized &x) {
  Dims dims = b.dimsOf(x.value);
  if (b.random.chance(30))
    return newNumbers(b, x, "qnn.avg_pool2d", "",
                      {dims[0], b.fixed(1), b.fixed(1), dims[3]});
  Pools pools = somePools(b, dims, /*hasDilations=*/false);
  if (b.random.chance(40))
    pools.attributes += ", count_include_pad";
  return newNumbers(b, x, "qnn.avg_pool2d", pools.attributes, pools.dims);
}

static Quantized resized(Builder &b, const Quantized &x) {
  Random &random = b.random;
  Dims dims = b.dimsOf(x.value);
  if (!b.isStatic(dims[1]))
    return maxPool(b, x);
  for (int d : {1, 2})
    dims[d] = random.chance(30) ? b.fixed(2 * b.staticSize(dims[d]))
                                : b.fixed(random.between(1, 13));
  std::string attributes =
      "coordinate_transformation = \"" +
      std::string(random.pick({"asymmetric", "half_pixel", "align_corners"})) +
      "\", mode = ";
  if (random.chance(50))
    return newNumbers(b, x, "qnn.resize", attributes + "\"linear\"", dims);
  std::string rounding =
      random.pick({"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"});
  return sameIntegers(
      b, x, "qnn.resize",
      attributes + "\"nearest\", rounding = \"" + rounding + "\"", dims);
}

/// A sum or product with a value that has one element along some dimensions.
static Quantized broadcast(Builder &b, const Quantized &x) {
  Random &random = b.random;
  Type type = b.typeOf(x.value);
  bool isPerChannel =
      x.axis >= 0 || (type.quant >= 0 && b.graph.quants[type.quant].axis >= 0);
  if (isPerChannel)
    return avgPool(b, x);
  Dims small = type.dims;
  for (DimId &dim : small)
    if (random.chance(50))
      dim = b.fixed(1);
  Quantized other = b.quantizedLeaf(small, 30, 0.05, -1, random.chance(25));
  bool isFirst = random.chance(40);
  const Quantized &lhs = isFirst ? other : x, &rhs = isFirst ? x : other;
  Type resultType;
  Quantized result = b.resultParameters(type.dims, 0.05, resultType);
  std::string name = random.pick({"qnn.add", "qnn.mul"});
  return b.binary(name, lhs, rhs, result, resultType);
}

void addImageNetwork(Builder &b) {
  Random &random = b.random;
  Quantized x = b.keep(
      b.quantizedLeaf(someImage(b), 3, 0.05, random.chance(20) ? 3 : -1));
  for (int64_t i = 0, e = random.between(1, 4); i < e; ++i) {
    switch (random.weighted({30, 30, 22, 18})) {
    case 0:
      x = b.keep(maxPool(b, x));
      break;
    case 1:
      x = b.keep(avgPool(b, x));
      break;
    case 2:
      x = b.keep(resized(b, x));
      break;
    default:
      x = b.keep(broadcast(b, x));
    }
  }
  if (random.chance(40))
    b.keep(b.dequantize(x));
}

} // namespace qcc::fuzz
