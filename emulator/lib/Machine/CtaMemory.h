//===- CtaMemory.h - Memory as a CTA sees it --------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every access of a kernel passes through here: it is resolved to a state
// space, checked (bounds, alignment, initialization, races), counted (banks,
// sectors) and carried out. An access that is refused reads zeros and writes
// nothing.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_CTAMEMORY_H
#define QCC_LIB_EMULATOR_MACHINE_CTAMEMORY_H

#include "Check/RaceDetector.h"
#include "Count/CounterSet.h"
#include "Machine/Access.h"
#include "Machine/AsyncCopies.h"
#include "Machine/BulkCopies.h"
#include "Machine/Launch.h"
#include "Machine/Overlay.h"
#include "Machine/VisibleWrites.h"
#include "Machine/Waiting.h"
#include "Machine/Warpgroups.h"

namespace qcc::emu {

class Cta;
class Warp;

/// Where synchronization through memory leaves its knowledge, by address.
using SyncVariables = std::unordered_map<uint64_t, SyncVariable>;

/// What CTAs that run together share.
struct TogetherState {
  RaceDetector races;
  SyncVariables variables;
  /// Operations of lanes, by address.
  std::unordered_map<uint64_t, int64_t> atomics;
  Progress progress;
  /// Null if no CTA can read what others have written but by atomics.
  std::unique_ptr<VisibleWrites> visible;

  explicit TogetherState(const Launch &launch)
      : races(static_cast<uint32_t>(launch.warpsPerCta)) {
    if (launch.checks() && launch.kernel->readsStrongly && launch.ctas > 1)
      visible = std::make_unique<VisibleWrites>(launch.options.seed);
  }
};

class CtaMemory {
public:
  /// `together`: null for CTAs on their own.
  CtaMemory(Cta &cta, TogetherState *together);

  /// Fills in Access::memory, and `data` of loads. Stores are carried out.
  void access(Warp &warp, Access &access);

  /// Of lanes of the CTA; of a fence that reaches other CTAs.
  void fence(FenceKind kind);

  /// An operation on an mbarrier object by the lanes of an access, which have
  /// one address: bounds, alignment, races. False if it is refused.
  bool touchMBarrier(Warp &warp, const Access &access, StateSpace space,
                     uint64_t offset);

  /// What a lane has stored to shared memory is undefined.
  void forgetShared(uint64_t offset, int size) {
    memset(&sharedStates_[offset], Unwritten, size);
  }
  /// "a read of 4 bytes at 0x4 of shared memory, whose byte 0 nothing has
  /// written"
  static std::string describeHole(const Access &access, StateSpace space,
                                  uint64_t offset, int byte);

  /// The lanes' copies of cp.async begin.
  void beginCopies(Warp &warp, AsyncCopies::Request &request);
  /// Lets some copies take effect that need not wait for their wait.
  void advanceCopies();
  void commitCopies(Warp &warp, uint32_t mask);
  /// All groups of the lanes but the latest `allowed`; also what is in no group
  /// yet if `uncommitted`.
  void waitForCopies(Warp &warp, uint32_t mask, uint32_t allowed,
                     bool uncommitted);
  /// The lanes' copies so far arrive at an mbarrier when they are done.
  void arriveAfterCopies(Warp &warp, const Instruction &inst, uint32_t mask,
                         uint64_t barrier);
  /// All warps wait: lets something happen that they may wait for. False if
  /// there is nothing.
  bool finishWhatIsLate();

  /// A product of a warpgroup begins to read its operands: bounds, races,
  /// initialization. False if it cannot read them.
  bool beginProduct(Warp *const *warps, const Warpgroups::Product &product);
  /// The first warp has waited for it.
  void endProduct(Warp &warp, const Warpgroups::Product &product);
  /// fence.proxy.async of lanes.
  void fenceProxy(Warp &warp, uint32_t mask);
  /// A byte of shared memory.
  const uint8_t *shared(uint64_t offset) const { return &shared_[offset]; }

  /// A bulk copy of a lane begins, of which all but number, group and clock is
  /// known.
  void beginBulk(Warp &warp, BulkCopy copy);
  void commitBulk(Warp &warp, uint32_t mask);
  /// Stores of all groups of the lanes but the latest `allowed`.
  void waitForBulk(Warp &warp, uint32_t mask, uint32_t allowed, bool readsOnly);
  /// All warps have exited.
  void finishAtExit();
  /// Bytes of parameters or of device memory at a generic address, as they were
  /// at the launch; null if they are elsewhere.
  const uint8_t *constantBytes(uint64_t address, int size);
  /// Reports an address that is no multiple of `size`.
  bool isAligned(Warp &warp, const Instruction &inst, int lane,
                 StateSpace space, uint64_t offset, int size);

