//===- TimeModel.cpp - Model of a kernel's time ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of chips and the arithmetic on it.
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/TimeModel.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace qcc::emu {

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

// Throughputs are those of the CUDA programming guide's table and of NVIDIA's
// white papers, latencies and mmaSyncShare those of published microbenchmarks.
const std::vector<ChipInfo> &knownChips() {
  static const std::vector<ChipInfo> chips = {
      {"sm_75", "T4", 40,  1.590, 4,   64,    64,       2,
       16,      16,   32,  1024,  512, 1.0,   1280,     320,
       29,      190,  480, 32,    16,  65536, 64 << 10, 64 << 10},
      {"sm_80",   "A100 SXM4 80 GB",
       108,       1.410,
       4,         64,
       64,        32,
       16,        16,
       32,        2048,
       1024,      1.0,
       5120,      2039,
       29,        200,
       470,       64,
       32,        65536,
       164 << 10, 163 << 10},
      {"sm_86", "A10", 72,  1.695, 4,   64,    128,       2,
       16,      16,    32,  1024,  512, 1.0,   2560,      600,
       29,      200,   470, 48,    16,  65536, 100 << 10, 99 << 10},
      {"sm_89", "L4", 58,  2.040, 4,   64,    128,       2,
       16,      16,   32,  1024,  512, 1.0,   1856,      300,
       30,      270,  540, 48,    24,  65536, 100 << 10, 99 << 10},
      {"sm_90",   "H100 SXM5 80 GB",
       132,       1.830,
       4,         64,
       128,       64,
       16,        64,
       32,        4096,
       2048,      0.62,
       5120,      3350,
       29,        260,
       560,       64,
       32,        65536,
       228 << 10, 227 << 10},
      {"sm_120", "RTX 5090", 170, 2.407, 4,   64,    128,       2,
       16,       16,         32,  1024,  512, 1.0,   5440,      1792,
       30,       270,        560, 48,    24,  65536, 100 << 10, 99 << 10},
      {"h200",    "H200 SXM5 141 GB",
       132,       1.830,
       4,         64,
       128,       64,
       16,        64,
       32,        4096,
       2048,      0.62,
       5120,      4800,
       29,        260,
       560,       64,
       32,        65536,
       228 << 10, 227 << 10},
  };
  return chips;
}

const ChipInfo *findChip(std::string_view name) {
  const ChipInfo *best = nullptr;
  for (const ChipInfo &chip : knownChips())
    if (name.substr(0, chip.name.size()) == chip.name &&
        (!best || chip.name.size() > best->name.size()))
      best = &chip;
  return best;
}

const char *boundName(Bound bound) {
  static const char *const names[numBounds] = {"instruction issue",
                                               "integer pipe",
                                               "float pipe",
                                               "f64 pipe",
                                               "special functions",
                                               "conversions",
                                               "shuffles",
                                               "tensor cores",
                                               "shared memory",
                                               "L2 throughput",
                                               "DRAM throughput",
                                               "atomics",
                                               "latency"};
  return names[static_cast<int>(bound)];
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Issue slots of one execution.
static double issueSlots(CostClass cost) {
  switch (cost) {
  case CostClass::Free:
    return 0;
  case CostClass::Wide:
    return 2;
  case CostClass::Divide:
    return 16;
  case CostClass::Move: // Assemblers remove about every other one.
    return 0.5;
  default:
    return 1;
  }
}

static double count(const Counters &counters, CostClass cost) {
  return double(counters.byClass[static_cast<int>(cost)]);
}

static double totalIssueSlots(const Counters &counters) {
  double slots = 0;
  for (int i = 0; i < numCostClasses; ++i)
    slots += issueSlots(CostClass(i)) * double(counters.byClass[i]);
  return slots;
}

Residency residencyOf(const Counters &counters, const ChipInfo &chip) {
  Residency residency;
  int64_t shared = counters.staticShared + counters.dynamicShared;
  if (shared > chip.sharedBytesOfCta) {
    residency.reason = "needs " + std::to_string(shared) +
                       " bytes of shared memory, and a CTA may have " +
                       std::to_string(chip.sharedBytesOfCta);
    return residency;
  }
  // From sm_80 on the hardware keeps 1 KiB for each CTA, so that one may have
  // less than there is. Warps get registers in units of 256.
  int64_t reservedShared = chip.sharedBytes - chip.sharedBytesOfCta;
  constexpr int64_t registerUnit = 256;
  int warps = std::max(counters.warpsPerCta, 1);
  int64_t perThread = std::max(counters.registers, 16);
  int64_t perWarp =
      (perThread * 32 + registerUnit - 1) / registerUnit * registerUnit;
  struct {
    int64_t ctas;
    const char *limit;
  } limits[] = {
      {chip.sharedBytes / std::max<int64_t>(shared + reservedShared, 1),
       "shared memory"},
      {chip.registers / (perWarp * warps), "registers"},
      {chip.maxWarps / warps, "warps"},
      {chip.maxCtas, "CTAs"},
  };
  auto least =
      std::min_element(std::begin(limits), std::end(limits),
                       [](auto &x, auto &y) { return x.ctas < y.ctas; });
  residency.ctas = int(least->ctas);
  residency.limit = least->limit;
  if (least->ctas == 0)
    residency.reason =
        std::string("one CTA takes more ") + least->limit + " than an SM has";
  return residency;
}

/// Cycles from a load to its result.
static double loadLatency(const Counters &counters, const ChipInfo &chip) {
  // Each sector comes from DRAM once.
  constexpr double sectorBytes = 32;
  double sectors = double(counters.globalLoads.sectors);
  double missShare =
      sectors > 0
          ? std::min(1.0, double(counters.loadedBytes) / sectorBytes / sectors)
          : 0;
  return chip.l2Latency + missShare * (chip.dramLatency - chip.l2Latency);
}

/// Cycles of a CTA that has an SM for itself and waits for memory.
static double aloneCycles(const Counters &counters, const ChipInfo &chip) {
  constexpr double cyclesPerInstruction = 2;
  double ctas = double(counters.ctas);
  double warps = ctas * std::max(counters.warpsPerCta, 1);
  double latency = loadLatency(counters, chip), waits = 0;
  for (const InstructionCounters &row : counters.instructions)
    if (row.useDistance >= 0 && row.global.requests > 0)
      waits += double(row.global.requests) *
               std::max(0.0, latency - cyclesPerInstruction * row.useDistance);
  return chip.dramLatency + cyclesPerInstruction * counters.executions / warps +
         chip.sharedLatency * counters.barriers / ctas + waits / warps;
}

/// Cycles in which L2 is busy with atomics.
static double atomicCycles(const Counters &counters, const ChipInfo &chip) {
  constexpr double sectorBytes = 32, shareOfRate = 0.5;
  return std::max(double(counters.hottestAtomic),
                  sectorBytes * double(counters.atomicTraffic.sectors) /
                      (shareOfRate * chip.l2BytesOfChip));
}

TimeEstimate estimateTime(const Counters &counters, const ChipInfo &chip) {
  TimeEstimate estimate;
  if (counters.ctas == 0 || counters.executions == 0) {
    estimate.reason = "nothing was executed";
    return estimate;
  }
  Residency residency = residencyOf(counters, chip);
  estimate.residentCtas = residency.ctas;
  estimate.residencyLimit = residency.limit;
  estimate.reason = residency.reason;
  estimate.fits = residency.ctas > 0;
  if (!estimate.fits)
    return estimate;

  double ctas = double(counters.ctas);
  double perSm = std::ceil(ctas / chip.sms);
  estimate.tailEfficiency = ctas / (perSm * chip.sms);
  // Work of the busiest SM, from that of all.
  double part = perSm / ctas;

  auto set = [&](Bound bound, double cycles) {
    estimate.busy[static_cast<int>(bound)] = cycles;
  };
  auto pipe = [&](Bound bound, double executions, int lanes) {
    set(bound, part * executions * 32 / lanes);
  };
  double slots = totalIssueSlots(counters);
  set(Bound::Issue, part * slots / chip.schedulers);
  pipe(Bound::Integer,
       count(counters, CostClass::Integer) +
           2 * count(counters, CostClass::Wide) +
           count(counters, CostClass::Multiply),
       chip.integerLanes);
  pipe(Bound::Float,
       count(counters, CostClass::Float) +
           2 * count(counters, CostClass::FloatPair),
       chip.floatLanes);
  pipe(Bound::Double, count(counters, CostClass::Double), chip.doubleLanes);
  pipe(Bound::Special, count(counters, CostClass::Special), chip.specialLanes);
  pipe(Bound::Convert, count(counters, CostClass::Convert), chip.convertLanes);
  pipe(Bound::Shuffle, count(counters, CostClass::Shuffle), chip.shuffleLanes);
  // Cycles of tensor cores that nothing ever holds up.
  double peakMatrix = double(counters.matrix.int8Macs) / chip.int8Macs +
                      double(counters.matrix.halfMacs) / chip.halfMacs;
  double ofWarpgroups =
      double(counters.matrix.warpgroupInt8Macs) / chip.int8Macs +
      double(counters.matrix.warpgroupHalfMacs) / chip.halfMacs;
  set(Bound::Matrix,
      part * (ofWarpgroups + (peakMatrix - ofWarpgroups) / chip.mmaSyncShare));
  set(Bound::Shared, part * double(counters.shared.wavefronts));
  double sectors =
      double(counters.globalLoads.sectors + counters.globalStores.sectors +
             counters.atomicTraffic.sectors);
  set(Bound::Atomics, atomicCycles(counters, chip));
  set(Bound::L2, 32 * sectors / chip.l2BytesOfChip);
  double dramBytes = double(counters.loadedBytes + counters.storedBytes);
  double dramBytesPerCycle = chip.dramGigabytes / chip.gigahertz;
  set(Bound::Dram, dramBytes / dramBytesPerCycle);
  set(Bound::Latency,
      std::ceil(perSm / estimate.residentCtas) * aloneCycles(counters, chip));

  auto busiest =
      std::max_element(std::begin(estimate.busy), std::end(estimate.busy));
  estimate.bound = Bound(busiest - std::begin(estimate.busy));
  if (estimate.residentCtas == 1 && counters.hottestLoop >= 0) {
    double inside = double(counters.loops[counters.hottestLoop].executions) /
                    double(counters.executions);
    estimate.unhidden = part * slots * (1 - inside) / chip.schedulers;
  }
  estimate.cycles = *busiest + estimate.unhidden;
  estimate.microseconds = estimate.cycles / (chip.gigahertz * 1e3);
  estimate.peakIsMatrix = counters.matrix.instructions != 0;
  estimate.shareOfPeak = estimate.peakIsMatrix
                             ? peakMatrix / chip.sms / estimate.cycles
                             : dramBytes / dramBytesPerCycle / estimate.cycles;
  return estimate;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

__attribute__((format(printf, 2, 3))) static void
append(std::string &text, const char *format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  text += line;
}

std::string formatEstimate(const TimeEstimate &estimate, const ChipInfo &chip) {
  std::string text = "estimate for " + std::string(chip.name) + " (" +
                     std::string(chip.product) + ")\n";
  if (!estimate.fits)
    return text + "  does not fit: " + estimate.reason + "\n";
  append(text, "  %.1f us, %.0f cycles, bound by %s\n", estimate.microseconds,
         estimate.cycles, boundName(estimate.bound));
  append(text, "  %.0f %% of the peak of %s\n", 100 * estimate.shareOfPeak,
         estimate.peakIsMatrix ? "the tensor cores" : "DRAM");
  append(text, "  %d resident CTAs per SM, limited by %s\n",
         estimate.residentCtas, estimate.residencyLimit.c_str());
  append(text, "  %.0f %% of SMs busy over all waves\n",
         100 * estimate.tailEfficiency);
  text += "  busy cycles:\n";
  for (int i = 0; i < numBounds; ++i)
    if (estimate.busy[i] > 0)
      append(text, "    %-18s %12.0f\n", boundName(Bound(i)), estimate.busy[i]);
  if (estimate.unhidden > 0)
    append(text, "    %-18s %12.0f\n", "outside of loop", estimate.unhidden);
  return text;
}

Json estimateJson(const TimeEstimate &estimate, const ChipInfo &chip) {
  Json json = Json::dictionary();
  json.add("chip", Json::of(chip.name));
  json.add("fits", Json::of(estimate.fits));
  if (!estimate.fits) {
    json.add("reason", Json::of(estimate.reason));
    return json;
  }
  json.add("microseconds", Json::of(estimate.microseconds));
  json.add("cycles", Json::of(estimate.cycles));
  json.add("bound", Json::of(boundName(estimate.bound)));
  json.add("share_of_peak", Json::of(estimate.shareOfPeak));
  json.add("peak", Json::of(estimate.peakIsMatrix ? "tensor cores" : "DRAM"));
  json.add("resident_ctas", Json::of(int64_t(estimate.residentCtas)));
  json.add("residency_limit", Json::of(estimate.residencyLimit));
  json.add("tail_efficiency", Json::of(estimate.tailEfficiency));
  json.add("unhidden_cycles", Json::of(estimate.unhidden));
  Json busy = Json::dictionary();
  for (int i = 0; i < numBounds; ++i)
    busy.add(boundName(Bound(i)), Json::of(estimate.busy[i]));
  json.add("busy_cycles", std::move(busy));
  return json;
}

} // namespace qcc::emu
