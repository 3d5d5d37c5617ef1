//===- TimeModelTests.cpp - Model of a kernel's time ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cases computed by hand, one for each verdict.
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/TimeModel.h"

#include <gtest/gtest.h>

using namespace qcc::emu;

namespace {

/// Round figures: 10 SMs at 1 GHz.
ChipInfo testChip() {
  ChipInfo chip{};
  chip.name = "test";
  chip.product = "made up";
  chip.sms = 10;
  chip.gigahertz = 1;
  chip.schedulers = 4;
  chip.integerLanes = 64;
  chip.floatLanes = 128;
  chip.doubleLanes = 32;
  chip.specialLanes = 16;
  chip.convertLanes = 16;
  chip.shuffleLanes = 32;
  chip.int8Macs = 2048;
  chip.halfMacs = 1024;
  chip.mmaSyncShare = 1;
  chip.l2BytesOfChip = 640;
  chip.dramGigabytes = 100; // 100 bytes a cycle.
  chip.sharedLatency = 30;
  chip.l2Latency = 200;
  chip.dramLatency = 500;
  chip.maxWarps = 64;
  chip.maxCtas = 32;
  chip.registers = 65536;
  chip.sharedBytes = 100 << 10;
  chip.sharedBytesOfCta = 99 << 10;
  return chip;
}

/// 20 CTAs of 8 warps, two for each SM, that do nothing yet.
Counters emptyKernel() {
  Counters counters;
  counters.kernel = "k";
  counters.ctas = 20;
  counters.warpsPerCta = 8;
  counters.threadsPerCta = 256;
  counters.registers = 32;
  return counters;
}

void execute(Counters &counters, CostClass cost, int64_t perCta) {
  counters.byClass[static_cast<int>(cost)] += perCta * counters.ctas;
  counters.executions += perCta * counters.ctas;
}

double busy(const TimeEstimate &estimate, Bound bound) {
  return estimate.busy[static_cast<int>(bound)];
}

} // namespace

TEST(TimeModel, Issue) {
  Counters counters = emptyKernel();
  // 80000 branches of a CTA at 4 a cycle, two CTAs: 40000 cycles.
  execute(counters, CostClass::Branch, 80000);
  TimeEstimate estimate = estimateTime(counters, testChip());
  ASSERT_TRUE(estimate.fits);
  EXPECT_EQ(estimate.bound, Bound::Issue);
  EXPECT_DOUBLE_EQ(estimate.cycles, 40000);
  EXPECT_DOUBLE_EQ(estimate.microseconds, 40);
  EXPECT_DOUBLE_EQ(estimate.tailEfficiency, 1);
  // 64-bit operations take two slots, moves a half, divisions 16.
  counters = emptyKernel();
  execute(counters, CostClass::Wide, 100);
  execute(counters, CostClass::Move, 100);
  execute(counters, CostClass::Divide, 10);
  estimate = estimateTime(counters, testChip());
  EXPECT_DOUBLE_EQ(busy(estimate, Bound::Issue), 2 * (200 + 50 + 160) / 4.0);
}

TEST(TimeModel, Pipes) {
  Counters counters = emptyKernel();
  execute(counters, CostClass::Integer, 100);
  execute(counters, CostClass::Multiply, 20);
  execute(counters, CostClass::Wide, 10);
  execute(counters, CostClass::Float, 50);
  execute(counters, CostClass::FloatPair, 15);
  execute(counters, CostClass::Double, 5);
  execute(counters, CostClass::Special, 7);
  execute(counters, CostClass::Convert, 9);
  execute(counters, CostClass::Shuffle, 11);
  TimeEstimate estimate = estimateTime(counters, testChip());
  // Two CTAs; a warp has 32 lanes.
  EXPECT_DOUBLE_EQ(busy(estimate, Bound::Integer), 2 * 140 * 32 / 64.0);
  EXPECT_DOUBLE_EQ(busy(estimate, Bound::Float), 2 * 80 * 32 / 128.0);
  EXPECT_DOUBLE_EQ(busy(estimate, Bound::Double), 2 * 5);
  EXPECT_DOUBLE_EQ(busy(estimate, Bound::Special), 2 * 7 * 2);
  EXPECT_DOUBLE_EQ(busy(estimate, Bound::Convert), 2 * 9 * 2);
  EXPECT_DOUBLE_EQ(busy(estimate, Bound::Shuffle), 2 * 11);
}