  /// What the CTA wrote, to be carried out when all CTAs have run.
  Overlay takeOverlay() { return std::move(overlay_); }
  ShadowMemory<RaceCell> &globalShadow() { return globalRaces_->shadow(); }

private:
  // Where the bytes are (CtaMemory.cpp). Null if the access is refused.
  uint8_t *locate(Warp &warp, Access &access, int lane, StateSpace space,
                  uint64_t offset);
  uint8_t *locateDevice(Warp &warp, Access &access, int lane, StateSpace space,
                        uint64_t address);
  Allocation *findAllocation(uint64_t address, int size);
  void count(const Access &access, const uint64_t *offsets,
             uint32_t sharedLanes, uint32_t deviceLanes);

  // What is wrong with it (CtaMemoryChecks.cpp).
  /// Notes a write, and reports what kernels before may be in the middle of.
  void checkOrder(Warp &warp, const Instruction &inst, int lane,
                  AccessKind kind, Allocation &allocation, uint64_t address,
                  int size);
  void refuse(Warp &warp, const Instruction &inst, int lane, AccessKind kind,
              StateSpace space, uint64_t offset, int size);
  void refuseConstWrite(Warp &warp, const Access &access, int lane,
                        StateSpace space, uint64_t offset,
                        const std::string &allocation);
  /// Fills in Access::unwritten of a load; an atomic operation is reported.
  void checkWritten(Warp &warp, Access &access, int lane, StateSpace space,
                    uint64_t offset, const uint8_t *written);
  /// False if the bytes belong to a copy under way.
  bool checkRace(Warp &warp, const Access &access, int lane, StateSpace space,
                 uint64_t offset);
  void reportConflict(Warp &warp, const Instruction &inst, int lane,
                      AccessKind kind, StateSpace space, uint64_t offset,
                      int size, const Conflict &conflict);
  std::string describeAgent(const AccessRecord &access, uint32_t ownCta) const;
  /// `past`: the value that is read, if it is not the last one.
  void synchronize(Warp &warp, const Access &access, int lane, StateSpace space,
                   uint64_t offset, const VisibleWrites::Past *past = nullptr);
  uint8_t *accessVisible(Warp &warp, Access &access, int lane, uint64_t address,
                         uint8_t *memory);
  void checkCopySources(Warp &warp, const Access &access, int lane,
                        uint64_t address);
  /// Reports an access to the bytes of an mbarrier object.
  void checkMBarriers(Warp &warp, const Access &access, int lane,
                      uint64_t offset);

  // Asynchronous units (CtaMemoryUnits.cpp).
  void countUnitAccess(const Instruction &inst, int64_t bytes);

  // Bulk copies (CtaMemoryBulk.cpp).
  void checkBulkPieces(Warp &warp, BulkCopy &copy);
  void checkBulkRaces(Warp &warp, const BulkCopy &copy);
  void checkBulkBytes(Warp &warp, const BulkCopy &copy);
  void countBulk(const BulkCopy &copy);
  void loadPiece(const BulkCopy &copy, const BulkPiece &piece);
  void storePiece(const BulkPiece &piece);
  void announceBulk(const BulkCopy &copy, size_t first);
  void advanceBulk(BulkCopy &copy, size_t count);
  /// Some pieces of some copy; if all warps wait, of one that they may wait
  /// for. Returns false without such a copy.
  bool advanceSomeBulk(bool isLate);
  void endBulkRead(Warp &warp, BulkCopy &copy);
  void endBulkWrite(Warp &warp, const BulkCopy &copy, uint32_t clock);

  // Copies that run by themselves (CtaMemoryCopies.cpp).
  bool beginCopy(Warp &warp, AsyncCopies::Request &request, int lane);
  void performCopy(const AsyncCopies::Copy &copy);
  void finishCopy(AsyncCopies::Copy &copy, uint32_t clock);
  bool finishFirstArrival();
  void performArrival(const AsyncCopies::Arrival &arrival);

  Cta &cta_;
  const Launch &launch_;
  TogetherState *together_;
  const bool checks_;
  std::vector<uint8_t> shared_;
  std::vector<uint8_t> sharedStates_; ///< The ByteState of each byte.
  Overlay overlay_;
  RaceDetector sharedRaces_, ownGlobalRaces_;
  RaceDetector *globalRaces_;
  SyncVariables sharedVariables_, ownGlobalVariables_;
  SyncVariables *globalVariables_;
  Allocation *lastAllocation_ = nullptr;
  AsyncCopies copies_;
  BulkCopies bulk_;
  /// By the offset of an mbarrier: steps in which bytes came.
  std::unordered_map<uint64_t, uint32_t> bulkClocks_;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_CTAMEMORY_H
