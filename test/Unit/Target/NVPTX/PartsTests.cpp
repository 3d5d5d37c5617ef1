//===- PartsTests.cpp - Parts of K ----------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Deep and narrow layers on the emulator, whose K is divided.
//
//===----------------------------------------------------------------------===//

#include "LayerOnEmulator.h"

using namespace qcc;

namespace {
class PartsTest : public test::LayerTest {};
} // namespace

TEST_F(PartsTest, SumsAreThoseOfAllOfK) {
  const std::string start = "#nvptx.config<", end = "source = pinned>";
  const std::string multistage =
      "multistage, atom = \"mma-m16n8k32\", tile = [32, 32, 64], warp = [16, "
      "16], stages = 3, ";
  const std::string decode = "decode, atom = \"mma-m16n8k32\", tile = [16, 16, "
                             "128], warp = [16, 16], stages = 2, ";
  for (const std::string &strategy : {multistage, decode}) {
    compile(
        {37, 44, 768, "sm_80", start + strategy + "parts = 4, " + end, ":3"});
    rt::Status status = run();
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(launches.size(), 2u);
    std::vector<int8_t> divided = result;
    EXPECT_EQ(divided, resultOf(start + strategy + end));
    EXPECT_EQ(launches.size(), 1u);
  }
}

// Each part subtracts what the right zero point adds to its own sums, and their
// sum what both zero points add.
TEST_F(PartsTest, RightZeroPoints) {
  for (const char *strategy :
       {"multistage, atom = \"mma-m16n8k32\", tile = [32, 32, 64], warp = [16, "
        "16], stages = 3",
        "decode, atom = \"mma-m16n8k32\", tile = [16, 16, 128], warp = [16, "
        "16], stages = 2"}) {
    for (const char *left : {"", ":3"}) {
      test::Layer divided{37,
                          44,
                          768,
                          "sm_80",
                          std::string("#nvptx.config<") + strategy +
                              ", parts = 4, source = pinned>",
                          left};
      divided.weightZeroPoint = ":-5";
      compile(divided);
      rt::Status status = run();
      ASSERT_TRUE(status.isOk()) << status.message();
      EXPECT_EQ(launches.size(), 2u);
      EXPECT_EQ(result,
                resultOf("#nvptx.config<threads, atom = \"mad\", source = "
                         "pinned>"));
    }
  }
}

// Few tiles, a long K: the model divides it, and the time model agrees.
TEST_F(PartsTest, ModelDividesDeepLayers) {
  compile({128, 128, 16384, "sm_80"});
  rt::Status status = run();
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(launches.size(), 2u);
  double divided = cycles();
  resultOf("#nvptx.config<multistage, atom = \"mma-m16n8k32\", tile = [32, 32, "
           "128], warp = [16, 16], stages = 4, source = pinned>");
  EXPECT_LE(divided, .5 * cycles());
}
