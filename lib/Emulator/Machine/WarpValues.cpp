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

#include "Machine/Cta.h"
#include "Machine/Warp.h"
#include "PTX/BlockGraph.h"
#include "PTX/InstructionTable.h"

namespace qcc::emu {

uint32_t Warp::undefinedLanes(const Operand &operand) const {
  return operand.kind == OperandKind::Register && frame_->hasUndefined
             ? frame_->undefined[placeOf(operand.slot)]
             : 0;
}

void Warp::shuffleUndefined(const Instruction &inst, uint32_t mask,
                            uint32_t undefined, uint32_t madeUp) {
  if (frame_->undefined.empty() || (madeUp == 0 && !frame_->hasUndefined))
    return;
  uint32_t &lanes = frame_->undefined[placeOf(inst.op(0).slot)];
  lanes = (lanes & ~mask) | undefined | madeUp;
  if (madeUp == 0)
    return;
  frame_->hasUndefined = true;
  frame_->madeUpBy = &inst;
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
    // A constant among the elements of mov is a part too.
    for (int i = 0; inst.count(1) > 1 && i < inst.count(1); ++i)
      if (inst.op(1, i).kind == OperandKind::Constant)
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
      reportUndefined(inst, wrong);
    return;
  case ValueUse::StoresLocally:
    break;
  case ValueUse::Observes:
    wrong |= any;
    result = 0;
    break;
  }
  if (wrong)
    reportUndefined(inst, wrong);
  forRegisterOperands(inst, [&](const Operand &operand) {
    if (!operand.isWritten)
      return;
    uint32_t &lanes = undefined[placeOf(operand.slot)];
    lanes = (lanes & ~mask) | (result & mask);
  });
}

void Warp::reportUndefined(const Instruction &inst, uint32_t lanes) {
  Report *report =
      this->report(ReportKind::UndefinedValue, inst, __builtin_ctz(lanes),
                   __builtin_popcount(lanes));
  if (!report)
    return;
  report->message =
      "an operand is undefined: it comes from a register that nothing has "
      "written, or from a lane that a shuffle does not name";
  const Function &function = *frame_->function;
  const Program &program = *launch_.program;
  constexpr size_t maxNotes = 3;
  for (const UnsetRegister &unset : function.unset)
    if (report->notes.size() < maxNotes)
      report->notes.push_back(
          std::string(unset.name) + " is read at " +
          program.describePlace(function.code[unset.firstRead]) +
          " before every path to it has written it");
  if (frame_->madeUpBy)
    report->notes.push_back("a lane that is not named is read at " +
                            program.describePlace(*frame_->madeUpBy));
}

} // namespace qcc::emu
