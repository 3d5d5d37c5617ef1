//===- Contractions.cpp - Contractions of every kind ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers of qnn, and contractions of linalg with operands that are transposed,
// padded, sliced, broadcast and dequantized.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include <algorithm>
#include <cmath>

namespace qcc::fuzz {

Builder::Outcome finishLayer(Builder &b, const std::string &name, OpText text,
                             const Dims &dims, bool wantQuantized,
                             bool isInteger, double scale,
                             std::string attributes) {
  Random &random = b.random;
  Type type;
  Quantized result;
  if (wantQuantized) {
    result = b.resultParameters(dims, scale, type);
    text.parameters("output_", result);
  } else {
    type = Builder::tensor(isInteger           ? Element::I32
                           : random.chance(85) ? Element::F32
                           : random.chance(50) ? Element::F16
                                               : Element::BF16,
                           dims);
  }
  auto add = [&](const std::string &attribute) {
    attributes += (attributes.empty() ? "" : ", ") + attribute;
  };
  if (!isInteger && random.chance(35))
    add("clamp_min = " + std::string(random.chance(70) ? "0.0" : "-1.25") +
        " : f32");
  if (!isInteger && random.chance(20))
    add("clamp_max = " + std::to_string(random.real(0.5, 6)) + " : f32");
  if (!attributes.empty())
    text.text += " {" + attributes + "}";
  text.text += " : $t0, $t1 -> $r0";
  Builder::Outcome outcome;
  outcome.isQuantized = wantQuantized;
  outcome.value = b.op(name, std::move(text), type);
  outcome.quantized = result;
  outcome.quantized.value = outcome.value;
  return outcome;
}

void addBias(Builder &b, OpText &text, DimId channels, BiasKind kind) {
  Random &random = b.random;
  if (!random.chance(60))
    return;
  Data data;
  data.scale = 0.01;
  bool isReal =
      kind == BiasKind::F32 || (kind == BiasKind::Any && random.chance(50));
  Element element = isReal ? Element::F32 : Element::I32;
  data.role = element == Element::I32 && random.chance(80) ? Data::Integer
                                                           : Data::Values;
  data.low = -9000;
  data.high = 9000;
  ValueId bias = b.leaf(Builder::tensor(element, {channels}), data, 70);
  text.text += " bias(" + text.typed(bias) + ")";
}

/// Whether the parameters of a value fit the left operand of a layer.
static bool fitsInput(const Builder &b, const Quantized &value) {
  Type type = b.typeOf(value.value);
  if (type.quant >= 0)
    return b.graph.quants[type.quant].axis < 0;
  return value.axis < 0;
}

Builder::Outcome Builder::linear(const Quantized &given, DimId columns,
                                 bool wantQuantized) {
  Quantized x = given;
  Dims dims = dimsOf(x.value);
  if (!fitsInput(*this, x) || !isStatic(dims.back()))
    x = quantizedLeaf(
        {dims[0], isStatic(dims.back()) ? dims.back() : fixed(17)}, 0, 0.05);
  dims = dimsOf(x.value);
  DimId depth = dims.back();
  Quantized w =
      quantizedLeaf({columns, depth}, 70, 0.02, random.chance(40) ? 0 : -1);
  double k = static_cast<double>(std::max<int64_t>(1, staticSize(depth)));
  OpText text;
  text.text = "qnn.linear ";
  text.text += text.use(x.value) + ", ";
  text.text += text.use(w.value);
  bool isInteger = !wantQuantized && random.chance(15);
  addBias(*this, text, columns, isInteger ? BiasKind::I32 : BiasKind::Any);
  text.parameters("input_", x);
  text.parameters("weight_", w);
  Dims result = dims;
  result.back() = columns;
  // About what saturates a little.
  return finishLayer(*this, "qnn.linear", std::move(text), result,
                     wantQuantized, isInteger,
                     0.05 * 0.02 * 60 * std::max(1.0, std::sqrt(k)), "");
}

ValueId Builder::groupedLinear() {
  int64_t size = random.pick<int64_t>({1, 2, 3, 5, 8, 16, 32, 64});
  int64_t groups = random.between(1, std::max<int64_t>(2, 160 / size));
  DimId depth = fixed(size * groups), columns = someDim(48);
  Dims dims = {random.chance(60) ? graph.dim({Dim::Dynamic, 0}) : someDim(70),
               depth};
  if (random.chance(15))
    dims.insert(dims.begin(), fixed(random.between(1, 3)));
  Quantized x =
      quantizedLeaf(dims, 0, 0.05, -1, random.pick<int64_t>({0, 1, groups}));
  // A scale for each row of the weight is one of a group.
  bool weightHasGroups = random.chance(80);
  Quantized w = quantizedLeaf({columns, depth}, 70, 0.02,
                              !weightHasGroups && random.chance(50) ? 0 : -1,
                              weightHasGroups ? groups : 0);
  OpText text;
  text.text = "qnn.linear ";
  text.text += text.use(x.value) + ", ";
  text.text += text.use(w.value);
  addBias(*this, text, columns, BiasKind::F32);
  text.parameters("input_", x);
  text.parameters("weight_", w);
  dims.back() = columns;
  return finishLayer(*this, "qnn.linear", std::move(text), dims, false, false,
                     1, "")
      .value;
}

Builder::Outcome Builder::matmul(const Quantized &lhs, const Quantized &rhs,
                                 bool transposed, bool wantQuantized) {
  OpText text;
  text.text = "qnn.matmul ";
  text.text += text.use(lhs.value) + ", ";
  text.text += text.use(rhs.value);
  text.parameters("lhs_", lhs);
  text.parameters("rhs_", rhs);
  Dims dims = dimsOf(lhs.value), right = dimsOf(rhs.value);
  dims.back() = right[right.size() - (transposed ? 2 : 1)];
  return finishLayer(*this, "qnn.matmul", std::move(text), dims, wantQuantized,
                     !wantQuantized && random.chance(15), 0.05,
                     transposed ? "transpose_rhs" : "");
}

/// A real weight of these dims: dequantized, mostly, and moved.
static ValueId realWeight(Builder &b, const Dims &dims, int channelAxis) {
  return b.moved(
      dims,
      [&](const Dims &from) {
        if (b.random.chance(10))
          return b.leaf(Builder::tensor(Element::F32, from), b.anyData(0.02),
                        60);
        int axis = b.random.chance(45) && !from.empty()
                       ? std::min<int>(channelAxis, from.size() - 1)
                       : -1;
        if (axis >= 0 && b.random.chance(25))
          axis = static_cast<int>(b.random.below(from.size()));
        return b.dequantize(b.quantizedLeaf(from, 60, 0.02, axis));
      },
      35);
}

ValueId Builder::realLinear(ValueId x, DimId columns) {
  Dims dims = dimsOf(x);
  DimId depth = dims.back();
  Dims resultDims = dims;
  resultDims.back() = columns;
  Type result = tensor(Element::F32, resultDims);
  if (elementOf(x) != Element::F32)
    x = convert(x, Element::F32);
  if (isStatic(depth) && random.chance(45)) {
    ValueId w = realWeight(*this, {columns, depth}, 0);
    w = convert(w, Element::F32);
    OpText text;
    text.text = "qnn.linear ";
    text.text += text.use(x) + ", ";
    text.text += text.use(w);
    if (random.chance(60)) {
      ValueId bias = leaf(tensor(Element::F32, {columns}), anyData(0.01), 70);
      text.text += " bias(" + text.typed(bias) + ")";
    }
    return finishLayer(*this, "qnn.linear", std::move(text), resultDims, false,
                       false, 1, "")
        .value;
  }
  // By linalg: named, or generic for other ranks.
  bool transposed = random.chance(40);
  ValueId w = transposed ? realWeight(*this, {columns, depth}, 0)
                         : realWeight(*this, {depth, columns}, 1);
  w = convert(w, Element::F32);
  ValueId init = random.chance(70) ? zeros(result) : another(result, 0.01);
  if (dims.size() == 2) {
    std::string maps =
        transposed ? " indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
                     "affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> "
                     "(m, n)>]"
                   : "";
    return op("linalg.matmul",
              {"linalg.matmul" + maps +
                   " ins($0, $1 : $t0, $t1) outs($2 : $r0) -> $r0",
               {x, w, init}},
              result);
  }
  std::string outer;
  std::vector<std::string> iterators;
  size_t rank = dims.size();
  for (size_t i = 0; i + 1 < rank; ++i) {
    outer += "d" + std::to_string(i) + ", ";
    iterators.push_back("parallel");
  }
  std::string n = "d" + std::to_string(rank - 1),
              k = "d" + std::to_string(rank);
  iterators.push_back("parallel");
  iterators.push_back("reduction");
  Body body;
  body.arguments = {Element::F32, Element::F32, Element::F32};
  int product = addToBody(body, "arith.mulf", {0, 1}, Element::F32);
  body.yields = {addToBody(body, "arith.addf", {2, product}, Element::F32)};
  return generic(
      {x, w}, init, result,
      {outer + k, transposed ? n + ", " + k : k + ", " + n, outer + n},
      iterators, std::move(body));
}

ValueId Builder::integerLinear(const Quantized &x, DimId columns) {
  // linalg.matmul has one extension for both operands.
  Dims dims = dimsOf(x.value);
  ValueId w = moved(
      {dims.back(), columns},
      [&](const Dims &from) {
        return leaf(tensor(Element::I8, from), anyData(), 60);
      },
      25);
  Type result = tensor(Element::I32, {dims[0], columns});
  ValueId init = random.chance(70) ? zeros(result) : another(result);
  return op("linalg.matmul",
            {"linalg.matmul ins($0, $1 : $t0, $t1) outs($2 : $r0) -> $r0",
             {x.value, w, init}},
            result);
}

namespace {

/// A contraction by linalg.generic: which loops index what.
struct Nest {
  std::vector<DimId> sizes;
  std::vector<std::string> iterators;
  std::vector<int> lhs, rhs, result;

