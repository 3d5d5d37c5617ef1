//===- WindowNetworks.cpp - Networks of convolutions ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small convolutional networks: in plain integers, requantized by arith written
// out, and real ones with quantize and dequantize around each convolution.
//
//===----------------------------------------------------------------------===//

#include "Extended.h"
#include "Windows.h"

namespace qcc::fuzz {

static std::string someLayout(Random &random) {
  return random.pick(
      {"nhwc", "nhwc", "nhwc", "nchw", "nchw", "nwc", "ncw", "ndhwc", "ncdhw"});
}

static bool hasPoolings(const std::string &layout) { return layout != "ncdhw"; }

/// A pooling of windows that fit, where there is room for any.
static bool canPool(const Builder &b, ValueId x, const std::string &layout) {
  if (!hasPoolings(layout))
    return false;
  Dims dims = b.dimsOf(x);
  for (size_t i = 0; i < dims.size(); ++i)
    if (isSpatial(layout[i]) && b.graph.sizeOf(dims[i], {0, 0, 0}) < 1)
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

namespace {
/// The body that makes 8 bits of accumulators, as it grows.
struct Requantization {
  Builder &b;
  Body body = {};
  int value = 0;

  void apply(const std::string &name, double constant, Element type) {
    value = addToBody(body, name, {value, bodyConstant(body, type, constant)},
                      type);
  }
  void convert(const std::string &name, Element to) {
    value = addToBody(body, name, {value}, to);
  }
  void scaleReal(int scale);
  void scaleInteger();
};
} // namespace

/// clamp(roundeven(f32(acc) * s) + z)
void Requantization::scaleReal(int scale) {
  Random &random = b.random;
  convert("arith.sitofp", Element::F32);
  if (scale < 0)
    apply("arith.mulf", random.real(0.001, 0.02), Element::F32);
  else
    value = addToBody(body, "arith.mulf", {value, scale}, Element::F32);
  convert("math.roundeven", Element::F32);
  if (double zeroPoint = random.pick({0.0, 0.0, 3.0, -128.0}))
    apply("arith.addf", zeroPoint, Element::F32);
  apply("arith.maximumf", -128, Element::F32);
  apply("arith.minimumf", 127, Element::F32);
  convert("arith.fptosi", Element::I8);
}

/// A product of 64 bits, shifted with rounding.
void Requantization::scaleInteger() {
  Random &random = b.random;
  int64_t shift = random.between(32, 38);
  convert("arith.extsi", Element::I64);
  apply("arith.muli", double(random.between(1 << 28, (1 << 30) - 1)),
        Element::I64);
  apply("arith.addi", double(int64_t(1) << (shift - 1)), Element::I64);
  apply("arith.shrsi", double(shift), Element::I64);
  if (double zeroPoint = random.pick({0.0, 0.0, 3.0, -100.0}))
    apply("arith.addi", zeroPoint, Element::I64);
  apply("arith.maxsi", -128, Element::I64);
  apply("arith.minsi", 127, Element::I64);
  convert("arith.trunci", Element::I8);
}

/// i8 of the i32 sums of a convolution; `channel` is the dimension along which
/// there are a bias and a scale each.
static ValueId requantized(Builder &b, ValueId acc, size_t channel) {
  Random &random = b.random;
  Dims dims = b.dimsOf(acc);
  std::string map, perChannel = "d" + std::to_string(channel);
  for (size_t i = 0; i < dims.size(); ++i)
    map += (i ? ", d" : "d") + std::to_string(i);
  std::vector<ValueId> inputs = {acc};
  std::vector<std::string> maps = {map};
  Requantization r{b};
  r.body.arguments = {Element::I32};
  auto input = [&](Element element, const Data &data) {
    inputs.push_back(
        b.leaf(Builder::tensor(element, {dims[channel]}), data, 80));
    maps.push_back(perChannel);
    r.body.arguments.push_back(element);
    return static_cast<int>(inputs.size()) - 1;
  };
  int bias = -1, scale = -1;
  bool isInteger = random.chance(35);
  Data data;
  if (random.chance(55)) {
    data.role = Data::Integer;
    data.low = -3000;
    data.high = 3000;
    bias = input(Element::I32, data);
  }
  if (!isInteger && random.chance(50)) {
    data.role = Data::Scale;
    data.scale = 0.004;
    scale = input(Element::F32, data);
  }
  r.body.arguments.push_back(Element::I8);
  maps.push_back(map);
  if (bias >= 0)
    r.value = addToBody(r.body, "arith.addi", {r.value, bias}, Element::I32);
  if (random.chance(45))
    r.apply("arith.maxsi", 0, Element::I32);
  if (isInteger)
    r.scaleInteger();
  else
    r.scaleReal(scale);
  r.body.yields = {r.value};
  return b.generic(inputs, -1, Builder::tensor(Element::I8, dims), maps,
                   std::vector<std::string>(dims.size(), "parallel"),
                   std::move(r.body));
}

/// clamp(a + b) of i8
static ValueId residual(Builder &b, ValueId x, ValueId y) {
  ValueId sum = b.binary("arith.addi", b.cast("arith.extsi", x, Element::I32),
                         b.cast("arith.extsi", y, Element::I32));
  sum = b.binary("arith.maxsi", sum, b.filled(b.typeOf(sum), -128));
  sum = b.binary("arith.minsi", sum, b.filled(b.typeOf(sum), 127));
  return b.cast("arith.trunci", sum, Element::I8);
}

/// The mean of each channel, in i32, of a pooling by a sum.
static ValueId mean(Builder &b, ValueId sum) {
  ValueId count = b.filled(b.typeOf(sum), double(b.random.between(1, 9)));
  return b.binary(b.random.pick({"arith.divsi", "arith.floordivsi"}), sum,
                  count);
}

void addIntegerWindowNetwork(Builder &b) {
  Random &random = b.random;
  std::string layout = someLayout(random);
  ValueId x = b.keep(b.leaf(Builder::tensor(Element::I8, someInput(b, layout)),
                            b.anyData(), 3));
  unsigned layers = 1 + static_cast<unsigned>(random.weighted({55, 33, 12}));
  for (unsigned i = 0; i < layers; ++i) {
    const Layout &convolution = someConvolution(random, layout);
    double zeroPoint = random.pick({0.0, 0.0, -128.0, 3.0, 127.0});
    ValueId input = padded(b, x, layout, zeroPoint);
    ValueId acc = b.keep(integerConvolution(b, input, convolution));
    if (b.elementOf(acc) != Element::I32)
      return;
    size_t channel = layout.find('c');
    ValueId y = b.keep(requantized(b, acc, channel));
    if (random.chance(45) && b.dimsOf(y) == b.dimsOf(x))
      y = b.keep(residual(b, y, x));
    if (random.chance(35) && canPool(b, y, layout)) {
      y = b.keep(pooling(b, y, layout));
      if (b.elementOf(y) == Element::I32)
        y = b.keep(requantized(b, random.chance(50) ? mean(b, y) : y, channel));
    }
    x = y;
  }
  if (random.chance(12))
    b.keep(b.reduce(x));
}

//===----------------------------------------------------------------------===//
// Quantize and dequantize around real convolutions
//===----------------------------------------------------------------------===//

/// What is added after a convolution: a bias for each channel, broadcast.
static ValueId biased(Builder &b, ValueId x, size_t channel) {
  Dims dims = b.dimsOf(x);
  ValueId bias = b.leaf(Builder::tensor(b.elementOf(x), {dims[channel]}),
                        b.anyData(0.01), 75);
  Structured same; // broadcast by its letters
  for (size_t i = 0; i < dims.size(); ++i)
    same.result += i == channel ? 'c' : 'n';
  return b.binary("arith.addf", x, broadcastChannels(b, bias, same, 'c', dims));
}

void addRealWindowNetwork(Builder &b) {
  Random &random = b.random;
  std::string layout = someLayout(random);
  Dims dims = someInput(b, layout);
  ValueId real =
      b.keep(random.chance(50)
                 ? b.argument(Builder::tensor(Element::F32, dims), b.anyData())
                 : b.dequantize(b.keep(b.quantizedLeaf(dims, 3, 0.05))));
  unsigned layers = 1 + static_cast<unsigned>(random.weighted({60, 32, 8}));
  for (unsigned i = 0; i < layers; ++i) {
    ValueId x = real;
    if (random.chance(85))
      x = b.keep(b.dequantize(b.keep(b.quantize(real, 0.05))));
    x = padded(b, b.convert(x, Element::F32), layout, 0);
    size_t channel = layout.find('c');
    bool isLinear = layout.back() == 'c' && random.chance(12);
    ValueId y = b.keep(
        isLinear ? b.realLinear(x, b.someDim(33)) // a window of one place
                 : realConvolution(b, x, someConvolution(random, layout)));
    y = b.convert(y, Element::F32);
    if (random.chance(55) && b.isStatic(b.dimsOf(y)[channel]))
      y = b.keep(biased(b, y, channel));
    if (random.chance(55))
      y = b.keep(b.activation(y));
    if (random.chance(50) && b.typeOf(y) == b.typeOf(real))
      y = b.keep(b.binary("arith.addf", y, real));
    if (random.chance(30) && canPool(b, y, layout))
      y = b.convert(b.keep(pooling(b, y, layout)), Element::F32);
    real = y;
  }
  if (random.chance(60))
    b.keep(b.quantize(real, 0.05));
  else if (random.chance(20))
    b.keep(b.reduce(real));
}

} // namespace qcc::fuzz
