//===- AsyncCopies.h - Copies that run by themselves ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async copies from global to shared memory at some time between its issue
// and the return of a wait for it; nothing says when. Here most copies happen
// at the last moment, in the wait itself, so that who forgets to wait reads
// what was there before. With a seed other than 0 some happen at once, and some
// in between.
//
// Each thread has groups of its own: commit_group ends one, wait_group N waits
// until at most the N latest are under way.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_ASYNCCOPIES_H
#define QCC_LIB_EMULATOR_MACHINE_ASYNCCOPIES_H

#include "PTX/Program.h"

#include <array>
#include <vector>

namespace qcc::emu {

class AsyncCopies {
public:
  /// One cp.async of a warp.
  struct Request {
    const Instruction *inst = nullptr;
    uint32_t mask = 0;
    int size = 0; ///< Written: 4, 8 or 16.
    uint64_t destination[32];
    uint64_t source[32];
    int sourceSize[32]; ///< Read, 0 to size; zeros fill the rest.
  };

  enum class Moment : uint8_t { Late, Between, Done };

  struct Copy {
    uint32_t number = 0; ///< From 1; 0: free.
    const Instruction *inst = nullptr;
    int warp = 0, lane = 0;
    uint32_t group = 0;
    int size = 0, sourceSize = 0;
    uint64_t destination = 0; ///< Offset in shared memory.
    uint64_t source = 0;
    Moment moment = Moment::Late;
  };

  /// Of cp.async.mbarrier.arrive: what a lane's copies do once all up to a
  /// number are done.
  struct Arrival {
    const Instruction *inst = nullptr;
    int warp = 0, lane = 0;
    uint32_t number = 0;  ///< The last copy that counts.
    uint64_t barrier = 0; ///< Offset in shared memory.
    uint32_t clock = 0;   ///< Of the warp, when the lane executed it.
  };

  explicit AsyncCopies(int warps) : copies_(warps), groups_(warps) {}

  Copy &add(const Copy &copy);
  /// Null if it is finished.
  const Copy *find(uint32_t number) const;
  void commit(int warp, uint32_t lanes);
  bool hasBetween() const { return between_ > 0; }
  void setMoment(Copy &copy, Moment moment);

  /// Calls finish(copy) for copies that a wait is for, in the order of their
  /// issue, and forgets them.
  template <typename Finish>
  void finish(int warp, uint32_t lanes, uint32_t allowed, bool uncommitted,
              Finish finish) {
    finishWhere(
        warp,
        [&](const Copy &copy) {
          uint32_t committed = groups_[warp][copy.lane];
          bool isOld = copy.group + allowed < committed ||
                       (uncommitted && copy.group >= committed);
          return (lanes >> copy.lane & 1) && isOld;
        },
        finish);
  }

  /// The same for copies that an arrival is for.
  template <typename Finish>
  void finish(const Arrival &arrival, Finish finish) {
    finishWhere(
        arrival.warp,
        [&](const Copy &copy) {
          return copy.lane == arrival.lane && copy.number <= arrival.number;
        },
        finish);
  }
  /// Arrivals that have yet to happen, in the order of their issue.
  std::vector<Arrival> &arrivals() { return arrivals_; }
  /// An arrival after all copies so far.
  void addArrival(Arrival arrival) {
    arrival.number = issued_;
    arrivals_.push_back(arrival);
  }
  /// Whether copies that an arrival is for have yet to be waited for.
  bool isAwaited(const Arrival &arrival) const;

  /// Calls take(copy) for those whose moment lies between.
  template <typename Take> void forBetween(Take take) {
    for (std::vector<Copy> &copies : copies_)
      for (Copy &copy : copies)
        if (copy.moment == Moment::Between)
          take(copy);
  }
  /// A copy that reads some of [address, address + size), or null.
  const Copy *reading(uint64_t address, int size) const;

private:
  template <typename Condition, typename Finish>
  void finishWhere(int warp, Condition isOver, Finish finish) {
    std::vector<Copy> &copies = copies_[warp];
    size_t kept = 0;
    for (Copy &copy : copies) {
      if (isOver(copy)) {
        finish(copy);
        setMoment(copy, Moment::Done);
      } else {
        copies[kept++] = copy;
      }
    }
    underWay_ -= static_cast<int>(copies.size() - kept);
    copies.resize(kept);
  }

  std::vector<Arrival> arrivals_;
  std::vector<std::vector<Copy>> copies_; ///< By warp, in the order of issue.
  /// Groups committed so far, by warp and lane.
  std::vector<std::array<uint32_t, 32>> groups_;
  uint32_t issued_ = 0;
  int between_ = 0, underWay_ = 0;
  /// Of all sources since there was no copy.
  uint64_t sourcesBegin_ = ~uint64_t(0), sourcesEnd_ = 0;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_ASYNCCOPIES_H
