//===- Control.cpp - Branches, calls and ends -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Lanes.h"
#include "Machine/Cta.h"

namespace qcc::emu {
namespace {

/// .uni promises that lanes do not part.
void checkUniform(Warp &warp, const Instruction &inst, uint32_t mask) {
  if (!inst.has(Mod::uni) || mask == warp.active())
    return;
  if (Report *report =
          warp.report(ReportKind::WarpDivergence, inst, __builtin_ctz(mask)))
    report->message = "a branch with .uni that only some lanes take";
}

void bra(Warp &warp, const Instruction &inst, uint32_t mask) {
  checkUniform(warp, inst, mask);
  warp.branch(inst, mask, inst.target);
}

void brxIdx(Warp &warp, const Instruction &inst, uint32_t mask) {
  const std::vector<uint32_t> &table =
      warp.frame().function->branchTables[inst.target];
  const uint32_t *index = warp.in<uint32_t>(inst.op(0));
  uint32_t targets[32];
  bool isGood = true;
  forLanes(mask, [&](int i) {
    if (index[i] < table.size()) {
      targets[i] = table[index[i]];
      return;
    }
    isGood = false;
    if (Report *report = warp.report(ReportKind::OutOfBounds, inst, i))
      report->message = "entry " + std::to_string(index[i]) +
                        " of a table of " + std::to_string(table.size()) +
                        " labels";
  });
  if (isGood)
    warp.branchIndexed(inst, mask, targets);
  else
    warp.cta().kill();
}

void call(Warp &warp, const Instruction &inst, uint32_t mask) {
  warp.call(inst, mask);
}
void ret(Warp &warp, const Instruction &, uint32_t mask) {
  warp.returnFrom(mask);
}
void exitLanes(Warp &warp, const Instruction &, uint32_t mask) {
  warp.exitLanes(mask);
}
void trap(Warp &warp, const Instruction &inst, uint32_t mask) {
  warp.trap(inst, mask, "the kernel has trapped");
}
void sleep(Warp &warp, const Instruction &, uint32_t) { warp.yield(); }
void nothing(Warp &, const Instruction &, uint32_t) {}
void waitForKernels(Warp &warp, const Instruction &, uint32_t mask) {
  warp.waitForKernels(mask);
}

template <Flow flow, Execute function> bool selectFlow(Instruction &inst) {
  inst.flow = flow;
  inst.execute = function;
  return true;
}

constexpr CostClass cost = CostClass::Branch;

constexpr InstructionRow rows[] = {
    {"bra", "?uni", "label", selectFlow<Flow::Branch, bra>, cost},
    {"brx", "idx ?uni", "u32 labels", selectFlow<Flow::IndexedBranch, brxIdx>,
     cost},
    {"call", "?uni", "call", selectFlow<Flow::Call, call>, cost},
    {"ret", "?uni", "", selectFlow<Flow::Return, ret>, cost},
    {"exit", "", "", selectFlow<Flow::Exit, exitLanes>, cost},
    {"trap", "", "", selectFlow<Flow::Trap, trap>, cost},
    {"brkpt", "", "", selectFlow<Flow::Trap, trap>, cost},
    {"nanosleep", "u32", "0", select<sleep>, cost, {0, 62}},
    {"pmevent", "", "#", select<nothing>, cost},
    // Launches follow one another. What is checked is that threads wait before
    // they need what kernels before have done.
    {"griddepcontrol", "wait", "", select<waitForKernels>, cost, {90, 78}},
    {"griddepcontrol",
     "launch_dependents",
     "",
     select<nothing>,
     cost,
     {90, 78}},
};

} // namespace

RowList controlRows() { return rowList(rows); }

} // namespace qcc::emu
