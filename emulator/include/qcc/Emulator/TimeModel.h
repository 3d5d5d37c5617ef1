//===- TimeModel.h - Model of a kernel's time -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An estimate of a kernel's time on a chip from its counters. It knows rates
// and a few latencies, no caches and no schedule: it says what bounds a kernel
// and ranks its variants, within the limits that
// docs/HowTo/ReadEmulatorReports.md states.
//
// Each resource is busy for (work / rate) cycles. The busiest SM has n =
// ceil(CTAs / SMs) CTAs, of which `resident` run at once:
//
//   issue    n * issue slots of a CTA / warp schedulers
//   a pipe   n * lanes that it executes / its lanes per cycle
//   matrix   n * multiply-accumulates / those of a cycle
//   shared   n * wavefronts
//   L2       sectors of all requests / the chip's bytes per cycle
//   DRAM     different bytes that are read, and those written / the same
//   atomics  operations on the address with most of them, one a cycle; or all
//            their sectors at half of the rate of L2
//   latency  ceil(n / resident) * the time of a CTA that waits for nobody: its
//            first access to memory, a warp's instructions at one in two
//            cycles, barriers, and each batch of loads and atomics that are
//            needed: none of a batch needs the result of another, and what is
//            issued before a result is needed hides as much of the latency.
//            That is L2's, and DRAM's for the share of sectors that it serves
//
// The kernel takes as long as the busiest of these; it is bound by that. With a
// single resident CTA nothing hides what lies outside of the hottest loop,
// whose issue slots are then added.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_TIMEMODEL_H
#define QCC_EMULATOR_TIMEMODEL_H

#include "qcc/Emulator/Counters.h"

#include <string>
#include <string_view>
#include <vector>

namespace qcc::emu {

/// A row of the table of chips. Rates are for one SM and one cycle, unless they
/// say otherwise.
struct ChipInfo {
  std::string_view name;    ///< "sm_80"
  std::string_view product; ///< The board whose figures these are.
  int sms;
  double gigahertz; ///< Boost.
  int schedulers;   ///< Warp instructions issued.
  int integerLanes, floatLanes, doubleLanes, specialLanes, convertLanes,
      shuffleLanes;
  int int8Macs, halfMacs; ///< Of the tensor cores.
  /// The share of those that mma.sync reaches: Hopper needs wgmma for all.
  double mmaSyncShare;
  double l2BytesOfChip; ///< Bytes a cycle, of the whole chip.
  double dramGigabytes; ///< 10^9 bytes a second.
  int sharedLatency, l2Latency, dramLatency; ///< Cycles.
  int maxWarps, maxCtas;                     ///< Resident.
  int registers;                             ///< 32-bit.
  int64_t sharedBytes;                       ///< For all resident CTAs.
  int64_t sharedBytesOfCta;                  ///< What one may ask for.
};

/// All rows.
const std::vector<ChipInfo> &knownChips();
/// The row of a name, or of the longest one that it starts with ("sm_90a"):
/// null if the table lacks such a row.
const ChipInfo *findChip(std::string_view name);

enum class Bound : uint8_t {
  Issue,
  Integer,
  Float,
  Double,
  Special,
  Convert,
  Shuffle,
  Matrix,
  Shared,
  L2,
  Dram,
  Atomics,
  Latency
};
constexpr int numBounds = static_cast<int>(Bound::Latency) + 1;

/// "instruction issue", "tensor cores", ...
const char *boundName(Bound bound);

struct TimeEstimate {
  /// Whether the kernel fits the chip at all; if not, `reason` says why and the
  /// rest is zero.
  bool fits = false;
  std::string reason;
  /// CTAs that an SM runs at once, and what limits them: "shared memory", ...
  int residentCtas = 0;
  std::string residencyLimit;
  /// Cycles that each resource is busy.
  double busy[numBounds] = {};
  /// Added where nothing hides it: issue outside of the hottest loop.
  double unhidden = 0;
  double cycles = 0;
  double microseconds = 0;
  Bound bound = Bound::Issue;
  /// Useful work over what the chip could do in that time, 0 to 1: of its
  /// tensor cores where the kernel has mma, else of its DRAM.
  double shareOfPeak = 0;
  bool peakIsMatrix = false;
  /// CTAs over the places that the last SM to finish keeps: 1 without a tail.
  double tailEfficiency = 0;
};

/// CTAs that an SM holds, and what limits them.
struct Residency {
  int ctas = 0;
  std::string limit;  ///< "shared memory", ...
  std::string reason; ///< Why it holds none.
};
/// Of a kernel's warps, registers and shared memory.
Residency residencyOf(const Counters &counters, const ChipInfo &chip);

TimeEstimate estimateTime(const Counters &counters, const ChipInfo &chip);

/// A table for a person.
std::string formatEstimate(const TimeEstimate &estimate, const ChipInfo &chip);
/// The same as a JSON object.
Json estimateJson(const TimeEstimate &estimate, const ChipInfo &chip);

} // namespace qcc::emu

#endif // QCC_EMULATOR_TIMEMODEL_H
