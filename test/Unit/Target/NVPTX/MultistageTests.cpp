//===- MultistageTests.cpp - Blocks that multiply tiles in stages ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linear layers with pinned configs, on the emulator: what their kernels
// execute, and that nothing can be left out of what orders their threads.
//
//===----------------------------------------------------------------------===//

#include "LayerOnEmulator.h"

using namespace qcc;

namespace {
class MultistageTest : public test::LayerTest {};
} // namespace

//===----------------------------------------------------------------------===//
// What kernels execute
//===----------------------------------------------------------------------===//

TEST_F(MultistageTest, MainLoopMultiplies) {
  compile({512, 512, 512, "sm_80",
           "#nvptx.config<multistage, atom = \"mma-m16n8k32\", tile = [128, "
           "256, 64], warp = [64, 64], stages = 4, source = pinned>"});
  rt::Status status = run();
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(counters.matrix.int8Macs, 512 * 512 * 512);
  EXPECT_GT(counters.instructionsPerMma, 1);
  EXPECT_LE(counters.instructionsPerMma, 1.9);
  EXPECT_LE(instructionsAfterLoops() / (512 * 512), 6);
  EXPECT_EQ(counters.shared.maxDegree, 1);
  emu::GlobalCounters memory = counters.globalLoads;
  memory.add(counters.globalStores);
  EXPECT_GE(memory.usefulShare(), .99);
  // Eight blocks, eight steps of K.
  EXPECT_LE(counters.barriers, 8 * 8);
  EXPECT_EQ(counters.dynamicShared, 4 * (128 + 256) * 64);
}

// Of instructions, for each product. What starts at any byte has to be shifted.
TEST_F(MultistageTest, ModelWastesLittle) {
  constexpr double kWhole = 1.23e-3, kOdd = 1.86e-3;
  compile({512, 512, 512});
  rt::Status status = run();
  ASSERT_TRUE(status.isOk()) << status.message();
  double whole = double(counters.executions) / (512. * 512 * 512);
  EXPECT_LE(whole, kWhole);
  EXPECT_LE(counters.matrix.int8Macs, 1.15 * 512 * 512 * 512);
  EXPECT_EQ(counters.shared.maxDegree, 1);
  compile({513, 511, 513});
  status = run();
  ASSERT_TRUE(status.isOk()) << status.message();
  double odd = double(counters.executions) / (513. * 511 * 513);
  EXPECT_LE(odd, kOdd);
}

// Ten rows of tiles and ten columns: a group of eight rows, and one of two.
TEST_F(MultistageTest, BlocksComputeAllTiles) {
  for (bool isDynamic : {false, true}) {
    test::Layer tiles{150, 150, 64, "sm_80",
                      "#nvptx.config<multistage, atom = \"mma-m16n8k32\", tile "
                      "= [16, 16, 64], warp = [16, 16], stages = 2, source = "
                      "pinned>"};
    tiles.isDynamic = isDynamic;
    compile(tiles);
    rt::Status status = run();
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(counters.ctas, 100);
    EXPECT_EQ(result,
              resultOf("#nvptx.config<threads, atom = \"mad\", source = "
                       "pinned>"));
  }
}

//===----------------------------------------------------------------------===//
// What orders threads
//===----------------------------------------------------------------------===//

TEST_F(MultistageTest, AsynchronousCopies) {
  expectAllMatter({48, 48, 320, "sm_80",
                   "#nvptx.config<multistage, atom = \"mma-m16n8k32\", tile = "
                   "[32, 32, 64], warp = [16, 16], stages = 3, source = "
                   "pinned>"},
                  2);
}

TEST_F(MultistageTest, CopiesByRegisters) {
  expectAllMatter({48, 48, 320, "sm_75",
                   "#nvptx.config<multistage, atom = \"mma-m8n8k16\", tile = "
                   "[32, 32, 64], warp = [16, 16], stages = 2, source = "
                   "pinned>"},
                  1);
}

TEST_F(MultistageTest, BothKindsOfCopies) {
  expectAllMatter({48, 48, 321, "sm_80",
                   "#nvptx.config<multistage, atom = \"mma-m16n8k32\", tile = "
                   "[32, 32, 64], warp = [16, 16], stages = 4, source = "
                   "pinned>",
                   ":3"},
                  2);
}
