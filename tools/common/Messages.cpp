//===- Messages.cpp - Messages of tools -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Messages.h"

#include "common/Files.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace qcc::tools {

bool hasColor() {
  const char *noColor = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return (!noColor || !*noColor) && terminal &&
         std::string_view(terminal) != "dumb" && isatty(STDERR_FILENO);
}

static void print(const std::string &tool, const char *color, const char *kind,
                  const std::string &message) {
  // Messages follow what was printed.
  (void)flushStandardOutput();
  bool colored = hasColor();
  fprintf(stderr, "%s: %s%s:%s %s\n", tool.c_str(), colored ? color : "", kind,
          colored ? "\x1b[0m" : "", message.c_str());
}

void printError(const std::string &tool, const std::string &message) {
  print(tool, "\x1b[1;31m", "error", message);
}

void printWarning(const std::string &tool, const std::string &message) {
  print(tool, "\x1b[1;35m", "warning", message);
}

std::string crashMessage(const std::string &when, const std::string &evidence) {
  return "the compiler crashed " + when +
         "; this is a bug of qcc, please report it with " + evidence;
}

} // namespace qcc::tools
