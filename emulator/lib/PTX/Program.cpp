//===- Program.cpp - A parsed module, ready to run ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTX/Program.h"

#include <algorithm>

namespace qcc::emu {

const Function &Program::functionAt(uint32_t site) const {
  auto after = std::upper_bound(functions.begin(), functions.end(), site,
                                [](uint32_t site, const auto &function) {
                                  return site < function->firstSite;
                                });
  // Functions without code share their first site with the next one.
  return **std::prev(after);
}

CodeLocation Program::locate(const Instruction &inst) const {
  CodeLocation location;
  location.line = static_cast<int>(inst.line);
  // On one line, with single blanks.
  for (char c : textOf(inst)) {
    bool isBlank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!isBlank)
      location.instruction += c;
    else if (!location.instruction.empty() &&
             location.instruction.back() != ' ')
      location.instruction += ' ';
  }
  auto file = files.find(inst.sourceFile);
  if (file != files.end()) {
    location.sourceFile = file->second;
    location.sourceLine = inst.sourceLine;
  }
  return location;
}

std::string Program::describePlace(const Instruction &inst) const {
  return "line " + std::to_string(inst.line) + " (" + locate(inst).instruction +
         ")";
}

} // namespace qcc::emu
