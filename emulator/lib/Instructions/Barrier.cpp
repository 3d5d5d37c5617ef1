//===- Barrier.cpp - Barriers and fences ----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Lanes.h"
#include "Machine/Cta.h"

namespace qcc::emu {
namespace {

/// An operand that must be the same for all lanes.
int uniformValue(Warp &warp, const Instruction &inst, uint32_t mask,
                 int group) {
  const Operand &operand = inst.op(group);
  uint64_t value = warp.lane(operand, __builtin_ctz(mask));
  bool differ = false;
  forLanes(mask, [&](int i) { differ |= warp.lane(operand, i) != value; });
  if (differ)
    if (Report *report =
            warp.report(ReportKind::BarrierMisuse, inst, __builtin_ctz(mask)))
      report->message = "lanes of a warp name different barriers or counts";
  return static_cast<int>(std::min<uint64_t>(value, INT32_MAX));
}

/// Data: the group of the barrier's number, of the number of threads and of the
/// predicate, each plus 1; 0 if the instruction lacks it.
constexpr int threadsShift = 8, predicateShift = 16;

void barrier(Warp &warp, const Instruction &inst, uint32_t mask) {
  int numberGroup = static_cast<int>(inst.data & 0xff) - 1;
  int threadsGroup = static_cast<int>(inst.data >> threadsShift & 0xff) - 1;
  int predicateGroup = static_cast<int>(inst.data >> predicateShift & 0xff) - 1;
  bool isAligned =
      inst.has(Mod::aligned) || inst.row->mnemonic[3] == '\0'; // "bar"
  if (isAligned)
    mask = warp.gatherAligned(inst, mask, ReportKind::BarrierDivergence);
  if (mask == 0)
    return;
  Barriers::Arrival arrival;
  arrival.inst = &inst;
  arrival.mask = mask;
  arrival.isAligned = isAligned;
  arrival.barrier = uniformValue(warp, inst, mask, numberGroup);
  if (threadsGroup >= 0) {
    arrival.threads = uniformValue(warp, inst, mask, threadsGroup);
    if (arrival.threads == 0)
      arrival.threads = -1; // Not the same as none.
  }
  arrival.waits = !inst.has(Mod::arrive);
  if (predicateGroup >= 0) {
    using Reduction = Barriers::Reduction;
    arrival.reduction = inst.has(Mod::popc)   ? Reduction::Popc
                        : inst.has(Mod::and_) ? Reduction::And
                                              : Reduction::Or;
    arrival.predicates = warp.predicate(inst.op(predicateGroup));
  }
  warp.cta().barriers().arrive(warp, arrival);
}

template <int number, int threads, int predicate>
bool selectBarrier(Instruction &inst) {
  int threadsGroup = threads >= 0 && inst.hasOperand(threads) ? threads : -1;
  inst.data = uint64_t(number + 1) |
              uint64_t(threadsGroup + 1) << threadsShift |
              uint64_t(predicate + 1) << predicateShift;
  inst.execute = barrier;
  return true;
}

void fence(Warp &warp, const Instruction &inst, uint32_t mask) {
  bool isMembar = inst.row->mnemonic[0] == 'm'; // Another name of fence.sc.
  FenceKind kind = isMembar || inst.has(Mod::sc) ? FenceKind::Sequential
                   : inst.has(Mod::acquire)      ? FenceKind::Acquire
                   : inst.has(Mod::release)      ? FenceKind::Release
                                                 : FenceKind::AcquireRelease;
  Strength scope = inst.has(Mod::cta) ? Strength::Cta : Strength::Gpu;
  warp.clock().fence(scope, kind, mask, warp.lanes() & ~warp.exited());
  if (scope == Strength::Gpu)
    warp.cta().memory().fence(kind);
}

/// Makes mbarrier.init known to the cluster, which is the CTA here, before what
/// orders threads.
void fenceInit(Warp &warp, const Instruction &, uint32_t mask) {
  warp.cta().mbarriers().fenceInit(warp, mask);
}

/// Between accesses of threads and those of asynchronous units. Fences of
/// .global only and of .alias order nothing here.
void fenceProxy(Warp &warp, const Instruction &inst, uint32_t mask) {
  if (inst.has(Mod::global) || inst.has(Mod::alias))
    return;
  warp.cta().memory().fenceProxy(warp, mask);
  warp.cta().mbarriers().fenceInit(warp, mask);
}

constexpr CostClass cost = CostClass::Barrier;

constexpr InstructionRow rows[] = {
    {"bar", "?cta sync", "u32 ?u32", selectBarrier<0, 1, -1>, cost},
    {"bar", "?cta arrive", "u32 u32", selectBarrier<0, 1, -1>, cost},
    {"bar", "?cta red popc u32", "=u32 u32 !pred", selectBarrier<1, -1, 2>,
     cost},
    {"bar", "?cta red popc u32", "=u32 u32 u32 !pred", selectBarrier<1, 2, 3>,
     cost},
    {"bar", "?cta red and|or pred", "=pred u32 !pred", selectBarrier<1, -1, 2>,
     cost},
    {"bar", "?cta red and|or pred", "=pred u32 u32 !pred",
     selectBarrier<1, 2, 3>, cost},
    {"barrier",
     "?cta sync ?aligned",
     "u32 ?u32",
     selectBarrier<0, 1, -1>,
     cost,
     {0, 60}},
    {"barrier",
     "?cta arrive ?aligned",
     "u32 u32",
     selectBarrier<0, 1, -1>,
     cost,
     {0, 60}},
    {"barrier",
     "?cta red popc ?aligned u32",
     "=u32 u32 !pred",
     selectBarrier<1, -1, 2>,
     cost,
     {0, 60}},
    {"barrier",
     "?cta red popc ?aligned u32",
     "=u32 u32 u32 !pred",
     selectBarrier<1, 2, 3>,
     cost,
     {0, 60}},
    {"barrier",
     "?cta red and|or ?aligned pred",
     "=pred u32 !pred",
     selectBarrier<1, -1, 2>,
     cost,
     {0, 60}},
    {"barrier",
     "?cta red and|or ?aligned pred",
     "=pred u32 u32 !pred",
     selectBarrier<1, 2, 3>,
     cost,
     {0, 60}},
    {"membar", "cta|gl|sys", "", select<fence>, CostClass::Fence},
    {"fence", "?sc|acq_rel|acquire|release @scope", "", select<fence>,
     CostClass::Fence},
    {"fence",
     "proxy alias",
     "",
     select<fenceProxy>,
     CostClass::Fence,
     {70, 75}},
    {"fence",
     "proxy async ?global|shared::cta|shared::cluster",
     "",
     select<fenceProxy>,
     CostClass::Fence,
     {90, 80}},
    {"fence",
     "mbarrier_init release cluster",
     "",
     select<fenceInit>,
     CostClass::Fence,
     {90, 80}},
};

} // namespace

RowList barrierRows() { return rowList(rows); }

} // namespace qcc::emu
