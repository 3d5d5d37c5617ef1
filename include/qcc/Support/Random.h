//===- Random.h - Reproducible data -----------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `random[:SEED[:LO:HI]]` means, for inputs and weights: element i of
// stream s is a function of (seed, s, i) alone, the same on every platform and
// in any order. Integers take their whole range, floats are uniform in [LO, HI)
// and rounded to their type, booleans are fair.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_SUPPORT_RANDOM_H
#define QCC_SUPPORT_RANDOM_H

#include "qcc/Support/HostTensor.h"

#include <cstdint>
#include <string_view>

namespace qcc {

struct RandomSpec {
  uint64_t seed = 0;
  double low = 0.0;
  double high = 1.0;
};

/// Reads "random[:SEED[:LO:HI]]".
rt::Result<RandomSpec> parseRandomSpec(std::string_view text);

/// Whether a text is meant as one: "random" or "random:...".
bool isRandomSpec(std::string_view text);

/// 64 random bits: the mixing function of SplitMix64 over a counter.
uint64_t randomBits(uint64_t seed, uint64_t stream, uint64_t index);

/// Fills `count` elements. Tensors of one program take different streams.
void fillRandom(void *data, rt::DType dtype, int64_t count,
                const RandomSpec &spec, uint64_t stream = 0);
void fillRandom(HostTensor &tensor, const RandomSpec &spec,
                uint64_t stream = 0);

} // namespace qcc

#endif // QCC_SUPPORT_RANDOM_H
