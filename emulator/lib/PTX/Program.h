//===- Program.h - A parsed module, ready to run ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parser makes of PTX text. Everything is resolved: a register is the
// place of its 32 lanes, a label the index of an instruction, a modifier an
// enumerator, and each instruction knows the function that executes it.
//
// A frame is the registers of one call of a function by one warp: lanes of a
// register lie side by side, in 2 bytes each for types up to 16 bits, else in
// the type's size; a predicate is one 32-bit mask. An immediate is 32 copies of
// it in the program's pool of constants, so that an executor reads both alike:
//
//   add.s32 %r3, %r1, 7;   d[lane] = a[lane] + b[lane], lane = 0 ... 31
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_PTX_PROGRAM_H
#define QCC_LIB_EMULATOR_PTX_PROGRAM_H

#include "PTX/Layout.h"

#include "qcc/Emulator/Emulator.h"

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace qcc::emu {

/// Bytes of a lane of a register or constant; a predicate is one mask in all.
inline uint32_t laneBytes(ScalarType type) {
  int bits = bitsOf(type);
  return bits <= 16 ? 2 : bits / 8;
}

class Warp;
struct Instruction;
struct InstructionRow;

/// Words after the dots of instructions (Modifiers.def).
enum class Mod : uint8_t {
  None,
#define MODIFIER(NAME, SPELLING) NAME,
#include "Modifiers.def"
};

/// Executes an instruction for the lanes of `mask`, which is never 0.
using Execute = void (*)(Warp &warp, const Instruction &inst, uint32_t mask);

enum class OperandKind : uint8_t {
  Absent,   ///< An optional operand left out, or the sink `_`.
  Register, ///< Lanes in the frame.
  Constant, ///< Lanes in the pool of constants.
  Address,  ///< Base plus value; the base is a register, or absent.
  Special   ///< A special register that changes; value: SpecialRegister.
};

/// Where the base of an address or of the value of a symbol comes from.
enum class Origin : uint8_t {
  Zero,     ///< The value alone.
  Register, ///< A register of the frame.
  Local     ///< The frame's local memory.
};

struct Operand {
  OperandKind kind = OperandKind::Absent;
  /// Of the register as declared, or of the constant.
  ScalarType type = ScalarType::None;
  Origin origin = Origin::Zero; ///< Of an address.
  bool negated = false;         ///< A predicate with '!'.
  bool isWritten = false;       ///< A register that is a destination.
  uint32_t slot = 0;            ///< Byte offset in the frame or pool.
  int64_t value = 0;            ///< Displacement, or the constant's bits.

  bool isPresent() const { return kind != OperandKind::Absent; }
};

/// An operand as written: a single one, or a vector in braces.
struct OperandGroup {
  uint16_t first = 0, count = 0;
};

/// What comes after an instruction.
enum class Flow : uint8_t {
  Next,
  Branch,        ///< Instruction::target.
  IndexedBranch, ///< One of Function::branchTables[target].
  Call,          ///< Function `target`, then the next instruction.
  Return,
  Exit,
  Trap
};

/// What an instruction does with an operand whose value is undefined: because
/// nothing has written the register or the memory that it comes from, or a
/// shuffle has made it up.
enum class ValueUse : uint8_t {
  Untracked,  ///< None of its operands can be undefined.
  Computes,   ///< The result is undefined too.
  Chooses,    ///< One operand of two becomes the result (selp).
  Assembles,  ///< Parts of a word: undefined if all of them are.
  Decides,    ///< and, or of predicates: one operand may do.
  Shuffles,   ///< Passes values to other lanes.
  Updates,    ///< Accumulators of wgmma: matter if the result adds to them.
  Multiplies, ///< Makes rows and columns of a matrix undefined.
  Stores,     ///< Leaves it in memory: in some, as if it were not written.
  Observes    ///< Branches, addresses, memory, other threads: wrong.
};

constexpr int maxModifiers = 14;
constexpr int maxTypes = 4;
constexpr int maxGroups = 9;

struct Instruction {
  Execute execute = nullptr;
  Execute watched = nullptr; ///< What `execute` calls (AsyncRegisters.h).
  const InstructionRow *row = nullptr;
  const Operand *operands = nullptr; ///< Of all groups, one after the other.
  std::array<OperandGroup, maxGroups> groups;
  uint8_t numGroups = 0;

  bool hasGuard = false, guardNegated = false;
  uint32_t guardSlot = 0;

  /// The words of the instruction, by slots of its row; None: left out.
  std::array<Mod, maxModifiers> modifiers = {};
  /// The modifiers that are types, in order.
  std::array<ScalarType, maxTypes> types = {};
  StateSpace space = StateSpace::Generic;
  uint8_t vector = 1;   ///< Elements of a vector access.
  uint16_t columns = 0; ///< Of the result of wgmma.mma_async.
  Flow flow = Flow::Next;
  CostClass cost = CostClass::Free;
  /// Whether other CTAs may see it as communication.
  bool communicates = false;
  bool isStore = false;  ///< Writes memory and reads none.
  bool feedsCas = false; ///< A load whose value atom.cas checks (CasLoads.h).
  ValueUse valueUse = ValueUse::Untracked;
  int useDistance = -1; ///< Of a load that starts a batch (LoadBatches.h).
  /// Whatever the row's select function keeps for the executor.
  uint64_t data = 0;

  /// Of control flow: an instruction of this function, a function, or a table.
  uint32_t target = 0;
  /// Where diverged lanes meet again; noTarget: nowhere before the end.
  uint32_t reconvergence = 0;

  /// Its number among all instructions of the program.
  uint32_t site = 0;
  uint32_t line = 0;
  uint32_t textBegin = 0, textEnd = 0;
  int32_t sourceFile = -1, sourceLine = 0; ///< From .loc.

  const Operand &op(int group, int element = 0) const {
    return operands[groups[group].first + element];
  }
  int count(int group) const { return groups[group].count; }
  bool hasOperand(int group) const {
    return group < numGroups && groups[group].count > 0 &&
           op(group).isPresent();
  }
  bool has(Mod mod) const {
    for (Mod m : modifiers)
      if (m == mod)
        return true;
    return false;
  }
};

constexpr uint32_t noTarget = ~0u;

struct Variable {
  std::string name;
  StateSpace space = StateSpace::Global;
  ScalarType type = ScalarType::B8;
  int64_t size = 0; ///< Bytes; 0: as much as the launch gives (extern shared).
  int64_t alignment = 1;
  bool isExternal = false;
  bool isPointer = false; ///< A parameter declared .ptr.
  /// Shared: offset in the CTA's window. Global and constant: the address in
  /// device memory. Local and parameters of device functions: offset in the
  /// frame's local memory. Parameters of kernels: offset in their block.
  int64_t address = 0;
  std::vector<uint8_t> initial; ///< Empty: zeros.
  /// Addresses of other variables that are to be added to `initial`.
  struct Relocation {
    int64_t offset;
    uint32_t variable; ///< Index of Program::variables.
    int bytes;
  };
  std::vector<Relocation> relocations;
};

/// A natural loop: instructions that its header dominates and that reach it.
struct Loop {
  uint32_t header = 0;
  int parent = -1;
  int depth = 1;
};

struct SpecialUse {
  uint8_t special;
  uint32_t slot;
};

/// A register that some path reads before anything writes it.
struct UnsetRegister {
  uint32_t place; ///< Its number (BlockGraph.h).
  std::string_view name;
  uint32_t firstRead; ///< Index of an instruction.
};

struct Program;

struct Function : public Kernel {
  const Program *program = nullptr;
  std::string functionName;
  bool isEntry = false, isDefined = false;
  /// Why it cannot be run, where it cannot.
  rt::Status refusal;
  int line = 0;
  uint32_t firstSite = 0;
  std::vector<Variable> params, results; ///< `params` for callers: below.
  std::vector<ParameterInfo> parameterInfos;
  Layout paramLayout; ///< The block of a kernel's parameters.

  std::vector<Instruction> code;
  std::vector<Operand> operands;
  std::vector<std::vector<uint32_t>> branchTables;
  std::vector<SpecialUse> specials; ///< To be filled in when a frame starts.

  uint32_t frameBytes = 0;
  /// By slot, in their order; the names are in the program's text.
  std::vector<std::pair<uint32_t, std::string_view>> registerNames;
  std::vector<UnsetRegister> unset;
  /// The slot of 32 64-bit addresses of the frame's local memory.
  uint32_t localBaseSlot = 0;
  Layout localLayout; ///< Of one lane.
  /// Of the function alone; of a kernel, when the module is complete, all that
  /// it can reach.
  Layout sharedLayout;
  Dim3 required{0, 0, 0}, maximal{0, 0, 0};
  Dim3 cluster{0, 0, 0}; ///< .reqnctapercluster; 0s: it is not named.
  bool needsExplicitCluster = false; ///< .explicitcluster

  std::vector<Loop> loops;
  std::vector<int> loopOf; ///< Of each instruction; -1: none.
  int liveRegisters = 0;
  int maxRegisters = 0;       ///< .maxnreg; 0: there is no such limit.
  int minCtas = 0;            ///< .minnctapersm; 0: it is not named.
  bool usesProducts = false;  ///< Has a wgmma.mma_async.
  bool setsRegisters = false; ///< Has a setmaxnreg.

  /// Whether CTAs may talk to each other: atomics and the like on memory that
  /// they share.
  bool communicates = false;
  /// Whether it has strong loads among them, which are not atomics.
  bool readsStrongly = false;
  // Kernel:
  const std::string &name() const override { return functionName; }
  const std::vector<ParameterInfo> &parameters() const override {
    return parameterInfos;
  }
  int64_t staticShared() const override { return sharedLayout.bytes; }
  Dim3 requiredBlock() const override { return required; }
  int registers() const override { return liveRegisters; }
};

struct Program {
  std::string name; ///< For messages.
  std::string text;
  int version = 0; ///< 10 * major + minor.
  std::string target;
  int smVersion = 0; ///< 80
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<Variable> variables; ///< Of the module.
  std::vector<uint8_t> constants;  ///< The pool of immediates.
  std::unordered_map<int, std::string> files;
  /// Static shared memory outside of kernels.
  Layout sharedLayout;
  /// Where .extern .shared variables lie. Without any, dynamic shared memory
  /// follows the static one of the kernel at once.
  bool hasExternalShared = false;
  int64_t externalSharedOffset = 0, externalSharedAlignment = 1;

  uint32_t numSites = 0;

  const Function &functionAt(uint32_t site) const;
  const Instruction &instructionAt(uint32_t site) const {
    const Function &function = functionAt(site);
    return function.code[site - function.firstSite];
  }
  /// "prog.ptx:12: add.s32 ...", as reports and counters show it.
  CodeLocation locate(const Instruction &inst) const;
  /// "line 12 (add.s32 ...)"
  std::string describePlace(const Instruction &inst) const;
  std::string_view textOf(const Instruction &inst) const {
    return std::string_view(text).substr(inst.textBegin,
                                         inst.textEnd - inst.textBegin);
  }
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_PTX_PROGRAM_H
