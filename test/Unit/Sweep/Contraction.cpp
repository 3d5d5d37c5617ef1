//===- Contraction.cpp - Contractions of the sweep ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include <cmath>

namespace qcc::sweep {

double typicalSum(int64_t k, double scale) {
  return 74.0 * 74.0 * std::sqrt(double(k)) * scale;
}

Result chooseResult(Builder &b, const Shape &shape, double typical) {
  switch (b.choose(7)) {
  case 0:
    return {tensorType(shape, "i32"), "", true};
  case 1:
    return {tensorType(shape, "f32"), ""};
  case 2:
    return {tensorType(shape, b.pick({"f16", "bf16"})), ""};
  default:
    // Most values inside the range, some outside.
    Builder::Operand result = b.quantizedResult(shape, b.quant(typical / 60));
    return {result.type, result.parameters};
  }
}

std::string clampAttributes(Builder &b, const Result &result, double typical) {
  if (result.isI32)
    return "";
  std::string low = "clamp_min = " + spell(-0.3 * typical) + " : f32";
  std::string high = "clamp_max = " + spell(0.8 * typical) + " : f32";
  switch (b.choose(4)) {
  case 0:
    return "clamp_min = 0.000000e+00 : f32";
  case 1:
    return high;
  case 2:
    return low + ", " + high;
  default:
    return "";
  }
}

std::string chooseBias(Builder &b, const Result &result, int64_t n,
                       double typical) {
  bool isConstant = b.choose(2);
  unsigned kind = b.choose(3);
  auto biasOf = [&](const char *element, const std::string &value) {
    return " bias(" + value + " : " + tensorType({n}, element) + ")";
  };
  if (kind == 1) {
    std::string type = tensorType({n}, "i32");
    return biasOf(
        "i32",
        isConstant
            ? b.constant(type, Element::I32, n, -5000, 5000)
            : b.argument(type,
                         {Element::I32, {n}, -2147483648.0, 2147483647.0}));
  }
  if (kind == 2 && !result.isI32) {
    std::string type = tensorType({n}, "f32");
    return biasOf(
        "f32", isConstant
                   ? b.constant(type, Element::F32, n, -typical, typical)
                   : b.argument(type, {Element::F32, {n}, -typical, typical}));
  }
  return "";
}

} // namespace qcc::sweep
