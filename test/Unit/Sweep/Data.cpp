//===- Data.cpp - Inputs of a case ----------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Data.h.
//
//===----------------------------------------------------------------------===//

#include "Data.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <cstring>
#include <limits>

using qcc::reference::ElementType;
using qcc::reference::TensorValue;
using qcc::reference::TypeCode;

namespace qcc::sweep {

const char *spell(Fill fill) {
  switch (fill) {
  case Fill::Random:
    return "random";
  case Fill::Lowest:
    return "lowest";
  case Fill::Highest:
    return "highest";
  case Fill::Alternating:
    return "alternating";
  case Fill::Special:
    return "special";
  }
  return "";
}

std::vector<Case> casesOf(const Program &program) {
  std::vector<Case> cases;
  for (int64_t rows : program.rows)
    cases.push_back({rows, Fill::Random});
  bool hasFloats = false;
  for (const Input &input : program.inputs)
    hasFloats |= !input.parameter && input.element >= Element::F16;
  cases.push_back({program.rows[0], hasFloats ? Fill::Special : Fill::Highest});
  cases.push_back({program.rows[1], Fill::Lowest});
  cases.push_back({program.rows[1], Fill::Alternating});
  return cases;
}

static ElementType typeOf(Element element) {
  switch (element) {
  case Element::I8:
    return {TypeCode::Int, 8};
  case Element::U8:
    return {TypeCode::UInt, 8};
  case Element::I32:
    return {TypeCode::Int, 32};
  case Element::F16:
    return {TypeCode::Float, 16};
  case Element::BF16:
    return {TypeCode::BFloat, 16};
  case Element::F32:
    break;
  }
  return {TypeCode::Float, 32};
}

static uint64_t next(uint64_t &state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

static double specialFloat(uint64_t random, double low, double high) {
  const double values[] = {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(),
                           0.0,
                           -0.0,
                           1e-45,
                           -1e-40,
                           3e38,
                           -3e38,
                           low,
                           high,
                           0.5,
                           -1.5};
  return values[random % (sizeof(values) / sizeof(values[0]))];
}

static double valueFor(const Input &input, Fill fill, int64_t index,
                       uint64_t &state) {
  bool isFloat = input.element >= Element::F16;
  uint64_t random = next(state);
  double uniform = double(random >> 11) / 9007199254740992.0;
  if (input.parameter)
    fill = Fill::Random;
  switch (fill) {
  case Fill::Lowest:
    return input.low;
  case Fill::Highest:
    return input.high;
  case Fill::Alternating:
    return index % 2 ? input.low : input.high;
  case Fill::Special:
    if (isFloat && random % 3 == 0)
      return specialFloat(next(state), input.low, input.high);
    break;
  case Fill::Random:
    break;
  }
  double width = input.high - input.low + (isFloat ? 0 : 1);
  double value = input.low + width * uniform;
  return isFloat ? value : std::floor(value);
}

static void store(Element element, double value, uint8_t *to) {
  auto write = [&](auto number) { std::memcpy(to, &number, sizeof(number)); };
  auto writeHalf = [&](const llvm::fltSemantics &semantics) {
    llvm::APFloat number(value);
    bool losesInfo;
    number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    write(static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue()));
  };
  switch (element) {
  case Element::I8:
    return write(static_cast<int8_t>(value));
  case Element::U8:
    return write(static_cast<uint8_t>(value));
  case Element::I32:
    return write(static_cast<int32_t>(value));
  case Element::F16:
    return writeHalf(llvm::APFloat::IEEEhalf());
  case Element::BF16:
    return writeHalf(llvm::APFloat::BFloat());
  case Element::F32:
    return write(static_cast<float>(value));
  }
}

std::vector<TensorValue> makeInputs(const Program &program, const Case &which) {
  uint64_t state = which.rows * 1000003 + static_cast<int>(which.fill);
  for (char c : program.name)
    state = (state ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  std::vector<TensorValue> inputs;
  for (const Input &input : program.inputs) {
    std::vector<int64_t> shape = input.shape;
    for (int64_t &size : shape)
      if (size < 0)
        size = which.rows;
    ElementType type = typeOf(input.element);
    TensorValue tensor = TensorValue::allocate(type, shape);
    uint8_t *to = tensor.bytes.get();
    for (int64_t i = 0, e = tensor.elementCount(); i < e; ++i)
      store(input.element, valueFor(input, which.fill, i, state),
            to + i * type.bytes());
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

} // namespace qcc::sweep
