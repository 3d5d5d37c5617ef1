//===- Child.h - Processes that do a part of the work -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work that may crash, or that may have no end, runs in a process of its own,
// so that the tool stays as it was. The process is a fork of the tool.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_CHILD_H
#define QCC_TOOLS_COMMON_CHILD_H

#include "qcc/Base/Status.h"

#include <functional>
#include <string>
#include <sys/types.h>

namespace qcc::tools {

/// A process, which ends with this object.
class Child {
public:
  /// Where the process prints.
  enum class Prints {
    Nowhere, ///< A crash ends it without a word.
    Errors,  ///< On the standard errors of the tool.
  };

  /// Forks. The process does `work` with its ends of two pipes, and ends with
  /// the exit code that `work` returns. Its standard input is empty, and other
  /// files of the tool are closed. It does not outlive the tool.
  static rt::Result<Child> start(Prints prints,
                                 const std::function<int(int, int)> &work);

  Child(Child &&other);
  Child &operator=(Child &&other);
  ~Child() { kill(); }

  int input() const { return inputEnd_; }   ///< Where the process reads.
  int output() const { return outputEnd_; } ///< Where the process writes.

  /// Closes both pipes and waits until the process ends; returns how it ended,
  /// as waitpid says.
  int wait();
  /// The same, and kills the process if it still runs.
  int kill();

private:
  Child() = default;
  void closePipes();

  pid_t process_ = -1;
  int inputEnd_ = -1, outputEnd_ = -1;
};

/// Reads what a pipe holds, after poll() has said that there is something.
/// Returns false at its end.
bool readAvailable(int descriptor, std::string &bytes);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_CHILD_H
