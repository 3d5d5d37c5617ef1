//===- shared-module.cpp - Eight threads share one module -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: shared-module MODEL.so [RUNS]
//
// A server that answers several requests at once: the module with its weights
// is loaded once, and each thread has a function of its own, which costs no
// more than its temporaries.
//
//===----------------------------------------------------------------------===//

#include "Inputs.hpp"

#include <qcc/runtime.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

int main(int argc, char **argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: shared-module MODEL.so [RUNS]\n");
    return 2;
  }
  const int runs = argc > 2 ? std::atoi(argv[2]) : 1000;
  constexpr int callers = 8;

  qcc::Module module = qcc::Module::load(argv[1]);
  const Inputs inputs(module, 8);
  const std::vector<qcc::Tensor> expected = module.function()(inputs.views);

  std::atomic<int> wrong{0};
  auto serve = [&] {
    // The requests are the parallelism: each runs on its caller's thread.
    qcc::FunctionOptions options;
    options.threads = 1;
    qcc::Function function = module.function("", options);

    // Memory for the results is allocated once, and nothing after the first
    // run is.
    std::vector<qcc::Tensor> results = function.allocateResults(inputs.views);
    std::vector<qcc::TensorView> views(results.begin(), results.end());
    for (int i = 0; i < runs; ++i) {
      function.run(inputs.views, views);
      if (!isSame(results, expected))
        ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < callers; ++i)
    threads.emplace_back([&] {
      try {
        serve();
      } catch (const qcc::Error &error) {
        std::fprintf(stderr, "shared-module: %s\n", error.what());
        ++wrong;
      }
    });
  for (std::thread &thread : threads)
    thread.join();

  std::printf("%d threads, %d runs each, %d wrong\n", callers, runs,
              wrong.load());
  return wrong ? 1 : 0;
} catch (const qcc::Error &error) {
  std::fprintf(stderr, "shared-module: %s\n", error.what());
  return 1;
}
