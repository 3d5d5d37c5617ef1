//===- MBarriers.h - Barriers in shared memory ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mbarrier object is 8 bytes of shared memory that count arrivals, and bytes
// that asynchronous copies have yet to bring. A phase ends when none of either
// is missing; the next phase then begins with the count of mbarrier.init.
//
// The state is kept here and not in the bytes, which only operations on
// mbarriers may touch. A phase publishes what its arrivals released. A wait
// that succeeds acquires what all ended phases published.
//
// try_wait does not block: it is false at once, and the lanes get few turns
// until the phase ends. So an endless wait is found as that of any other loop.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_MBARRIERS_H
#define QCC_LIB_EMULATOR_MACHINE_MBARRIERS_H

#include "Check/Clocks.h"
#include "PTX/Program.h"

#include <map>
#include <string>

namespace qcc::emu {

class Cta;
class Warp;

class MBarriers {
public:
  /// The largest count of arrivals and of bytes.
  static constexpr int64_t maxCount = (1 << 20) - 1;
  static constexpr int objectBytes = 8;

  /// Who asks for something: a lane of a warp, and the object's offset in
  /// shared memory.
  struct Place {
    Warp &warp;
    const Instruction &inst;
    int lane;
    uint64_t offset;
  };
  struct Arrival {
    int64_t count = 1;
    int64_t bytes = 0;       ///< To expect before the arrival.
    bool mayComplete = true; ///< Not with .noComplete.
    bool drops = false;      ///< Later phases expect fewer arrivals.
  };
  /// What a wait is for: the phase of a state that an arrival has returned, or
  /// a parity.
  struct Awaited {
    bool isParity = false;
    uint64_t value = 0;
  };

  explicit MBarriers(Cta &cta) : cta_(cta) {}

  void init(const Place &place, int64_t count);
  void invalidate(const Place &place);
  /// Changes the bytes that the phase waits for; negative: some have come.
  void addBytes(const Place &place, int64_t bytes);
  /// Returns the state before the arrival.
  uint64_t arrive(const Place &place, const Arrival &arrival);
  /// One more arrival that the phase waits for.
  void addPending(const Place &place);
  /// Whether a copy may tell the object of its bytes; else there is a report:
  /// no object is there, or no fence follows its initialization.
  bool isSeenByUnits(const Place &place);
  /// Lanes make objects that they have initialized visible to units.
  void fenceInit(Warp &warp, uint32_t lanes);
  /// Whether the phase has ended.
  bool isOver(const Place &place, Awaited awaited);
  /// Arrivals that were missing at the time of a state.
  static uint64_t pendingOf(uint64_t state) { return state & maxCount; }

  /// What arrivals at an object publish; null if no object is there.
  BarrierClocks *publishedAt(uint64_t offset);
  /// `lanes` of a warp have waited with success: they know what was published.
  void acquire(Warp &warp, uint64_t offset, uint32_t lanes);

  /// The object that has some of [offset, offset + size); its offset, or -1.
  int64_t overlapping(uint64_t offset, int64_t size) const {
    return offset < end_ && offset + size > begin_ ? search(offset, size) : -1;
  }

  /// "the mbarrier at 0x40 in phase 2: 1 of 2 arrivals and 96 bytes are
  /// missing", for lanes of a warp that wait.
  std::string describe(const Warp &warp, uint64_t offset, int lane) const;

private:
  struct Object {
    int64_t expected = 0; ///< Arrivals of a phase.
    int64_t pending = 0;  ///< Of this phase, yet to come.
    int64_t bytes = 0;    ///< To come; negative: they came early.
    uint64_t phase = 0;   ///< Phases that have ended.
    BarrierClocks published, completed;
    const Instruction *init = nullptr;
    int owner = 0;         ///< The thread that initialized it.
    uint32_t initTime = 0; ///< Fences of that thread before.
    /// Its warp, and the warp's time.
    uint32_t initAgent = 0, initClock = 0;
    /// By thread: phases that had ended when its last wait succeeded.
    std::vector<uint64_t> seen;
  };

  Object *find(const Place &place);
  int64_t search(uint64_t offset, int64_t size) const;
  void change(const Place &place, Object &object, int64_t bytes);
  void completeIfDone(uint64_t offset, Object &object);

  Cta &cta_;
  std::map<uint64_t, Object> objects_; ///< By offset.
  std::vector<uint32_t> fences_;       ///< By thread.
  /// Of all objects that there ever were.
  uint64_t begin_ = ~uint64_t(0), end_ = 0;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_MBARRIERS_H
