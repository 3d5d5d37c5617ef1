//===- LaunchTests.cpp - Options of launches, and what is refused ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

#include "gtest/gtest.h"

using namespace qcc::emu;
using namespace qcc::emu::test;

TEST(Launch, IgnoresKindsOfReport) {
  Snippet snippet(R"(
  .shared .b32 s;
  ld.shared.u32 %r10, [s];
  st.global.u32 [%rd3], %r10;
  ld.global.u32 %r11, [%rd1+4096];)");
  EXPECT_EQ(snippet.run().kinds(), "uninitialized-read out-of-bounds");
  snippet.options.ignored = {ReportKind::UninitializedRead};
  EXPECT_EQ(snippet.run().kinds(), "out-of-bounds");
  for (ReportKind kind :
       {ReportKind::Trap, ReportKind::Deadlock, ReportKind::Limit}) {
    snippet.options.ignored = {kind};
    EXPECT_PART(snippet.run().failure, "cannot be ignored");
  }
}

TEST(Launch, NamesKindsOfReport) {
  for (int i = 0; i < numReportKinds; ++i)
    EXPECT_EQ(reportKindNamed(reportKindName(ReportKind(i))), ReportKind(i));
  EXPECT_FALSE(reportKindNamed("noise"));
}

TEST(Launch, RunsAsManyCtasAsWaitForEachOther) {
  // All CTAs of the grid meet.
  Snippet snippet(R"(
  atom.global.add.u32 %r10, [%rd1], 1;
  mov.u32 %r11, %nctaid.x;
WAIT:
  ld.relaxed.gpu.global.u32 %r12, [%rd1];
  setp.lt.u32 %p1, %r12, %r11;
  @%p1 bra WAIT;)");
  snippet.chip = "sm_80";
  snippet.block.x = 1;
  snippet.grid.x = 65;
  EXPECT_EQ(snippet.run().kinds(), "");
  snippet.options.residentCtas = 64;
  Snippet::Outcome outcome = snippet.run();
  EXPECT_EQ(outcome.kinds(), "deadlock");
  EXPECT_PART(outcome.reports[0].notes.back(),
              "CTAs that have not started: 1; 64 run at once, as the launch "
              "asks");
}

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

TEST(Launch, RefusesLaunches) {
  auto refused = [](auto change) {
    Snippet snippet("");
    change(snippet);
    return snippet.run().failure;
  };
  EXPECT_PART(refused([](Snippet &s) { s.block.x = 1025; }), "1 to 1024");
  EXPECT_PART(refused([](Snippet &s) { s.block.z = 65; }), "64 in z");
  EXPECT_PART(refused([](Snippet &s) { s.grid.y = 0; }), "a grid of 1x0x1");
  EXPECT_PART(refused([](Snippet &s) { s.shared = -1; }), "negative");
  EXPECT_PART(refused([](Snippet &s) {
                s.chip = "sm_80";
                s.shared = 170000;
              }),
              "a CTA on sm_80 has 166912");
  EXPECT_PART(refused([](Snippet &s) { s.options.maxInstructions = 0; }),
              "not positive");
  EXPECT_PART(refused([](Snippet &s) { s.grid = {1 << 20, 128, 1}; }),
              "at most 2^26");

  Emulator emulator;
  auto module =
      emulator.loadModule(".version 7.0\n.target sm_80\n.address_size 64\n"
                          ".entry k(.param .u32 n) .reqntid 32 { ret; }\n"
                          ".entry l() .maxntid 64 { ret; }",
                          "m");
  ASSERT_TRUE(module.isOk()) << module.message();
  const Kernel &k = **(*module)->kernel("k"), &l = **(*module)->kernel("l");
  LaunchConfig config;
  config.block.x = 32;
  EXPECT_PART(emulator.launch(k, config, {}).message(), "takes 1 arguments");
  EXPECT_PART(emulator.launch(k, config, {uint64_t(1)}).message(),
              "argument 0 has 8 bytes; parameter 'n' of 'k' has 4");
  config.block.x = 16;
  EXPECT_PART(emulator.launch(k, config, {1}).message(), "requires 32x1x1");
  config.block.x = 96;
  EXPECT_PART(emulator.launch(l, config, {}).message(), "allows 64x1x1");
}

TEST(Launch, RefusesCopies) {
  Emulator emulator;
  auto memory = emulator.allocate(16, "m");
  char bytes[32] = {};
  EXPECT_TRUE(emulator.copyToDevice(*memory, bytes, 16).isOk());
  EXPECT_PART(emulator.copyToDevice(*memory, bytes, 17).message(),
              "across the end of 'm'");
  EXPECT_PART(emulator.copyToHost(bytes, *memory + 16, 1).message(),
              "0 bytes past the end of 'm'");
  EXPECT_FALSE(emulator.copyToHost(bytes, *memory, -1).isOk());
  EXPECT_FALSE(emulator.copyToHost(nullptr, *memory, 1).isOk());
  EXPECT_FALSE(emulator.copyToDevice(*memory, nullptr, 1).isOk());
  EXPECT_FALSE(emulator.copyOnDevice(*memory, *memory + 8, 9).isOk());
  EXPECT_TRUE(emulator.copyOnDevice(*memory, *memory + 8, 8).isOk());
  EXPECT_TRUE(emulator.copyToHost(nullptr, 0, 0).isOk());
  EXPECT_FALSE(emulator.allocate(-1).isOk());
  EXPECT_EQ(*emulator.allocate(0), 0u);
  EXPECT_TRUE(emulator.deallocate(0).isOk());
}
