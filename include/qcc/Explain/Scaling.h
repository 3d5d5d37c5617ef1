//===- Scaling.h - Expected times of several threads ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model of the runtime: the threads share the iterations of a step's parallel
// loops as evenly as they can be shared, and begin the next step together.
// docs/Rationale/Threads.md says how it is built.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EXPLAIN_SCALING_H
#define QCC_EXPLAIN_SCALING_H

#include "qcc/Explain/Report.h"

namespace qcc {

/// A run of an entry on a number of threads. The seconds beyond an even share
/// of one thread's time have three causes.
struct Scaling {
  unsigned threads = 1;
  double seconds = 0;
  double oneThreadSeconds = 0; ///< of steps that one thread computes
  double unevenSeconds = 0;    ///< of iterations that threads cannot share
  double changeSeconds = 0;    ///< of threads that come to the next step
  /// The step of the entry that loses most of the three.
  size_t worstStep = 0;
};

/// The runs on 1, 2, 4, ... and `threads` threads. Empty if the time of a step
/// is not known.
std::vector<Scaling> expectScaling(const EntryReport &entry, unsigned threads);

} // namespace qcc

#endif // QCC_EXPLAIN_SCALING_H
