//===- Builder.cpp - Writes one program of the sweep ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Builder.h.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include <cstdio>
#include <cstring>

namespace qcc::sweep {

std::string spell(double value) {
  char text[64];
  // The decimal of the binary32 value, which reads back exactly.
  snprintf(text, sizeof(text), "%.17e",
           static_cast<double>(static_cast<float>(value)));
  return text;
}

std::string spell(const Quant &quant) {
  std::string text = "!quant.uniform<";
  text += quant.storage == Element::U8 ? "u8:f32" : "i8:f32";
  std::string suffix =
      quant.zeroPoint ? ":" + std::to_string(quant.zeroPoint) : "";
  if (quant.scales.size() == 1)
    return text + ", " + spell(quant.scales.front()) + suffix + ">";
  text += ":" + std::to_string(quant.axis) + ", {";
  for (size_t i = 0; i < quant.scales.size(); ++i)
    text += (i ? ", " : "") + spell(quant.scales[i]) + suffix;
  return text + "}>";
}

std::string tensorType(const Shape &shape, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += (size == kRows ? "?" : std::to_string(size)) + "x";
  return text + element + ">";
}

Builder::Builder(const std::string &kind, unsigned number) : number(number) {
  program.name = kind + std::to_string(number);
  state = 0x9E3779B97F4A7C15ull * (number + 1);
  for (char c : kind)
    state = (state ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
}

unsigned Builder::choose(unsigned bound) {
  // splitmix64
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<unsigned>(((z ^ (z >> 31)) >> 32) % bound);
}

double Builder::scale(double low, double high) {
  return low + (high - low) * choose(1 << 20) / (1 << 20);
}

Quant Builder::quant(double scale) {
  Element storage = pick({Element::I8, Element::U8});
  int zeroPoint = pick({0, lowestOf(storage), highestOf(storage), 5, 101});
  return {storage, {scale}, zeroPoint};
}

std::string Builder::argument(const std::string &type, Input input) {
  std::string name = "%arg" + std::to_string(program.inputs.size());
  arguments += (program.inputs.empty() ? "" : ", ") + name + ": " + type;
  program.inputs.push_back(std::move(input));
  return name;
}

std::string Builder::op(const std::string &text) {
  std::string name = "%v" + std::to_string(values++);
  body += "  " + name + " = " + text + "\n";
  return name;
}

void Builder::result(const std::string &value, const std::string &type) {
  returned += (returned.empty() ? "" : ", ") + value;
  returnedTypes += (returnedTypes.empty() ? "" : ", ") + type;
}

static void appendHex(std::string &text, const void *bytes, size_t count) {
  static const char digits[] = "0123456789ABCDEF";
  for (size_t i = 0; i < count; ++i) {
    unsigned char byte = static_cast<const unsigned char *>(bytes)[i];
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
}

std::string Builder::constant(const std::string &type, Element element,
                              int64_t count, double low, double high) {
  std::string name = program.name + "_w" + std::to_string(values);
  // A resource's bytes: its alignment, then the data.
  std::string bytes;
  uint32_t alignment = 4;
  appendHex(bytes, &alignment, sizeof(alignment));
  for (int64_t i = 0; i < count; ++i) {
    bool isFloat = element == Element::F32;
    double value = scale(low, high + (isFloat ? 0 : 1));
    // The ends of the range first.
    if (!isFloat && i < 2)
      value = i ? high : low;
    if (isFloat) {
      float number = static_cast<float>(value);
      appendHex(bytes, &number, sizeof(number));
    } else {
      int32_t number = static_cast<int32_t>(value < 0 ? value - 1 : value);
      number = number < low ? static_cast<int32_t>(low) : number;
      appendHex(bytes, &number, element == Element::I32 ? 4 : 1);
    }
  }
  program.resources +=
      (program.resources.empty() ? "" : ", ") + name + ": \"0x" + bytes + "\"";
  return op("arith.constant dense_resource<" + name + "> : " + type);
}

Builder::Operand Builder::quantized(const std::string &role, const Shape &shape,
                                    const Quant &quant, bool isConstant,
                                    bool isSmall) {
  bool asOperands = choose(3) == 0;
  int low = lowestOf(quant.storage), high = highestOf(quant.storage);
  Operand operand;
  operand.type =
      tensorType(shape, asOperands ? spell(quant.storage) : spell(quant));
  if (isConstant) {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    operand.value =
        constant(operand.type, quant.storage, count, isSmall ? low + 64 : low,
                 isSmall ? high - 63 : high);
  } else {
    operand.value = argument(operand.type,
                             {quant.storage, shape, double(low), double(high)});
  }
  if (!asOperands)
    return operand;

  double scale = quant.scales.front();
  std::string value, type;
  if (quant.scales.size() > 1) {
    int64_t count = quant.scales.size();
    type = tensorType({count}, "f32");
    value = argument(type, {Element::F32, {count}, scale / 2, scale, true});
  } else if (shape.front() == kRows && shape.size() < 4 && choose(2)) {
    // Images have one scale.
    Shape perRow = shape;
    perRow.back() = 1;
    type = tensorType(perRow, "f32");
    value = argument(type, {Element::F32, perRow, scale / 2, scale, true});
  } else {
    type = "f32";
    value = argument(type, {Element::F32, {}, scale / 2, scale, true});
  }
  operand.parameters = " " + role + "scale(" + value + " : " + type + ")";
  if (quant.zeroPoint) {
    value = argument("i32", {Element::I32, {}, double(low), double(high)});
    operand.parameters += " " + role + "zero_point(" + value + " : i32)";
  }
  return operand;
}

Builder::Operand Builder::quantizedResult(const Shape &shape,
                                          const Quant &quant) {
  Operand operand;
  if (choose(3)) {
    operand.type = tensorType(shape, spell(quant));
    return operand;
  }
  operand.type = tensorType(shape, spell(quant.storage));
  double scale = quant.scales.front();
  std::string value =
      argument("f32", {Element::F32, {}, scale / 2, scale, true});
  operand.parameters = " output_scale(" + value + " : f32)";
  if (quant.zeroPoint) {
    value = argument("i32", {Element::I32,
                             {},
                             double(lowestOf(quant.storage)),
                             double(highestOf(quant.storage))});
    operand.parameters += " output_zero_point(" + value + " : i32)";
  }
  return operand;
}

Program Builder::finish() {
  program.text = "func.func @" + program.name + "(" + arguments + ") -> (" +
                 returnedTypes + ") {\n" + body + "  return " + returned +
                 " : " + returnedTypes + "\n}\n";
  // Over all programs, every number of rows from 1 to 70 comes up, and primes.
  program.rows = {number % 70 + 1, 70 - number * 7 % 70, size(70 + number, 1)};
  return program;
}

int64_t Builder::size(unsigned number, unsigned stride) {
  static const int64_t primes[] = {71, 79, 97, 127, 131, 193, 257, 263};
  unsigned turn = number * stride % 78;
  return turn < 70 ? turn + 1 : primes[turn - 70];
}

} // namespace qcc::sweep
