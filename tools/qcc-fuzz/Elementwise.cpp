//===- Elementwise.cpp - Elementwise ops, reductions, softmax -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As ops on tensors, as named ops of linalg and as linalg.generic with maps
// that broadcast and transpose.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include <algorithm>
#include <limits>

namespace qcc::fuzz {

std::string identity(size_t rank) {
  std::string text;
  for (size_t i = 0; i < rank; ++i)
    text += (i ? ", d" : "d") + std::to_string(i);
  return text;
}

static std::vector<std::string> parallel(size_t rank) {
  return std::vector<std::string>(rank, "parallel");
}

ValueId Builder::convert(ValueId x, Element to) {
  Element from = elementOf(x);
  if (from == to)
    return x;
  if (isFloat(from) && isFloat(to)) {
    if (bitsOf(from) == bitsOf(to))
      x = cast("arith.extf", x, Element::F32);
    return cast(bitsOf(elementOf(x)) < bitsOf(to) ? "arith.extf"
                                                  : "arith.truncf",
                x, to);
  }
  Body body;
  body.arguments = {from, to};
  body.yields = {convertInBody(random, body, 0, to)};
  Dims dims = dimsOf(x);
  return generic({x}, -1, tensor(to, dims),
                 {identity(dims.size()), identity(dims.size())},
                 parallel(dims.size()), std::move(body));
}

ValueId Builder::activation(ValueId x) {
  Element element = elementOf(x);
  switch (random.weighted({30, 25, 15, 15, 15})) {
  case 0: // ReLU
    return binary("arith.maximumf", x, filled(typeOf(x), 0));
  case 1:
    return unary(
        random.pick({"math.tanh", "math.erf", "math.absf", "math.exp"}), x);
  case 2: { // x * sigmoid(x), in parts
    ValueId one = filled(typeOf(x), 1);
    ValueId e = unary("math.exp", unary("arith.negf", x));
    return binary("arith.divf", x, binary("arith.addf", e, one));
  }
  default: {
    Body body;
    body.arguments = {element};
    growBody(*this, body, 1 + random.below(4), element, false, 0);
    addResultArgument(body, element);
    size_t rank = dimsOf(x).size();
    return generic({x}, -1, typeOf(x), {identity(rank), identity(rank)},
                   parallel(rank), std::move(body));
  }
  }
}

ValueId Builder::combine(const std::string &floatOp,
                         const std::string &integerOp, ValueId a, ValueId b) {
  return binary(isFloat(elementOf(a)) ? floatOp : integerOp, a, b);
}

/// An operand for loops of these sizes: of some of them, in any order, with
/// dimensions of size 1 between them at times. `map` becomes how it is indexed.
static ValueId broadcastOperand(Builder &b, const Dims &loops, Element element,
                                std::string &map) {
  Random &random = b.random;
  // A value of the pool whose dimensions are among the loops.
  std::vector<int> at;
  auto fits = [&](ValueId value) {
    at.clear();
    for (DimId id : b.dimsOf(value)) {
      int found = -1;
      for (size_t i = 0; i < loops.size(); ++i)
        if (loops[i] == id &&
            std::find(at.begin(), at.end(), int(i)) == at.end())
          found = static_cast<int>(i);
      if (found < 0)
        return false;
      at.push_back(found);
    }
    return !b.typeOf(value).isScalar && b.typeOf(value).quant < 0 &&
           b.elementOf(value) != Element::U8;
  };
  ValueId value = random.chance(60) ? b.pickFromPool(fits) : -1;
  map.clear();
  if (value >= 0 && fits(value)) {
    // Where sizes agree by chance, the order of the loops is as good.
    for (int loop : at)
      map += (map.empty() ? "d" : ", d") + std::to_string(loop);
    return value;
  }
  Dims dims;
  for (size_t i = 0; i < loops.size(); ++i)
    at.push_back(static_cast<int>(i));
  at.resize(loops.size());
  for (size_t i = 0; i < loops.size(); ++i)
    at[i] = static_cast<int>(i);
  if (random.chance(25))
    random.shuffle(at);
  for (int loop : at) {
    if (random.chance(35)) {
      if (random.chance(70))
        continue;
      dims.push_back(b.fixed(1));
      map += map.empty() ? "0" : ", 0";
      continue;
    }
    dims.push_back(loops[loop]);
    map += (map.empty() ? "d" : ", d") + std::to_string(loop);
  }
  return b.moved(
      dims,
      [&](const Dims &from) {
        return b.leaf(Builder::tensor(element, from), b.anyData(), 40);
      },
      12);
}

/// An op of linalg by its name.
static ValueId namedElementwise(Builder &b, ValueId x) {
  Random &random = b.random;
  Element element = b.elementOf(x);
  Type type = b.typeOf(x);
  if (random.chance(50)) {
    std::string name =
        isFloat(element)
            ? random.pick({"add", "sub", "mul", "div", "max", "min"})
            : random.pick({"add", "sub", "mul", "max", "min"});
    ValueId y = b.another(type);
    return b.op(
        "linalg." + name,
        {"linalg." + name + " ins($0, $1 : $t0, $t1) outs($e0 : $r0) -> $r0",
         {x, y}},
        type);
  }
  if (isFloat(element)) {
    std::string name =
        random.pick({"exp", "abs", "ceil", "floor", "negf", "round", "sqrt",
                     "rsqrt", "tanh", "erf", "log", "reciprocal", "square"});
    return b.op(
        "linalg." + name,
        {"linalg." + name + " ins($0 : $t0) outs($e0 : $r0) -> $r0", {x}},
        type);
  }
  // linalg.map has no index, and no argument of its result.
  ValueId y = b.another(type);
  Body body;
  body.arguments = {element, element};
  growBody(b, body, 1 + random.below(3), element, false, 0);
  addResultArgument(body, element);
  ValueId value = b.op(
      "linalg.map",
      {"linalg.map ins($0, $1 : $t0, $t1) outs($e0 : $r0) $b", {x, y}}, type);
  b.graph.nodes.back().body = std::move(body);
  return value;
}

static ValueId onTensors(Builder &b, ValueId x) {
  Random &random = b.random;
  Element element = b.elementOf(x);
  Type type = b.typeOf(x);
  if (element == Element::I1)
    return b.binary(random.pick({"arith.andi", "arith.ori", "arith.xori"}), x,
                    b.another(type));
  switch (random.weighted({50, 25, 15, 10})) {
  case 0:
    return b.binary(isFloat(element) ? random.pick(floatBinaryOps())
                                     : random.pick(integerBinaryOps()),
                    x, b.another(type));
  case 1:
    return b.unary(isFloat(element) ? random.pick(floatUnaryOps(element))
                                    : random.pick({std::string("math.absi"),
                                                   std::string("math.ctpop"),
                                                   std::string("math.ctlz")}),
                   x);
  case 2: {
    ValueId y = b.another(type);
    Type flags = type;
    flags.element = Element::I1;
    std::string compare =
        isFloat(element) ? "arith.cmpf " + random.pick(floatPredicates())
                         : "arith.cmpi " + random.pick(integerPredicates());
    ValueId condition = b.op(compare.substr(0, 10),
                             {compare + ", $0, $1 : $t0", {x, y}}, flags);
    if (random.chance(25))
      return condition;
    return b.op("arith.select",
                {"arith.select $0, $1, $2 : $t0, $r0",
                 {condition, random.chance(50) ? x : b.another(type), y}},
                type);
  }
  default:
    return b.convert(
        x, random.pick({Element::F32, Element::I32, Element::F16, Element::BF16,
                        Element::I8, Element::I16, Element::I64}));
  }
}

ValueId Builder::elementwise(ValueId x) {
  size_t kind = random.weighted({35, 15, 50});
  if (kind == 0)
    return onTensors(*this, x);
  if (kind == 1 && elementOf(x) != Element::I1 && elementOf(x) != Element::F64)
    return namedElementwise(*this, x);
  Dims loops = dimsOf(x);
  // A new dimension that x is broadcast along, or another order of the result.
  std::vector<std::string> maps = {identity(loops.size())};
  if (loops.size() < 4 && random.chance(12))
    loops.push_back(someDim(9));
  std::vector<ValueId> inputs = {x};
  unsigned more = static_cast<unsigned>(random.weighted({25, 50, 25}));
  Body body;
  body.arguments = {elementOf(x)};
  for (unsigned i = 0; i < more; ++i) {
    std::string map;
    Element element = random.chance(75)
                          ? elementOf(x)
                          : random.pick({Element::F32, Element::I32,
                                         Element::F16, Element::I8});
    inputs.push_back(broadcastOperand(*this, loops, element, map));
    maps.push_back(map);
    body.arguments.push_back(elementOf(inputs.back()));
  }
  Element out = random.chance(70)
                    ? elementOf(x)
                    : random.pick({Element::F32, Element::F32, Element::I32,
                                   Element::I8, Element::BF16});
  std::vector<int> order;
  for (size_t i = 0; i < loops.size(); ++i)
    order.push_back(static_cast<int>(i));
  if (random.chance(15))
    random.shuffle(order);
  Dims dims;
  std::string map;
  for (int loop : order) {
    dims.push_back(loops[loop]);
    map += (map.empty() ? "d" : ", d") + std::to_string(loop);
  }
  maps.push_back(map);
  growBody(*this, body, 1 + random.below(5), out, random.chance(20),
           loops.size());
  addResultArgument(body, out);
  return generic(inputs, -1, tensor(out, dims), maps, parallel(loops.size()),
                 std::move(body));
}

ValueId Builder::reduceLast(ValueId x, const std::string &combine,
                            double initial) {
  Dims dims = dimsOf(x);
  size_t rank = dims.size();
  Element element = elementOf(x);
  dims.pop_back();
  Type type = tensor(element, dims);
  ValueId init = filled(type, initial);
  std::vector<std::string> iterators = parallel(rank);
  iterators.back() = "reduction";
  Body body;
  body.arguments = {element, element};
  body.yields = {addToBody(body, combine, {0, 1}, element)};
  return generic({x}, init, type, {identity(rank), identity(rank - 1)},
                 iterators, std::move(body));
}

ValueId Builder::overLast(ValueId x, ValueId perRow, const std::string &name) {
  size_t rank = dimsOf(x).size();
  Element element = elementOf(x);
  Body body;
  body.arguments = {element, elementOf(perRow), element};
  int right = convertInBody(random, body, 1, element);
  body.yields = {addToBody(body, name, {0, right}, element)};
  return generic({x, perRow}, -1, typeOf(x),
                 {identity(rank), identity(rank - 1), identity(rank)},
                 parallel(rank), std::move(body));
}

ValueId Builder::softmax(ValueId x) {
  double lowest = -std::numeric_limits<double>::infinity();
  ValueId highest = reduceLast(
      x, random.chance(70) ? "arith.maximumf" : "arith.maxnumf", lowest);
  ValueId e = unary("math.exp", overLast(x, highest, "arith.subf"));
  return overLast(e, reduceLast(e, "arith.addf", 0), "arith.divf");
}

ValueId Builder::normalize(ValueId x) {
  double size = 1;
  if (isStatic(dimsOf(x).back()))
    size = static_cast<double>(staticSize(dimsOf(x).back()));
  auto mean = [&](ValueId of) {
    ValueId sum = reduceLast(of, "arith.addf", 0);
    return binary("arith.divf", sum, filled(typeOf(sum), size));
  };
  ValueId centred = overLast(x, mean(x), "arith.subf");
  ValueId variance = mean(binary("arith.mulf", centred, centred));
  ValueId shifted =
      binary("arith.addf", variance, filled(typeOf(variance), 1e-5));
  return overLast(centred, unary("math.rsqrt", shifted), "arith.mulf");
}

ValueId Builder::reduce(ValueId x) {
  Dims loops = dimsOf(x), kept;
  Element element = elementOf(x);
  std::vector<std::string> iterators;
  std::string map, dimensions;
  bool any = false;
  for (size_t i = 0; i < loops.size(); ++i) {
    bool reduced = random.chance(i + 1 == loops.size() ? 65 : 35) ||
                   (!any && i + 1 == loops.size());
    any |= reduced;
    iterators.push_back(reduced ? "reduction" : "parallel");
    if (reduced) {
      dimensions += (dimensions.empty() ? "" : ", ") + std::to_string(i);
      continue;
    }
    kept.push_back(loops[i]);
    map += (map.empty() ? "d" : ", d") + std::to_string(i);
  }
  std::string combine =
      isFloat(element)
          ? random.pick({"arith.addf", "arith.addf", "arith.mulf",
                         "arith.maximumf", "arith.minimumf", "arith.maxnumf",
                         "arith.minnumf"})
          : random.pick({"arith.addi", "arith.muli", "arith.maxsi",
                         "arith.minsi", "arith.maxui", "arith.minui",
                         "arith.andi", "arith.ori", "arith.xori"});
  if (element == Element::I1)
    combine = random.pick({"arith.andi", "arith.ori", "arith.xori"});
  Type type = tensor(element, kept);
  ValueId init = random.chance(70) ? filled(type, random.pick({0.0, 1.0, -3.0}))
                                   : another(type);
  if (random.chance(25)) {
    Body body;
    body.arguments = {element, element};
    body.yields = {addToBody(body, combine, {0, 1}, element)};
    // The region of linalg.reduce names its arguments before it.
    ValueId value = op("linalg.reduce",
                       {"linalg.reduce { " + combine +
                            " } ins($0 : $t0) outs($1 : $r0) dimensions = [" +
                            dimensions + "]",
                        {x, init}},
                       type);
    graph.nodes.back().body = std::move(body);
    return value;
  }
  Body body;
  body.arguments = {element, element};
  int term = 0;
  if (random.chance(35)) { // of something computed
    Body inner;
    inner.arguments = {element};
    growBody(*this, inner, 1 + random.below(2), element, false, 0);
    addResultArgument(inner, element);
    body.ops = inner.ops;
    term = inner.yields[0];
  }
  if (random.chance(85)) {
    std::vector<int> operands = {1, term};
    if (random.chance(50))
      std::swap(operands[0], operands[1]);
    body.yields = {addToBody(body, combine, operands, element)};
  } else { // no reduction of N8: in order
    growBody(*this, body, 1 + random.below(3), element, false, 0);
  }
  return generic({x}, init, type, {identity(loops.size()), map}, iterators,
                 std::move(body));
}

} // namespace qcc::fuzz
