//===- CaseList.h - Many runs in one process --------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case list is a text file. Each line holds the arguments of one run of
// qcc-run, with blanks between them, and a run fails where qcc-run would. The
// runs share one process and one device, so that a GPU sets up its context
// once.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_RUN_CASELIST_H
#define QCC_TOOLS_QCC_RUN_CASELIST_H

#include "common/Arguments.h"
#include "common/Run.h"

namespace qcc::tools {

/// What a command line of qcc-run sets.
struct RunCommand {
  RunCommand();

  Arguments arguments;
  RunOptions options;
  std::string file;  ///< The artifact.
  std::string cases; ///< A case list instead of an artifact, or empty.
};

/// Runs the cases of `command.cases` on the device of `command`. Prints
/// "FAIL: ARGUMENTS: REASON" for each case that fails, and the line
/// "N passed, N failed" at the end. Returns the greatest exit code that a case
/// has; tells `report` of failures. A list that cannot be read or is empty is
/// one.
ExitCode runCases(RunCommand &command, std::FILE *out,
                  const std::function<void(const std::string &)> &report);

} // namespace qcc::tools

#endif // QCC_TOOLS_QCC_RUN_CASELIST_H
