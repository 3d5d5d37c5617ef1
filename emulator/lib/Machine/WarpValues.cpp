//===- WarpValues.cpp - Values that no instruction has made ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register that nothing has written may be copied and computed with, as
// compilers do with values that they will drop. It is wrong where it decides
// something: a branch, an address, what memory or another thread gets. Lanes
// are followed through the instructions that UndefinedValues.cpp has found.
//
//===----------------------------------------------------------------------===//

#include "Machine/Access.h"
#include "Machine/AddressSpace.h"
#include "Machine/Cta.h"
#include "Machine/Warp.h"
#include "PTX/BlockGraph.h"
#include "PTX/InstructionTable.h"
#include <cassert>

namespace qcc::emu {

uint32_t Warp::undefinedLanes(const Operand &operand) const {
  return operand.kind == OperandKind::Register && frame_->hasUndefined
             ? frame_->undefined[placeOf(operand.slot)]
             : 0;
}

//===----------------------------------------------------------------------===//
// Where they come from
//===----------------------------------------------------------------------===//

/// The origin's index. One instruction has one.
uint16_t Warp::originOf(UndefinedOrigin origin) {
  constexpr size_t maxOrigins = 1 << 12;
  for (size_t i = 1; i < origins_.size(); ++i)
    if (origins_[i].inst == origin.inst)
      return static_cast<uint16_t>(i);
  if (origins_.size() < maxOrigins)
    origins_.push_back(std::move(origin));
  assert(origins_.size() > 1 && "origin 0 is none");
  return static_cast<uint16_t>(origins_.size() - 1);
}

/// Of a load of bytes that nothing has written.
uint16_t Warp::originOf(const Instruction &inst, const Access &access) {
  int lane = __builtin_ctz(access.unwritten);
  auto [space, offset] = resolve(access, lane);
  int byte = __builtin_ctz(access.holes[lane]);
  UndefinedOrigin origin;
  origin.kind = UndefinedOrigin::Memory;
  origin.inst = &inst;
  origin.message = CtaMemory::describeHole(access, space, offset, byte);
  origin.space = space;
  origin.address = offset;
  return originOf(std::move(origin));
}

void Warp::markUndefined(const Operand &operand, uint32_t lanes,
                         uint16_t origin) {
  if (lanes == 0 || operand.kind != OperandKind::Register)
    return;
  frame_->undefined[placeOf(operand.slot)] |= lanes;
  frame_->origins[placeOf(operand.slot)] = origin;
  frame_->hasUndefined = true;
}

void Warp::shuffleUndefined(const Instruction &inst, uint32_t mask,
                            uint32_t undefined, uint32_t madeUp) {
  if (frame_->undefined.empty() || (madeUp == 0 && !frame_->hasUndefined))
    return;
  frame_->undefined[placeOf(inst.op(0).slot)] &= ~mask;
  if (undefined)
    markUndefined(inst.op(0), undefined,
                  frame_->origins[placeOf(inst.op(2).slot)]);
  UndefinedOrigin origin;
  origin.kind = UndefinedOrigin::Shuffle;
  origin.inst = &inst;
  if (madeUp)
    markUndefined(inst.op(0), madeUp, originOf(std::move(origin)));
}

void Warp::followCarry(const Instruction &inst, uint32_t mask) {
  if (frame_->undefined.empty())
    return;
  UndefinedOrigin origin;
  origin.kind = UndefinedOrigin::Carry;
  origin.inst = &inst;
  markUndefined(inst.op(0), mask & ~hasCarry, originOf(std::move(origin)));
}

std::pair<StateSpace, uint64_t> Warp::resolve(const Access &access,
                                              int lane) const {
  StateSpace space = access.space;
  uint64_t offset = access.address[lane];
  if (space == StateSpace::Generic) {
    space = spaceOfGeneric(offset);
    offset -= window(space, lane);
  }
  return {space, offset};
}

void Warp::noteUnwritten(const Instruction &inst, const Access &access) {
  if (frame_->undefined.empty())
    return;
  uint16_t origin = originOf(inst, access);
  int bytes = bytesOf(inst.types[0]);
  for (int element = 0; element < inst.vector; ++element) {
    uint64_t bits = ((uint64_t(1) << bytes) - 1) << (bytes * element);
    uint32_t undefined = 0;
    for (uint32_t lanes = access.unwritten; lanes; lanes &= lanes - 1)
      if (access.holes[__builtin_ctz(lanes)] & bits)
        undefined |= lanes & (0 - lanes);
    markUndefined(inst.op(0, element), undefined, origin);
  }
}

void Warp::noteUnwrittenRows(const Instruction &inst, const Access &access) {
  if (frame_->undefined.empty())
    return;
  uint16_t origin = originOf(inst, access);
  bool isTransposed = inst.has(Mod::trans);
  auto isHole = [&](int row, int element) {
    return (access.unwritten >> row & 1) &&
           (access.holes[row] >> (2 * element) & 3) != 0;
  };
  for (int matrix = 0; matrix < inst.count(0); ++matrix) {
    uint32_t undefined = 0;
    // A lane has two elements of 16 bits, of a row or of a column.
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 2; ++i) {
        int major = lane / 4, minor = lane % 4 * 2 + i;
        int row = isTransposed ? minor : major;
        int element = isTransposed ? major : minor;
        undefined |= uint32_t(isHole(8 * matrix + row, element)) << lane;
      }
    markUndefined(inst.op(0, matrix), undefined, origin);
  }
}

