//===- WgmmaGemmTests.cpp - Bugs planted into a kernel of Hopper ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs/wgmma-gemm.ptx is a product by wgmma, tensor maps and mbarriers. It
// runs as it is, and with one of its synchronizations changed.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "qcc/Emulator/TensorMap.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace qcc::emu;

namespace {

constexpr int rows = 256, columns = 512, depth = 384;

struct Outcome {
  std::string failure;
  std::vector<Report> reports;
  std::vector<int8_t> output;
};

class WgmmaGemm {
public:
  WgmmaGemm()
      : a_(test::randomBytes(size_t(rows) * depth, 1)),
        b_(test::randomBytes(size_t(columns) * depth, 2)) {
    for (int i = 0; i < columns; ++i) {
      scales_.push_back(0.0001f + 0.0000003f * float(i));
      biases_.push_back(float(i % 40 - 20));
    }
  }

  std::vector<int8_t> expected() const {
    std::vector<int8_t> result;
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        int32_t sum = 0;
        for (int k = 0; k < depth; ++k)
          sum += int8_t(a_[row * depth + k]) * int8_t(b_[column * depth + k]);
        float value = std::fma(float(sum), scales_[column], biases_[column]);
        value = std::nearbyint(std::max(value, 0.0f));
        result.push_back(int8_t(std::min(value, 127.0f)));
      }
    return result;
  }

  Outcome run(const std::string &ptx, uint64_t seed, int swizzle = 128) const {
    Outcome run;
    Emulator emulator;
    auto module = emulator.loadModule(ptx, "wgmma-gemm.ptx");
    auto kernel = module.isOk()
                      ? (*module)->kernel("gemm")
                      : qcc::rt::Result<const Kernel *>(module.status());
    if (!kernel.isOk()) {
      run.failure = kernel.message();
      return run;
    }
    TensorMap a;
    a.address = test::upload(emulator, a_, "A");
    a.rank = 2;
    a.dims = {depth, rows};
    a.strides = {depth};
    a.box = {128, 128};
    a.swizzle = swizzle;
    // Columns in the order in which threads store 16 of them at once.
    TensorMap b;
    b.address = test::upload(emulator, b_, "B");
    b.rank = 5;
    b.dims = {depth, 2, 4, 8, columns / 64};
    b.strides = {depth, 16 * depth, 2 * depth, 64 * depth};
    b.box = {128, 2, 4, 8, 4};
    b.swizzle = 128;
    auto mapOfA = encodeTensorMap(a), mapOfB = encodeTensorMap(b);
    auto out = emulator.allocate(int64_t(rows) * columns, "out");
    EXPECT_TRUE(mapOfA.isOk() && mapOfB.isOk() && out.isOk());
    LaunchConfig config;
    config.grid = {3, 1, 1};
    config.block = {384, 1, 1};
    config.dynamicShared = 4 * 49152 + 64;
    LaunchOptions options;
    options.seed = seed;
    options.maxInstructions = 1000000;
    auto result = emulator.launch(
        **kernel, config,
        {*mapOfA, *mapOfB, test::upload(emulator, scales_, "scales"),
         test::upload(emulator, biases_, "biases"), *out, columns, depth / 128,
         rows / 128, columns / 256, 2},
        options);
    if (!result.isOk()) {
      run.failure = result.message();
      return run;
    }
    run.reports = std::move(result->reports);
    run.output = test::download<int8_t>(emulator, *out, size_t(rows) * columns);
    return run;
  }

private:
  std::vector<uint8_t> a_, b_;
  std::vector<float> scales_, biases_;
};

/// The text with the first `count` occurrences of a part replaced.
std::string replaced(std::string text, const std::string &part,
                     const std::string &by, int count) {
  size_t at = 0;
  for (int i = 0; i < count; ++i) {
    at = text.find(part, at);
    EXPECT_NE(at, text.npos) << part;
    if (at == text.npos)
      break;
    text.replace(at, part.size(), by);
    at += by.size();
  }
  return text;
}

} // namespace

