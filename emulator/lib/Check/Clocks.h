//===- Clocks.h - Vector clocks ---------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two accesses are ordered if barriers, fences and atomics carry the knowledge
// of the one to the other; how the emulator happened to interleave them says
// nothing. Each warp counts its releases (barriers, fences) in a clock. A warp
// knows, for each other warp, a clock up to which all accesses of that warp
// come before its own next access:
//
//                    warp 0              warp 1
//   clock 1:  st [x]                              knows warp 0 up to 0
//             bar.sync   ----------->  bar.sync   knows warp 0 up to 1
//   clock 2:  st [y]                   ld [x]     1 <= 1: ordered
//                                      ld [y]     2 >  1: a race
//
// Lanes of one warp share its clock but not its order: unless they meet in
// bar.warp.sync or at a barrier, what one does is not ordered before what
// another does, nor does one know what another has learned. So a clock may hold
// for single lanes only, and a warp keeps, beside what all its lanes know, what
// some of them know alone:
//
//   lanes 0-31: st [x]         published by lane 0: clock 1 of its lane 0 only
//   lane 0:     st.release [f] (after bar.warp.sync: clock 1 of all its lanes)
//
// Acquire and release patterns follow the memory model: a fence publishes what
// the warp knows with its next strong write or atomic; who reads that location
// with a strong read knows it after a fence of its own. A barrier hands on what
// fence.sc (membar) has published, since such fences are ordered among each
// other: all threads fence, meet, and one of them raises the flag. For the same
// reason it hands on what strong reads have seen: one thread waits for the
// flag, all meet, and all fence.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_CHECK_CLOCKS_H
#define QCC_LIB_EMULATOR_CHECK_CLOCKS_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace qcc::emu {

/// Asynchronous units are agents beside the warps. Their numbers are unique
/// within a CTA; those of two CTAs differ, but for very large grids.
constexpr uint32_t firstAsyncAgent = uint32_t(1) << 31;
constexpr bool isAsyncAgent(uint32_t agent) { return agent >= firstAsyncAgent; }
constexpr uint32_t asyncAgent(int64_t cta, uint32_t unit) {
  constexpr uint32_t unitsOfCta = 1 << 16;
  return firstAsyncAgent | ((static_cast<uint32_t>(cta) * unitsOfCta + unit) &
                            (firstAsyncAgent - 1));
}

/// Clocks by key; a key without one has 0.
template <typename Key> class ClockMap {
public:
  uint32_t of(Key key) const {
    auto it = lowerBound(key);
    return it == entries_.end() || it->first != key ? 0 : it->second;
  }
  void raise(Key key, uint32_t clock) {
    auto it = entries_.begin() + (lowerBound(key) - entries_.begin());
    if (it == entries_.end() || it->first != key)
      entries_.insert(it, {key, clock});
    else
      it->second = std::max(it->second, clock);
  }
  /// The later of both clocks, of all keys.
  void join(const ClockMap &other) {
    if (other.isEmpty())
      return;
    if (isEmpty()) {
      entries_ = other.entries_;
      return;
    }
    std::vector<Entry> joined;
    joined.reserve(entries_.size() + other.entries_.size());
    auto a = entries_.begin();
    for (const Entry &b : other.entries_) {
      while (a != entries_.end() && a->first < b.first)
        joined.push_back(*a++);
      joined.push_back(b);
      if (a != entries_.end() && a->first == b.first) {
        joined.back().second = std::max(a->second, b.second);
        ++a;
      }
    }
    joined.insert(joined.end(), a, entries_.end());
    entries_ = std::move(joined);
  }
  /// Forgets the clocks for which drop(key, clock) holds.
  template <typename Drop> void removeIf(Drop drop) {
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                  [&](const Entry &entry) {
                                    return drop(entry.first, entry.second);
                                  }),
                   entries_.end());
  }
  bool isEmpty() const { return entries_.empty(); }
  void clear() { entries_.clear(); }

private:
  using Entry = std::pair<Key, uint32_t>;
  typename std::vector<Entry>::const_iterator lowerBound(Key key) const {
    return std::lower_bound(
        entries_.begin(), entries_.end(), key,
        [](const Entry &entry, Key key) { return entry.first < key; });
  }

  std::vector<Entry> entries_; ///< By key.
};

/// A clock for each warp that is known of, and later ones for some of its
/// lanes. Warps are numbered through the grid; those of one CTA lie side by
/// side.
class VectorClock {
public:
  VectorClock() = default;
  VectorClock(uint32_t firstAgent, uint32_t agents)
      : first_(firstAgent), own_(agents, 0) {}

  uint32_t of(uint32_t agent) const {
    return agent - first_ < own_.size() ? own_[agent - first_]
                                        : others_.of(agent);
  }
  /// Whether what all of `lanes` of a warp did at its time `clock` is known.
  bool covers(uint32_t agent, uint32_t clock, uint32_t lanes) const {
    return clock <= of(agent) ||
           (!lanes_.isEmpty() && coversLanes(agent, clock, lanes));
  }
  void raise(uint32_t agent, uint32_t clock);
  void raiseLanes(uint32_t agent, uint32_t lanes, uint32_t clock);
  void join(const VectorClock &other);
  bool isEmpty() const {
    return own_.empty() && others_.isEmpty() && lanes_.isEmpty();
  }
  void clear() {
    own_.clear();
    others_.clear();
    lanes_.clear();
  }

private:
  bool coversLanes(uint32_t agent, uint32_t clock, uint32_t lanes) const;

