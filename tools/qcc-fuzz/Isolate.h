//===- Isolate.h - Programs in processes of their own --------- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A batch runs in a child process, several at a time. One that dies or hangs is
// started again without the program that did it; where that is not known, in
// two halves.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_FUZZ_ISOLATE_H
#define QCC_TOOLS_FUZZ_ISOLATE_H

#include "Batch.h"
#include <functional>

namespace qcc::fuzz {

struct Task {
  std::vector<Subject> subjects;
  BatchOptions options;
};

struct IsolateOptions {
  unsigned jobs = 1;
  /// Without progress for so long a child is ended.
  unsigned timeoutSeconds = 60;
};

using NextTask = std::function<std::optional<Task>()>;
using Done = std::function<void(const Task &task, const Subject &subject,
                                const Verdict &verdict)>;

/// Runs all tasks. The order of what is done is not that of the tasks.
void runIsolated(const NextTask &next, const IsolateOptions &options,
                 const Done &done);

/// The verdict on one program.
Verdict judge(const Subject &subject, const BatchOptions &options,
              unsigned timeoutSeconds);

} // namespace qcc::fuzz

#endif // QCC_TOOLS_FUZZ_ISOLATE_H
