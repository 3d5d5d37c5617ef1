//===- WarpgroupsTests.cpp - Warpgroups that multiply what one loads ------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linear layers for sm_90a with pinned configs, on the emulator: what their
// kernels compute and execute, and that nothing can be left out of what orders
// their threads.
//
//===----------------------------------------------------------------------===//

#include "LayerOnEmulator.h"

using namespace qcc;

namespace {
class WarpgroupsTest : public test::LayerTest {
protected:
  static std::string config(int columns, int stages) {
    std::string n = std::to_string(columns);
    return "#nvptx.config<warpgroups, atom = \"wgmma-m64k32\", tile = [128, " +
           n + ", 128], warp = [16, " + n +
           "], stages = " + std::to_string(stages) + ", source = pinned>";
  }
  /// A strategy whose kernels have tests of their own.
  const std::string multistage =
      "#nvptx.config<multistage, atom = \"mma-m16n8k32\", tile = [64, 64, 64], "
      "warp = [32, 32], stages = 3, source = pinned>";
};
} // namespace

//===----------------------------------------------------------------------===//
// What kernels compute
//===----------------------------------------------------------------------===//

// Whole tiles, and rows, columns and K that end within one; fewer slices of K
// than stages, and more.
TEST_F(WarpgroupsTest, SameBitsAsMultistage) {
  struct Case {
    int64_t m, n, k;
    int columns, stages;
  };
  for (const Case &which :
       {Case{128, 256, 128, 256, 4}, Case{256, 256, 512, 256, 3},
        Case{100, 320, 208, 256, 4}, Case{300, 192, 1040, 192, 3},
        Case{129, 448, 128, 64, 8}, Case{1, 64, 16, 64, 2},
        Case{257, 128, 640, 128, 5}})
    for (bool isDynamic : {false, true}) {
      test::Layer layer{which.m, which.n, which.k, "sm_90a",
                        config(which.columns, which.stages)};
      layer.isDynamic = isDynamic;
      layer.zeroPoint = isDynamic ? ":3" : "";
      compile(layer);
      std::vector<int8_t> right;
      for (uint64_t seed = 0; seed < 5; ++seed) {
        rt::Status status = run(seed);
        ASSERT_TRUE(status.isOk()) << status.message();
        EXPECT_GT(counters.matrix.warpgroupInt8Macs, 0);
        if (seed == 0)
          right = result;
        EXPECT_EQ(result, right) << "seed " << seed;
      }
      EXPECT_EQ(right, resultOf(multistage))
          << which.m << "x" << which.n << "x" << which.k;
    }
}

// More tiles than blocks: each block computes some.
TEST_F(WarpgroupsTest, BlocksComputeSeveralTiles) {
  compile({128 * 67, 128, 256, "sm_90a", config(64, 3)});
  rt::Status status = run();
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(counters.ctas, 132);
  EXPECT_EQ(result, resultOf(multistage));
}

// The guard of a kernel for more rows leaves no rows out.
TEST_F(WarpgroupsTest, RowsThatAreNotKnown) {
  test::Layer layer{1, 256, 256, "sm_90a"};
  layer.isDynamic = true;
  compile(layer);
  for (int64_t rows : {0, 1, 17, 300, 2049}) {
    rt::Status status = run(0, {}, rows);
    ASSERT_TRUE(status.isOk()) << status.message();
    std::vector<int8_t> chosen = result;
    test::Layer model = layer;
    EXPECT_EQ(chosen, resultOf(multistage, rows));
    compile(model);
  }
}

//===----------------------------------------------------------------------===//
// What kernels execute
//===----------------------------------------------------------------------===//

TEST_F(WarpgroupsTest, MainLoopMultiplies) {
  compile({256, 512, 1024, "sm_90a", config(256, 4)});
  rt::Status status = run();
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(counters.matrix.warpgroupInt8Macs, 256 * 512 * 1024);
  EXPECT_EQ(counters.dynamicShared, 4 * ((128 + 256) * 128 + 16));
  // Threads store 16 bytes, whose sectors belong to one row.
  EXPECT_GE(counters.globalStores.usefulShare(), .99);
  EXPECT_LE(instructionsAfterLoops() / (256 * 512), 8);
}

//===----------------------------------------------------------------------===//
// What orders threads
//===----------------------------------------------------------------------===//

TEST_F(WarpgroupsTest, EachWaitMatters) {
  // Some blocks have two tiles, and wait for what they released in the first.
  expectAllMatter({128 * 67, 128, 256, "sm_90a", config(64, 2)}, 9);
}
