//===- ExitCodes.cpp - Exit codes of commands -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/ExitCodes.h"

namespace qcc::tools {

ExitCode exitCodeOf(const rt::Status &status) {
  switch (status.code()) {
  case rt::StatusCode::Ok:
    return ExitSuccess;
  // The command line was accepted, so the argument that is wrong is a file, or
  // a name that the file lacks.
  case rt::StatusCode::InvalidArgument:
  case rt::StatusCode::NotFound:
  case rt::StatusCode::Corrupt:
  case rt::StatusCode::Untrusted:
    return ExitRejected;
  case rt::StatusCode::Unsupported:
  case rt::StatusCode::IOError:
  case rt::StatusCode::OutOfMemory:
  case rt::StatusCode::Busy:
  case rt::StatusCode::Cancelled:
  case rt::StatusCode::KernelFailed:
  case rt::StatusCode::Internal:
  case rt::StatusCode::TimedOut:
  case rt::StatusCode::Killed:
    return ExitFailed;
  }
  return ExitFailed;
}

std::string exitCodesHelp() {
  return "Exit codes:\n"
         "  0  done; no comparison differs\n"
         "  1  a comparison differs\n"
         "  2  the command line is wrong\n"
         "  3  a file is missing, damaged or not accepted, or lacks what the "
         "command line\n"
         "     names\n"
         "  4  the program cannot be compiled or run, or an output cannot be "
         "written\n";
}

} // namespace qcc::tools
