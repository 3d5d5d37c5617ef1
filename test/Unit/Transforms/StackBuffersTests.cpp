//===- StackBuffersTests.cpp ----------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Buffers/StackBuffers.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>
#include <random>

using namespace qcc;
using llvm::ArrayRef;
using llvm::SmallVector;

static SmallVector<int64_t> stack(ArrayRef<Lifetime> lifetimes,
                                  ArrayRef<unsigned> order,
                                  ArrayRef<int64_t> sizes) {
  return stackBuffers(buffersBelow(lifetimes, order), order, sizes);
}

static int64_t height(ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
  int64_t most = 0;
  for (auto [offset, size] : llvm::zip_equal(offsets, sizes))
    most = std::max(most, offset + size);
  return most;
}

/// Whether two buffers that are alive at the same step have memory in common.
static bool overlap(ArrayRef<Lifetime> lifetimes, ArrayRef<int64_t> offsets,
                    ArrayRef<int64_t> sizes) {
  for (unsigned a = 0; a < lifetimes.size(); ++a)
    for (unsigned b = 0; b < a; ++b)
      if (lifetimes[a].meets(lifetimes[b]) &&
          offsets[a] < offsets[b] + sizes[b] &&
          offsets[b] < offsets[a] + sizes[a])
        return true;
  return false;
}

TEST(StackBuffers, LiveSetsAreThoseThatNoOtherContains) {
  SmallVector<Lifetime> lifetimes{{0, 1}, {1, 2}, {1, 1}, {2, 5}, {4, 5}};
  auto sets = liveSets(lifetimes);
  ASSERT_EQ(sets.size(), 3u);
  EXPECT_EQ(sets[0], (SmallVector<unsigned>{0, 1, 2}));
  EXPECT_EQ(sets[1], (SmallVector<unsigned>{1, 3}));
  EXPECT_EQ(sets[2], (SmallVector<unsigned>{3, 4}));
  EXPECT_EQ(liveBytes(sets, {1, 10, 100, 1000, 10000}), 11000);
  EXPECT_EQ(liveBytes({}, {}), 0);
}

TEST(StackBuffers, OnlyDirectNeighboursAreBelow) {
  SmallVector<Lifetime> lifetimes{{0, 3}, {0, 3}, {0, 3}, {5, 5}};
  auto below = buffersBelow(lifetimes, {1, 3, 0, 2});
  EXPECT_EQ(below[2], SmallVector<unsigned>{0});
  EXPECT_EQ(below[0], SmallVector<unsigned>{1});
  EXPECT_TRUE(below[1].empty());
  EXPECT_TRUE(below[3].empty());
}

// An order that was chosen for some sizes is valid for all of them, zero
// included.
TEST(StackBuffers, OrdersAreValidForAllSizes) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    unsigned count = 1 + random() % 40, steps = 1 + random() % 20;
    SmallVector<Lifetime> lifetimes;
    for (unsigned i = 0; i < count; ++i) {
      unsigned a = random() % steps, b = random() % steps;
      lifetimes.push_back({std::min(a, b), std::max(a, b)});
    }
    auto makeSizes = [&] {
      BufferSizes sizes;
      for (unsigned i = 0; i < count; ++i)
        sizes.push_back(64 * (random() % 30));
      return sizes;
    };
    SmallVector<unsigned> order =
        chooseOrder(lifetimes, {makeSizes(), makeSizes()});
    for (int other = 0; other < 3; ++other) {
      BufferSizes sizes = makeSizes();
      auto offsets = stack(lifetimes, order, sizes);
      EXPECT_FALSE(overlap(lifetimes, offsets, sizes));
      EXPECT_GE(height(offsets, sizes), liveBytes(liveSets(lifetimes), sizes));
    }
  }
}

TEST(StackBuffers, OrdersOfKnownSizesAreLow) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    // Residual blocks: what a block begins with lives up to its end.
    SmallVector<Lifetime> lifetimes;
    BufferSizes sizes;
    unsigned step = 0;
    for (int block = 0; block < 8; ++block) {
      unsigned length = 2 + random() % 4;
      lifetimes.push_back({step, step + length});
      sizes.push_back(64 * (1 + random() % 64));
      for (unsigned i = 1; i < length; ++i) {
        lifetimes.push_back({step + i, step + i + 1});
        sizes.push_back(64 * (1 + random() % 64));
      }
      step += length;
    }
    SmallVector<unsigned> order = chooseOrder(lifetimes, {sizes});
    int64_t least = liveBytes(liveSets(lifetimes), sizes);
    EXPECT_LE(height(stack(lifetimes, order, sizes), sizes), least * 115 / 100);
  }
}

// The order is chosen for the worst of the cases.
TEST(StackBuffers, AllCasesCount) {
  // A chain, of which each second buffer is large, and a buffer that is alive
  // with all of them.
  SmallVector<Lifetime> lifetimes{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}};
  SmallVector<BufferSizes> cases{{64, 640, 64, 640, 64},
                                 {640, 64, 640, 64, 64}};
  SmallVector<unsigned> order = chooseOrder(lifetimes, cases);
  auto sets = liveSets(lifetimes);
  for (const BufferSizes &sizes : cases)
    EXPECT_EQ(height(stack(lifetimes, order, sizes), sizes),
              liveBytes(sets, sizes));
}
