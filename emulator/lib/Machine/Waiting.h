//===- Waiting.h - Who waits, and who works ---------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that waits for a flag reads memory again and again and changes none.
// The machine tells such loops from work, for three reasons: they get few turns
// while others work; lanes that wait for them to reconverge wait as long as
// anything else can go on; and a launch in which all wait for each other is a
// deadlock, which needs no limit to be found.
//
//   * Idleness is a guess, by split: its strong reads see what they saw the
//     last time, and it has written nothing. It decides who gets turns.
//   * WaitProof is a proof, by warp: at a strong read all registers and places
//     are as they were at an earlier one, all that could run has run between
//     the two, and no memory has changed. It decides what is a deadlock, which
//     is why loops that count their rounds, or read a clock, are none.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_WAITING_H
#define QCC_LIB_EMULATOR_MACHINE_WAITING_H

#include <cstdint>
#include <vector>

namespace qcc::emu {

/// What warps that see each other's memory share.
struct Progress {
  /// Changes of memory and of barriers, exits of lanes: what may end a wait.
  uint64_t changes = 0;
  /// Nobody works; proofs are worth their price.
  bool isQuiet = false;
};

/// Of the values of a read, one after the other.
inline uint64_t mixHash(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

/// Of a split.
struct Idleness {
  uint16_t repeats = 0; ///< Strong reads without news, one after the other.
  uint16_t work = 0;    ///< Instructions since the last of them.

  static constexpr uint16_t enoughRepeats = 16, enoughWork = 512;

  bool isIdle() const { return repeats >= enoughRepeats; }
  void repeat() {
    repeats += repeats < enoughRepeats;
    work = 0;
  }
  void stop() { repeats = 0; }
  void execute(int instructions) {
    if (repeats == 0)
      return;
    work = static_cast<uint16_t>(work + instructions);
    if (work >= enoughWork)
      stop();
  }
  /// Of lanes that go on together.
  void join(Idleness other) {
    repeats = repeats > other.repeats ? repeats : other.repeats;
    work = work > other.work ? work : other.work;
  }
};

/// Remembers what strong reads have seen: some hundred of them, of which those
/// that come again make no news.
class SeenReads {
public:
  /// Whether the read with this key saw the same value the last time.
  bool isRepeated(uint64_t key, uint64_t value) {
    if (entries_.empty())
      entries_.resize(sets * ways);
    Entry *set = &entries_[(key >> 32) % sets * ways];
    for (int way = 0; way < ways; ++way)
      if (set[way].key == key) {
        bool isSame = set[way].value == value;
        set[way].value = value;
        return isSame;
      }
    set[next_++ % ways] = {key, value};
    return false;
  }

private:
  static constexpr int sets = 64, ways = 4;
  struct Entry {
    uint64_t key = 0, value = 0;
  };
  std::vector<Entry> entries_; ///< Sets, side by side; empty before any read.
  unsigned next_ = 0;
};

/// Finds that the states of a warp repeat, by Brent's algorithm: a state is
/// compared with one that was kept, and is kept itself after 1, 2, 4 ...
/// others.
class WaitProof {
public:
  using State = std::vector<uint64_t>;

  /// A state at a strong read, when `changes` had happened. `ready`: lanes that
  /// can go on.
  void add(State state, uint32_t ready, uint64_t changes);
  /// Lanes that ran since the state that is kept.
  void noteRun(uint32_t lanes) { ran_ |= lanes; }
  /// What is yet to come does not follow from the state alone.
  void forget() { kept_.clear(); }

  /// The states have repeated often enough, for all orders in which splits may
  /// run, and nothing has changed since.
  bool holds(uint64_t changes) const {
    return changes == changes_ && matches_ >= enoughMatches;
  }
  /// Strong reads since the last change.
  int64_t reads(uint64_t changes) const {
    return changes == changes_ ? reads_ : 0;
  }
  void countRead(uint64_t changes);

private:
  static constexpr int enoughMatches = 4;

  State kept_;
  uint64_t changes_ = ~uint64_t(0);
  uint32_t ran_ = 0;
  int64_t reads_ = 0, steps_ = 0, power_ = 1;
  int matches_ = 0;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_WAITING_H
