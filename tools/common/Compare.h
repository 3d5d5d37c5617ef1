//===- Compare.h - How far two tensors are apart ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two tensors agree where their elements have the same bits; NaNs equal each
// other whatever their bits (N7). How far they are apart is measured on their
// values:
//
//   largest   max |a - b|          mean   sum |a - b| / n
//   signal-to-noise ratio          10 log10(sum a^2 / sum (a - b)^2) dB
//   relative error                 sqrt(sum (a - b)^2 / sum a^2)
//
// A tolerance T lets elements differ by up to T times the largest magnitude of
// the expected tensor: small numbers beside large ones may be that far off.
// Infinities have to agree, and so do NaNs.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_COMPARE_H
#define QCC_TOOLS_COMMON_COMPARE_H

#include "qcc/Runtime/Tensor.h"

#include <cstdint>

namespace qcc::tools {

struct Difference {
  int64_t elements = 0;
  /// Elements that differ by more than the tolerance, and the first of them.
  int64_t differing = 0;
  int64_t first = -1;
  double largest = 0;
  double mean = 0;
  double signal = 0; ///< sum of squares of what is expected
  double noise = 0;  ///< sum of squares of the errors

  /// Infinite where there is no noise.
  double signalToNoise() const;
  /// The norm (L2) of the errors over that of what is expected. 0 if there is
  /// no error, infinite if only zeros are expected.
  double relative() const;
};

/// Element i as a number; integers of 64 bits are exact where long double has
/// as many.
long double elementOf(const rt::Tensor &tensor, int64_t i);

/// As few digits as give the element back.
std::string elementText(const rt::Tensor &tensor, int64_t i);

/// "[0, 3]: 1.25 (0x3fa00000) instead of 1.5 (0x3fc00000)", element i: its bits
/// where they are not plain to see.
std::string differenceText(const rt::Tensor &actual, const rt::Tensor &expected,
                           int64_t i);

/// Of tensors of the same number of elements. Of the same type, equal bits are
/// equal, and a tolerance of 0 wants equal bits; otherwise values count.
Difference compare(const rt::Tensor &actual, const rt::Tensor &expected,
                   double tolerance = 0);

/// "[1, 2]": where element i of a shape is.
std::string indexText(int64_t i, const rt::Shape &shape);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_COMPARE_H
