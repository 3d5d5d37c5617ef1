//===- RaceDetector.h - Accesses that nothing orders ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Remembers for each piece of memory the last write and the reads since, and
// asks the clocks (Clocks.h) whether a new access comes after them. What it
// finds is a race whether or not the emulator's interleaving made it matter.
// Strong accesses that may meet are no race and give no order: all of them are
// kept until a later access comes after them.
//
// A copy that runs by itself (cp.async) owns its destination from its issue to
// the wait for it: it must come after all accesses before, and whatever touches
// the memory in between is a race. At the wait it becomes a write of the thread
// that waited.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_CHECK_RACEDETECTOR_H
#define QCC_LIB_EMULATOR_CHECK_RACEDETECTOR_H

#include "Check/Clocks.h"
#include "Check/ShadowMemory.h"

#include <array>
#include <cstring>
#include <map>

namespace qcc::emu {

/// Who accesses memory, and how.
struct Accessor {
  const WarpClock *clock;
  uint32_t lanes; ///< One, or all that an access of the warp is made for.
  uint32_t site;
  Strength strength = Strength::Weak;
  /// log2 of the bytes of an element: strong accesses of different sizes do not
  /// see each other whole.
  uint32_t sizeLog = 0;
  bool isVolatile = false; ///< Strong by .volatile alone, and not atomic.
  /// Through the cache that sees no writes (.nc).
  bool isNonCoherent = false;
  bool isAsync = false;  ///< By the asynchronous proxy.
  uint32_t together = 0; ///< Lanes that execute with them.
  /// Of a store to shared memory: what is there, and what it writes.
  const uint8_t *before = nullptr, *after = nullptr;
  int bytes = 0;
};

/// Bits for the number of an instruction in an AccessRecord.
constexpr int siteBits = 25;

struct AccessRecord {
  uint32_t agent = 0;
  uint32_t clock = 0; ///< 0: there was none.
  uint32_t lanes = 0;
  uint32_t site : siteBits;
  uint32_t strength : 2;
  uint32_t sizeLog : 3;
  uint32_t isVolatile : 1;
  /// A write of one value by `lanes` of one instruction: each of them may read
  /// it as its own.
  uint32_t isCommon : 1;

  AccessRecord()
      : site(0), strength(0), sizeLog(0), isVolatile(0), isCommon(0) {}
  explicit operator bool() const { return clock != 0; }
  /// Whether they differ in their lanes and instructions alone.
  bool isLike(const AccessRecord &other) const {
    return agent == other.agent && clock == other.clock &&
           strength == other.strength && sizeLog == other.sizeLog &&
           isVolatile == other.isVolatile;
  }
  /// `other` is an earlier access. Returns true if a later access that does not
  /// race with this one cannot race with `other`, either.
  bool standsFor(const AccessRecord &other) const {
    return strength == 0 ||
           (strength <= other.strength && sizeLog == other.sizeLog &&
            isVolatile >= other.isVolatile);
  }
};

/// Strong accesses, by agent. Each agent has few records, because a record
/// stands for earlier accesses of the same lanes.
class StrongSet {
public:
  bool isEmpty() const { return records_.empty(); }
  void add(const AccessRecord &record, uint32_t cta);
  /// Whether `who`, of `cta`, may meet all of them.
  bool mayMeetAll(const Accessor &who, uint32_t cta) const;
  /// The first record for which find(record) holds, or null.
  template <typename Find> const AccessRecord *findIf(Find find) const {
    for (auto &[agent, records] : records_)
      for (const AccessRecord &record : records)
        if (find(record))
          return &record;
    return nullptr;
  }

private:
  std::map<uint32_t, std::vector<AccessRecord>> records_;
  // Of all records that were ever added.
  uint32_t sizes_ = 0; ///< One bit for each sizeLog.
  bool anyVolatile_ = false, anyOfCtaScope_ = false;
  uint32_t firstCta_ = ~0u, lastCta_ = 0;
};

/// Accesses of a cell beyond the last write and the first read, seldom any.
struct FurtherAccesses {
  std::vector<AccessRecord> reads; ///< Weak ones that follow nothing.
  /// The weak write before the strong ones.
  AccessRecord weakWrite;
  StrongSet strongReads, strongWrites;
};

/// Null for most cells; copied with a cell that is split.
class FurtherAccessesOwner {
public:
  FurtherAccessesOwner() = default;
  FurtherAccessesOwner(FurtherAccessesOwner &&) = default;
  FurtherAccessesOwner &operator=(FurtherAccessesOwner &&) = default;
  FurtherAccessesOwner(const FurtherAccessesOwner &other)
      : pointer_(other.pointer_
                     ? std::make_unique<FurtherAccesses>(*other.pointer_)
                     : nullptr) {}
  FurtherAccessesOwner &operator=(const FurtherAccessesOwner &other) {
    return *this = FurtherAccessesOwner(other);
  }

