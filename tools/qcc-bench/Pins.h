//===- Pins.h - Threads on CPUs of their own --------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_BENCH_PINS_H
#define QCC_TOOLS_QCC_BENCH_PINS_H

#include <vector>

namespace qcc::bench {

/// Where several threads are measured, the scheduler may leave two of them on
/// one CPU for longer than a turn takes. So every candidate's threads are
/// pinned alike: the calling thread to the first CPU of the process, the others
/// of a team to the next ones. Where there are fewer CPUs than threads, or only
/// one thread, nothing is pinned.

/// The team of threads that is made during the life of this object is pinned at
/// its end.
class PinnedTeam {
public:
  explicit PinnedTeam(int threads);
  ~PinnedTeam();

private:
  std::vector<int> cpus; ///< Empty: nothing is pinned.
  std::vector<int> before;
};

/// The calling thread is pinned during the life of this object.
class PinnedCaller {
public:
  explicit PinnedCaller(int threads);
  ~PinnedCaller();

private:
  std::vector<int> cpus;
};

} // namespace qcc::bench

#endif // QCC_TOOLS_QCC_BENCH_PINS_H
