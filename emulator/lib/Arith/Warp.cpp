//===- Warp.cpp - Operations across the lanes of a warp -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffles, votes, matches and reductions.
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/Arith/Warp.h"

#include "qcc/Emulator/Arith/Compare.h"

namespace qcc::emu::arith {

ShuffleSource shuffleSource(ShuffleMode mode, int lane, uint32_t b,
                            uint32_t c) {
  int amount = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  // The last lane to read from (the first one, if going up) of this segment.
  int bound = (lane & segment) | (clamp & ~segment);
  int first = lane & segment;
  int source = lane;
  bool inRange = false;
  switch (mode) {
  case ShuffleMode::Up:
    source = lane - amount;
    inRange = source >= bound;
    break;
  case ShuffleMode::Down:
    source = lane + amount;
    inRange = source <= bound;
    break;
  case ShuffleMode::Bfly:
    source = lane ^ amount;
    inRange = source <= bound;
    break;
  case ShuffleMode::Idx:
    source = first | (amount & ~segment);
    inRange = source <= bound;
    break;
  }
  return {inRange ? source : lane, inRange};
}

bool vote(VoteMode mode, uint32_t predicates, uint32_t members) {
  predicates &= members;
  switch (mode) {
  case VoteMode::All:
    return predicates == members;
  case VoteMode::Any:
    return predicates != 0;
  case VoteMode::Uni:
    return predicates == members || predicates == 0;
  }
  return false;
}

uint32_t matchAny(const uint64_t *values, int lane, uint32_t members) {
  uint32_t result = 0;
  for (int i = 0; i < 32; ++i)
    if (members >> i & 1 && values[i] == values[lane])
      result |= 1u << i;
  return result;
}

uint32_t matchAll(const uint64_t *values, uint32_t members) {
  if (members == 0)
    return 0;
  int first = __builtin_ctz(members);
  return matchAny(values, first, members) == members ? members : 0;
}

uint32_t reduce(ReduceOp op, bool isSigned, const uint32_t *values,
                uint32_t members) {
  uint32_t result = 0;
  bool first = true;
  for (int i = 0; i < 32; ++i) {
    if (!(members >> i & 1))
      continue;
    uint32_t value = values[i];
    bool less = isSigned ? int32_t(value) < int32_t(result) : value < result;
    if (first)
      result = value;
    else if (op == ReduceOp::Add)
      result += value;
    else if (op == ReduceOp::Min)
      result = less ? value : result;
    else if (op == ReduceOp::Max)
      result = less ? result : value;
    else if (op == ReduceOp::And)
      result &= value;
    else if (op == ReduceOp::Or)
      result |= value;
    else
      result ^= value;
    first = false;
  }
  return result;
}

uint32_t reduceF32(bool wantMax, bool abs, bool nan, const uint32_t *values,
                   uint32_t members) {
  MinMaxMode mode;
  mode.nan = nan;
  uint32_t magnitude = abs ? ~FloatFormat<ScalarType::F32>::signBit : ~0u;
  uint32_t result = values[__builtin_ctz(members)] & magnitude;
  for (; members; members &= members - 1)
    result = minMax<ScalarType::F32>(
        wantMax, result, values[__builtin_ctz(members)] & magnitude, mode);
  return result;
}

} // namespace qcc::emu::arith