  const FurtherAccesses *get() const { return pointer_.get(); }
  FurtherAccesses &make() {
    if (!pointer_)
      pointer_ = std::make_unique<FurtherAccesses>();
    return *pointer_;
  }
  void clear() { pointer_.reset(); }

private:
  std::unique_ptr<FurtherAccesses> pointer_;
};

struct RaceCell {
  AccessRecord write, read;
  FurtherAccessesOwner more;
  uint32_t pending = 0; ///< The asynchronous copy that owns it; 0: none.
  uint32_t readers = 0; ///< Asynchronous units that read it now.

  void setWrite(const AccessRecord &record) {
    write = record;
    read = AccessRecord();
    more.clear();
  }
};

struct Conflict {
  enum Kind : uint8_t {
    None,
    Race,
    Async,     ///< A copy under way owns the memory.
    AsyncRead, ///< A write to memory that an asynchronous unit reads.
    Proxy,     ///< The asynchronous proxy need not see a write of threads.
    NonCoherent
  };
  Kind kind = None;
  bool otherIsWrite = false;
  /// Both are strong, and their sizes differ.
  bool differInSize = false;
  AccessRecord other;
  uint32_t pending = 0;

  explicit operator bool() const { return kind != None; }
};

class RaceDetector {
public:
  /// `warpsPerCta`: how agents make up CTAs.
  explicit RaceDetector(uint32_t warpsPerCta) : warpsPerCta_(warpsPerCta) {}

  /// The first conflict of an access; it is remembered all the same.
  Conflict read(uint64_t address, uint64_t size, const Accessor &who);
  Conflict write(uint64_t address, uint64_t size, const Accessor &who);
  /// The last write, which was in conflict with `lanes` that wrote the same
  /// value by the same instruction, is theirs too.
  void shareWrite(uint64_t address, uint64_t size, uint32_t lanes);

  /// An asynchronous copy, numbered from 1, takes the memory ...
  Conflict beginCopy(uint64_t address, uint64_t size, const Accessor &who,
                     uint32_t copy);
  /// ... and gives it back: it was a write of `writer`, who waited.
  void endCopy(uint64_t address, uint64_t size, const AccessRecord &writer);
  AccessRecord recordOf(const Accessor &who) const;

  /// An asynchronous unit reads the memory for several warps from now on: the
  /// first conflict of any, and whose.
  std::pair<Conflict, int> beginRead(uint64_t address, uint64_t size,
                                     const Accessor *who, int count);
  /// It has read, which `waiter` knows.
  void endRead(uint64_t address, uint64_t size, const AccessRecord &reader,
               const Accessor &waiter);
  /// Lanes of a warp make what they wrote visible to the asynchronous proxy, at
  /// a clock of the warp.
  void fenceProxy(uint32_t agent, uint32_t lanes, uint32_t clock);

  ShadowMemory<RaceCell> &shadow() { return shadow_; }

private:
  bool comesBefore(const AccessRecord &record, const Accessor &who) const {
    return who.clock->isOrdered(record.agent, record.clock, record.lanes,
                                who.lanes);
  }
  /// Whether a read by `who` sees what it has written itself.
  bool isOwnWrite(const AccessRecord &record, const Accessor &who) const {
    return record.isCommon && record.agent == who.clock->agent() &&
           (who.lanes & ~record.lanes) == 0;
  }
  /// Whether both are strong, and may meet.
  bool mayMeet(const AccessRecord &record, const Accessor &who) const;
  /// Whether another warp has written by the same instruction the value that
  /// `who` writes. Compilers do so where warps have copies of a tensor.
  bool isRepeat(const AccessRecord &record, const Accessor &who) const {
    return who.before && record.site == who.site && record.strength == 0 &&
           who.strength == Strength::Weak &&
           record.agent != who.clock->agent() &&
           memcmp(who.before, who.after, who.bytes) == 0;
  }
  uint32_t ctaOf(uint32_t agent) const { return agent / warpsPerCta_; }
  bool isOrdered(const AccessRecord &record, const Accessor &who) const {
    return comesBefore(record, who) || mayMeet(record, who);
  }
  /// The first record of a set that is not ordered before `who`, or null.
  const AccessRecord *findUnordered(const StrongSet &set,
                                    const Accessor &who) const;
  /// The first earlier write that is not ordered before `who`.
  Conflict conflictWithWrites(const RaceCell &cell, const Accessor &who) const;
  /// The first earlier access that is not ordered before a write by `who`.
  Conflict conflictOfWrite(const RaceCell &cell, const Accessor &who) const;
  void rememberRead(RaceCell &cell, const AccessRecord &record,
                    const Accessor &who);
  /// Whether the asynchronous proxy sees a write.
  bool isSeenByUnits(const AccessRecord &write) const;
  void rememberStrongRead(RaceCell &cell, const AccessRecord &record,
                          const Accessor &who);
  void rememberStrongWrite(RaceCell &cell, const AccessRecord &record,
                           const Accessor &who);

  uint32_t warpsPerCta_;
  /// By warp of the CTA and lane: the clock of the last fence.proxy.async.
  std::vector<std::array<uint32_t, 32>> proxyFences_;
  ShadowMemory<RaceCell> shadow_;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_CHECK_RACEDETECTOR_H
