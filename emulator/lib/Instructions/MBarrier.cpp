//===- MBarrier.cpp - Operations on barriers in shared memory -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes take turns, in their order. Scopes say nothing more.
//
//===----------------------------------------------------------------------===//

#include "Instructions/Lanes.h"
#include "Machine/Access.h"
#include "Machine/Cta.h"

namespace qcc::emu {
namespace {

/// Lanes at one address, whose operation is checked as an access.
struct Group {
  Cta *owner = nullptr; ///< Whose the memory is.
  uint64_t offset = 0;
  uint32_t lanes = 0;
};

/// Calls body(group) for the lanes of each address that may be used, as those
/// of `kind` with or without strength.
template <typename Body>
void forAddresses(Warp &warp, const Instruction &inst, uint32_t mask,
                  const Operand &address, AccessKind kind, Strength strength,
                  Body body) {
  Access access;
  access.inst = &inst;
  access.kind = kind;
  access.space = inst.space;
  access.strength = strength;
  access.size = access.elementSize = MBarriers::objectBytes;
  forLanes(mask, [&](int i) { access.address[i] = warp.address(address, i); });
  while (mask) {
    Group group;
    int first = __builtin_ctz(mask);
    for (uint32_t rest = mask; rest; rest &= rest - 1)
      if (access.address[__builtin_ctz(rest)] == access.address[first])
        group.lanes |= rest & (0 - rest);
    mask &= ~group.lanes;
    access.mask = group.lanes;
    auto [space, offset] = warp.resolve(access, first);
    Cta *owner = &warp.cta();
    if (space == StateSpace::Shared)
      if (Cta *other = warp.cta().ownerOfShared(offset))
        owner = other;
    group.owner = owner;
    group.offset = offset;
    if (owner->memory().touchMBarrier(warp, access, space, offset))
      body(group);
  }
}

MBarriers::Place placeOf(Warp &warp, const Instruction &inst, int lane,
                         const Group &group) {
  return {warp, inst, lane, group.offset};
}

//===----------------------------------------------------------------------===//
// Objects and arrivals
//===----------------------------------------------------------------------===//

void init(Warp &warp, const Instruction &inst, uint32_t mask) {
  forAddresses(warp, inst, mask, inst.op(0), AccessKind::Store, Strength::Weak,
               [&](const Group &group) {
                 forLanes(group.lanes, [&](int i) {
                   group.owner->mbarriers().init(
                       placeOf(warp, inst, i, group),
                       int64_t(warp.lane(inst.op(1), i)));
                 });
               });
}

void invalidate(Warp &warp, const Instruction &inst, uint32_t mask) {
  forAddresses(warp, inst, mask, inst.op(0), AccessKind::Store, Strength::Weak,
               [&](const Group &group) {
                 forLanes(group.lanes, [&](int i) {
                   group.owner->mbarriers().invalidate(
                       placeOf(warp, inst, i, group));
                 });
                 group.owner->memory().forgetShared(group.offset,
                                                    MBarriers::objectBytes);
               });
}

/// expect_tx and complete_tx.
void changeBytes(Warp &warp, const Instruction &inst, uint32_t mask) {
  int64_t sign = inst.has(Mod::complete_tx) ? -1 : 1;
  forAddresses(warp, inst, mask, inst.op(0), AccessKind::Atomic, Strength::Gpu,
               [&](const Group &group) {
                 forLanes(group.lanes, [&](int i) {
                   group.owner->mbarriers().addBytes(
                       placeOf(warp, inst, i, group),
                       sign * int64_t(warp.lane(inst.op(1), i)));
                 });
               });
}

/// Groups: state, address, count or bytes.
void arrive(Warp &warp, const Instruction &inst, uint32_t mask) {
  MBarriers::Arrival arrival;
  arrival.mayComplete = !inst.has(Mod::noComplete);
  arrival.drops = inst.has(Mod::arrive_drop);
  bool expects = inst.has(Mod::expect_tx);
  forAddresses(warp, inst, mask, inst.op(1), AccessKind::Atomic, Strength::Gpu,
               [&](const Group &group) {
                 BarrierClocks *published =
                     group.owner->mbarriers().publishedAt(group.offset);
                 if (published && !inst.has(Mod::relaxed))
                   warp.clock().release(*published, group.lanes,
                                        warp.lanes() & ~warp.exited());
                 forLanes(group.lanes, [&](int i) {
                   if (inst.hasOperand(2))
                     (expects ? arrival.bytes : arrival.count) =
                         int64_t(warp.lane(inst.op(2), i));
                   uint64_t state = group.owner->mbarriers().arrive(
                       placeOf(warp, inst, i, group), arrival);
                   warp.setLane(inst.op(0), i, state);
                 });
               });
}

bool selectArrive(Instruction &inst) {
  inst.execute = arrive;
  // Only the CTA's own barrier returns a state.
  bool isOfCluster = inst.has(Mod::shared_cluster);
  return !(isOfCluster && inst.hasOperand(0));
}

void pendingCount(Warp &warp, const Instruction &inst, uint32_t mask) {
  forLanes(mask, [&](int i) {
    warp.setLane(inst.op(0), i, MBarriers::pendingOf(warp.lane(inst.op(1), i)));
  });
}

/// The copies that the lanes have issued so far arrive when they are done.
void arriveOfCopies(Warp &warp, const Instruction &inst, uint32_t mask) {
  forAddresses(
      warp, inst, mask, inst.op(0), AccessKind::Atomic, Strength::Gpu,
      [&](const Group &group) {
        if (!group.owner->mbarriers().publishedAt(group.offset))
          return;
        if (!inst.has(Mod::noinc))
          forLanes(group.lanes, [&](int i) {
            group.owner->mbarriers().addPending(placeOf(warp, inst, i, group));
          });
        group.owner->memory().arriveAfterCopies(warp, inst, group.lanes,
                                                group.offset);
      });
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// Groups: predicate, address, state or parity, hint of time.
void wait(Warp &warp, const Instruction &inst, uint32_t mask) {
  uint32_t over = 0;
  std::vector<Group> failed;
  forAddresses(warp, inst, mask, inst.op(1), AccessKind::Load, Strength::Gpu,
               [&](const Group &group) {
                 uint32_t ended = 0;
                 forLanes(group.lanes, [&](int i) {
                   MBarriers::Awaited awaited = {inst.has(Mod::parity),
                                                 warp.lane(inst.op(2), i)};
                   bool isOver = group.owner->mbarriers().isOver(
                       placeOf(warp, inst, i, group), awaited);
                   ended |= uint32_t(isOver) << i;
                 });
                 if (ended && !inst.has(Mod::relaxed))
                   group.owner->mbarriers().acquire(warp, group.offset, ended);
                 over |= ended;
                 if (group.lanes != ended)
                   failed.push_back(
                       {group.owner, group.offset, group.lanes & ~ended});
               });
  warp.setPredicate(inst.op(0), mask, over);
  warp.endMBarrierWaits(over);
  for (const Group &group : failed)
    warp.noteMBarrierWait(inst, group.offset, group.lanes);
}

constexpr CostClass cost = CostClass::Barrier;

// The objects of the CTA, or of the cluster.
#define OWN "?shared|shared::cta "
#define ANY "?shared|shared::cta|shared::cluster "

constexpr InstructionRow rows[] = {
    {"mbarrier", "init " OWN "b64", "[] u32", select<init>, cost, {80, 70}},
    {"mbarrier", "inval " OWN "b64", "[]", select<invalidate>, cost, {80, 70}},
    {"mbarrier",
     "expect_tx|complete_tx ?relaxed ?cta|cluster " ANY "b64",
     "[] u32",
     select<changeBytes>,
     cost,
     {90, 80}},
    {"mbarrier",
     "arrive|arrive_drop ?release|relaxed ?cta|cluster " ANY "b64",
     "=_0 []",
     selectArrive,
     cost,
     {80, 70}},
    {"mbarrier",
     "arrive|arrive_drop ?release|relaxed ?cta|cluster " ANY "b64",
     "=_0 [] u32",
     selectArrive,
     cost,
     {90, 78}},
    {"mbarrier",
     "arrive|arrive_drop expect_tx ?release|relaxed ?cta|cluster " ANY "b64",
     "=_0 [] u32",
     selectArrive,
     cost,
     {90, 80}},
    {"mbarrier",
     "arrive|arrive_drop noComplete ?release ?cta " OWN "b64",
     "=_0 [] u32",
     selectArrive,
     cost,
     {80, 70}},
    {"mbarrier",
     "test_wait ?acquire|relaxed ?cta|cluster " OWN "b64",
     "=pred [] 0",
     select<wait>,
     cost,
     {80, 70}},
    {"mbarrier",
     "test_wait parity ?acquire|relaxed ?cta|cluster " OWN "b64",
     "=pred [] u32",
     select<wait>,
     cost,
     {80, 71}},
    {"mbarrier",
     "try_wait ?acquire|relaxed ?cta|cluster " OWN "b64",
     "=pred [] 0 ?u32",
     select<wait>,
     cost,
     {90, 78}},
    {"mbarrier",
     "try_wait parity ?acquire|relaxed ?cta|cluster " OWN "b64",
     "=pred [] u32 ?u32",
     select<wait>,
     cost,
     {90, 78}},
    {"mbarrier",
     "pending_count b64",
     "=u32 0",
     select<pendingCount>,
     cost,
     {80, 70}},
    {"cp",
     "async mbarrier arrive ?noinc " OWN "b64",
     "[]",
     select<arriveOfCopies>,
     cost,
     {80, 70}},
};

} // namespace

RowList mbarrierRows() { return rowList(rows); }

} // namespace qcc::emu
