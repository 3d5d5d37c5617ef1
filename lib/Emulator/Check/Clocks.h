//===- Clocks.h - What happens before what ----------------------*- C++ -*-===//
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
// another does. So a warp also knows itself up to some clock, and has a table
// of lanes once some of them have met without the others.
//
// Acquire and release patterns follow the memory model: a fence publishes what
// the warp knows with its next strong write or atomic; who reads that location
// with a strong read knows it after a fence of its own. A barrier hands on what
// fence.sc (membar) has published, since such fences are ordered among each
// other: all threads fence, meet, and one of them raises the flag.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_CHECK_CLOCKS_H
#define QCC_LIB_EMULATOR_CHECK_CLOCKS_H

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace qcc::emu {

/// A clock for each warp that is known of. Warps are numbered through the grid;
/// those of one CTA lie side by side.
class VectorClock {
public:
  VectorClock() = default;
  VectorClock(uint32_t firstAgent, uint32_t agents)
      : first_(firstAgent), own_(agents, 0) {}

  uint32_t of(uint32_t agent) const {
    if (agent - first_ < own_.size())
      return own_[agent - first_];
    auto it = others_.find(agent);
    return it == others_.end() ? 0 : it->second;
  }
  void raise(uint32_t agent, uint32_t clock);
  void join(const VectorClock &other);
  bool isEmpty() const { return own_.empty() && others_.empty(); }
  void clear() {
    own_.clear();
    others_.clear();
  }

private:
  uint32_t first_ = 0;
  std::vector<uint32_t> own_;
  std::unordered_map<uint32_t, uint32_t> others_;
};

/// What fences have published, for strong writes of either reach.
struct FencedClocks {
  VectorClock cta, gpu;

  void join(const FencedClocks &other) {
    cta.join(other.cta);
    gpu.join(other.gpu);
  }
};

/// What warps hand over at a barrier.
struct BarrierClocks {
  VectorClock known;
  FencedClocks sequential;
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
    if (clock <= known_.of(agent))
      return true;
    if (agent != agent_)
      return false;
    // A lane is ordered with itself.
    return (lanes == current && (lanes & (lanes - 1)) == 0) ||
           areLanesOrdered(clock, lanes, current);
  }

  const VectorClock &known() const { return known_; }
  /// At a barrier: all lanes publish, then know.
  void release(BarrierClocks &published);
  void acquire(const BarrierClocks &published);

  /// bar.warp.sync of `lanes`, of which `all` exist.
  void syncLanes(uint32_t lanes, uint32_t all);

  void fence(Strength scope, FenceKind kind);
  /// A strong write or atomic (release, if it says so itself).
  void publish(SyncVariable &variable, Strength scope, bool isRelease,
               bool replaces);
  /// A strong read or atomic.
  void observe(const SyncVariable &variable, Strength scope, bool isAcquire);

private:
  bool areLanesOrdered(uint32_t clock, uint32_t lanes, uint32_t current) const;
  void tick() { ++now_; }
  void releaseTo(VectorClock &published);

  uint32_t agent_ = 0, ctaNumber_ = 0;
  uint32_t now_ = 1;
  VectorClock known_; ///< Of itself: what all its lanes know of each other.
  /// lanes_[b][a]: lane b knows what lane a did before that clock.
  using LaneTable = std::array<std::array<uint32_t, 32>, 32>;
  std::unique_ptr<LaneTable> lanes_;
  /// Published by fences, for the next strong write; by fence.sc alone.
  FencedClocks fenced_, sequential_;
  /// Read by strong reads, for the next fence.
  VectorClock observedCta_, observedGpu_;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_CHECK_CLOCKS_H
