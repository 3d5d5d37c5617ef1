//===- ExactDivision.h - Quotients by product and FMA -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_TENSOR_EXACTDIVISION_H
#define QCC_LIB_TRANSFORMS_TENSOR_EXACTDIVISION_H

#include <optional>

namespace qcc {

/// 1 / s in two parts: `high` is an f32 next to it, `low` the one nearest to
/// what is left.
struct Reciprocal {
  float high, low;
};

/// The reciprocal of a positive f32 such that, for every f32 x with
/// 2^-20 <= |x / s| < 2^9,
///
///   fma(x, high, x * low)
///
/// is x / s correctly rounded, or at least rounds to the same integer. Nothing
/// where that is not so, or s is not between 2^-60 and 2^60. Every x is tried,
/// which takes milliseconds: the significands of x decide.
///
/// Both products of x = -0 must be -0 for their sum to be: with `keepZeroSign`,
/// `low` is not negative. Without, `high` is the f32 nearest to 1 / s.
std::optional<Reciprocal> exactReciprocal(float s, bool keepZeroSign);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_TENSOR_EXACTDIVISION_H
