//===- ElementwiseCases.cpp - Elementwise ops of the sweep ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// qnn.quantize, dequantize, requantize, add, mul, clamp and lookup.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Cases.h"

namespace qcc::sweep {

static Shape chooseShape(Builder &b, unsigned number) {
  int64_t last = Builder::size(number, 11);
  switch (b.choose(5)) {
  case 0:
    return {kRows, 2, last};
  case 1:
    return {kRows};
  default:
    return {kRows, last};
  }
}

/// Per-channel scales for some of the shapes that allow them.
static void chooseChannels(Builder &b, Quant &quant, const Shape &shape) {
  if (shape.size() < 2 || b.choose(3))
    return;
  quant.axis = shape.size() - 1;
  for (int64_t c = 1; c < shape.back(); ++c)
    quant.scales.push_back(b.scale(quant.scales[0] / 2, quant.scales[0] * 2));
}

/// Parameters of a whole tensor as operands: scalars, or one scale per row.
static std::string operandParameters(Builder &b, const Shape &shape,
                                     const Quant &quant,
                                     const std::string &role = "") {
  Shape scaleShape;
  std::string type = "f32";
  if (shape.size() > 1 && b.choose(2)) {
    scaleShape = shape;
    scaleShape.back() = 1;
    type = tensorType(scaleShape, "f32");
  }
  double scale = quant.scales.front();
  std::string value =
      b.argument(type, {Element::F32, scaleShape, scale / 2, scale, true});
  std::string text = " " + role + "scale(" + value + " : " + type + ")";
  if (quant.zeroPoint) {
    value = b.argument("i32", {Element::I32,
                               {},
                               double(lowestOf(quant.storage)),
                               double(highestOf(quant.storage))});
    text += " " + role + "zero_point(" + value + " : i32)";
  }
  return text;
}

static Program quantize(unsigned number) {
  Builder b("quantize", number);
  Shape shape = chooseShape(b, number);
  Quant quant = b.quant(b.scale(0.01, 0.2));
  Element element =
      b.pick({Element::F32, Element::F32, Element::F16, Element::BF16});
  double limit = 200 * quant.scales[0];
  std::string inputType = tensorType(shape, spell(element));
  std::string x = b.argument(inputType, {element, shape, -limit, limit});
  std::string type, parameters;
  if (b.choose(2)) {
    chooseChannels(b, quant, shape);
    type = tensorType(shape, spell(quant));
  } else {
    type = tensorType(shape, spell(quant.storage));
    parameters = operandParameters(b, shape, quant);
  }
  std::string attributes = b.choose(4) ? "" : " {zero_point_before_rounding}";
  b.result(b.op("qnn.quantize " + x + parameters + attributes + " : " +
                inputType + " -> " + type),
           type);
  return b.finish();
}

static Program dequantize(unsigned number) {
  Builder b("dequantize", number);
  Shape shape = chooseShape(b, number);
  Quant quant = b.quant(b.scale(0.01, 0.2));
  bool accumulator = b.choose(5) == 0;
  bool asOperands = accumulator || b.choose(2);
  if (accumulator)
    quant.zeroPoint = 0;
  if (!asOperands)
    chooseChannels(b, quant, shape);
  Element element = accumulator ? Element::I32 : quant.storage;
  std::string type =
      tensorType(shape, asOperands ? spell(element) : spell(quant));
  double low = accumulator ? -2147483648.0 : lowestOf(element);
  double high = accumulator ? 2147483647.0 : highestOf(element);
  std::string x = b.argument(type, {element, shape, low, high});
  std::string parameters = asOperands ? operandParameters(b, shape, quant) : "";
  std::string out = tensorType(shape, b.pick({"f32", "f32", "f16", "bf16"}));
  b.result(
      b.op("qnn.dequantize " + x + parameters + " : " + type + " -> " + out),
      out);
  return b.finish();
}

static Program requantize(unsigned number) {
  Builder b("requantize", number);
  Shape shape = chooseShape(b, number);
  Quant from = b.quant(b.scale(0.01, 0.2)), to = b.quant(b.scale(0.01, 0.2));
  std::string type, parameters;
  std::string x;
  if (b.choose(4) == 0) {
    from.zeroPoint = 0;
    type = tensorType(shape, "i32");
    x = b.argument(type, {Element::I32, shape, -2147483648.0, 2147483647.0});
    parameters = operandParameters(b, shape, from, "input_");
  } else {
    Builder::Operand operand = b.quantized("input_", shape, from, false);
    x = operand.value, type = operand.type, parameters = operand.parameters;
  }
  Builder::Operand result = b.quantizedResult(shape, to);
  b.result(b.op("qnn.requantize " + x + parameters + result.parameters + " : " +
                type + " -> " + result.type),
           result.type);
  return b.finish();
}

static Program binary(const std::string &name, unsigned number) {
  Builder b(name, number);
  Shape shape = chooseShape(b, number);
  Quant lhs = b.quant(b.scale(0.01, 0.1)), rhs = b.quant(b.scale(0.01, 0.1));
  Quant to = b.quant(name == "add" ? b.scale(0.02, 0.2) : b.scale(0.1, 1.0));
  Builder::Operand lo = b.quantized("lhs_", shape, lhs, false);
  Builder::Operand ro = b.quantized("rhs_", shape, rhs, false);
  Builder::Operand result = b.quantizedResult(shape, to);
  b.result(b.op("qnn." + name + " " + lo.value + ", " + ro.value +
                lo.parameters + ro.parameters + result.parameters + " : " +
                lo.type + ", " + ro.type + " -> " + result.type),
           result.type);
  return b.finish();
}

static Program clamp(unsigned number) {
  Builder b("clamp", number);
  Shape shape = chooseShape(b, number);
  Builder::Operand x =
      b.quantized("", shape, b.quant(b.scale(0.01, 0.2)), false);
  std::string low = "min = " + spell(b.scale(-3, 1)) + " : f32";
  std::string high = "max = " + spell(b.scale(1, 9)) + " : f32";
  std::string bounds = b.pick<std::string>({low, high, high + ", " + low});
  b.result(b.op("qnn.clamp " + x.value + x.parameters + " {" + bounds +
                "} : " + x.type),
           x.type);
  return b.finish();
}

static Program lookup(unsigned number) {
  Builder b("lookup", number);
  Shape shape = chooseShape(b, number);
  Quant from = b.quant(0.05), to = b.quant(0.1);
  std::string type = tensorType(shape, spell(from));
  std::string x =
      b.argument(type, {from.storage, shape, double(lowestOf(from.storage)),
                        double(highestOf(from.storage))});
  Element element = b.pick({Element::I8, Element::U8, Element::I32,
                            Element::F16, Element::BF16, Element::F32});
  std::string out = tensorType(shape, spell(element));
  if (element == Element::I8 || element == Element::U8) {
    to.storage = element;
    to.zeroPoint = 7;
    if (b.choose(2))
      out = tensorType(shape, spell(to));
  }
  std::string tableType = tensorType({256}, spell(element));
  double high = element == Element::I32 ? 2147483647.0 : highestOf(element);
  double low = element == Element::I32 ? -2147483648.0 : lowestOf(element);
  std::string table =
      (element == Element::I8 || element == Element::U8 ||
       element == Element::F32) &&
              b.choose(2)
          ? b.constant(tableType, element, 256, low, high)
          : b.argument(tableType, {element, {256}, low, high, true});
  b.result(b.op("qnn.lookup " + x + ", " + table + " : " + type + ", " +
                tableType + " -> " + out),
           out);
  return b.finish();
}

std::vector<Program> makeQuantizeDequantize() {
  std::vector<Program> programs;
  for (unsigned i = 0; i < 40; ++i) {
    programs.push_back(quantize(i));
    programs.push_back(dequantize(i));
    programs.push_back(requantize(i));
  }
  return programs;
}

std::vector<Program> makeElementwise() {
  std::vector<Program> programs;
  for (unsigned i = 0; i < 30; ++i) {
    programs.push_back(binary("add", i));
    programs.push_back(binary("mul", i));
    programs.push_back(clamp(i));
    programs.push_back(lookup(i));
  }
  return programs;
}

} // namespace qcc::sweep
