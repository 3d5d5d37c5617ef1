//===- Process.h - The process of an isolated compiler ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts, watches and ends a process, in hosts that have threads, handlers of
// SIGCHLD, and children of their own.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_COMPILER_PROCESS_H
#define QCC_LIB_CAPI_COMPILER_PROCESS_H

#include "qcc/Base/Status.h"
#include <string>
#include <sys/types.h>

namespace qcc::capi {

/// A process that has one end of a connection. The destructor kills it.
class Process {
public:
  /// The exit code by which a program says that it had no memory.
  static constexpr int exitWithoutMemory = 100;
  /// The descriptor of the connection in the process.
  static constexpr int socketThere = 3;

  /// Starts the program at `path` with one argument, in the environment and the
  /// working folder of this process, with no other descriptors, and with no
  /// signals blocked or handled. Its standard input is empty.
  /// NotFound, IOError, OutOfMemory: the system does not start it.
  static rt::Result<Process> start(const std::string &path,
                                   const std::string &argument);

  Process(Process &&other) noexcept { swap(other); }
  Process &operator=(Process &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Process();

  /// The end of the connection in this process.
  int getSocket() const { return socket; }

  /// Why the process has ended by itself, and the last of what it printed:
  /// Internal if it crashed or exited, OutOfMemory if it said so, Killed if a
  /// signal from outside ended it. A process that does not end within a second
  /// is killed.
  rt::Status describeEnd();

private:
  Process() = default;
  void swap(Process &other) noexcept;
  std::string readOutput() const;
  bool waitForEnd(int milliseconds);

  pid_t pid = -1;
  int socket = -1;
  int output = -1; ///< A file in memory with what the process prints.
  bool isReaped = false;
  int status = -1; ///< Of waitpid; -1: somebody else has it.
};

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_COMPILER_PROCESS_H
