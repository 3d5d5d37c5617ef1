//===- Cluster.cpp - Addresses and barriers of clusters -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Lanes.h"
#include "Machine/AddressSpace.h"
#include "Machine/Cta.h"

namespace qcc::emu {
namespace {

/// mapa: the address in the memory of a CTA of the cluster that corresponds to
/// one in the own memory.
void mapAddress(Warp &warp, const Instruction &inst, uint32_t mask) {
  const Operand &source = inst.op(1);
  uint64_t window = inst.space == StateSpace::Shared ? 0 : sharedWindow;
  forLanes(mask, [&](int i) {
    uint64_t address = source.kind == OperandKind::Address
                           ? warp.address(source, i)
                           : warp.lane(source, i);
    warp.setLane(inst.op(0), i,
                 window +
                     sharedOfRank(address - window, warp.lane(inst.op(2), i)));
  });
}

void rankOfAddress(Warp &warp, const Instruction &inst, uint32_t mask) {
  uint64_t window = inst.space == StateSpace::Shared ? 0 : sharedWindow;
  forLanes(mask, [&](int i) {
    uint64_t offset = warp.lane(inst.op(1), i) - window;
    warp.setLane(inst.op(0), i,
                 namesRank(offset) ? rankOfShared(offset) : warp.cta().rank());
  });
}

void arrive(Warp &warp, const Instruction &inst, uint32_t mask) {
  if (inst.has(Mod::aligned))
    mask = warp.gatherAligned(inst, mask, ReportKind::BarrierDivergence);
  if (mask)
    warp.cta().cluster().arrive(warp, inst, mask);
}

void wait(Warp &warp, const Instruction &inst, uint32_t mask) {
  if (inst.has(Mod::aligned))
    mask = warp.gatherAligned(inst, mask, ReportKind::BarrierDivergence);
  if (mask && !warp.cta().cluster().wait(warp, inst, mask))
    warp.tryAgain(inst, mask);
}

constexpr CostClass cost = CostClass::Barrier;

constexpr InstructionRow rows[] = {
    {"barrier",
     "cluster arrive ?release|relaxed ?aligned",
     "",
     select<arrive>,
     cost,
     {90, 78}},
    {"barrier",
     "cluster wait ?acquire ?aligned",
     "",
     select<wait>,
     cost,
     {90, 78}},
    {"mapa",
     "?shared::cluster u32|u64",
     "=0 mov u32",
     select<mapAddress>,
     CostClass::Integer,
     {90, 78}},
    {"getctarank",
     "?shared::cluster u32|u64",
     "=u32 0",
     select<rankOfAddress>,
     CostClass::Integer,
     {90, 78}},
};

} // namespace

RowList clusterRows() { return rowList(rows); }

} // namespace qcc::emu
