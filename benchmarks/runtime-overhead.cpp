//===- runtime-overhead.cpp - Overhead of a run ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs an entry of ten tiny steps, one after another in one context, and the
// bare step functions in a loop. The difference is the runtime: checking the
// call, the fork, the barriers between steps, the join.
//
// Usage: runtime-overhead [LIMIT1 LIMIT2]. With limits, in nanoseconds for one
// and for two threads, the exit code is 1 if the median of one is above.
//
//===----------------------------------------------------------------------===//

#include "FakeArtifact.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace qcc::rt;
using namespace qcc::rt::test;

namespace {

constexpr int numSteps = 10;
constexpr int64_t size = 128;

/// Adds 1 to each element, of arena or input, into arena or output.
void addOne(const qcc_frame *frame, int32_t thread, int32_t threads) {
  auto *from = static_cast<const int32_t *>(frame->tensors[0]);
  auto *to = static_cast<int32_t *>(frame->tensors[1]);
  int64_t begin = frame->values[0] * thread / threads;
  int64_t end = frame->values[0] * (thread + 1) / threads;
  for (int64_t i = begin; i < end; ++i)
    to[i] = from[i] + 1;
}

FakeArtifact::EntrySpec makeEntry() {
  FakeArtifact::EntrySpec spec;
  DType i32{QCC_INT, 32};
  spec.arguments = {{i32, {value(0)}}};
  spec.results = {{i32, {value(0)}}};
  spec.symbols = 1;
  for (int i = 0; i < numSteps; ++i)
    spec.steps.push_back({"add", addOne});
  return spec;
}

struct Times {
  double low, median;
};

/// Nanoseconds of one call, over many rounds of many calls.
template <typename Body> Times measure(Body body) {
  constexpr int rounds = 400, calls = 200;
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
      body();
    std::chrono::duration<double, std::nano> elapsed =
        std::chrono::steady_clock::now() - start;
    times.push_back(elapsed.count() / calls);
  }
  std::sort(times.begin(), times.end());
  return {times[rounds / 10], times[rounds / 2]};
}

bool report(int threads, double limit) {
  FakeArtifact artifact(makeEntry());
  std::vector<int32_t> x(size), y(size);
  DType i32{QCC_INT, 32};
  Tensor input(x.data(), i32, {size}), output(y.data(), i32, {size});

  ContextOptions options;
  options.threads = threads;
  auto module = artifact.load();
  auto context = module.isOk()
                     ? Context::create(*module, "", options)
                     : Result<std::unique_ptr<Context>>(module.status());
  if (!context.isOk()) {
    fprintf(stderr, "%s\n", context.message().c_str());
    return false;
  }
  bool good = true;
  Times whole =
      measure([&] { good &= (*context)->run(&input, 1, &output, 1).isOk(); });

  void *tensors[] = {x.data(), y.data()};
  int64_t values[] = {size};
  qcc_frame frame = {};
  frame.tensors = tensors;
  frame.values = values;
  // The share of one thread: the others work at the same time.
  Times steps = measure([&] {
    for (const Step &step : (*context)->entry().steps)
      step.function(&frame, 0, threads);
  });
  double low = whole.low - steps.low, median = whole.median - steps.median;
  printf("%d thread%s: %7.0f ns a run, %5.0f ns of them in %d steps; overhead "
         "%6.0f ns (median), %6.0f ns (10%% quantile)\n",
         threads, threads == 1 ? " " : "s", whole.median, steps.median,
         numSteps, median, low);
  return good && (limit <= 0 || median <= limit);
}

} // namespace

int main(int argc, char **argv) {
  bool one = report(1, argc > 1 ? atof(argv[1]) : 0);
  bool two = report(2, argc > 2 ? atof(argv[2]) : 0);
  return one && two ? 0 : 1;
}
