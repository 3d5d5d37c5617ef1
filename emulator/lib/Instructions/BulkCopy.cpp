//===- BulkCopy.cpp - cp.async.bulk ---------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each lane copies for itself. A multicast is a copy for each CTA that its mask
// names, at the same offsets. Words about caches change nothing.
//
//===----------------------------------------------------------------------===//

#include "Instructions/Lanes.h"
#include "Machine/Access.h"
#include "Machine/Cta.h"
#include "Machine/TensorMap.h"

namespace qcc::emu {
namespace {

Report *misuse(Warp &warp, const Instruction &inst, int lane,
               const std::string &message) {
  Report *report = warp.report(ReportKind::AsyncMisuse, inst, lane);
  if (report)
    report->message = message;
  return report;
}

/// The operands of a copy, by the group that they are in; -1: it lacks one.
struct Groups {
  int shared = 0, global = 1, size = -1, barrier = -1, map = -1,
      coordinates = -1;
  static constexpr int mask = 4; ///< Of a multicast.
};

Groups groupsOf(const Instruction &inst) {
  bool isLoad = inst.has(Mod::complete_tx_bytes);
  if (inst.has(Mod::tensor))
    return isLoad ? Groups{0, -1, -1, 3, 1, 2} : Groups{2, -1, -1, -1, 0, 1};
  return isLoad ? Groups{0, 1, 2, 3} : Groups{1, 0, 2};
}

/// Whether an operation on the mbarrier of a lane's copy is possible.
bool findBarrier(Warp &warp, const Instruction &inst, int lane, Cta &owner,
                 const BulkCopy &copy) {
  Access access;
  access.inst = &inst;
  access.kind = AccessKind::Atomic;
  access.strength = Strength::Gpu;
  access.space = StateSpace::Shared;
  access.size = access.elementSize = MBarriers::objectBytes;
  access.mask = 1u << lane;
  return owner.memory().touchMBarrier(warp, access, StateSpace::Shared,
                                      copy.barrier) &&
         owner.mbarriers().isSeenByUnits({warp, inst, lane, copy.barrier});
}

/// The pieces of a copy without a tensor map.
bool setLine(Warp &warp, const Instruction &inst, int lane,
             const Groups &groups, uint64_t shared, BulkCopy &copy) {
  uint64_t size = warp.lane(inst.op(groups.size), lane);
  uint64_t global = warp.address(inst.op(groups.global), lane);
  CtaMemory &memory = warp.cta().memory();
  if (size % BulkPiece::most != 0 || size == 0 ||
      size > uint64_t(MBarriers::maxCount)) {
    misuse(warp, inst, lane,
           "a bulk copy of " + std::to_string(size) +
               " bytes; multiples of 16 from 16 on are possible");
    return false;
  }
  if (!memory.isAligned(warp, inst, lane, StateSpace::Shared, shared,
                        BulkPiece::most) ||
      !memory.isAligned(warp, inst, lane, StateSpace::Global, global,
                        BulkPiece::most))
    return false;
  for (uint64_t i = 0; i < size; i += BulkPiece::most)
    copy.pieces.push_back(
        {global + i, static_cast<uint32_t>(shared + i), 0, BulkPiece::most});
  copy.sharedBegin = shared;
  copy.sharedEnd = shared + size;
  return true;
}

/// The pieces of a box of a tensor.
bool setBox(Warp &warp, const Instruction &inst, int lane, const Groups &groups,
            uint64_t shared, BulkCopy &copy) {
  uint64_t address = warp.address(inst.op(groups.map), lane);
  CtaMemory &memory = warp.cta().memory();
  const uint8_t *bytes = memory.constantBytes(address, TensorMap::bytes);
  std::optional<TensorMap> map;
  constexpr uint64_t alignmentOfMaps = 64;
  if (bytes && address % alignmentOfMaps == 0)
    map = decodeTensorMap(bytes);
  if (!map) {
    misuse(warp, inst, lane,
           "the 128 bytes at " + hexText(address) +
               (address % alignmentOfMaps != 0
                    ? " are no multiple of 64"
                    : " are no tensor map that encodeTensorMap has made"));
    return false;
  }
  int rank = inst.count(groups.coordinates);
  if (map->rank != rank) {
    misuse(warp, inst, lane,
           "a copy of " + std::to_string(rank) +
               " dimensions by a tensor map of " + std::to_string(map->rank));
    return false;
  }
  int32_t coordinates[TensorMap::maxRank] = {};
  for (int i = 0; i < rank; ++i)
    coordinates[i] =
        static_cast<int32_t>(warp.lane(inst.op(groups.coordinates, i), lane));
  constexpr int alignmentOfBoxes = 128;
  if (!memory.isAligned(warp, inst, lane, StateSpace::Shared, shared,
                        alignmentOfBoxes))
    return false;
  copy.pieces = piecesOfBox(*map, coordinates, shared);
  uint64_t size = copy.pieces.size() * BulkPiece::most;
  // Swizzled rows may end in the middle of a line.
  if (map->swizzle)
    size = static_cast<uint64_t>(
        alignUp(static_cast<int64_t>(size), alignmentOfBoxes));
  copy.sharedBegin = shared;
  copy.sharedEnd = shared + size;
  copy.fill = map->fill == TensorMap::Fill::NaN ? 0xff : 0;
  return true;
}

/// The CTAs whose memory a load of a lane writes. `shared` and `barrier` become
/// offsets in it.
std::vector<Cta *> targetsOf(Warp &warp, const Instruction &inst, int lane,
                             uint64_t &shared, uint64_t &barrier) {
  Cta *ofShared = warp.cta().ownerOfShared(shared);
  Cta *ofBarrier = warp.cta().ownerOfShared(barrier);
  if (!ofShared || ofShared != ofBarrier) {
    misuse(warp, inst, lane,
           ofShared && ofBarrier
               ? "the destination and the mbarrier lie in different CTAs"
               : "the destination or the mbarrier lies in a CTA that the "
                 "cluster lacks, or that has exited");
    return {};
  }
  if (!inst.has(Mod::multicast_cluster))
    return {ofShared};
  std::vector<Cta *> targets;
  for (uint64_t mask = warp.lane(inst.op(Groups::mask), lane); mask;
       mask &= mask - 1) {
    auto rank = static_cast<uint64_t>(__builtin_ctzll(mask));
    Cta *target = warp.cta().cluster().ctaOfRank(rank);
    if (target && !target->isFinished())
      targets.push_back(target);
    else
      misuse(warp, inst, lane,
             "a multicast to the CTA of rank " + std::to_string(rank) +
                 ", which the cluster lacks or which has exited");
  }
  return targets;
}

void copyOf(Warp &warp, const Instruction &inst, int lane,
            const Groups &groups) {
  BulkCopy copy;
  copy.inst = &inst;
  copy.issuer = &warp;
  copy.warp = warp.index();
  copy.lane = lane;
  copy.isLoad = groups.barrier >= 0;
  uint64_t shared = warp.address(inst.op(groups.shared), lane);
  std::vector<Cta *> targets = {&warp.cta()};
  if (copy.isLoad) {
    copy.barrier = warp.address(inst.op(groups.barrier), lane);
    targets = targetsOf(warp, inst, lane, shared, copy.barrier);
  }
  if (targets.empty() ||
      !(groups.map >= 0 ? setBox(warp, inst, lane, groups, shared, copy)
                        : setLine(warp, inst, lane, groups, shared, copy)))
    return;
  for (Cta *target : targets) {
    if (copy.isLoad && !findBarrier(warp, inst, lane, *target, copy))
      continue;
    target->memory().beginBulk(warp, copy);
    copy.isRepeat = true;
  }
}

void copy(Warp &warp, const Instruction &inst, uint32_t mask) {
  Groups groups = groupsOf(inst);
  forLanes(mask, [&](int i) { copyOf(warp, inst, i, groups); });
}

bool selectTensor(Instruction &inst) {
  inst.execute = copy;
  inst.isStore = !inst.has(Mod::complete_tx_bytes);
  int rank = inst.has(Mod::d1)   ? 1
             : inst.has(Mod::d2) ? 2
             : inst.has(Mod::d3) ? 3
             : inst.has(Mod::d4) ? 4
                                 : 5;
  return inst.count(groupsOf(inst).coordinates) == rank;
}

bool selectLine(Instruction &inst) {
  inst.execute = copy;
  inst.isStore = !inst.has(Mod::complete_tx_bytes);
  return true;
}

void commit(Warp &warp, const Instruction &, uint32_t mask) {
  warp.cta().memory().commitBulk(warp, mask);
}

void wait(Warp &warp, const Instruction &inst, uint32_t mask) {
  warp.cta().memory().waitForBulk(
      warp, mask, static_cast<uint32_t>(inst.op(0).value), inst.has(Mod::read));
}

void nothing(Warp &, const Instruction &, uint32_t) {}

constexpr CostClass cost = CostClass::AsyncCopy;
constexpr Since since = {90, 80};

#define DIMS "1d|2d|3d|4d|5d "
#define BARRIER "mbarrier::complete_tx::bytes ?L2::cache_hint"

constexpr InstructionRow rows[] = {
    {"cp", "async bulk shared::cluster|shared::cta global " BARRIER,
     "[shared] [global] u32 [shared] ?b64", selectLine, cost, since},
    {"cp",
     "async bulk shared::cluster global mbarrier::complete_tx::bytes "
     "multicast::cluster ?L2::cache_hint",
     "[shared] [global] u32 [shared] u16 ?b64", selectLine, cost, since},
    {"cp", "async bulk global shared::cta bulk_group ?L2::cache_hint",
     "[global] [shared] u32 ?b64", selectLine, cost, since},
    {"cp",
     "async bulk tensor " DIMS
     "shared::cluster|shared::cta global ?tile " BARRIER,
     "[shared] [tensor] [shared] ?b64", selectTensor, cost, since},
    {"cp",
     "async bulk tensor " DIMS "shared::cluster global ?tile "
     "mbarrier::complete_tx::bytes multicast::cluster ?L2::cache_hint",
     "[shared] [tensor] [shared] u16 ?b64", selectTensor, cost, since},
    {"cp",
     "async bulk tensor " DIMS
     "global shared::cta ?tile bulk_group ?L2::cache_hint",
     "[tensor] [shared] ?b64", selectTensor, cost, since},
    {"cp", "async bulk commit_group", "", select<commit>, CostClass::Barrier,
     since},
    {"cp", "async bulk wait_group ?read", "#", select<wait>, CostClass::Barrier,
     since},
    {"cp", "async bulk prefetch L2 global ?L2::cache_hint", "[global] u32 ?b64",
     select<nothing>, CostClass::Move, since},
    {"cp", "async bulk prefetch tensor " DIMS "L2 global ?tile ?L2::cache_hint",
     "[tensor] ?b64", select<nothing>, CostClass::Move, since},
    {"prefetch", "?const|param tensormap", "[]", select<nothing>,
     CostClass::Move, since},
};

} // namespace

RowList bulkCopyRows() { return rowList(rows); }

} // namespace qcc::emu
