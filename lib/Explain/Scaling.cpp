//===- Scaling.cpp - Expected times of several threads --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Explain/Scaling.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace qcc;

/// The seconds by which each thread makes the change to the next step longer:
/// all of them write one counter and read one word. Measured with two threads
/// by benchmarks/runtime-overhead.
constexpr double kChangeSeconds = 1e-7;

double SharedGrid::largestShare(int64_t threads) const {
  // What depends on sizes is large where they are.
  if (!isKnown())
    return 1 / double(threads);
  // Kernels choose so (Target/X86/Emit/Share.h).
  int64_t least = INT64_MAX;
  auto consider = [&](int64_t across) {
    if (threads % across == 0)
      least = std::min(least, int64_t(llvm::divideCeil(rows, threads / across) *
                                      llvm::divideCeil(columns, across)));
  };
  for (int64_t across = 1; across <= std::min<int64_t>(columns, 32);
       across *= 2)
    consider(across);
  consider(threads);
  return double(least) / (double(rows) * double(columns));
}

/// Adds a step, and returns the seconds that it takes beyond an even share.
static double addStep(Scaling &scaling, const StepExplanation &step) {
  double one = *step.expectedSeconds, even = one / scaling.threads;
  double largestShare =
      step.grid ? step.grid->largestShare(scaling.threads) : 1;
  double change = scaling.threads > 1 ? kChangeSeconds * scaling.threads : 0;
  double shared = one * largestShare;
  // The runtime does not divide a step that has little to do.
  if (largestShare == 1 || shared + change >= one) {
    scaling.seconds += one;
    scaling.oneThreadSeconds += one - even;
    return one - even;
  }
  scaling.seconds += shared + change;
  scaling.unevenSeconds += std::max(shared - even, 0.0);
  scaling.changeSeconds += change;
  return shared + change - even;
}

std::vector<Scaling> qcc::expectScaling(const EntryReport &entry,
                                        unsigned threads) {
  std::vector<Scaling> all;
  for (const StepExplanation &step : entry.steps)
    if (!step.expectedSeconds)
      return all;
  for (unsigned count = 1;; count = std::min(2 * count, threads)) {
    Scaling &scaling = all.emplace_back();
    scaling.threads = count;
    double most = -1;
    for (size_t i = 0; i < entry.steps.size(); ++i) {
      double lost = addStep(scaling, entry.steps[i]);
      if (lost > most) {
        most = lost;
        scaling.worstStep = i;
      }
    }
    if (count == threads)
      return all;
  }
}
