//===- Body.cpp - Random bodies of linalg ops -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops on scalars in the body of a linalg op. The sign of a NaN is unspecified,
// so no op looks at the bits of a computed float.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Data.h"
#include "Print.h"

namespace qcc::fuzz {

const std::vector<std::string> &floatBinaryOps() {
  static const std::vector<std::string> names = {
      "arith.addf",     "arith.subf",     "arith.mulf",    "arith.divf",
      "arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf",
      "arith.addf",     "arith.mulf"};
  return names;
}

const std::vector<std::string> &floatUnaryOps(Element element) {
  static const std::vector<std::string> names = {
      "arith.negf", "math.absf",      "math.floor", "math.ceil",  "math.round",
      "math.trunc", "math.roundeven", "math.sqrt",  "math.exp",   "math.tanh",
      "math.erf",   "math.rsqrt",     "math.log",   "math.sin",   "math.cos",
      "math.tan",   "math.atan",      "math.asin",  "math.acos",  "math.sinh",
      "math.cosh",  "math.asinh",     "math.acosh", "math.atanh", "math.expm1",
      "math.log1p"};
  // The functions of N8 are those of smaller floats.
  static const std::vector<std::string> ofDouble(names.begin(),
                                                 names.begin() + 8);
  return element == Element::F64 ? ofDouble : names;
}

const std::vector<std::string> &integerBinaryOps() {
  static const std::vector<std::string> names = {
      "arith.addi",  "arith.subi",  "arith.muli",  "arith.andi",  "arith.ori",
      "arith.xori",  "arith.shli",  "arith.shrsi", "arith.shrui", "arith.maxsi",
      "arith.maxui", "arith.minsi", "arith.minui", "arith.addi",  "arith.muli"};
  return names;
}

const std::vector<std::string> &integerDivisions() {
  static const std::vector<std::string> names = {
      "arith.divsi",     "arith.divui", "arith.floordivsi", "arith.ceildivsi",
      "arith.ceildivui", "arith.remsi", "arith.remui"};
  return names;
}

const std::vector<std::string> &floatPredicates() {
  static const std::vector<std::string> names = {
      "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
      "ueq", "ugt", "uge", "ult", "ule", "une", "uno"};
  return names;
}

const std::vector<std::string> &integerPredicates() {
  static const std::vector<std::string> names = {
      "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
  return names;
}

int addToBody(Body &body, const std::string &name, std::vector<int> operands,
              Element type, const std::string &attribute) {
  body.ops.push_back({name, attribute, std::move(operands), type});
  return static_cast<int>(body.arguments.size() + body.ops.size()) - 1;
}

int bodyConstant(Body &body, Element type, double value) {
  Data data;
  data.role = Data::Exact;
  data.scale = value;
  return addToBody(
      body, "arith.constant", {}, type,
      spellElement(type, makeElements(type, data, 1, Fill::Random, 0).data()));
}

void addResultArgument(Body &body, Element element) {
  int inputs = static_cast<int>(body.arguments.size());
  body.arguments.push_back(element);
  for (BodyOp &op : body.ops)
    for (int &operand : op.operands)
      operand += operand >= inputs;
  for (int &yield : body.yields)
    yield += yield >= inputs;
}

int convertInBody(Random &random, Body &body, int value, Element to) {
  Element from = body.typeOf(value);
  if (from == to)
    return value;
  auto add = [&](const char *name, Element type) {
    return addToBody(body, name, {value}, type);
  };
  bool isSigned = random.chance(60) && from != Element::I1;
  if (from == Element::Index) {
    value = add("arith.index_cast", Element::I32);
    return convertInBody(random, body, value, to);
  }
  if (isFloat(from) && isFloat(to)) {
    // Of one width: by way of f32.
    if (bitsOf(from) == bitsOf(to)) {
      value = add("arith.extf", Element::F32);
      return addToBody(body, "arith.truncf", {value}, to);
    }
    return add(bitsOf(from) < bitsOf(to) ? "arith.extf" : "arith.truncf", to);
  }
  if (isFloat(from))
    return add(isSigned && to != Element::I1 ? "arith.fptosi" : "arith.fptoui",
               to);
  if (isFloat(to))
    return add(isSigned ? "arith.sitofp" : "arith.uitofp", to);
  if (bitsOf(from) > bitsOf(to))
    return add("arith.trunci", to);
  return add(isSigned ? "arith.extsi" : "arith.extui", to);
}

/// A value of the body, a late one foremost.
static int pickValue(Random &random, const Body &body) {
  int count = static_cast<int>(body.arguments.size() + body.ops.size());
  int value = static_cast<int>(random.below(count));
  return std::max(value, static_cast<int>(random.below(count)));
}

static int addSelect(Builder &builder, Body &body, int a, Element type) {
  Random &random = builder.random;
  int b = convertInBody(random, body, pickValue(random, body), type);
  int condition = isFloat(type)
                      ? addToBody(body, "arith.cmpf", {a, b}, Element::I1,
                                  random.pick(floatPredicates()))
                      : addToBody(body, "arith.cmpi", {a, b}, Element::I1,
                                  random.pick(integerPredicates()));
  int c = convertInBody(random, body, pickValue(random, body), type);
  if (builder.isExtended() && random.chance(50)) {
    const std::vector<std::string> &names =
        isFloat(type) ? floatBinaryOps() : integerBinaryOps();
    return addToBody(body, "scf.if", {condition, c, a}, type,
                     random.pick(names) + " " + random.pick(names));
  }
  return addToBody(body, "arith.select", {condition, c, a}, type);
}

static void addFloatOp(Builder &builder, Body &body, int a, Element type) {
  Random &random = builder.random;
  switch (random.weighted({50, 25, 8, 10, 7})) {
  case 0: {
    int b = random.chance(30)
                ? bodyConstant(
                      body, type,
                      random.pick({0.5, 2.0, -1.5, 0.0, -0.0, 1.0, 127.0, 0.1}))
                : convertInBody(random, body, pickValue(random, body), type);
    std::string name = random.pick(floatBinaryOps());
    if (random.chance(50))
      std::swap(a, b);
    addToBody(body, name, {a, b}, type);
    return;
  }
  case 1:
    addToBody(body, random.pick(floatUnaryOps(type)), {a}, type);
    return;
  case 2: {
    int b = convertInBody(random, body, pickValue(random, body), type);
    int c = convertInBody(random, body, pickValue(random, body), type);
    addToBody(body, "math.fma", {a, b, c}, type);
    return;
  }
  case 3:
    addSelect(builder, body, a, type);
    return;
  default: {
    // The sign of what is no NaN.
    int sign = bodyConstant(body, type, random.pick({-1.0, 1.0, -0.0}));
    addToBody(body, "math.copysign", {a, sign}, type);
  }
  }
}

/// Divisors that may be zero, and divisions that round in any direction.
static void addDivision(Random &random, Body &body, int a, Element type) {
  int b = convertInBody(random, body, pickValue(random, body), type);
  if (random.chance(40))
    b = addToBody(body, "arith.andi", {b, bodyConstant(body, type, 3)}, type);
  addToBody(body, random.pick(integerDivisions()), {a, b}, type);
}

static void addIntegerOp(Builder &builder, Body &body, int a, Element type) {
  Random &random = builder.random;
  if (type == Element::I1) {
    int b = convertInBody(random, body, pickValue(random, body), type);
    addToBody(body, random.pick({"arith.andi", "arith.ori", "arith.xori"}),
              {a, b}, type);
    return;
  }
  switch (random.weighted({65, 15, 12, 8})) {
  case 0: {
    int b = random.chance(30)
                ? bodyConstant(body, type,
                               static_cast<double>(random.between(-9, 40)))
                : convertInBody(random, body, pickValue(random, body), type);
    addToBody(body, random.pick(integerBinaryOps()), {a, b}, type);
    return;
  }
  case 1:
    addToBody(
        body,
        random.pick({"math.absi", "math.ctlz", "math.cttz", "math.ctpop"}), {a},
        type);
    return;
  case 2:
    addSelect(builder, body, a, type);
    return;
  default: {
    if (builder.isExtended() && random.chance(75))
      return addDivision(random, body, a, type);
    // A divisor that is not zero.
    int b = convertInBody(random, body, pickValue(random, body), type);
    b = addToBody(body, "arith.ori", {b, bodyConstant(body, type, 1)}, type);
    addToBody(body,
              random.pick(
                  {"arith.divsi", "arith.divui", "arith.remsi", "arith.remui"}),
              {a, b}, type);
  }
  }
}

void growBody(Builder &builder, Body &body, unsigned ops, Element result,
              bool hasIndices, size_t loops) {
  Random &random = builder.random;
  if (hasIndices && loops && random.chance(15)) {
    int index = addToBody(body, "linalg.index", {}, Element::Index,
                          std::to_string(random.below(loops)));
    convertInBody(random, body, index, Element::I32);
  }
  for (unsigned i = 0; i < ops; ++i) {
    int a = pickValue(random, body);
    if (body.typeOf(a) == Element::Index)
      continue;
    // Now and then on to another type.
    if (random.chance(12))
      a = convertInBody(random, body, a,
                        random.pick({Element::F32, Element::F32, Element::I32,
                                     Element::I8, Element::F16, Element::BF16,
                                     Element::I16, Element::I64}));
    Element type = body.typeOf(a);
    if (isFloat(type))
      addFloatOp(builder, body, a, type);
    else
      addIntegerOp(builder, body, a, type);
  }
  int last = static_cast<int>(body.arguments.size() + body.ops.size()) - 1;
  body.yields.push_back(convertInBody(random, body, last, result));
}

} // namespace qcc::fuzz
