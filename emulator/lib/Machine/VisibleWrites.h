//===- VisibleWrites.h - Strong writes that others see late -----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory model of PTX lets a CTA read an older value of a location than the
// last one that another CTA has written by a strong store or an atomic
// operation, unless something forbids it. This is a model of what may be read:
//
//   * Each location that is written strongly keeps its last values, with the
//     time of each write; times count all strong writes of the launch, and are
//     the order of coherence. Atomic operations read the last value.
//   * A CTA may read any value that is not older than one that it has read or
//     written, nor than the last one before its *horizon*: a time up to which
//     it sees all writes.
//   * A release, and each strong write behind a fence, hands the time of the
//     release or fence to whoever reads the value: at once where it acquires,
//     else at the reader's next fence, as the reader's horizon. An atomic
//     operation hands on what it has read. fence.sc also raises the horizon to
//     the last fence.sc of anyone.
//
// A horizon covers more than the model asks for, and a CTA has one for all of
// its threads: every value that is read is one that the model allows, but not
// every one that it allows is ever read. Weak accesses are none of this: where
// they could see two values, there is a race (RaceDetector.h).
//
// The seed chooses. The first read of a location by a CTA gets the oldest
// value; of every sixteenth seed, any one. Later reads get it some more times,
// and then a newer one. Reads that acquire get it for longer than others, and
// then the one whose release tells least.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_VISIBLEWRITES_H
#define QCC_LIB_EMULATOR_MACHINE_VISIBLEWRITES_H

#include "Check/Clocks.h"
#include "Machine/Access.h"
#include "Machine/Random.h"

#include <unordered_map>
#include <vector>

namespace qcc::emu {

class VisibleWrites {
public:
  /// A value that another one has replaced.
  struct Past {
    uint64_t time = 0;
    uint64_t released = 0; ///< The horizon that its reader acquires.
    uint8_t value[Access::maxBytes];
    SyncVariable sync; ///< What its writer has published.
  };

  explicit VisibleWrites(uint64_t seed)
      : isMixed_(seed % 16 == 15), random_(seed, ~uint64_t(0) / 2) {}

  /// An instruction is about to access memory: its lanes read alike.
  void beginAccess() { ++access_; }
  /// What a strong read gets; null: what is in memory.
  const Past *read(uint32_t cta, uint64_t address, int size, bool isAcquire);
  /// A strong store or an atomic operation, before it replaces `old`; `sync` is
  /// what was published with that.
  void write(uint32_t cta, uint64_t address, const Access &access,
             const uint8_t *old, const SyncVariable &sync);
  /// A weak store: all see it who may.
  void forget(uint64_t address, int size);
  void fence(uint32_t cta, FenceKind kind);

private:
  struct View {
    uint32_t cta = 0;
    uint64_t time = 0;   ///< Of the oldest value to read.
    uint64_t access = 0; ///< That has read it last; 0: none has.
    uint32_t stays = 0;  ///< Reads that get the oldest value yet.
  };
  struct Location {
    uint64_t address = 0;
    int size = 0;
    std::vector<Past> past;          ///< The oldest first.
    uint64_t time = 0, released = 0; ///< Of what is in memory.
    uint64_t access = 0;             ///< That has written it.
    std::vector<View> views;
  };
  /// Of a CTA.
  struct Horizon {
    uint64_t time = 0;
    uint64_t observed = 0; ///< To be reached by the next fence.
    uint64_t fenced = 0;   ///< The time of the last fence that releases.
  };

  /// Accesses never cross a granule of so many bytes.
  static uint64_t granuleOf(uint64_t address) {
    return address / Access::maxBytes;
  }
  Location *find(uint64_t address, int size);
  View &viewOf(Location &location, uint32_t cta);
  Horizon &horizonOf(uint32_t cta);
  void acquire(Horizon &horizon, uint64_t released, bool isAcquire);
  size_t choose(const Location &location, size_t oldest, View &view,
                bool isAcquire);

  const bool isMixed_;
  Random random_;
  std::unordered_map<uint64_t, std::vector<Location>> granules_;
  std::vector<Horizon> horizons_;
  uint64_t now_ = 0, access_ = 0, lastSequential_ = 0;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_VISIBLEWRITES_H
