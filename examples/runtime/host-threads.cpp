//===- host-threads.cpp - A host with its own thread pool -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: host-threads MODEL.so
//
// An application that has threads already lends them to the runtime, which then
// starts none. The results do not depend on whose threads compute.
//
//===----------------------------------------------------------------------===//

#include "Inputs.hpp"

#include <qcc/runtime.hpp>

#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <thread>

/// The application's pool, the simplest there is. Yours may be any other.
class Pool {
public:
  explicit Pool(int workers) {
    for (int i = 0; i < workers; ++i)
      threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread &thread : threads_)
      thread.join();
  }

  /// Calls body(0) to body(count - 1) and returns when all have returned.
  void parallelFor(int count, const std::function<void(int)> &body) {
    std::unique_lock<std::mutex> lock(mutex_);
    body_ = &body;
    next_ = 0;
    count_ = unfinished_ = count;
    ++loops_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return unfinished_ == 0; });
  }

  int loops() const { return loops_; }

private:
  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stopping_ || next_ < count_; });
      if (stopping_)
        return;
      int index = next_++;
      lock.unlock();
      (*body_)(index);
      lock.lock();
      if (--unfinished_ == 0)
        changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(int)> *body_ = nullptr;
  int next_ = 0, count_ = 0, unfinished_ = 0, loops_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

int main(int argc, char **argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: host-threads MODEL.so\n");
    return 2;
  }
  qcc::Module module = qcc::Module::load(argv[1]);
  Inputs inputs(module, 64);

  // With the application's threads. The pool has fewer workers than the loop
  // has parts: any number will do, in any order.
  Pool pool(2);
  qcc::FunctionOptions options;
  options.threads = 4;
  options.parallelFor = [&](int threads, const std::function<void(int)> &body) {
    pool.parallelFor(threads, body);
  };
  qcc::Function onHostThreads = module.function("", options);
  std::vector<qcc::Tensor> ours = onHostThreads(inputs.views);

  // With the runtime's own.
  qcc::Function onOwnThreads = module.function();
  std::vector<qcc::Tensor> theirs = onOwnThreads(inputs.views);

  std::printf("%zu steps ran as %d parallel loops of the host: %s\n",
              onHostThreads.info().numSteps, pool.loops(),
              isSame(ours, theirs) ? "same bits" : "DIFFERENT BITS");
  return isSame(ours, theirs) ? 0 : 1;
} catch (const qcc::Error &error) {
  std::fprintf(stderr, "host-threads: %s\n", error.what());
  return 1;
}
