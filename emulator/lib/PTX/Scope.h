//===- Scope.h - Names of PTX -----------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What names mean. A block in braces is a scope of its own for registers,
// variables and labels; inline assembly uses that.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_PTX_SCOPE_H
#define QCC_LIB_EMULATOR_PTX_SCOPE_H

#include "Lexer.h"
#include "Program.h"

#include <unordered_map>
#include <vector>

namespace qcc::emu {

struct Symbol {
  enum Kind : uint8_t { None, Register, Variable };
  Kind kind = None;
  ScalarType type = ScalarType::None; ///< Of a register.
  uint32_t slot = 0;                  ///< Of a register.
  /// Of a variable.
  StateSpace space = StateSpace::Generic;
  int64_t address = 0, size = 0;
  int moduleVariable = -1; ///< Index of Program::variables.
  /// In the frame's local memory: .local, and .param of device functions.
  bool isLocal = false;
};

/// `.reg .b32 %r<12>`: %r0 to %r11, which get places as they are used.
struct RegisterRange {
  ScalarType type;
  uint64_t count;
};

/// A mention of a label, to be resolved where the scope ends.
struct LabelUse {
  Token name;
  uint32_t instruction;          ///< Whose target it is; or noTarget, and then
  uint32_t table = 0, entry = 0; ///< of Function::branchTables.
};

struct Scope {
  std::unordered_map<std::string_view, Symbol> symbols;
  std::unordered_map<std::string_view, RegisterRange> ranges;
  std::unordered_map<std::string_view, uint32_t> labels;
  std::unordered_map<std::string_view, uint32_t> branchTables;
  std::vector<LabelUse> labelUses, tableUses;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_PTX_SCOPE_H
