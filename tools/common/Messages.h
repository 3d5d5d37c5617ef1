//===- Messages.h - Messages of tools ---------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_MESSAGES_H
#define QCC_TOOLS_COMMON_MESSAGES_H

#include <string>

namespace qcc::tools {

/// Whether messages are colored: the standard error is a terminal, and the
/// environment has neither NO_COLOR (https://no-color.org) nor TERM=dumb.
bool hasColor();

/// Prints "TOOL: error: MESSAGE" to the standard error.
void printError(const std::string &tool, const std::string &message);
/// Prints "TOOL: warning: MESSAGE" to the standard error.
void printWarning(const std::string &tool, const std::string &message);

/// The message about a crash of the compiler, `when` ("in stage kernel") it
/// happened; `evidence` is what a report has to come with.
std::string crashMessage(const std::string &when,
                         const std::string &evidence = "the program");

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_MESSAGES_H
