//===- CtaMemoryChecks.cpp - Checks of a CTA's memory accesses ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/AddressSpace.h"
#include "Machine/Cta.h"
#include "Machine/CtaMemory.h"
#include <cassert>

#include <algorithm>

namespace qcc::emu {

static const char *accessName(AccessKind kind) {
  switch (kind) {
  case AccessKind::Load:
    return "a read";
  case AccessKind::Store:
    return "a write";
  case AccessKind::Atomic:
    return "an atomic operation";
  }
  return "an access";
}

/// "a read of 4 bytes at 0x10 of shared memory"
static std::string describeAccess(AccessKind kind, StateSpace space,
                                  uint64_t offset, int size) {
  return std::string(accessName(kind)) + " of " + std::to_string(size) +
         (size == 1 ? " byte at " : " bytes at ") + hexText(offset) + " of " +
         std::string(spaceName(space)) + " memory";
}

/// Fills in what a report of an access says of the address.
static void setAddress(Report &report, StateSpace space, uint64_t offset,
                       std::string allocation) {
  report.space = space;
  report.address = offset;
  report.allocation = std::move(allocation);
}

//===----------------------------------------------------------------------===//
// Bounds and alignment
//===----------------------------------------------------------------------===//

bool CtaMemory::isAligned(Warp &warp, const Instruction &inst, int lane,
                          StateSpace space, uint64_t offset, int size) {
  assert(size > 0 && (size & (size - 1)) == 0 &&
         "sizes of accesses are powers of two");
  if ((offset & (size - 1)) == 0)
    return true;
  if (Report *report = warp.report(ReportKind::Misaligned, inst, lane)) {
    report->message = "an access of " + std::to_string(size) + " bytes at " +
                      hexText(offset) + " of " + std::string(spaceName(space)) +
                      " memory, which is no multiple of its size";
    bool isDevice = space == StateSpace::Global || space == StateSpace::Const;
    setAddress(*report, space, offset,
               isDevice ? launch_.memory->nearestName(offset)
                        : std::string(spaceName(space)) + " memory");
  }
  return false;
}

void CtaMemory::refuse(Warp &warp, const Instruction &inst, int lane,
                       AccessKind kind, StateSpace space, uint64_t offset,
                       int size) {
  Report *report = warp.report(ReportKind::OutOfBounds, inst, lane);
  if (!report)
    return;
  std::string access = describeAccess(kind, space, offset, size);
  if (space == StateSpace::Global || space == StateSpace::Const) {
    const Allocation *allocation = launch_.memory->find(offset, size);
    report->message = access + ", " +
                      (allocation ? "inside " + allocation->describe() +
                                        ", which is no constant memory"
                                  : launch_.memory->describeMiss(offset, size));
    setAddress(*report, space, offset, launch_.memory->nearestName(offset));
    return;
  }
  std::string has;
  switch (space) {
  case StateSpace::Shared:
    if (namesRank(offset)) {
      has = "the CTA of rank " + std::to_string(rankOfShared(offset)) +
            " of the cluster does not exist, has exited, or is named by a "
            ".shared::cta access";
      break;
    }
    has = "the CTA has " + std::to_string(launch_.staticShared) +
          " bytes of static and " +
          std::to_string(launch_.config.dynamicShared) +
          " of dynamic shared memory" +
          (launch_.config.dynamicShared > 0 && launch_.staticShared > 0
               ? " from " + hexText(launch_.dynamicBegin) + " on"
               : "");
    break;
  case StateSpace::Local:
    has = offset >= localWindowBytes
              ? "the address is in the memory of another thread"
              : "the function has " +
                    std::to_string(warp.frame().function->localLayout.bytes) +
                    " bytes";
    break;
  default:
    has = "the kernel has " +
          std::to_string(launch_.kernel->paramLayout.bytes) +
          " bytes of parameters";
    break;
  }
  report->message = access + ", beyond every variable; " + has;
  setAddress(*report, space, offset, std::string(spaceName(space)) + " memory");
}

void CtaMemory::refuseConstWrite(Warp &warp, const Access &access, int lane,
                                 StateSpace space, uint64_t offset,
                                 const std::string &allocation) {
  if (Report *report =
          warp.report(ReportKind::ConstWrite, *access.inst, lane)) {
    report->message = describeAccess(access.kind, space, offset, access.size) +
                      ", inside '" + allocation + "', which is constant";
    setAddress(*report, space, offset, allocation);
  }
}

//===----------------------------------------------------------------------===//
// Initialization
//===----------------------------------------------------------------------===//

std::string CtaMemory::describeHole(const Access &access, StateSpace space,
                                    uint64_t offset, int byte) {
  return describeAccess(access.kind, space, offset, access.size) +
         ", whose byte " + std::to_string(byte) + " nothing has written";
}

void CtaMemory::checkWritten(Warp &warp, Access &access, int lane,
                             StateSpace space, uint64_t offset,
                             const uint8_t *written) {
  if (access.kind == AccessKind::Store)
    return;
  const uint8_t *hole = std::find(written, written + access.size, 0);
  if (hole == written + access.size)
    return;
  if (access.kind == AccessKind::Load) {
    access.unwritten |= 1u << lane;
    access.holes[lane] = 0;
    for (int i = 0; i < access.size; ++i)
      access.holes[lane] |= uint32_t(written[i] == Unwritten) << i;
    return;
  }
  if (Report *report =
          warp.report(ReportKind::UninitializedRead, *access.inst, lane)) {
    report->message =
        describeHole(access, space, offset, static_cast<int>(hole - written));
    setAddress(*report, space, offset,
               std::string(spaceName(space)) + " memory");
  }
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

void CtaMemory::checkOrder(Warp &warp, const Instruction &inst, int lane,
                           AccessKind kind, Allocation &allocation,
                           uint64_t address, int size) {
  bool isRead = kind == AccessKind::Load;
  bool mayRace = launch_.config.isProgrammatic && !warp.hasWaited(lane) &&
                 (!isRead || allocation.isWritten);
  if (!isRead && !allocation.isWritten.load(std::memory_order_relaxed))
    allocation.isWritten = true;
  if (!mayRace)
    return;
  Report *report = warp.report(ReportKind::Race, inst, lane);
  if (!report)
    return;
  report->message = describeAccess(kind, StateSpace::Global, address, size) +
                    ", inside " + allocation.describe() +
                    ", before the thread has waited for kernels " +
                    "before this one (griddepcontrol.wait), which may " +
                    (isRead ? "write it" : "access it");
  setAddress(*report, StateSpace::Global, address,
             launch_.memory->nearestName(address));
}

/// The lanes of a conflict, if they write the same value to the same place with
/// the same instruction, which PTX defines; else 0.
static uint32_t lanesAlike(const Access &access, int lane, const Warp &warp,
                           const Conflict &conflict) {
  const AccessRecord &other = conflict.other;
  if (access.kind != AccessKind::Store || conflict.kind != Conflict::Race ||
      !conflict.otherIsWrite || other.site != access.inst->site ||
      other.agent != warp.clock().agent() || other.clock != warp.clock().now())
    return 0;
  uint32_t alike = access.mask & other.lanes & ((1u << lane) - 1);
  for (uint32_t lanes = alike; lanes; lanes &= lanes - 1) {
    int before = __builtin_ctz(lanes);
    if (access.address[before] != access.address[lane] ||
        memcmp(access.data[before], access.data[lane], access.size) != 0)
      return 0;
  }
  return alike == other.lanes ? alike : 0;
}

bool CtaMemory::checkRace(Warp &warp, const Access &access, int lane,
                          StateSpace space, uint64_t offset) {
  RaceDetector &races =
      space == StateSpace::Shared ? sharedRaces_ : *globalRaces_;
  assert((access.elementSize & (access.elementSize - 1)) == 0 &&
         access.elementSize <= access.size && "an access is whole elements");
  Accessor who;
  who.clock = &warp.clock();
  who.lanes = access.isCollective ? warp.lanes() : 1u << lane;
  who.site = access.inst->site;
  // Whatever a load for atom.cas reads, that tells it from what memory holds.
  who.strength = access.inst->feedsCas ? Strength::Gpu : access.strength;
  who.sizeLog = static_cast<uint32_t>(__builtin_ctz(access.elementSize));
  who.isVolatile = access.isVolatile;
  who.isNonCoherent = access.isNonCoherent;
  who.together = warp.active();
  if (access.kind == AccessKind::Store && space == StateSpace::Shared) {
    who.before = &shared_[offset];
    who.after = access.data[lane];
    who.bytes = access.size;
  }
  Conflict conflict = access.kind == AccessKind::Load
                          ? races.read(offset, access.size, who)
                          : races.write(offset, access.size, who);
  if (!conflict)
    return true;
  if (uint32_t alike = lanesAlike(access, lane, warp, conflict)) {
    races.shareWrite(offset, access.size, alike);
    return true;
  }
  reportConflict(warp, *access.inst, lane, access.kind, space, offset,
                 access.size, conflict);
  return conflict.kind != Conflict::Async;
}

/// ", which nothing orders with a write by another warp"
static std::string describeConflict(const Conflict &conflict, uint32_t agent,
                                    int lane) {
  const AccessRecord &other = conflict.other;
  std::string whose = isAsyncAgent(other.agent) ? " by an asynchronous unit"
                      : other.agent != agent    ? " by another warp"
                      : lane >= 0 && (other.lanes & ~(1u << lane)) == 0
                          ? " by the lane itself"
                          : " by another lane of the warp";
  if (conflict.kind == Conflict::NonCoherent)
    return ", by .nc, which need not see a write" + whose;
  return std::string(", which nothing orders with ") +
         (conflict.otherIsWrite ? "a write" : "a read") + whose +
         (conflict.differInSize
              ? "; strong accesses of different sizes do not order each other"
              : "");
}

void CtaMemory::reportConflict(Warp &warp, const Instruction &inst, int lane,
                               AccessKind kind, StateSpace space,
                               uint64_t offset, int size,
                               const Conflict &conflict) {
  bool isAsync = conflict.kind == Conflict::Async;
  bool isAsyncRead = conflict.kind == Conflict::AsyncRead;
  bool isProxy = conflict.kind == Conflict::Proxy;
  Report *report = warp.report(isAsync || isAsyncRead ? ReportKind::AsyncRace
                               : isProxy              ? ReportKind::ProxyRace
                                                      : ReportKind::Race,
                               inst, lane);
  if (!report)
    return;
  report->message = describeAccess(kind, space, offset, size);
  setAddress(*report, space, offset,
             space == StateSpace::Shared ? "shared memory"
                                         : launch_.memory->nearestName(offset));
  const Program &program = *launch_.program;
  if (isAsync) {
    report->message += ", which an asynchronous copy may still write";
    if (const BulkCopy *copy = bulk_.find(conflict.pending))
      report->notes.push_back(
          "the bulk copy was issued at " + program.describePlace(*copy->inst) +
          " by warp " + std::to_string(copy->warp) + ", lane " +
          std::to_string(copy->lane) + ", and has not been waited for");
    if (const AsyncCopies::Copy *copy = copies_.find(conflict.pending))
      report->notes.push_back(
          "the copy was issued at " + program.describePlace(*copy->inst) +
          " by warp " + std::to_string(copy->warp) + ", lane " +
          std::to_string(copy->lane) + ", and nothing has waited for it");
    return;
  }
  if (isAsyncRead) {
    report->message += ", which an asynchronous unit may still read";
    if (const BulkCopy *copy = bulk_.reading(offset, size))
      report->notes.push_back("the bulk copy was issued at " +
                              program.describePlace(*copy->inst) +
                              ", and its thread has not waited for it");
    if (const Warpgroups::Product *product =
            cta_.warpgroups().reading(offset, size))
      report->notes.push_back(
          "the wgmma was issued at " + program.describePlace(*product->inst) +
          ", and no warp of its warpgroup has waited for it");
    return;
  }
  const AccessRecord &other = conflict.other;
  if (isProxy)
    report->message += ", by the asynchronous proxy, which need not see a "
                       "write by threads without fence.proxy.async behind it";
  else
    report->message += describeConflict(conflict, warp.clock().agent(), lane);
  report->notes.push_back(
      "the other was made at " +
      program.describePlace(program.instructionAt(other.site)) + " by " +
      describeAgent(other, warp.clock().ctaNumber()));
}

/// "warp 1, lane 5"
std::string CtaMemory::describeAgent(const AccessRecord &access,
                                     uint32_t ownCta) const {
  if (isAsyncAgent(access.agent))
    return "an asynchronous unit";
  uint32_t warps = static_cast<uint32_t>(launch_.warpsPerCta);
  std::string who = "warp " + std::to_string(access.agent % warps);
  if ((access.lanes & (access.lanes - 1)) == 0)
    who += ", lane " + std::to_string(__builtin_ctz(access.lanes));
  if (launch_.isTogether && access.agent / warps != ownCta) {
    Dim3 cta = launch_.ctaAt(access.agent / warps);
    who = "CTA (" + std::to_string(cta.x) + "," + std::to_string(cta.y) + "," +
          std::to_string(cta.z) + "), " + who;
  }
  return who;
}

void CtaMemory::checkCopySources(Warp &warp, const Access &access, int lane,
                                 uint64_t address) {
  const AsyncCopies::Copy *copy = copies_.reading(address, access.size);
  if (!copy)
    return;
  Report *report = warp.report(ReportKind::AsyncRace, *access.inst, lane);
  if (!report)
    return;
  report->message =
      describeAccess(access.kind, StateSpace::Global, address, access.size) +
      ", which an asynchronous copy may still read";
  setAddress(*report, StateSpace::Global, address,
             launch_.memory->nearestName(address));
  report->notes.push_back(
      "the copy was issued at line " + std::to_string(copy->inst->line) +
      " by warp " + std::to_string(copy->warp) + ", lane " +
      std::to_string(copy->lane) + ", and nothing has waited for it");
}

//===----------------------------------------------------------------------===//
// Barriers in shared memory
//===----------------------------------------------------------------------===//

bool CtaMemory::touchMBarrier(Warp &warp, const Access &access,
                              StateSpace space, uint64_t offset) {
  int lane = __builtin_ctz(access.mask);
  if (!isAligned(warp, *access.inst, lane, space, offset, access.size))
    return false;
  if (space != StateSpace::Shared ||
      !isMapped(sharedStates_, offset, access.size)) {
    if (space != StateSpace::Shared) {
      if (Report *report =
              warp.report(ReportKind::MBarrierMisuse, *access.inst, lane)) {
        report->message = "an mbarrier at " + hexText(offset) + " of " +
                          std::string(spaceName(space)) +
                          " memory; mbarriers lie in shared memory";
        setAddress(*report, space, offset, std::string(spaceName(space)));
      }
      return false;
    }
    refuse(warp, *access.inst, lane, access.kind, space, offset, access.size);
    return false;
  }
  if (!checks_)
    return true;
  Accessor who;
  who.clock = &warp.clock();
  who.lanes = access.mask;
  who.site = access.inst->site;
  who.strength = access.strength;
  who.sizeLog = static_cast<uint32_t>(__builtin_ctz(access.size));
  Conflict conflict = access.kind == AccessKind::Load
                          ? sharedRaces_.read(offset, access.size, who)
                          : sharedRaces_.write(offset, access.size, who);
  if (conflict)
    reportConflict(warp, *access.inst, lane, access.kind, space, offset,
                   access.size, conflict);
  if (access.kind == AccessKind::Store)
    memset(&sharedStates_[offset], Written, access.size);
  return true;
}

void CtaMemory::checkMBarriers(Warp &warp, const Access &access, int lane,
                               uint64_t offset) {
  Report *report = warp.report(ReportKind::MBarrierMisuse, *access.inst, lane);
  if (!report)
    return;
  int64_t object = cta_.mbarriers().overlapping(offset, access.size);
  report->message =
      describeAccess(access.kind, StateSpace::Shared, offset, access.size) +
      ", inside the mbarrier at " + hexText(static_cast<uint64_t>(object)) +
      "; end it by mbarrier.inval before its bytes are used";
  setAddress(*report, StateSpace::Shared, offset, "shared memory");
}

void CtaMemory::synchronize(Warp &warp, const Access &access, int lane,
                            StateSpace space, uint64_t offset,
                            const VisibleWrites::Past *past) {
  if (past) {
    warp.clock().observe(past->sync, access.strength, access.isAcquire, lane);
    return;
  }
  SyncVariables &variables =
      space == StateSpace::Shared ? sharedVariables_ : *globalVariables_;
  SyncVariable &variable = variables[offset];
  if (access.kind != AccessKind::Store)
    warp.clock().observe(variable, access.strength, access.isAcquire, lane);
  if (access.kind != AccessKind::Load)
    warp.clock().publish(variable, access.strength, access.isRelease,
                         /*replaces=*/access.kind == AccessKind::Store, lane);
}

} // namespace qcc::emu
