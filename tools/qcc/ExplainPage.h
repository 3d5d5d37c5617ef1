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

/// Reads what `qcc bench --json` wrote; fails where it is of another program.
llvm::Expected<llvm::json::Object> readProfile(const std::string &path,
                                               const ProgramReport &report);

/// A page of HTML that needs nothing else: the steps of a program as a graph,
/// with what is known of each, and the time of each if there is a profile.
std::string makeExplainPage(llvm::StringRef program, llvm::json::Object report,
                            std::optional<llvm::json::Object> profile);

} // namespace qcc::driver

#endif // QCC_TOOLS_QCC_EXPLAINPAGE_H
