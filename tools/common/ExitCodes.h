//===- ExitCodes.h - Exit codes of commands ---------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All commands of qcc and qcc-run end with one of these codes, and so does
// `python -m qcc`. Each code but the first comes with a message.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_EXITCODES_H
#define QCC_TOOLS_COMMON_EXITCODES_H

#include "qcc/Base/Status.h"

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace qcc::tools {

enum ExitCode {
  /// The command did what it was asked for, and no comparison or check fails.
  ExitSuccess = 0,
  /// A comparison differs, of results, of two programs, of a signature; or a
  /// program has what a check refuses.
  ExitDiffers = 1,
  /// The command line is wrong, whatever its files hold.
  ExitUsage = 2,
  /// A file is missing, damaged or not accepted, or it does not have what the
  /// command line names.
  ExitRejected = 3,
  /// The program cannot be compiled or run, or an output cannot be written.
  ExitFailed = 4,
};

/// The exit code of a command that fails with `status` after its command line
/// was accepted.
ExitCode exitCodeOf(const rt::Status &status);

/// The table of the exit codes, for help of at most `columns`.
std::string exitCodesHelp(unsigned columns);

/// A value, or the exit code of a failure that was reported.
template <typename T> class Reported {
public:
  Reported(T value) : value_(std::move(value)) {}
  Reported(ExitCode failure) : failure_(failure) {
    assert(failure != ExitSuccess && "a success has a value");
  }

  explicit operator bool() const { return value_.has_value(); }
  /// The exit code of the failure.
  ExitCode code() const { return failure_; }

  T &operator*() { return *value_; }
  const T &operator*() const { return *value_; }
  T *operator->() { return &*value_; }
  const T *operator->() const { return &*value_; }

private:
  std::optional<T> value_;
  ExitCode failure_ = ExitSuccess;
};

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_EXITCODES_H
