//===- WarpTests.cpp - Operations across lanes ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffles against the pseudocode of the PTX ISA, for all lanes and operands;
// the rest against sets.
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/Arith/Warp.h"

#include "Reference.h"

#include <gtest/gtest.h>

using namespace qcc::emu;
using namespace qcc::emu::arith;
using test::Operands;

TEST(Warp, ShufflesEveryLane) {
  for (ShuffleMode mode : {ShuffleMode::Up, ShuffleMode::Down,
                           ShuffleMode::Bfly, ShuffleMode::Idx})
    for (int lane = 0; lane < 32; ++lane)
      for (uint32_t b = 0; b < 34; ++b)
        for (uint32_t clamp = 0; clamp < 32; ++clamp)
          for (uint32_t segment : {0u, 16u, 24u, 28u, 30u, 31u, 5u}) {
            uint32_t c = segment << 8 | clamp | 0xe0e000e0;
            int bval = b & 0x1f, cval = c & 0x1f, segmask = c >> 8 & 0x1f;
            int maxLane = (lane & segmask) | (cval & ~segmask & 0x1f);
            int minLane = lane & segmask;
            int j = 0;
            bool pval = false;
            switch (mode) {
            case ShuffleMode::Up:
              j = lane - bval;
              pval = j >= maxLane;
              break;
            case ShuffleMode::Down:
              j = lane + bval;
              pval = j <= maxLane;
              break;
            case ShuffleMode::Bfly:
              j = lane ^ bval;
              pval = j <= maxLane;
              break;
            case ShuffleMode::Idx:
              j = minLane | (bval & ~segmask & 0x1f);
              pval = j <= maxLane;
              break;
            }
            if (!pval)
              j = lane;
            ShuffleSource got = shuffleSource(mode, lane, b, c);
            ASSERT_EQ(got.lane, j) << int(mode) << " lane " << lane << " b "
                                   << b << " c " << test::hex(c);
            ASSERT_EQ(got.inRange, pval);
            ASSERT_GE(got.lane, 0);
            ASSERT_LT(got.lane, 32);
          }
}

TEST(Warp, Votes) {
  EXPECT_TRUE(vote(VoteMode::All, 0xff, 0x0f));
  EXPECT_FALSE(vote(VoteMode::All, 0x07, 0x0f));
  EXPECT_TRUE(vote(VoteMode::Any, 0x08, 0x0f));
  EXPECT_FALSE(vote(VoteMode::Any, 0xf0, 0x0f));
  EXPECT_TRUE(vote(VoteMode::Uni, 0xf0, 0x0f));
  EXPECT_TRUE(vote(VoteMode::Uni, 0x0f, 0x0f));
  EXPECT_FALSE(vote(VoteMode::Uni, 0x01, 0x0f));
}

TEST(Warp, Matches) {
  uint64_t values[32];
  for (int i = 0; i < 32; ++i)
    values[i] = uint64_t(i % 3) << 40;
  uint32_t members = 0x0000ffff;
  for (int lane = 0; lane < 16; ++lane) {
    uint32_t want = 0;
    for (int i = lane % 3; i < 16; i += 3)
      want |= 1u << i;
    EXPECT_EQ(matchAny(values, lane, members), want);
  }
  EXPECT_EQ(matchAll(values, members), 0u);
  EXPECT_EQ(matchAll(values, 0x49), 0x49u); // Lanes 0, 3 and 6.
  EXPECT_EQ(matchAll(values, 0), 0u);
}

TEST(Warp, ReductionsOfFloats) {
  constexpr uint32_t nan = 0x7fffffff;
  uint32_t values[32] = {};
  values[0] = 0x80000000; // -0
  values[1] = 0;
  values[2] = 0xc0000000; // -2
  values[3] = 0x3f800000; // 1
  values[4] = 0xffc00123; // NaN
  values[5] = 0x7f800000; // infinity
  EXPECT_EQ(reduceF32(false, false, false, values, 0x3), 0x80000000u);
  EXPECT_EQ(reduceF32(true, false, false, values, 0x3), 0u);
  EXPECT_EQ(reduceF32(false, false, false, values, 0x1c), 0xc0000000u);
  EXPECT_EQ(reduceF32(true, false, false, values, 0x1c), 0x3f800000u);
  EXPECT_EQ(reduceF32(true, true, false, values, 0x1c), 0x40000000u);
  EXPECT_EQ(reduceF32(true, false, true, values, 0x1c), nan);
  EXPECT_EQ(reduceF32(true, false, false, values, 0x3c), 0x7f800000u);
  EXPECT_EQ(reduceF32(true, false, false, values, 0x10), nan);
  EXPECT_EQ(reduceF32(true, true, false, values, 0x4), 0x40000000u);
}

TEST(Warp, Reductions) {
  Operands operands(40);
  for (int round = 0; round < 2000; ++round) {
    uint32_t values[32], members = operands.ofInteger(32);
    if (members == 0)
      members = ~0u;
    for (uint32_t &value : values)
      value = operands.ofInteger(32);
    uint32_t sum = 0, all = ~0u, any = 0, odd = 0;
    uint32_t least = ~0u, greatest = 0;
    int32_t signedLeast = INT32_MAX, signedGreatest = INT32_MIN;
    for (int i = 0; i < 32; ++i) {
      if (!(members >> i & 1))
        continue;
      sum += values[i];
      all &= values[i];
      any |= values[i];
      odd ^= values[i];
      least = std::min(least, values[i]);
      greatest = std::max(greatest, values[i]);
      signedLeast = std::min(signedLeast, int32_t(values[i]));
      signedGreatest = std::max(signedGreatest, int32_t(values[i]));
    }
    ASSERT_EQ(reduce(ReduceOp::Add, false, values, members), sum);
    ASSERT_EQ(reduce(ReduceOp::Add, true, values, members), sum);
    ASSERT_EQ(reduce(ReduceOp::And, false, values, members), all);
    ASSERT_EQ(reduce(ReduceOp::Or, false, values, members), any);
    ASSERT_EQ(reduce(ReduceOp::Xor, false, values, members), odd);
    ASSERT_EQ(reduce(ReduceOp::Min, false, values, members), least);
    ASSERT_EQ(reduce(ReduceOp::Max, false, values, members), greatest);
    ASSERT_EQ(reduce(ReduceOp::Min, true, values, members),
              uint32_t(signedLeast));
    ASSERT_EQ(reduce(ReduceOp::Max, true, values, members),
              uint32_t(signedGreatest));
  }
}