  uint32_t first_ = 0;
  std::vector<uint32_t> own_;
  ClockMap<uint32_t> others_;
  /// By 32 * agent + lane: only what is later than of(agent).
  ClockMap<uint64_t> lanes_;
};

/// What fences have published, for strong writes of either reach; or what
/// strong reads have seen of it.
struct FencedClocks {
  VectorClock cta, gpu;

  bool isEmpty() const { return cta.isEmpty() && gpu.isEmpty(); }

  void join(const FencedClocks &other) {
    cta.join(other.cta);
    gpu.join(other.gpu);
  }
};

/// What warps hand over at a barrier.
struct BarrierClocks {
  VectorClock known;
  FencedClocks sequential;
  FencedClocks observed; ///< By strong reads, for a fence.sc behind it.
};

/// How far an access reaches that takes part in synchronization.
enum class Strength : uint8_t {
  Weak, ///< It does not.
  Cta,
  Gpu
};

enum class FenceKind : uint8_t { AcquireRelease, Acquire, Release, Sequential };

/// What was published at one address.
struct SyncVariable {
  VectorClock cta, gpu;
  uint32_t ctaNumber = 0; ///< Whose `cta` is.
};

/// Of a warp. `lanes` execute an operation; `all` are those that exist and have
/// not exited.
class WarpClock {
public:
  WarpClock() = default;
  /// `firstAgent`: warp 0 of the same CTA, which has `agents`.
  WarpClock(uint32_t agent, uint32_t firstAgent, uint32_t agents);

  uint32_t agent() const { return agent_; }
  uint32_t ctaNumber() const { return ctaNumber_; }
  uint32_t now() const { return now_; }

  /// Whether accesses of `lanes` of a warp at its time `clock` come before what
  /// `current` lanes of this warp do now.
  bool isOrdered(uint32_t agent, uint32_t clock, uint32_t lanes,
                 uint32_t current) const {
    return known_.covers(agent, clock, lanes) ||
           // A lane is ordered with itself.
           (agent == agent_ && lanes == current &&
            (lanes & (lanes - 1)) == 0) ||
           (!(agent != agent_ && extras_.empty()) &&
            isOrderedByLanes(agent, clock, lanes, current));
  }

  const VectorClock &known() const { return known_; }
  /// At a barrier: the lanes publish, then know.
  void release(BarrierClocks &published, uint32_t lanes, uint32_t all);
  void acquire(const BarrierClocks &published, uint32_t lanes, uint32_t all);

  /// All lanes know what an agent did up to a clock.
  void learn(uint32_t agent, uint32_t clock) { known_.raise(agent, clock); }

  /// fence.proxy.async: units see what the lanes did, and what they know of, in
  /// accesses that these lanes issue.
  void fenceProxy(uint32_t lanes);
  /// Whether all `current` lanes have fenced after they knew of what `lanes` of
  /// a warp did at its time `clock`.
  bool hasFencedProxy(uint32_t agent, uint32_t clock, uint32_t lanes,
                      uint32_t current) const;

  /// What comes later is not known by what becomes known of the time that is
  /// returned.
  uint32_t pass() { return now_++; }

  /// bar.warp.sync
  void syncLanes(uint32_t lanes, uint32_t all);

  void fence(Strength scope, FenceKind kind, uint32_t lanes, uint32_t all);
  /// A strong write or atomic (release, if it says so itself).
  void publish(SyncVariable &variable, Strength scope, bool isRelease,
               bool replaces, int lane);
  /// A strong read or atomic.
  void observe(const SyncVariable &variable, Strength scope, bool isAcquire,
               int lane);

private:
  /// What some lanes know beside known_.
  struct Extra {
    uint32_t lanes;
    VectorClock known;
  };
  /// What some lanes have fenced, and when.
  struct Fenced {
    uint32_t lanes;
    VectorClock known;
    uint32_t clock;
  };
  /// What a lane has read and not fenced.
  struct Observed {
    int lane;
    VectorClock cta, gpu;
  };

  bool isOrderedByLanes(uint32_t agent, uint32_t clock, uint32_t lanes,
                        uint32_t current) const;
  void tick() { ++now_; }
  void releaseTo(VectorClock &published, uint32_t lanes, uint32_t all) const;
  VectorClock &extraOf(uint32_t lanes);
  /// What a lane knows, without what it did itself.
  VectorClock knownTo(int lane) const;
  void addFenced(std::vector<Fenced> &list, uint32_t lanes) const;
  void publishFenced(const std::vector<Fenced> &list, int lane,
                     VectorClock &published) const;

  uint32_t agent_ = 0, ctaNumber_ = 0;
  uint32_t now_ = 1;
  VectorClock
      known_; ///< To all lanes; of itself: what they know of each other.
  std::vector<Extra> extras_;
  /// Published by fences, for the next strong write: handed on at barriers, and
  /// by lanes' own.
  FencedClocks fenced_;
  std::vector<Fenced> fencedCta_, fencedGpu_;
  std::vector<Fenced> fencedProxy_;
  FencedClocks sequential_; ///< By fence.sc alone, to be handed on.
  FencedClocks handedOn_;   ///< Read before a barrier, for the next fence.sc.
  /// Read by strong reads, for the next fence.
  std::vector<Observed> observed_;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_CHECK_CLOCKS_H
