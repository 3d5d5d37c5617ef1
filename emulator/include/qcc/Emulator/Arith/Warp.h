//===- Warp.h - Operations across the lanes of a warp -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffles, votes, matches and reductions of 32 lanes. Arrays have one entry
// per lane, masks one bit. `members` are the lanes that take part.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_ARITH_WARP_H
#define QCC_EMULATOR_ARITH_WARP_H

#include <cstdint>

namespace qcc::emu::arith {

enum class ShuffleMode : uint8_t { Up, Down, Bfly, Idx };

struct ShuffleSource {
  int lane;     ///< Whose value is taken: the reader's own if out of range.
  bool inRange; ///< The predicate.
};

/// shfl.sync for one lane: b is the delta, mask or index; c has the clamp value
/// in bits 0-4 and the segment mask in bits 8-12.
ShuffleSource shuffleSource(ShuffleMode mode, int lane, uint32_t b, uint32_t c);

enum class VoteMode : uint8_t { All, Any, Uni };

/// Of one bit per lane. Ballot is predicates & members.
bool vote(VoteMode mode, uint32_t predicates, uint32_t members);

/// match.any: the members whose value equals that of `lane`.
uint32_t matchAny(const uint64_t *values, int lane, uint32_t members);
/// match.all: `members` if their values are all equal, else 0.
uint32_t matchAll(const uint64_t *values, uint32_t members);

enum class ReduceOp : uint8_t { Add, Min, Max, And, Or, Xor };

/// redux.sync: Add wraps; Min and Max heed the sign. `members` is not empty.
uint32_t reduce(ReduceOp op, bool isSigned, const uint32_t *values,
                uint32_t members);

/// redux.sync of f32: the least or greatest value, of the magnitudes if `abs`.
/// With `nan` the result is NaN if any value is, else only if all are.
uint32_t reduceF32(bool wantMax, bool abs, bool nan, const uint32_t *values,
                   uint32_t members);

} // namespace qcc::emu::arith

#endif // QCC_EMULATOR_ARITH_WARP_H
