//===- ExplainPage.h - HTML page of qcc explain -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_EXPLAINPAGE_H
#define QCC_TOOLS_QCC_EXPLAINPAGE_H

#include "qcc/Explain/Report.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>

namespace qcc::driver {

/// Files that a user measured.
struct Measurements {
  /// What `qcc bench --json` wrote: now, and before.
  std::optional<llvm::json::Object> profile, baseline;
  /// What the machine can do, as `qcc-bench --json` measured it: `threads`, and
  /// `integer`, `float` (operations per second) and `bandwidth` (bytes per
  /// second), each with `name` and `rate` if it was measured.
  std::optional<llvm::json::Object> peaks;
};

/// Reads what `qcc bench --json` wrote; fails where it is of another program.
llvm::Expected<llvm::json::Object> readProfile(const std::string &path,
                                               const ProgramReport &report);

/// Reads a profile to compare `profile` with; fails where it is of another
/// entry.
llvm::Expected<llvm::json::Object>
readBaseline(const std::string &path, const ProgramReport &report,
             const llvm::json::Object &profile);

/// Reads `peaks` from what `qcc-bench --json` wrote; fails where they are not
/// peaks of what `profile` measured.
llvm::Expected<llvm::json::Object> readPeaks(const std::string &path,
                                             const llvm::json::Object &profile);

/// A page of HTML that needs nothing else: the steps of a program as a graph,
/// with what is known of each, and the time of each if there is a profile.
std::string makeExplainPage(llvm::StringRef program, llvm::json::Object report,
                            Measurements measurements);

} // namespace qcc::driver

#endif // QCC_TOOLS_QCC_EXPLAINPAGE_H
