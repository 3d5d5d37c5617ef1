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
#include <cmath>

using qcc::reference::ElementType;
using qcc::reference::TensorValue;
using qcc::reference::TypeCode;

namespace qcc::sweep {

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

static double valueFor(const Input &input, Fill fill, int64_t index,
                       fuzz::Random &random) {
  bool isFloat = fuzz::isFloat(input.element);
  double value = isFloat ? random.real(input.low, input.high)
                         : std::floor(random.real(input.low, input.high + 1));
  if (input.parameter)
    return value;
  switch (fill) {
  case Fill::Lowest:
    return input.low;
  case Fill::Highest:
    return input.high;
  case Fill::Alternating:
    return index % 2 ? input.low : input.high;
  case Fill::Special:
    return isFloat && random.chance(33) ? fuzz::specialFloat(random, input.high)
                                        : value;
  default:
    return value;
  }
}

std::vector<TensorValue> makeInputs(const Program &program, const Case &which) {
  uint64_t seed = which.rows * 1000003 + static_cast<int>(which.fill);
  for (char c : program.name)
    seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  fuzz::Random random(seed);
  std::vector<TensorValue> inputs;
  for (const Input &input : program.inputs) {
    std::vector<int64_t> shape = input.shape;
    for (int64_t &size : shape)
      if (size < 0)
        size = which.rows;
    rt::DType dtype = fuzz::dtypeOf(input.element);
    ElementType type = {static_cast<TypeCode>(dtype.code), dtype.bits};
    TensorValue tensor = TensorValue::allocate(type, shape);
    uint8_t *to = tensor.bytes.get();
    for (int64_t i = 0, e = tensor.elementCount(); i < e; ++i) {
      double value = valueFor(input, which.fill, i, random);
      int64_t whole =
          fuzz::isFloat(input.element) ? 0 : static_cast<int64_t>(value);
      fuzz::storeElement(input.element, value, whole, to + i * type.bytes());
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

} // namespace qcc::sweep