TEST(TimeModel, TensorCores) {
  Counters counters = emptyKernel();
  execute(counters, CostClass::Matrix, 10000);
  counters.matrix.instructions = 10000 * counters.ctas;
  counters.matrix.int8Macs = counters.matrix.instructions * 4096;
  // Two CTAs of 10000 mma at two cycles each.
  TimeEstimate estimate = estimateTime(counters, testChip());
  EXPECT_EQ(estimate.bound, Bound::Matrix);
  EXPECT_DOUBLE_EQ(estimate.cycles, 40000);
  EXPECT_TRUE(estimate.peakIsMatrix);
  EXPECT_DOUBLE_EQ(estimate.shareOfPeak, 1);
  // mma.sync with half of the peak.
  ChipInfo slow = testChip();
  slow.mmaSyncShare = 0.5;
  estimate = estimateTime(counters, slow);
  EXPECT_DOUBLE_EQ(estimate.cycles, 80000);
  EXPECT_DOUBLE_EQ(estimate.shareOfPeak, 0.5);
  // f16 at half of the rate.
  std::swap(counters.matrix.int8Macs, counters.matrix.halfMacs);
  EXPECT_DOUBLE_EQ(estimateTime(counters, testChip()).cycles, 80000);
}

TEST(TimeModel, Memories) {
  Counters counters = emptyKernel();
  execute(counters, CostClass::Shared, 1000);
  counters.shared.wavefronts = 8000 * counters.ctas; // Conflicts of 8.
  TimeEstimate estimate = estimateTime(counters, testChip());
  EXPECT_EQ(estimate.bound, Bound::Shared);
  EXPECT_DOUBLE_EQ(estimate.cycles, 16000);

  counters = emptyKernel();
  execute(counters, CostClass::AsyncCopy, 100);
  counters.globalLoads.requests = 100 * counters.ctas;
  counters.globalLoads.sectors = 300000;
  counters.globalStores.sectors = 100000;
  counters.loadedBytes = 1000000;
  counters.storedBytes = 500000;
  estimate = estimateTime(counters, testChip());
  EXPECT_EQ(estimate.bound, Bound::L2);
  EXPECT_DOUBLE_EQ(estimate.cycles, 400000 * 32 / 640.0);
  EXPECT_DOUBLE_EQ(busy(estimate, Bound::Dram), 15000);
  EXPECT_FALSE(estimate.peakIsMatrix);
  EXPECT_DOUBLE_EQ(estimate.shareOfPeak, 0.75);

  counters.loadedBytes = 9000000;
  estimate = estimateTime(counters, testChip());
  EXPECT_EQ(estimate.bound, Bound::Dram);
  EXPECT_DOUBLE_EQ(estimate.cycles, 95000);
  EXPECT_DOUBLE_EQ(estimate.shareOfPeak, 1);
}

TEST(TimeModel, Latency) {
  Counters counters = emptyKernel();
  // Each warp: 90 instructions, 10 of them loads; 5 barriers of the CTA.
  execute(counters, CostClass::Global, 80);
  execute(counters, CostClass::Integer, 640);
  counters.globalLoads.requests = 80 * counters.ctas;
  counters.globalLoads.sectors = counters.globalLoads.requests;
  counters.barriers = 5 * counters.ctas;
  // Half of them start a batch, whose first use is ten instructions away.
  InstructionCounters load;
  load.global.requests = 40 * counters.ctas;
  load.useDistance = 10;
  counters.instructions.push_back(load);
  load.useDistance = -1;
  counters.instructions.push_back(load);
  TimeEstimate estimate = estimateTime(counters, testChip());
  EXPECT_EQ(estimate.bound, Bound::Latency);
  double alone = 500 + 2 * 90 + 30 * 5 + 5 * (200 - 2 * 10);
  EXPECT_DOUBLE_EQ(estimate.cycles, alone);
  // With one at a time, the two CTAs of an SM follow each other.
  counters.dynamicShared = 60 << 10;
  EXPECT_DOUBLE_EQ(estimateTime(counters, testChip()).cycles, 2 * alone);
  counters.dynamicShared = 0;
  // Half of the sectors come from DRAM.
  counters.loadedBytes = 16 * counters.globalLoads.sectors;
  EXPECT_DOUBLE_EQ(estimateTime(counters, testChip()).cycles,
                   alone + 5 * (500 - 200) / 2);
  // What is far enough away is not waited for.
  counters.instructions[0].useDistance = 400;
  EXPECT_DOUBLE_EQ(estimateTime(counters, testChip()).cycles,
                   500 + 2 * 90 + 30 * 5);
}

TEST(TimeModel, Atomics) {
  Counters counters = emptyKernel();
  execute(counters, CostClass::Atomic, 100);
  counters.atomicTraffic.sectors = 40000;
  counters.hottestAtomic = 30;
  TimeEstimate estimate = estimateTime(counters, testChip());
  EXPECT_EQ(estimate.bound, Bound::Atomics);
  EXPECT_DOUBLE_EQ(estimate.cycles, 40000 * 32 / 320.0);
  EXPECT_DOUBLE_EQ(busy(estimate, Bound::L2), 40000 * 32 / 640.0);
  // On one address they follow each other.
  counters.hottestAtomic = 64000;
  EXPECT_DOUBLE_EQ(estimateTime(counters, testChip()).cycles, 64000);
}

