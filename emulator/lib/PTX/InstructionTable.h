//===- InstructionTable.h - The instructions that there are -----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions are a table. A row says how an instruction is spelled, what its
// operands are, which function executes it, and what it costs:
//
//   {"add", "?rn|rz|rm|rp ?ftz ?sat f32", "=0 0 0", selectAdd, Float}
//
// The parser reads instructions by it, and the function that a row selects is
// the only thing that the machine calls. The rows stand in emulator/lib/
// Instructions, beside their functions. The parser takes the table of them as
// an argument, so that it does not know what executes instructions.
//
// Modifiers, separated by spaces, in the order in which they are written:
//   a|b|c     one of these words
//   ?a|b      or none of them
//   @name     a set of words, see the .cpp file
//
// Operands, separated by spaces:
//   0 1 2 3   a register or constant of the instruction's first, second, ...
//             type; its register has that size, and is no float where the
//             instruction is an integer one, nor the other way around
//   u32 ...   the same for a type of its own
//   =0        a destination; `_` is allowed where a | or a vector is
//   =_0       a destination that may be `_`
//   =0|       a destination that may be followed by |p, a predicate; two groups
//   0+        the register may be wider (ld, st, cvt)
//   v0        as many in braces as .v2, .v4 or .v8 says; without, a single one
//   4*b32     exactly four registers in braces
//   4*b32^    these, or a 64-bit register or constant
//   +*b32     any number of registers in braces that are written and read: a
//             group of each
//   !pred     a predicate that may be negated
//   #         an integer constant
//   []        an address in the instruction's state space; [shared], [global]:
//             in that one
//   [tensor]  the generic address of a tensor map and coordinates in braces; a
//             group of each
//   mov       whatever mov takes: register, constant, special register, address
//             of a variable, vector in braces
//   label     an instruction; labels: the name of a .branchtargets list
//   call      the operands of a call
//   ?...      it may be missing, together with all that follow
//
// Modifiers are accepted in any order, as ptxas accepts them, but types must
// stand in theirs; where the order of the row fits a row, that is the one.
//
// Rows with the same modifiers are told apart by the number of operands.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_PTX_INSTRUCTIONTABLE_H
#define QCC_LIB_EMULATOR_PTX_INSTRUCTIONTABLE_H

#include "Program.h"

#include <optional>
#include <string_view>
#include <vector>

namespace qcc::emu {

/// The first chip and version of PTX that have something; 0: all of them.
struct Since {
  int sm = 0, ptx = 0;
  /// 100: only chips of this family, and targets that name one, as sm_100a and
  /// sm_103f do. 0: later chips too.
  int family = 0;

  void join(Since other) {
    sm = other.sm > sm ? other.sm : sm;
    ptx = other.ptx > ptx ? other.ptx : ptx;
    family = other.family > family ? other.family : family;
  }
};

struct InstructionRow {
  const char *mnemonic;
  const char *modifiers;
  const char *operands;
  /// Sets `execute` and `data`, once modifiers and operands are there. False:
  /// there is no such combination of modifiers.
  bool (*select)(Instruction &inst);
  CostClass cost;
  Since since = {};
};

/// Of an instruction with its modifiers.
Since sinceOf(const Instruction &inst);
/// The first version of PTX for a chip; 0 if it is not known.
int versionOfTarget(int sm);

struct ModifierSlot {
  bool optional = false;
  std::vector<Mod> words;

  bool allows(Mod word) const;
};

struct OperandSlot {
  enum Kind : uint8_t {
    Value,
    Predicate, ///< May be negated.
    Number,
    Address,
    Tensor, ///< An address and coordinates.
    Mov,
    Label,
    Labels,
    Call
  };
  Kind kind = Value;
  bool optional = false;
  bool destination = false;
  bool maySink = false;       ///< A single destination that may be `_`.
  bool withPredicate = false; ///< `|p` may follow.
  bool mayBeWider = false;
  bool vector = false;       ///< As .v2 says.
  bool isUpdated = false;    ///< Any number in braces, written and read.
  bool orDescriptor = false; ///< Or 64 bits instead.
  int count = 0;             ///< In braces; 0: a single one.
  int typeIndex = -1;        ///< Of the instruction's types; else `type`.
  ScalarType type = ScalarType::None;
  /// Of an address; nothing: the instruction's.
  std::optional<StateSpace> space;
};

/// A row with its patterns taken apart.
struct InstructionPattern {
  const InstructionRow *row;
  std::vector<ModifierSlot> modifiers;
  std::vector<OperandSlot> operands;
  int minOperands = 0, maxOperands = 0; ///< As written, between commas.
  bool isCall = false;

  bool takes(int operands) const {
    return isCall || (operands >= minOperands && operands <= maxOperands);
  }
};

/// The rows that stand in one file.
struct RowList {
  const InstructionRow *rows;
  size_t size;
};

class InstructionTable {
public:
  /// Takes the patterns of all rows apart.
  /// `watch` executes what touches registers of asynchronous units.
  InstructionTable(const std::vector<RowList> &lists, Execute watch);

  Execute watch() const { return watch_; }

  /// All rows of a mnemonic, or null.
  const std::vector<InstructionPattern> *find(std::string_view mnemonic) const;

  /// Why a known mnemonic has no row: "is not emulated";
  /// empty if it is not known either.
  static std::string_view whyUnsupported(std::string_view mnemonic);

private:
  Execute watch_;
  std::unordered_map<std::string_view, std::vector<InstructionPattern>> rows_;
};

/// Mod::None if there is no such word.
Mod modifierNamed(std::string_view spelling);
/// The columns of "m64n128k32", whose modifier is named m64nNk32; else 0.
int columnsNamed(std::string_view spelling);
std::string_view spelling(Mod mod);
/// ScalarType::None if the word is no type.
ScalarType typeOf(Mod mod);

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_PTX_INSTRUCTIONTABLE_H
