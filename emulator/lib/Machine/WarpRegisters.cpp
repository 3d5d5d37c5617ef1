//===- WarpRegisters.cpp - Registers that wgmma uses ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of a warpgroup uses accumulators, and maybe registers of A, from
// its issue until the warp waits for it. Before the issue, a wgmma.fence must
// follow what the threads did to these registers.
//
//===----------------------------------------------------------------------===//

#include "Machine/Cta.h"
#include "Machine/Warp.h"
#include "PTX/BlockGraph.h"
#include "PTX/InstructionTable.h"

#include <algorithm>

namespace qcc::emu {

/// The name in the text of a register.
static std::string nameOfRegister(const Function &function, uint32_t slot) {
  const auto &names = function.registerNames;
  auto it = std::lower_bound(
      names.begin(), names.end(), slot,
      [](const auto &entry, uint32_t slot) { return entry.first < slot; });
  return it != names.end() && it->first == slot ? std::string(it->second)
                                                : "a register";
}

void Warp::fenceRegisters() { ++registerTime_; }

void Warp::returnRegisters(uint32_t product) { doneProduct_ = product; }

void Warp::watchRegisters(const Instruction &inst) {
  forRegisterOperands(inst, [&](const Operand &operand) {
    if (frame_->asyncRegisters.empty())
      return;
    AsyncRegister &used = frame_->asyncRegisters[placeOf(operand.slot)];
    used.accessed = registerTime_;
    if (used.product <= doneProduct_)
      return;
    Report *report = this->report(ReportKind::WgmmaRace, inst, -1);
    if (!report)
      return;
    report->message = std::string(operand.isWritten ? "a write" : "a read") +
                      " of " + nameOfRegister(*frame_->function, operand.slot) +
                      ", which a wgmma that nothing has waited for " +
                      (used.isAccumulator ? "still writes" : "still reads");
    report->notes.push_back("it was issued at " +
                            launch_.program->describePlace(*used.inst) +
                            "; wgmma.commit_group and wgmma.wait_group must "
                            "come between");
  });
}

Frame *Warp::frameOfWarpgroup() {
  if (isRunning_)
    return frame_;
  for (const Split &split : splits_)
    if (split.state == Split::AtWarpgroup)
      return split.frame;
  return frames_.front().get();
}

void Warp::takeRegisters(const Instruction &inst, Frame &frame,
                         uint32_t product) {
  if (frame.asyncRegisters.empty())
    return;
  auto complain = [&](const Operand &operand, const std::string &what,
                      const Instruction *other) {
    Report *report = this->report(ReportKind::WgmmaRace, inst, -1);
    if (!report)
      return;
    report->message = nameOfRegister(*frame.function, operand.slot) + what;
    if (other)
      report->notes.push_back("that wgmma was issued at " +
                              launch_.program->describePlace(*other));
  };
  auto take = [&](int group, bool isAccumulator) {
    for (int i = 0; i < inst.count(group); ++i) {
      const Operand &operand = inst.op(group, i);
      if (operand.kind != OperandKind::Register)
        continue;
      AsyncRegister &used = frame.asyncRegisters[placeOf(operand.slot)];
      bool isTaken = used.product > doneProduct_;
      // Products of one shape may follow each other without a fence or a wait.
      bool isChain = isTaken && isAccumulator && used.isAccumulator &&
                     used.inst->columns == inst.columns &&
                     used.inst->types == inst.types;
      bool areReads = isTaken && !isAccumulator && !used.isAccumulator;
      if (isTaken && !isChain && !areReads)
        complain(operand,
                 " belongs to a wgmma of another shape or use that nothing has "
                 "waited for",
                 used.inst);
      else if (!isTaken && used.accessed == registerTime_)
        complain(operand,
                 " is used by a wgmma, and no wgmma.fence follows what the "
                 "threads did to it before",
                 nullptr);
      used.product = product;
      used.isAccumulator = isAccumulator;
      used.inst = &inst;
    }
  };
  take(0, /*isAccumulator=*/true);
  if (inst.count(2) > 1)
    take(2, /*isAccumulator=*/false);
}

//===----------------------------------------------------------------------===//
// Waiting for the other warps
//===----------------------------------------------------------------------===//

void Warp::waitInWarpgroup() {
  size_t split = current_;
  leave();
  stopped_ = true;
  splits_[split].state = Split::AtWarpgroup;
}

void Warp::leaveWarpgroup() {
  for (Split &split : splits_)
    if (split.state == Split::AtWarpgroup) {
      split.state = Split::Ready;
      noteOwnChange();
    }
}

} // namespace qcc::emu
