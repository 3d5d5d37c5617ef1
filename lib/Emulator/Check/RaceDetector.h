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

namespace qcc::emu {

/// Who accesses memory, and how.
struct Accessor {
  const WarpClock *clock;
  uint32_t lanes; ///< One, or all that an access of the warp is made for.
  uint32_t site;
  Strength strength = Strength::Weak;
};

struct AccessRecord {
  uint32_t agent = 0;
  uint32_t clock = 0; ///< 0: there was none.
  uint32_t lanes = 0;
  uint32_t site : 28;
  uint32_t strength : 4;

  AccessRecord() : site(0), strength(0) {}
  explicit operator bool() const { return clock != 0; }
};

/// Reads beyond the first, seldom any. Keeps its memory when it is cleared, and
/// is copied with the cell that is split.
class ReadList {
public:
  ReadList() = default;
  ReadList(ReadList &&) = default;
  ReadList &operator=(ReadList &&) = default;
  ReadList(const ReadList &other)
      : list_(other.list_
                  ? std::make_unique<std::vector<AccessRecord>>(*other.list_)
                  : nullptr) {}
  ReadList &operator=(const ReadList &other) { return *this = ReadList(other); }

  AccessRecord *begin() const { return list_ ? list_->data() : nullptr; }
  AccessRecord *end() const {
    return list_ ? begin() + list_->size() : nullptr;
  }
  void add(const AccessRecord &record) {
    if (!list_)
      list_ = std::make_unique<std::vector<AccessRecord>>();
    list_->push_back(record);
  }
  void clear() {
    if (list_)
      list_->clear();
  }

private:
  std::unique_ptr<std::vector<AccessRecord>> list_;
};

struct RaceCell {
  AccessRecord write, read;
  ReadList moreReads;   ///< Further ones that the first is not ordered with.
  uint32_t pending = 0; ///< The asynchronous copy that owns it; 0: none.

  void setWrite(const AccessRecord &record) {
    write = record;
    read = AccessRecord();
    moreReads.clear();
  }
};

struct Conflict {
  enum Kind : uint8_t { None, Race, Async };
  Kind kind = None;
  bool otherIsWrite = false;
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

  /// An asynchronous copy, numbered from 1, takes the memory ...
  Conflict beginCopy(uint64_t address, uint64_t size, const Accessor &who,
                     uint32_t copy);
  /// ... and gives it back to the thread that waited.
  void endCopy(uint64_t address, uint64_t size, const Accessor &who);

  ShadowMemory<RaceCell> &shadow() { return shadow_; }

private:
  AccessRecord recordOf(const Accessor &who) const;
  bool isOrdered(const AccessRecord &record, const Accessor &who) const;
  /// The first earlier access that is not ordered before a write by `who`.
  Conflict conflictOfWrite(const RaceCell &cell, const Accessor &who) const;
  void rememberRead(RaceCell &cell, const Accessor &who);

  uint32_t warpsPerCta_;
  ShadowMemory<RaceCell> shadow_;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_CHECK_RACEDETECTOR_H
