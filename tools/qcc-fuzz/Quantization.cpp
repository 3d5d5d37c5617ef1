//===- Quantization.cpp - Quantized values in every form ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters in types and as operands; quantize and dequantize as ops of qnn,
// as bodies of linalg.generic and as ops on whole tensors.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Data.h"
#include "Print.h"

namespace qcc::fuzz {

Quant Builder::someQuant(double scale) {
  Quant quant;
  quant.storage = random.chance(60) ? Element::I8 : Element::U8;
  quant.scale = scale * random.real(0.6, 1.4);
  int low = lowestOf(quant.storage), high = highestOf(quant.storage);
  quant.zeroPoint =
      random.chance(40)
          ? 0
          : random.pick({low, high, 3, 101, (low + high + 1) / 2,
                         static_cast<int>(random.between(low, high))});
  quant.seed = random.bits();
  return quant;
}

/// A scale or a zero point as an operand: of a scalar, a tensor with one
/// element, one per channel, or `perRow` for each row if that is not 0.
static ValueId parameter(Builder &b, const Dims &dims, int channelAxis,
                         int64_t perRow, Element element, const Data &data) {
  Type type;
  if (perRow) {
    type = Builder::tensor(element, dims);
    type.dims.back() = b.fixed(perRow);
  } else if (channelAxis >= 0) {
    type = Builder::tensor(element, {dims[channelAxis]});
  } else {
    switch (b.random.below(3)) {
    case 0:
      type = Builder::tensor(element, {});
      break;
    case 1:
      type = Builder::tensor(element, {b.fixed(1)});
      break;
    default:
      type = Builder::scalar(element);
    }
    // Scalars of 8 bits are not taken.
    if (type.isScalar && bytesOf(element) == 1)
      type.isScalar = false;
  }
  return b.leaf(type, data, 40);
}

static Data scaleData(double scale) {
  Data data;
  data.role = Data::Scale;
  data.scale = scale;
  return data;
}

static Data zeroPointData(Element storage) {
  Data data;
  data.role = Data::ZeroPoint;
  data.low = lowestOf(storage);
  data.high = highestOf(storage);
  return data;
}

/// The operands that say how a value with that storage is quantized.
static Quantized operandParameters(Builder &b, const Dims &dims,
                                   Element storage, double scale,
                                   int channelAxis, int64_t perRow) {
  Quantized result;
  if (dims.empty())
    perRow = 0;
  result.scale = parameter(b, dims, perRow ? -1 : channelAxis, perRow,
                           Element::F32, scaleData(scale));
  if (!perRow)
    result.axis = channelAxis;
  // Like the scale, or one for all.
  if (b.random.chance(60)) {
    bool perTensor = b.random.chance(50);
    result.zeroPoint = parameter(
        b, dims, perRow || perTensor ? -1 : channelAxis, perTensor ? 0 : perRow,
        b.random.chance(70) ? Element::I32 : storage, zeroPointData(storage));
  }
  return result;
}

Quantized Builder::quantizedLeaf(const Dims &dims, unsigned constantPercent,
                                 double scale, int channelAxis,
                                 int64_t perRow) {
  Quant quant = someQuant(scale);
  Type type = tensor(quant.storage, dims);
  Quantized result;
  if (perRow || random.chance(35)) {
    result = operandParameters(*this, dims, quant.storage, scale, channelAxis,
                               perRow);
  } else {
    if (channelAxis >= 0 && isStatic(dims[channelAxis])) {
      quant.axis = channelAxis;
      quant.zeroPointsVary = random.chance(30);
    }
    type.quant = static_cast<int>(graph.quants.size());
    graph.quants.push_back(quant);
  }
  result.value = leaf(type, anyData(), constantPercent);
  return result;
}

Quantized Builder::resultParameters(const Dims &dims, double scale, Type &type,
                                    bool perTensor) {
  Quant quant = someQuant(scale);
  type = tensor(quant.storage, dims);
  int axis = -1;
  bool perRow = !perTensor && random.chance(25);
  if (!perTensor && !perRow && !dims.empty() && random.chance(35))
    axis = static_cast<int>(random.below(dims.size()));
  if (axis >= 0 && !isStatic(dims[axis]))
    axis = -1;
  if (perRow || random.chance(30))
    return operandParameters(*this, dims, quant.storage, scale, axis, perRow);
  if (axis >= 0) {
    quant.axis = axis;
    quant.zeroPointsVary = random.chance(30);
  }
  type.quant = static_cast<int>(graph.quants.size());
  graph.quants.push_back(quant);
  return {};
}

static std::string axisAttribute(int axis, const std::string &others = "") {
  std::string list = others;
  if (axis >= 0)
    list += (list.empty() ? "axis = " : ", axis = ") + std::to_string(axis) +
            " : i64";
  return list.empty() ? "" : " {" + list + "}";
}

/// clamp(roundeven(x / s) + z), written out in arith. The storage is i8 for
/// either signedness; what comes out is a plain tensor.
static ValueId quantizeByHand(Builder &b, ValueId x, double scale) {
  Random &random = b.random;
  Body body;
  body.arguments = {b.elementOf(x), Element::I8};
  int value = convertInBody(random, body, 0, Element::F32);
  std::string op = random.chance(70) ? "arith.divf" : "arith.mulf";
  double factor = op == "arith.divf" ? scale : 1 / scale;
  value = addToBody(body, op, {value, bodyConstant(body, Element::F32, factor)},
                    Element::F32);
  bool isUnsigned = random.chance(40), clampFirst = random.chance(50);
  double zeroPoint = random.pick({0.0, 0.0, 3.0, isUnsigned ? 128.0 : -7.0});
  double low = isUnsigned ? 0 : -128, high = isUnsigned ? 255 : 127;
  auto round = [&] {
    value = addToBody(body, "math.roundeven", {value}, Element::F32);
    if (zeroPoint != 0)
      value = addToBody(body, "arith.addf",
                        {value, bodyConstant(body, Element::F32, zeroPoint)},
                        Element::F32);
  };
  if (!clampFirst)
    round();
  value =
      addToBody(body, "arith.maximumf",
                {value, bodyConstant(body, Element::F32, low)}, Element::F32);
  value =
      addToBody(body, "arith.minimumf",
                {value, bodyConstant(body, Element::F32, high)}, Element::F32);
  if (clampFirst) {
    zeroPoint = 0;
    round();
  }
  value = addToBody(body, isUnsigned ? "arith.fptoui" : "arith.fptosi", {value},
                    Element::I8);
  body.yields = {value};
  Type type = Builder::tensor(Element::I8, b.dimsOf(x));
  std::string map;
  std::vector<std::string> iterators;
  for (size_t i = 0; i < type.rank(); ++i) {
    map += (i ? ", d" : "d") + std::to_string(i);
    iterators.push_back("parallel");
  }
  return b.generic({x}, -1, type, {map, map}, iterators, std::move(body));
}

Quantized Builder::quantize(ValueId real, double scale) {
  Dims dims = dimsOf(real);
  if (elementOf(real) == Element::F64)
    real = cast("arith.truncf", real, Element::F32);
  if (random.chance(12)) {
    // From here on the parameters are known to its users alone.
    Quantized result;
    result.value = quantizeByHand(*this, real, scale);
    result.scale = leaf(scalar(Element::F32), scaleData(scale), 60);
    return result;
  }
  Type type;
  Quantized result = resultParameters(dims, scale, type, random.chance(75));
  OpText text;
  text.text = "qnn.quantize " + text.use(real);
  text.parameters("", result);
  text.text += axisAttribute(
      result.axis, random.chance(10) ? "zero_point_before_rounding" : "");
  text.text += " : $t0 -> $r0";
  result.value = op("qnn.quantize", std::move(text), type);
  return result;
}

/// f32(q - z) * s, written out in arith, of i8 with parameters of its own.
static ValueId dequantizeByHand(Builder &b, ValueId q) {
  Random &random = b.random;
  double scale = random.real(0.01, 0.1);
  bool isUnsigned = random.chance(30);
  int64_t zeroPoint = random.chance(50) ? 0 : random.between(-100, 100);
  const char *extend = isUnsigned ? "arith.extui" : "arith.extsi";
  Dims dims = b.dimsOf(q);
  if (b.isStatic(dims) && random.chance(30)) {
    ValueId value = b.cast(extend, q, Element::I32);
    if (zeroPoint)
      value = b.binary("arith.subi", value,
                       b.filled(b.typeOf(value), double(zeroPoint)));
    value = b.cast("arith.sitofp", value, Element::F32);
    return b.binary("arith.mulf", value, b.filled(b.typeOf(value), scale));
  }
  Body body;
  body.arguments = {Element::I8, Element::F32};
  int value = addToBody(body, extend, {0}, Element::I32);
  if (zeroPoint)
    value =
        addToBody(body, "arith.subi",
                  {value, bodyConstant(body, Element::I32, double(zeroPoint))},
                  Element::I32);
  value = addToBody(body, "arith.sitofp", {value}, Element::F32);
  value =
      addToBody(body, "arith.mulf",
                {value, bodyConstant(body, Element::F32, scale)}, Element::F32);
  body.yields = {value};
  std::string map;
  std::vector<std::string> iterators;
  for (size_t i = 0; i < dims.size(); ++i) {
    map += (i ? ", d" : "d") + std::to_string(i);
    iterators.push_back("parallel");
  }
  return b.generic({q}, -1, Builder::tensor(Element::F32, dims), {map, map},
                   iterators, std::move(body));
}

ValueId Builder::dequantize(const Quantized &value) {
  Type type = typeOf(value.value);
  if (type.quant < 0 && type.element == Element::I8 && random.chance(15))
    return dequantizeByHand(*this, value.value);
  Element element = random.chance(85)   ? Element::F32
                    : random.chance(50) ? Element::F16
                                        : Element::BF16;
  OpText text;
  text.text = "qnn.dequantize " + text.use(value.value);
  text.parameters("", value);
  text.text += axisAttribute(value.axis) + " : $t0 -> $r0";
  return op("qnn.dequantize", std::move(text), tensor(element, type.dims));
}

Quantized Builder::requantize(const Quantized &value, double scale) {
  Type type;
  Quantized result =
      resultParameters(dimsOf(value.value), scale, type, random.chance(70));
  // One axis serves both sides.
  if (value.axis >= 0 && result.axis >= 0 && value.axis != result.axis)
    return clamp(value);
  OpText text;
  text.text = "qnn.requantize " + text.use(value.value);
  text.parameters("input_", value);
  text.parameters("output_", result);
  text.text +=
      axisAttribute(std::max(value.axis, result.axis)) + " : $t0 -> $r0";
  result.value = op("qnn.requantize", std::move(text), type);
  return result;
}

Quantized Builder::binary(const std::string &name, const Quantized &a,
                          const Quantized &b, Quantized result,
                          const Type &type) {
  OpText text;
  text.text = name + " ";
  text.text += text.use(a.value) + ", ";
  text.text += text.use(b.value);
  text.parameters("lhs_", a);
  text.parameters("rhs_", b);
  text.parameters("output_", result);
  text.text += " : $t0, $t1 -> $r0";
  result.value = op(name, std::move(text), type);
  return result;
}

Quantized Builder::addOrMul(const Quantized &a, const Quantized &b,
                            double scale) {
  Type type;
  Quantized result = resultParameters(dimsOf(a.value), scale, type);
  std::string name = random.chance(70) ? "qnn.add" : "qnn.mul";
  return binary(name, a, b, result, type);
}

Quantized Builder::clamp(const Quantized &value) {
  double scale = random.real(0.01, 0.1);
  std::string bounds;
  if (random.chance(70))
    bounds =
        "min = " + std::string(random.pick({"0.0", "-1.5", "-0.3"})) + " : f32";
  if (bounds.empty() || random.chance(50))
    bounds += (bounds.empty() ? "max = " : ", max = ") +
              std::to_string(scale * 60) + " : f32";
  OpText text;
  text.text = "qnn.clamp " + text.use(value.value);
  text.parameters("", value);
  text.text += " {" + bounds + "} : $t0";
  Quantized result = value;
  result.value = op("qnn.clamp", std::move(text), typeOf(value.value));
  return result;
}

Quantized Builder::lookup(const Quantized &value) {
  Type type;
  Quantized result = resultParameters(dimsOf(value.value), 0.05, type);
  ValueId table = leaf(tensor(type.element, {fixed(256)}), anyData(), 80);
  result.value =
      op("qnn.lookup",
         {"qnn.lookup $0, $1 : $t0, $t1 -> $r0", {value.value, table}}, type);
  return result;
}

} // namespace qcc::fuzz