uint32_t Warp::undefinedStore(const Instruction &inst, const Operand &source,
                              const Access &access) {
  uint32_t undefined = undefinedLanes(source) & access.mask;
  if (undefined == 0)
    return 0;
  uint16_t origin = frame_->origins[placeOf(source.slot)];
  uint32_t forgets = 0, refused = 0;
  for (uint32_t lanes = undefined; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    StateSpace space = resolve(access, lane).first;
    bool isPassedOn = space == StateSpace::Local || space == StateSpace::Shared;
    if (!access.memory[lane])
      refused |= 1u << lane;
    else if (isPassedOn)
      forgets |= 1u << lane;
  }
  if (uint32_t wrong = undefined & ~forgets & ~refused)
    reportUndefined(inst, wrong, origin);
  return forgets;
}

//===----------------------------------------------------------------------===//
// Where they go
//===----------------------------------------------------------------------===//

/// The origin of the first operand that is undefined for a lane of `mask`.
uint16_t Warp::originOfAny(const Instruction &inst, uint32_t mask) const {
  if (inst.hasGuard && (frame_->undefined[placeOf(inst.guardSlot)] & active_))
    return frame_->origins[placeOf(inst.guardSlot)];
  uint16_t origin = 0;
  bool isFound = false;
  forRegisterOperands(inst, [&](const Operand &operand) {
    uint32_t place = placeOf(operand.slot);
    if (operand.isWritten || isFound || !(frame_->undefined[place] & mask))
      return;
    origin = frame_->origins[place];
    isFound = true;
  });
  return origin;
}

/// The rows, or columns, of fragments that have any of the lanes.
static uint32_t groupsOf(uint32_t lanes) {
  constexpr int lanesOfGroup = 4;
  uint32_t groups = 0;
  for (; lanes; lanes &= lanes - 1)
    groups |= 1u << (__builtin_ctz(lanes) / lanesOfGroup);
  return groups;
}

/// Rows of the first matrix and columns of the second one that have undefined
/// elements make rows and columns of the product undefined.
void Warp::followMatrix(const Instruction &inst) {
  uint16_t origin = originOfAny(inst, ~0u);
  // Registers of 16 rows belong to the first or second eight by turns.
  bool hasHalves = !(inst.has(Mod::m8n8k4) || inst.has(Mod::m8n8k16) ||
                     inst.has(Mod::m8n8k32));
  uint32_t rows[2] = {}, columns = 0;
  for (int i = 0; i < inst.count(1); ++i)
    rows[hasHalves ? i % 2 : 0] |= groupsOf(undefinedLanes(inst.op(1, i)));
  for (int i = 0; i < inst.count(2); ++i)
    columns |= groupsOf(undefinedLanes(inst.op(2, i)));
  // A register of the product has one column, or two of f16.
  bool isPacked = inst.types[0] == ScalarType::F16;
  uint32_t undefined[4] = {};
  for (int i = 0; i < inst.count(0); ++i) {
    undefined[i] = undefinedLanes(inst.op(3, i));
    int half = hasHalves ? (isPacked ? i : i / 2) : 0;
    for (int lane = 0; lane < 32; ++lane) {
      int column = lane % 4 * 2;
      uint32_t own = isPacked ? 3u << column : 1u << (column + i % 2);
      if ((rows[half] >> (lane / 4) & 1) || (columns & own))
        undefined[i] |= 1u << lane;
    }
  }
  for (int i = 0; i < inst.count(0); ++i) {
    if (inst.op(0, i).kind != OperandKind::Register)
      continue;
    frame_->undefined[placeOf(inst.op(0, i).slot)] = 0;
    markUndefined(inst.op(0, i), undefined[i], origin);
  }
}

/// Of a product of a warpgroup: factors and scale-d matter, accumulators if
/// scale-d is true.
uint32_t Warp::undefinedFactors(const Instruction &inst) const {
  constexpr int groupOfAccumulators = 1, groupOfScale = 4;
  uint32_t accumulates = predicate(inst.op(groupOfScale)), undefined = 0;
  for (int group = groupOfAccumulators; group < inst.numGroups; ++group)
    for (int i = 0; i < inst.count(group); ++i)
      undefined |= undefinedLanes(inst.op(group, i)) &
                   (group == groupOfAccumulators ? accumulates : ~0u);
  return undefined;
}

