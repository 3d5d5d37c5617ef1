//===- RankingTests.cpp - Expectations of the cost model ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost model of contractions against the emulator's time model, which
// knows what kernels execute.
//
//===----------------------------------------------------------------------===//

#include "LayerOnEmulator.h"

using namespace qcc;

namespace {
class RankingTest : public test::LayerTest,
                    public testing::WithParamInterface<test::Layer> {};
} // namespace

INSTANTIATE_TEST_SUITE_P(Layers, RankingTest,
                         testing::Values(test::Layer{512, 512, 512, "sm_80"},
                                         test::Layer{100, 300, 700, "sm_89"},
                                         test::Layer{512, 512, 256, "sm_90"},
                                         test::Layer{64, 512, 512, "sm_75"},
                                         test::Layer{16, 512, 2048, "sm_80"},
                                         test::Layer{1, 1024, 1024, "sm_86"}),
                         [](const auto &info) {
                           const test::Layer &layer = info.param;
                           return std::to_string(layer.m) + "x" +
                                  std::to_string(layer.n) + "x" +
                                  std::to_string(layer.k) + layer.chip;
                         });

// The config that the model chooses is within a quarter of the best of a
// sample of all, and what it expects within a factor of that of the emulator.
TEST_P(RankingTest, ChoiceIsNearTheBest) {
  constexpr size_t kSample = 8;
  constexpr double kNear = 1.25, kFactor = 1.6;
  compile(GetParam());
  std::vector<Listed> all = listed;
  ASSERT_FALSE(all.empty());
  double chosen = 0, best = 0;
  for (size_t i = 0; i < kSample; ++i) {
    const Listed &config = all[i * i * (all.size() - 1) / kSample / kSample];
    test::Layer pinned = GetParam();
    pinned.config = config.config;
    compile(pinned);
    rt::Status status = run();
    ASSERT_TRUE(status.isOk()) << status.message();
    double time = cycles();
    best = i == 0 ? time : std::min(best, time);
    if (i == 0) {
      chosen = time;
      EXPECT_LE(config.cycles, kFactor * time) << config.config;
      EXPECT_GE(config.cycles, time / kFactor) << config.config;
    }
  }
  EXPECT_LE(chosen, kNear * best);
}