TEST(TimeModel, TailAndUnhiddenWork) {
  Counters counters = emptyKernel();
  counters.ctas = 11; // One SM has two.
  counters.warpsPerCta = 16;
  counters.dynamicShared = 60 << 10;
  execute(counters, CostClass::Branch, 80000);
  LoopCounters loop;
  loop.executions = counters.executions * 3 / 4;
  counters.loops.push_back(loop);
  counters.hottestLoop = 0;
  TimeEstimate estimate = estimateTime(counters, testChip());
  EXPECT_EQ(estimate.residentCtas, 1);
  EXPECT_EQ(estimate.residencyLimit, "shared memory");
  EXPECT_DOUBLE_EQ(estimate.tailEfficiency, 0.55);
  EXPECT_DOUBLE_EQ(estimate.unhidden, 10000);
  EXPECT_DOUBLE_EQ(estimate.cycles, 50000);
  // Two resident CTAs hide each other's ends.
  counters.dynamicShared = 0;
  estimate = estimateTime(counters, testChip());
  EXPECT_GT(estimate.residentCtas, 1);
  EXPECT_DOUBLE_EQ(estimate.cycles, 40000);
}

TEST(TimeModel, Residency) {
  auto resident = [](int registers, int warps, int64_t shared) {
    Counters counters = emptyKernel();
    counters.registers = registers;
    counters.warpsPerCta = warps;
    counters.staticShared = shared;
    execute(counters, CostClass::Integer, 1);
    TimeEstimate estimate = estimateTime(counters, testChip());
    return std::make_pair(estimate.residentCtas, estimate.residencyLimit);
  };
  using P = std::pair<int, std::string>;
  EXPECT_EQ(resident(32, 8, 0), P(8, "registers"));
  EXPECT_EQ(resident(33, 8, 0), P(6, "registers")); // 1280 for each warp.
  EXPECT_EQ(resident(16, 16, 0), P(4, "warps"));
  EXPECT_EQ(resident(16, 1, 0), P(32, "CTAs"));
  EXPECT_EQ(resident(16, 1, 9 << 10), P(10, "shared memory"));
}

TEST(TimeModel, SaysWhatDoesNotFit) {
  Counters counters = emptyKernel();
  execute(counters, CostClass::Integer, 1);
  counters.dynamicShared = 100 << 10;
  TimeEstimate estimate = estimateTime(counters, testChip());
  EXPECT_FALSE(estimate.fits);
  EXPECT_EQ(estimate.reason, "needs 102400 bytes of shared memory, and a CTA "
                             "may have 101376");
  EXPECT_EQ(formatEstimate(estimate, testChip()),
            "estimate for test (made up)\n  does not fit: " + estimate.reason +
                "\n");
  qcc::Json json = estimateJson(estimate, testChip());
  EXPECT_FALSE(json.find("fits")->boolean);
  EXPECT_EQ(json.find("reason")->string, estimate.reason);
  EXPECT_FALSE(json.find("cycles"));
  counters.dynamicShared = 0;
  counters.registers = 255;
  counters.warpsPerCta = 32;
  estimate = estimateTime(counters, testChip());
  EXPECT_FALSE(estimate.fits);
  EXPECT_EQ(estimate.reason, "one CTA takes more registers than an SM has");
  EXPECT_EQ(estimateTime(Counters(), testChip()).reason,
            "nothing was executed");
}

TEST(TimeModel, Texts) {
  Counters counters = emptyKernel();
  execute(counters, CostClass::Branch, 80000);
  TimeEstimate estimate = estimateTime(counters, testChip());
  EXPECT_EQ(formatEstimate(estimate, testChip()),
            "estimate for test (made up)\n"
            "  40.0 us, 40000 cycles, bound by instruction issue\n"
            "  0 % of the peak of DRAM\n"
            "  8 resident CTAs per SM, limited by registers\n"
            "  100 % of SMs busy over all waves\n"
            "  busy cycles:\n"
            "    instruction issue         40000\n"
            "    latency                   20500\n");
  qcc::Json json = estimateJson(estimate, testChip());
  EXPECT_EQ(json.find("bound")->string, "instruction issue");
  EXPECT_EQ(json.find("microseconds")->number, 40);
  EXPECT_EQ(json.find("busy_cycles")->find("instruction issue")->number, 40000);
}

TEST(TimeModel, FindsChips) {
  ASSERT_TRUE(findChip("sm_80"));
  EXPECT_EQ(findChip("sm_80")->sms, 108);
  EXPECT_EQ(findChip("sm_90a"), findChip("sm_90"));
  EXPECT_EQ(findChip("h200")->dramGigabytes, 4800);
  EXPECT_EQ(findChip("sm_70"), nullptr);
  EXPECT_EQ(findChip(""), nullptr);
  // The figures that NVIDIA gives: 624 and 1979 TOPS.
  for (auto [name, tops] :
       {std::make_pair("sm_80", 624.0), {"sm_90", 1979.0}}) {
    const ChipInfo &chip = *findChip(name);
    double peak = 2 * chip.int8Macs * chip.sms * chip.gigahertz * 1e-3;
    EXPECT_NEAR(peak, tops, 0.005 * tops);
    EXPECT_EQ(chip.int8Macs, 2 * chip.halfMacs);
  }
}
