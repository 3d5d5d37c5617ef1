//===- Threads.h - Work shared over threads ---------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_THREADS_H
#define QCC_LIB_REFERENCE_THREADS_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace qcc::reference {

/// Calls task(begin, end) for chunks of [0, count), a multiple of `grain` long
/// but for the last, from up to `threads` threads. One chunk or one thread runs
/// in the caller.
template <typename Task>
void parallelFor(unsigned threads, int64_t count, int64_t grain, Task task) {
  int64_t chunks = (count + grain - 1) / grain;
  if (chunks <= 0)
    return;
  int64_t workers = std::min<int64_t>(std::max(1u, threads), chunks);
  // Several chunks per thread even out differences between them.
  int64_t perTake = std::max<int64_t>(1, chunks / (workers * 8));
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (;;) {
      int64_t chunk = next.fetch_add(perTake);
      if (chunk >= chunks)
        return;
      task(chunk * grain, std::min(count, (chunk + perTake) * grain));
    }
  };
  std::vector<std::thread> others;
  for (int64_t t = 1; t < workers; ++t)
    others.emplace_back(work);
  work();
  for (std::thread &thread : others)
    thread.join();
}

/// The first failure of several threads.
class FailureSlot {
public:
  bool failed() const { return set.load(std::memory_order_relaxed); }
  void report(std::string text) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!set.exchange(true))
      message = std::move(text);
  }
  const std::string &text() const { return message; }

private:
  std::atomic<bool> set{false};
  std::mutex mutex;
  std::string message;
};

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_THREADS_H
