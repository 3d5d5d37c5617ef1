//===- DecodeTests.cpp - Few rows, with K shared by warps -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linear layers of few rows on the emulator: what their kernels execute, that
// they compute what other strategies do, and which of them dynamic rows get.
//
//===----------------------------------------------------------------------===//

#include "LayerOnEmulator.h"

using namespace qcc;

namespace {
class DecodeTest : public test::LayerTest {};

constexpr const char *kThreads =
    "#nvptx.config<threads, atom = \"mad\", source = pinned>";
} // namespace

TEST_F(DecodeTest, ReadsWeightsOnce) {
  for (int64_t m : {1, 5, 8, 9, 16}) {
    compile({m, 512, 1024, "sm_80",
             "#nvptx.config<decode, atom = \"mma-m16n8k32\", tile = [16, 16, "
             "512], warp = [16, 16], stages = 2, source = pinned>"});
    rt::Status status = run();
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(counters.ctas, 512 / 16);
    EXPECT_EQ(counters.barriers, 512 / 16);
    EXPECT_EQ(counters.shared.maxDegree, 1);
    EXPECT_GE(counters.globalLoads.usefulShare(), .99);
    // Sectors of weights, of rows for each block, and of what columns have.
    double sectors = (512. * 1024 + 512 / 16 * m * 1024. + 512 * 4) / 32;
    EXPECT_LE(double(counters.globalLoads.sectors), 1.02 * sectors) << m;
    EXPECT_EQ(result, resultOf(kThreads)) << m;
  }
}

TEST_F(DecodeTest, BarrierMatters) {
  for (const char *chip : {"sm_75", "sm_80"}) {
    std::string atom =
        chip == std::string("sm_75") ? "mma-m8n8k16" : "mma-m16n8k32";
    expectAllMatter({11, 40, 321, chip,
                     "#nvptx.config<decode, atom = \"" + atom +
                         "\", tile = [16, 32, 128], warp = [16, 32], stages = "
                         "2, source = pinned>",
                     ":3"},
                    1);
  }
}

// The founding case of the strategy: the time is that of the weights.
TEST_F(DecodeTest, ModelIsNearMemory) {
  for (const char *chip : {"sm_80", "sm_90"}) {
    compile({1, 4096, 4096, chip});
    rt::Status status = run();
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(launches.size(), 1u);
    emu::TimeEstimate estimate =
        emu::estimateTime(counters, *emu::findChip(chip));
    EXPECT_GE(estimate.busy[int(emu::Bound::Dram)] / estimate.cycles, .75)
        << emu::formatEstimate(estimate, *emu::findChip(chip));
  }
}

// One artifact, whose kernels are for one range of rows each.
TEST_F(DecodeTest, DynamicRowsChooseAKernel) {
  test::Layer dynamic{0, 96, 320, "sm_80"};
  dynamic.isDynamic = true;
  compile(dynamic);
  std::vector<std::pair<int64_t, std::vector<int8_t>>> results;
  for (int64_t rows : {1, 16, 17, 64, 65, 130}) {
    rt::Status status = run(0, {}, rows);
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(launches.size(), 1u) << rows;
    results.emplace_back(rows, result);
  }
  for (auto &[rows, expected] : results)
    EXPECT_EQ(expected, resultOf(kThreads, rows)) << rows;
}
