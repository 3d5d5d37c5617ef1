//===- ExitCodes.cpp - Exit codes of commands -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/ExitCodes.h"

#include "common/Text.h"

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

std::string exitCodesHelp(unsigned columns) {
  const std::pair<ExitCode, const char *> texts[] = {
      {ExitSuccess, "done; no comparison or check fails"},
      {ExitDiffers, "a comparison or a check fails"},
      {ExitUsage, "the command line is wrong"},
      {ExitRejected, "a file is missing, damaged or not accepted, or lacks "
                     "what the command line names"},
      {ExitFailed, "the program cannot be compiled or run, or an output cannot "
                   "be written"}};
  std::string help = "Exit codes:\n";
  for (auto [code, text] : texts)
    help += "  " + std::to_string(code) + "  " + wrap(text, columns, 5) + "\n";
  return help;
}

} // namespace qcc::tools