  int loop(DimId size, bool isReduction) {
    sizes.push_back(size);
    iterators.push_back(isReduction ? "reduction" : "parallel");
    return static_cast<int>(sizes.size()) - 1;
  }
  Dims dims(const std::vector<int> &loops) const {
    Dims found;
    for (int loop : loops)
      found.push_back(sizes[loop]);
    return found;
  }
  static std::string map(const std::vector<int> &loops) {
    std::string text;
    for (int loop : loops)
      text += (text.empty() ? "d" : ", d") + std::to_string(loop);
    return text;
  }
};

} // namespace

/// Few elements, each of a long sum.
static Nest makeLongNest(Builder &b) {
  Random &random = b.random;
  Nest nest;
  nest.lhs = {nest.loop(b.fixed(random.between(1, 5)), false)};
  nest.rhs = {nest.loop(b.someDim(9), false)};
  nest.result = {nest.lhs[0], nest.rhs[0]};
  int depth = nest.loop(b.fixed(random.between(301, 2000)), true);
  nest.lhs.push_back(depth);
  nest.rhs.push_back(depth);
  if (random.chance(40))
    std::swap(nest.rhs[0], nest.rhs[1]);
  return nest;
}

static Nest makeNest(Builder &b) {
  Random &random = b.random;
  if (b.isExtended() && random.chance(15))
    return makeLongNest(b);
  Nest nest;
  auto add = [&](DimId size, bool reduction, bool left, bool right) {
    int loop = nest.loop(size, reduction);
    if (left)
      nest.lhs.push_back(loop);
    if (right)
      nest.rhs.push_back(loop);
    if (!reduction)
      nest.result.push_back(loop);
  };
  DimId rows =
      random.chance(60) ? b.graph.dim({Dim::Dynamic, 0}) : b.someDim(33);
  if (random.chance(30)) // A batch, of both or of one.
    add(b.fixed(random.between(1, 4)), false, random.chance(85),
        random.chance(70));
  add(rows, false, random.chance(85), false);
  if (random.chance(95))
    add(random.chance(40) ? b.fixed(random.pick<int64_t>({16, 32, 48, 64}))
                          : b.someDim(48),
        false, false, random.chance(93));
  add(random.chance(60)   ? b.someDim(70)
      : random.chance(75) ? b.fixed(random.pick<int64_t>({4, 16, 64, 128}))
                          : b.fixed(random.between(71, 300)),
      true, true, true);
  if (random.chance(8))
    add(b.fixed(random.between(1, 5)), true, true, random.chance(70));
  if (random.chance(25))
    random.shuffle(nest.lhs);
  if (random.chance(25))
    random.shuffle(nest.rhs);
  if (random.chance(12))
    random.shuffle(nest.result);
  return nest;
}

ValueId Builder::contractionOperand(const Dims &dims, Element element) {
  auto make = [&](const Dims &from) {
    if (element == Element::F32 && random.chance(75)) {
      int axis = !from.empty() && random.chance(30)
                     ? static_cast<int>(random.below(from.size()))
                     : -1;
      bool perRow = !from.empty() && axis < 0 && random.chance(15);
      return convert(dequantize(quantizedLeaf(from, 35, 0.03, axis, perRow)),
                     element);
    }
    return leaf(tensor(element, from), anyData(), 35);
  };
  return moved(dims, make, 35);
}

ValueId Builder::freeContraction() {
  Nest nest = makeNest(*this);
  Element left = Element::F32, right = Element::F32, out = Element::F32;
  switch (random.weighted({40, 45, 5, 5, 5})) {
  case 0:
    left = right = Element::I8;
    out = Element::I32;
    break;
  case 1:
    break;
  case 2:
    left = random.pick({Element::F16, Element::BF16});
    right = random.pick({Element::F16, Element::F32, left});
    break;
  case 3:
    left = right = out =
        random.pick({Element::I32, Element::I16, Element::F16});
    break;
  default:
    left = Element::I16;
    right = random.pick({Element::I8, Element::I16});
    out = random.pick({Element::I32, Element::I64});
  }
  ValueId lhs = contractionOperand(nest.dims(nest.lhs), left);
  ValueId rhs = contractionOperand(nest.dims(nest.rhs), right);
  Type result = tensor(out, nest.dims(nest.result));
  ValueId init = random.chance(75) ? zeros(result) : another(result, 0.01);
  Body body;
  body.arguments = {left, right, out};
  auto widen = [&](int value) {
    Element from = body.typeOf(value);
    if (from == out)
      return value;
    return addToBody(body,
                     isFloat(out)        ? "arith.extf"
                     : random.chance(70) ? "arith.extsi"
                                         : "arith.extui",
                     {value}, out);
  };
  std::vector<int> factors = {widen(0), widen(1)};
  if (random.chance(15))
    std::swap(factors[0], factors[1]);
  int product =
      addToBody(body, isFloat(out) ? "arith.mulf" : "arith.muli", factors, out);
  std::vector<int> terms = {2, product};
  if (random.chance(20))
    std::swap(terms[0], terms[1]);
  body.yields = {
      addToBody(body, isFloat(out) ? "arith.addf" : "arith.addi", terms, out)};
  return generic(
      {lhs, rhs}, init, result,
      {Nest::map(nest.lhs), Nest::map(nest.rhs), Nest::map(nest.result)},
      nest.iterators, std::move(body));
}

} // namespace qcc::fuzz
