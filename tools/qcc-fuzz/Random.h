//===- Random.h - A stream of random choices ------------------ -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same seed makes the same choices on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_FUZZ_RANDOM_H
#define QCC_TOOLS_FUZZ_RANDOM_H

#include "qcc/Support/Random.h"
#include <initializer_list>
#include <vector>

namespace qcc::fuzz {

class Random {
public:
  explicit Random(uint64_t seed, uint64_t stream = 0)
      : seed(seed), stream(stream) {}

  uint64_t bits() { return randomBits(seed, stream, next++); }
  /// A number in [0, bound).
  uint64_t below(uint64_t bound) { return bits() % bound; }
  /// A number in [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(high - low + 1));
  }
  /// A number in [low, high).
  double real(double low, double high) {
    return low + (high - low) * (static_cast<double>(bits() >> 11) / 0x1p53);
  }
  bool chance(unsigned percent) { return below(100) < percent; }

  template <typename T> T pick(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  template <typename T> const T &pick(const std::vector<T> &values) {
    return values[below(values.size())];
  }
  /// An index, the more often the larger its weight.
  size_t weighted(std::initializer_list<unsigned> weights) {
    uint64_t sum = 0;
    for (unsigned weight : weights)
      sum += weight;
    uint64_t at = below(sum);
    size_t index = 0;
    for (unsigned weight : weights) {
      if (at < weight)
        break;
      at -= weight;
      ++index;
    }
    return index;
  }
  template <typename T> void shuffle(std::vector<T> &values) {
    for (size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[below(i)]);
  }

private:
  uint64_t seed, stream, next = 0;
};

} // namespace qcc::fuzz

#endif // QCC_TOOLS_FUZZ_RANDOM_H
