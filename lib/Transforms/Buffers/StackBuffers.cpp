//===- StackBuffers.cpp - Buffers to offsets in one arena -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Buffers/StackBuffers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <algorithm>
#include <limits>

using namespace qcc;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Live sets
//===----------------------------------------------------------------------===//

SmallVector<SmallVector<unsigned>> qcc::liveSets(ArrayRef<Lifetime> lifetimes) {
  assert(
      llvm::all_of(lifetimes,
                   [](const Lifetime &one) { return one.first <= one.last; }) &&
      "lifetimes end after they begin");
  SmallVector<unsigned> byFirst =
      llvm::to_vector(llvm::seq<unsigned>(lifetimes.size()));
  llvm::sort(byFirst, [&](unsigned a, unsigned b) {
    return std::pair(lifetimes[a].first, a) < std::pair(lifetimes[b].first, b);
  });
  // The sets at steps where buffers begin contain all others. Such a set is
  // contained in the next one unless a buffer has ended in between.
  SmallVector<SmallVector<unsigned>> sets;
  SmallVector<unsigned> alive;
  for (unsigned buffer : byFirst) {
    unsigned step = lifetimes[buffer].first;
    auto hasEnded = [&](unsigned other) {
      return lifetimes[other].last < step;
    };
    if (llvm::any_of(alive, hasEnded)) {
      sets.push_back(alive);
      llvm::erase_if(alive, hasEnded);
    }
    alive.push_back(buffer);
  }
  if (!alive.empty())
    sets.push_back(alive);
  return sets;
}

