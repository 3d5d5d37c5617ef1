//===- Contraction.h - The contraction loops --------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// out[i, j] = sum over k of x[i, k] * y[j, k], as plain loops over rows that
// have been gathered so that k is contiguous.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_CONTRACTION_H
#define QCC_LIB_REFERENCE_CONTRACTION_H

#include <cstdint>
#include <functional>

namespace qcc::reference {

/// Exact up to wrapping at 64 bits, or at 32 bits with `narrow`.
struct IntContraction {
  int64_t m = 0, n = 0, k = 0;
  bool narrow = true;
  /// Gather one row of k elements.
  std::function<void(int64_t row, int64_t *to)> packX, packY;
  /// Takes out[row, column .. column + count).
  std::function<void(int64_t row, int64_t column, int64_t count,
                     const int64_t *values)>
      sink;

  void run(unsigned threads) const;
};

/// How each step of a float chain is rounded beyond the type of its registers.
enum class ChainRounding { None, F16, BF16 };

/// N8: acc = fma(x, y, acc) in the order of k, from what `sink`'s buffer holds.
template <typename T> struct FloatContraction {
  int64_t m = 0, n = 0, k = 0;
  ChainRounding rounding = ChainRounding::None;
  std::function<void(int64_t row, T *to)> packX, packY;
  /// The initial values of out[row, column .. column + count).
  std::function<void(int64_t row, int64_t column, int64_t count, T *values)>
      initial;
  std::function<void(int64_t row, int64_t column, int64_t count,
                     const T *values)>
      sink;

  void run(unsigned threads) const;
};

extern template struct FloatContraction<float>;
extern template struct FloatContraction<double>;

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_CONTRACTION_H
