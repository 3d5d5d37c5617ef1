//===- Random.h - The choices of a seed -------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_RANDOM_H
#define QCC_LIB_EMULATOR_MACHINE_RANDOM_H

#include <cstdint>

namespace qcc::emu {

/// SplitMix64: each (seed, stream) is a sequence of its own.
class Random {
public:
  Random(uint64_t seed, uint64_t stream)
      : state_(mix(mix(seed) ^ (stream + 1) * 0x9e3779b97f4a7c15)) {}

  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    return mix(state_);
  }
  /// 0 to bound - 1; `bound` > 0.
  uint32_t below(uint32_t bound) {
    return static_cast<uint32_t>(((next() >> 32) * bound) >> 32);
  }

private:
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t state_;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_RANDOM_H