int64_t qcc::liveBytes(ArrayRef<SmallVector<unsigned>> sets,
                       ArrayRef<int64_t> sizes) {
  int64_t most = 0;
  for (ArrayRef<unsigned> set : sets) {
    int64_t sum = 0;
    for (unsigned buffer : set) {
      assert(sizes[buffer] >= 0 && "sizes of buffers are not negative");
      sum += sizes[buffer];
    }
    most = std::max(most, sum);
  }
  return most;
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

SmallVector<SmallVector<unsigned>>
qcc::buffersBelow(ArrayRef<Lifetime> lifetimes, ArrayRef<unsigned> order) {
  assert(order.size() == lifetimes.size() && "an order has all buffers");
  SmallVector<SmallVector<unsigned>> below(lifetimes.size());
  for (auto [i, buffer] : llvm::enumerate(order)) {
    // A buffer that ends below the start of another one that is below this one
    // says nothing more.
    SmallVector<unsigned> met;
    for (unsigned other : llvm::reverse(order.take_front(i))) {
      if (!lifetimes[other].meets(lifetimes[buffer]))
        continue;
      if (llvm::none_of(met, [&](unsigned above) {
            return lifetimes[other].meets(lifetimes[above]);
          }))
        below[buffer].push_back(other);
      met.push_back(other);
    }
  }
  return below;
}

SmallVector<int64_t> qcc::stackBuffers(ArrayRef<SmallVector<unsigned>> below,
                                       ArrayRef<unsigned> order,
                                       ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> offsets(below.size(), 0);
  for (unsigned buffer : order)
    for (unsigned other : below[buffer])
      offsets[buffer] =
          std::max(offsets[buffer], offsets[other] + sizes[other]);
  return offsets;
}

static int64_t heightOf(ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
  int64_t height = 0;
  for (auto [offset, size] : llvm::zip_equal(offsets, sizes))
    height = std::max(height, offset + size);
  return height;
}

//===----------------------------------------------------------------------===//
// Choice of an order
//===----------------------------------------------------------------------===//

namespace {
/// Looks for a good order for all cases.
class OrderSearch {
public:
  OrderSearch(ArrayRef<Lifetime> lifetimes, ArrayRef<BufferSizes> cases)
      : lifetimes(lifetimes), cases(cases) {
    auto sets = liveSets(lifetimes);
    for (const BufferSizes &sizes : cases)
      live.push_back(liveBytes(sets, sizes));
    best = llvm::to_vector(llvm::seq<unsigned>(lifetimes.size()));
    ratio = ratioOf(best);
  }

  SmallVector<unsigned> run();

private:
  /// How much higher the stack is than the largest live set, in the worst case.
  double ratioOf(ArrayRef<unsigned> order) const;
  /// Places buffers one after the other in the lowest gap that holds them.
  SmallVector<int64_t> firstFit(ArrayRef<unsigned> sequence,
                                ArrayRef<int64_t> sizes) const;
  /// Tries the order of what first-fit makes of a sequence of buffers, then
  /// sequences in which the buffers on top come first.
  void consider(SmallVector<unsigned> sequence, ArrayRef<int64_t> sizes);

  ArrayRef<Lifetime> lifetimes;
  ArrayRef<BufferSizes> cases;
  SmallVector<int64_t> live; // for each case
  SmallVector<unsigned> best;
  double ratio;
};
} // namespace

double OrderSearch::ratioOf(ArrayRef<unsigned> order) const {
  double worst = 1;
  auto below = buffersBelow(lifetimes, order);
  for (auto [sizes, least] : llvm::zip_equal(cases, live)) {
    int64_t height = heightOf(stackBuffers(below, order, sizes), sizes);
    assert(height >= least && "what is alive at once lies apart");
    if (least > 0)
      worst = std::max(worst, double(height) / least);
  }
  return worst;
}

SmallVector<int64_t> OrderSearch::firstFit(ArrayRef<unsigned> sequence,
                                           ArrayRef<int64_t> sizes) const {
  assert(sizes.size() == lifetimes.size() && "a size for each buffer");
  SmallVector<int64_t> offsets(lifetimes.size(), 0);
  SmallVector<unsigned> placed; // by offset
  for (unsigned buffer : sequence) {
    int64_t offset = 0;
    for (unsigned other : placed) {
      if (!lifetimes[other].meets(lifetimes[buffer]))
        continue;
      if (offset + sizes[buffer] <= offsets[other])
        break;
      offset = std::max(offset, offsets[other] + sizes[other]);
    }
    offsets[buffer] = offset;
    auto at = llvm::upper_bound(placed, offset, [&](int64_t value, unsigned b) {
      return value < offsets[b];
    });
    placed.insert(at, buffer);
  }
  return offsets;
}

void OrderSearch::consider(SmallVector<unsigned> sequence,
                           ArrayRef<int64_t> sizes) {
  // The time of a try grows with the square of the number of buffers.
  size_t count = lifetimes.size();
  size_t tries = std::clamp<size_t>((1 << 22) / (count * count + 1), 1, 32);
  for (size_t i = 0; i < tries && ratio > 1; ++i) {
    SmallVector<int64_t> offsets = firstFit(sequence, sizes);
    SmallVector<unsigned> order(sequence);
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::pair(offsets[a], a) < std::pair(offsets[b], b);
    });
    if (double found = ratioOf(order); found < ratio) {
      ratio = found;
      best = order;
    }
    auto top = llvm::max_element(sequence, [&](unsigned a, unsigned b) {
      return offsets[a] + sizes[a] < offsets[b] + sizes[b];
    });
    if (top == sequence.begin())
      return;
    std::rotate(sequence.begin(), top, top + 1);
  }
}

SmallVector<unsigned> OrderSearch::run() {
  auto lengthOf = [&](unsigned i) {
    return lifetimes[i].last - lifetimes[i].first + 1;
  };
  SmallVector<unsigned> program =
      llvm::to_vector(llvm::seq<unsigned>(lifetimes.size()));
  for (const BufferSizes &sizes : cases) {
    auto largeFirst = [&](auto keyOf) {
      SmallVector<unsigned> sequence = program;
      llvm::sort(sequence, [&](unsigned a, unsigned b) {
        return std::pair(keyOf(b), a) < std::pair(keyOf(a), b);
      });
      consider(sequence, sizes);
    };
    largeFirst([&](unsigned i) { return std::pair(sizes[i], lengthOf(i)); });
    largeFirst([&](unsigned i) { return std::pair(lengthOf(i), sizes[i]); });
    largeFirst([&](unsigned i) { return double(sizes[i]) * lengthOf(i); });
    largeFirst([&](unsigned i) {
      return std::pair(-int64_t(lifetimes[i].first), sizes[i]);
    });
  }
  return best;
}

SmallVector<unsigned> qcc::chooseOrder(ArrayRef<Lifetime> lifetimes,
                                       ArrayRef<BufferSizes> cases) {
  return OrderSearch(lifetimes, cases).run();
}
