//===- Pins.cpp - Threads on CPUs of their own ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pins.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <sched.h>

using namespace qcc;
using namespace qcc::bench;

/// Those that this process may use, or none where pins make no sense.
static std::vector<int> cpusFor(int threads) {
  std::vector<int> cpus;
  cpu_set_t set;
  if (threads < 2 || sched_getaffinity(0, sizeof(set), &set) != 0 ||
      CPU_COUNT(&set) < threads)
    return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set))
      cpus.push_back(cpu);
  return cpus;
}

static void pin(int thread, llvm::ArrayRef<int> cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus)
    CPU_SET(cpu, &set);
  // Without permission the scheduler decides, as it would without pins.
  (void)sched_setaffinity(thread, sizeof(set), &set);
}

static std::vector<int> threadsOfProcess() {
  std::vector<int> threads;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it("/proc/self/task", error), end;
       !error && it != end; it.increment(error)) {
    int thread;
    if (!llvm::sys::path::filename(it->path()).getAsInteger(10, thread))
      threads.push_back(thread);
  }
  return threads;
}

PinnedTeam::PinnedTeam(int threads) : cpus(cpusFor(threads)) {
  if (!cpus.empty())
    before = threadsOfProcess();
}

PinnedTeam::~PinnedTeam() {
  if (cpus.empty())
    return;
  size_t next = 1;
  for (int thread : threadsOfProcess())
    if (!llvm::is_contained(before, thread))
      pin(thread, cpus[next++ % cpus.size()]);
}

PinnedCaller::PinnedCaller(int threads) : cpus(cpusFor(threads)) {
  if (!cpus.empty())
    pin(0, cpus.front());
}

PinnedCaller::~PinnedCaller() {
  if (!cpus.empty())
    pin(0, cpus);
}
