//===- Builder.h - Writes one program of the sweep --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects arguments, constants and ops of a function as text, and makes the
// choices that vary between programs, by a generator seeded with the program's
// number.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_SWEEP_BUILDER_H
#define QCC_TEST_UNIT_SWEEP_BUILDER_H

#include "Cases.h"
#include "qcc-fuzz/Print.h"
#include <initializer_list>
#include <string>
#include <vector>

namespace qcc::sweep {

using Shape = std::vector<int64_t>;
constexpr int64_t kRows = -1;

/// A storage type with its quantization's parameters.
struct Quant {
  Element storage;
  std::vector<double> scales; // one, or one per channel
  int zeroPoint = 0;
  int axis = 0; // where there are several scales
};

std::string spell(double value);
std::string spell(const Quant &quant);
std::string tensorType(const Shape &shape, const std::string &element);

class Builder {
public:
  Builder(const std::string &kind, unsigned number);

  /// A number in [0, bound).
  unsigned choose(unsigned bound);
  template <typename T> T pick(std::initializer_list<T> values) {
    return values.begin()[choose(values.size())];
  }
  /// A scale between low and high, at random.
  double scale(double low, double high);
  /// A quantization of random storage and zero point, extremes among them.
  Quant quant(double scale);

  /// Each returns the value's name.
  std::string argument(const std::string &type, Input input);
  std::string constant(const std::string &type, Element element, int64_t count,
                       double low, double high);
  std::string op(const std::string &text);
  void result(const std::string &value, const std::string &type);

  /// A quantized tensor as argument or constant, its parameters in its type or
  /// as operands.
  struct Operand {
    std::string value, type;
    std::string parameters; // e.g. "input_scale(%s : f32)", or nothing
  };
  Operand quantized(const std::string &role, const Shape &shape,
                    const Quant &quant, bool isConstant, bool isSmall = false);
  /// The type and the parameters of a quantized result.
  Operand quantizedResult(const Shape &shape, const Quant &quant);

  Program finish();

  /// Sizes 1 ... 70 in turn, then primes.
  static int64_t size(unsigned number, unsigned stride);

private:
  unsigned number;
  uint64_t state;
  unsigned values = 0;
  std::string arguments, body, returned, returnedTypes;
  Program program;
};

} // namespace qcc::sweep

#endif // QCC_TEST_UNIT_SWEEP_BUILDER_H
