//===- Contraction.h - Contractions of the sweep ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_SWEEP_CONTRACTION_H
#define QCC_TEST_UNIT_SWEEP_CONTRACTION_H

#include "Builder.h"

namespace qcc::sweep {

/// The result of a contraction: its type, and what the op says about it.
struct Result {
  std::string type, parameters;
  bool isI32 = false;
};

/// About what one accumulated value of K products stands for.
double typicalSum(int64_t k, double scale);
Result chooseResult(Builder &b, const Shape &shape, double typical);
/// "clamp_min = .. : f32" or the like, or nothing.
std::string clampAttributes(Builder &b, const Result &result, double typical);
/// " bias(%b : tensor<..>)" of `n` elements, or nothing.
std::string chooseBias(Builder &b, const Result &result, int64_t n,
                       double typical);

} // namespace qcc::sweep

#endif // QCC_TEST_UNIT_SWEEP_CONTRACTION_H
