//===- NamedOps.cpp - Ops of linalg by their names ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise ops, reductions, broadcasts and softmax that other files do not
// write by name.
//
//===----------------------------------------------------------------------===//

#include "Extended.h"
#include <algorithm>

namespace qcc::fuzz {

/// linalg.NAME of operands of one shape. The body and the maps say what it
/// does.
static ValueId named(Builder &b, const std::string &name,
                     const std::string &attributes,
                     const std::vector<ValueId> &operands, const Type &result,
                     Body body) {
  std::string names, types;
  for (size_t i = 0; i < operands.size(); ++i) {
    names += (i ? ", $" : "$") + std::to_string(i);
    types += (i ? ", $t" : "$t") + std::to_string(i);
  }
  ValueId value = b.op("linalg." + name,
                       {"linalg." + name + attributes + " ins(" + names +
                            " : " + types + ") outs($e0 : $r0) -> $r0",
                        operands},
                       result);
  Node &node = b.graph.nodes.back();
  node.maps.assign(operands.size() + 1, identity(result.rank()));
  node.iterators.assign(result.rank(), "parallel");
  node.body = std::move(body);
  return value;
}

static ValueId softmaxOf(Builder &b, ValueId x) {
  size_t rank = b.dimsOf(x).size();
  size_t dimension = b.random.chance(65) ? rank - 1 : b.random.below(rank);
  return b.op("linalg.softmax",
              {"linalg.softmax dimension(" + std::to_string(dimension) +
                   ") ins($0 : $t0) outs($e0 : $r0) -> $r0",
               {x}},
              b.typeOf(x));
}

static ValueId selected(Builder &b, ValueId x) {
  Type flags = b.typeOf(x);
  flags.element = Element::I1;
  Body body;
  Element element = b.elementOf(x);
  body.arguments = {Element::I1, element, element, element};
  body.yields = {addToBody(body, "arith.select", {0, 1, 2}, element)};
  return named(b, "select", "", {b.another(flags), x, b.another(b.typeOf(x))},
               b.typeOf(x), std::move(body));
}

static ValueId copied(Builder &b, ValueId x) {
  Element element = b.elementOf(x);
  Element to = element == Element::I8    ? Element::I32
               : element == Element::I16 ? Element::I32
               : element == Element::F16 ? Element::F32
                                         : element;
  if (b.random.chance(40))
    to = element;
  bool isUnsigned = !isFloat(to) && to != element && b.random.chance(40);
  Body body;
  body.arguments = {element, to};
  int value = 0;
  if (to != element)
    value = addToBody(body,
                      isFloat(to)  ? "arith.extf"
                      : isUnsigned ? "arith.extui"
                                   : "arith.extsi",
                      {0}, to);
  body.yields = {value};
  return named(b, "copy",
               isUnsigned ? " {cast = #linalg.type_fn<cast_unsigned>}" : "",
               {x}, Builder::tensor(to, b.dimsOf(x)), std::move(body));
}

/// Integer division, whose divisor may be zero, and any op of two operands by
/// linalg.elementwise.
static ValueId binaryByName(Builder &b, ValueId x) {
  Random &random = b.random;
  Element element = b.elementOf(x);
  struct Name {
    const char *name, *kind, *floatOp, *integerOp;
  };
  const Name names[] = {{"add", "add", "arith.addf", "arith.addi"},
                        {"sub", "sub", "arith.subf", "arith.subi"},
                        {"mul", "mul", "arith.mulf", "arith.muli"},
                        {"div", "div", "arith.divf", "arith.divsi"},
                        {"div_unsigned", "div_unsigned", "", "arith.divui"},
                        {"max", "max_signed", "arith.maximumf", "arith.maxsi"},
                        {"min", "min_signed", "arith.minimumf", "arith.minsi"},
                        {"", "max_unsigned", "", "arith.maxui"},
                        {"", "min_unsigned", "", "arith.minui"}};
  const Name &name = names[isFloat(element) ? random.pick({0, 1, 2, 3, 5, 6})
                                            : random.below(9)];
  Body body;
  body.arguments = {element, element, element};
  body.yields = {addToBody(
      body, isFloat(element) ? name.floatOp : name.integerOp, {0, 1}, element)};
  ValueId y = b.another(b.typeOf(x));
  if (name.name[0] && random.chance(50))
    return named(b, name.name, "", {x, y}, b.typeOf(x), std::move(body));
  return named(b, "elementwise",
               std::string(" kind=#linalg.elementwise_kind<") + name.kind + ">",
               {x, y}, b.typeOf(x), std::move(body));
}

static ValueId unaryByKind(Builder &b, ValueId x) {
  Element element = b.elementOf(x);
  std::string kind =
      b.random.pick({"exp", "abs", "ceil", "floor", "negf", "round", "sqrt",
                     "rsqrt", "tanh", "erf", "log", "square"});
  Body body;
  body.arguments = {element, element};
  if (kind == "square")
    body.yields = {addToBody(body, "arith.mulf", {0, 0}, element)};
  else
    body.yields = {addToBody(body,
                             kind == "negf"  ? "arith.negf"
                             : kind == "abs" ? "math.absf"
                                             : "math." + kind,
                             {0}, element)};
  return named(b, "elementwise", " kind=#linalg.elementwise_kind<" + kind + ">",
               {x}, b.typeOf(x), std::move(body));
}

/// linalg.map of one to three operands.
static ValueId mapped(Builder &b, ValueId x) {
  Type type = b.typeOf(x);
  std::vector<ValueId> operands = {x};
  Body body;
  body.arguments = {type.element};
  for (uint64_t i = 0, e = b.random.below(3); i < e; ++i) {
    operands.push_back(b.another(type));
    body.arguments.push_back(type.element);
  }
  size_t inputs = operands.size();
  growBody(b, body, 1 + b.random.below(4), type.element, false, 0);
  addResultArgument(body, type.element);
  ValueId value =
      b.op("linalg.map",
           {inputs == 1   ? "linalg.map ins($0 : $t0) outs($e0 : $r0) $b"
            : inputs == 2 ? "linalg.map ins($0, $1 : $t0, $t1) outs($e0 : "
                            "$r0) $b"
                          : "linalg.map ins($0, $1, $2 : $t0, $t1, $t2) "
                            "outs($e0 : $r0) $b",
            operands},
           type);
  b.graph.nodes.back().body = std::move(body);
  return value;
}

/// linalg.reduce whose body is written out.
static ValueId reducedByRegion(Builder &b, ValueId x) {
  Random &random = b.random;
  Type type = b.typeOf(x), result = type;
  size_t at = random.below(type.rank());
  result.dims.erase(result.dims.begin() + at);
  Body body;
  Element element = type.element;
  body.arguments = {element, element};
  int square = addToBody(body, isFloat(element) ? "arith.mulf" : "arith.muli",
                         {0, 0}, element);
  std::string combine = isFloat(element)
                            ? random.pick({"arith.addf", "arith.maximumf"})
                            : random.pick({"arith.addi", "arith.minsi"});
  body.yields = {addToBody(body, combine, {square, 1}, element)};
  ValueId value = b.op("linalg.reduce",
                       {"linalg.reduce ins($0 : $t0) outs($1 : $r0) "
                        "dimensions = [" +
                            std::to_string(at) + "] $b",
                        {x, b.zeros(result)}},
                       result);
  b.graph.nodes.back().body = std::move(body);
  return value;
}

/// Along two dimensions at once.
static ValueId broadcastTwice(Builder &b, ValueId x) {
  Type type = b.typeOf(x);
  size_t first = b.random.below(type.rank() + 1);
  size_t second = first + 1 + b.random.below(type.rank() - first + 1);
  type.dims.insert(type.dims.begin() + first, b.someDim(6));
  type.dims.insert(type.dims.begin() + second, b.someDim(6));
  return b.op("linalg.broadcast",
              {"linalg.broadcast ins($0 : $t0) outs($e0 : $r0) dimensions = [" +
                   std::to_string(first) + ", " + std::to_string(second) + "]",
               {x}},
              type);
}

ValueId namedOp(Builder &b, ValueId x) {
  Element element = b.elementOf(x);
  size_t rank = b.dimsOf(x).size();
  bool hasFunctions = isFloat(element) && element != Element::F64;
  if (element == Element::I1)
    return selected(b, x);
  switch (b.random.weighted({25, 12, 8, 25, 10, 12, 8, 5})) {
  case 0:
    if (hasFunctions && rank)
      return softmaxOf(b, x);
    break;
  case 1:
    return selected(b, x);
  case 2:
    return copied(b, x);
  case 4:
    if (hasFunctions)
      return unaryByKind(b, x);
    break;
  case 5:
    return mapped(b, x);
  case 6:
    if (rank)
      return reducedByRegion(b, x);
    break;
  case 7:
    if (rank < 3)
      return broadcastTwice(b, x);
    break;
  default:
    break;
  }
  return binaryByName(b, x);
}

} // namespace qcc::fuzz