TEST(WgmmaGemm, IsRightForAllSeeds) {
  WgmmaGemm gemm;
  std::string ptx = test::readInput("Inputs/wgmma-gemm.ptx");
  std::vector<int8_t> expected = gemm.expected();
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Outcome run = gemm.run(ptx, seed);
    EXPECT_EQ(run.failure, "");
    EXPECT_TRUE(run.reports.empty()) << "seed " << seed << "\n"
                                     << test::describe(run.reports);
    EXPECT_EQ(run.output, expected) << "seed " << seed;
  }
}

TEST(WgmmaGemm, BugsAreReported) {
  struct Case {
    const char *part, *by;
    int count;
    std::set<std::string> kinds; ///< One of these is reported.
  } const cases[] = {
      // Stages are given back too early, or never.
      {"wgmma.wait_group.sync.aligned 1;",
       "wgmma.wait_group.sync.aligned 3;",
       1,
       {"async-race", "race"}},
      {"mbarrier.arrive.shared.b64 _, [%r210];", "", 1, {"deadlock"}},
      // Nobody waits for a stage to be full, or to be empty.
      {"@!%p11 bra $L_W2;", "", 1, {"async-race", "race"}},
      {"@!%p4 bra $L_W1;", "", 1, {"async-race", "race", "mbarrier-misuse"}},
      {"%p11, [%r201], %r56, 10000000",
       "%p11, [%r201], 0, 10000000",
       1,
       {"async-race", "race", "deadlock"}},
      // Counts.
      {"[%r40], 49152;", "[%r40], 49136;", 1, {"deadlock", "async-race"}},
      {"[%r40], 49152;", "[%r40], 65536;", 1, {"deadlock"}},
      {"mov.b32 %r8, 2;",
       "mov.b32 %r8, 1;",
       1,
       {"async-race", "race", "mbarrier-misuse", "deadlock"}},
      {"mov.b32 %r8, 2;", "mov.b32 %r8, 3;", 1, {"deadlock"}},
      // Fences and barriers.
      {"fence.mbarrier_init.release.cluster;", "", 1, {"proxy-race"}},
      {"bar.sync 0;", "", 1, {"race", "mbarrier-misuse"}},
      {"wgmma.fence.sync.aligned;", "", 1, {"wgmma-race"}},
      {"wgmma.commit_group.sync.aligned;", "", 1, {"wgmma-race"}},
      {"wgmma.wait_group.sync.aligned 0;", "", 1, {"wgmma-race"}},
      // Registers, and where operands lie.
      {"setmaxnreg.inc.sync.aligned.u32 232;",
       "setmaxnreg.inc.sync.aligned.u32 240;",
       1,
       {"deadlock"}},
      {"mad.lo.s32 %r41, %r18, 49152, %r4;",
       "mad.lo.s32 %r41, %r18, 49216, %r4;",
       1,
       {"misaligned"}},
      {"mov.b64 %d1, gemm_param_0;",
       "mov.b64 %d1, gemm_param_1;",
       1,
       {"async-misuse"}},
  };
  WgmmaGemm gemm;
  std::string ptx = test::readInput("Inputs/wgmma-gemm.ptx");
  for (const Case &bug : cases)
    for (uint64_t seed = 0; seed < 2; ++seed) {
      Outcome run = gemm.run(replaced(ptx, bug.part, bug.by, bug.count), seed);
      EXPECT_EQ(run.failure, "") << bug.part;
      bool isReported = false;
      for (const Report &report : run.reports)
        isReported |=
            bug.kinds.count(std::string(reportKindName(report.kind))) != 0;
      EXPECT_TRUE(isReported)
          << bug.part << " -> " << bug.by << ", seed " << seed << "\n"
          << test::describe(run.reports);
    }
}

// What no synchronization is wrong with shows in the result.
TEST(WgmmaGemm, AnotherSwizzleMakesOtherNumbers) {
  WgmmaGemm gemm;
  std::string ptx = test::readInput("Inputs/wgmma-gemm.ptx");
  Outcome run = gemm.run(ptx, 0, /*swizzle=*/0);
  EXPECT_EQ(run.failure, "");
  EXPECT_TRUE(run.reports.empty()) << test::describe(run.reports);
  EXPECT_NE(run.output, gemm.expected());
}
