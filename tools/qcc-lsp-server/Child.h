//===- Child.h - Processes of the server ---------------------- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What reads programs runs in processes of its own, so that a crash, or work
// without an end, leaves the server as it was. They are forks of the server,
// which has one thread.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_LSP_SERVER_CHILD_H
#define QCC_TOOLS_QCC_LSP_SERVER_CHILD_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>
#include <sys/types.h>

namespace qcc::lsp {

/// A process, which ends with this object.
class Child {
public:
  /// Forks; the process does `work` with its ends of two pipes, and ends with
  /// the exit code that `work` returns. Null where the system has no process.
  static std::optional<Child> start(llvm::function_ref<int(int, int)> work);

  Child(Child &&other);
  Child &operator=(Child &&other);
  ~Child() { end(); }

  int input() const { return inputEnd; }   ///< Where the process reads.
  int output() const { return outputEnd; } ///< Where the process writes.

  /// Kills the process if it still runs; returns how it ended, as waitpid says.
  int end();

private:
  Child() = default;

  pid_t process = -1;
  int inputEnd = -1, outputEnd = -1;
};

/// Reads what a pipe holds, after poll() has said that there is something.
/// Returns false at its end.
bool readAvailable(int descriptor, std::string &bytes);

} // namespace qcc::lsp

#endif // QCC_TOOLS_QCC_LSP_SERVER_CHILD_H