/// Whether mov makes its result of a constant among others, or cvt.
static bool hasConstantPart(const Instruction &inst) {
  switch (inst.row->mnemonic[0]) {
  case 'm':
    for (int i = 0; i < inst.count(1); ++i)
      if (inst.op(1, i).kind == OperandKind::Constant)
        return true;
    return false;
  case 'c':
    return inst.op(1).kind == OperandKind::Constant ||
           inst.op(2).kind == OperandKind::Constant;
  default:
    return false;
  }
}

void Warp::followValues(const Instruction &inst, uint32_t mask) {
  std::vector<uint32_t> &undefined = frame_->undefined;
  uint32_t wrong =
      inst.hasGuard ? undefined[placeOf(inst.guardSlot)] & active_ : 0;
  // Of any source, and of all of them.
  uint32_t any = 0, all = ~0u;
  forRegisterOperands(inst, [&](const Operand &operand) {
    uint32_t lanes = undefined[placeOf(operand.slot)] & mask;
    if (operand.kind == OperandKind::Address)
      wrong |= lanes;
    else if (!operand.isWritten) {
      any |= lanes;
      all &= lanes;
    }
  });
  uint32_t result = any;
  uint16_t origin = any | wrong ? originOfAny(inst, mask) : 0;
  switch (inst.valueUse) {
  case ValueUse::Untracked:
  case ValueUse::Computes:
    break;
  case ValueUse::Chooses: {
    uint32_t first = predicate(inst.op(3));
    result = (undefinedLanes(inst.op(1)) & first) |
             (undefinedLanes(inst.op(2)) & ~first) | undefinedLanes(inst.op(3));
    break;
  }
  case ValueUse::Assembles:
    if (hasConstantPart(inst))
      all = 0;
    result = any & all;
    break;
  case ValueUse::Decides: {
    uint32_t a = undefinedLanes(inst.op(1)), b = undefinedLanes(inst.op(2));
    bool isAnd = inst.row->mnemonic[0] == 'a';
    uint32_t decidesA = predicate(inst.op(1)) ^ (isAnd ? ~0u : 0);
    uint32_t decidesB = predicate(inst.op(2)) ^ (isAnd ? ~0u : 0);
    result = (a & b) | (a & ~decidesB) | (b & ~decidesA);
    break;
  }
  case ValueUse::Shuffles:
    // Its executor sets the result. The other operands say who takes what.
    for (int group = 3; group < inst.numGroups; ++group)
      wrong |= undefinedLanes(inst.op(group)) & mask;
    if (wrong)
      reportUndefined(inst, wrong, origin);
    return;
  case ValueUse::Updates:
    wrong |= undefinedFactors(inst) & mask;
    result = 0;
    break;
  case ValueUse::Multiplies:
    if (any && origins_[origin].kind == UndefinedOrigin::Memory) {
      followMatrix(inst);
      return;
    }
    wrong |= any;
    result = 0;
    break;
  case ValueUse::Stores: // Its executor says where to.
    break;
  case ValueUse::Observes:
    wrong |= any;
    result = 0;
    break;
  }
  if (wrong)
    reportUndefined(inst, wrong, origin);
  forRegisterOperands(inst, [&](const Operand &operand) {
    if (!operand.isWritten)
      return;
    undefined[placeOf(operand.slot)] &= ~mask;
    markUndefined(operand, result & mask, origin);
  });
}

void Warp::reportUndefined(const Instruction &inst, uint32_t lanes,
                           uint16_t origin) {
  const UndefinedOrigin &from = origins_[origin];
  bool isMemory = from.kind == UndefinedOrigin::Memory;
  const Program &program = *launch_.program;
  Report *report = this->report(
      isMemory ? ReportKind::UninitializedRead : ReportKind::UndefinedValue,
      isMemory ? *from.inst : inst, __builtin_ctz(lanes),
      __builtin_popcount(lanes));
  if (!report)
    return;
  if (isMemory) {
    report->message = from.message;
    report->space = from.space;
    report->address = from.address;
    report->allocation = std::string(spaceName(from.space)) + " memory";
    report->notes.push_back("the value decides something at " +
                            program.describePlace(inst));
    return;
  }
  report->message =
      "an operand is undefined: it comes from a register or a carry that "
      "nothing has written, or from a lane that a shuffle does not name";
  const Function &function = *frame_->function;
  constexpr size_t maxNotes = 3;
  if (from.kind == UndefinedOrigin::Register)
    for (const UnsetRegister &unset : function.unset)
      if (report->notes.size() < maxNotes)
        report->notes.push_back(
            std::string(unset.name) + " is read at " +
            program.describePlace(function.code[unset.firstRead]) +
            " before every path to it has written it");
  if (from.kind == UndefinedOrigin::Shuffle)
    report->notes.push_back("a lane that is not named is read at " +
                            program.describePlace(*from.inst));
  if (from.kind == UndefinedOrigin::Carry)
    report->notes.push_back("a carry that nothing has set is read at " +
                            program.describePlace(*from.inst));
}

} // namespace qcc::emu
