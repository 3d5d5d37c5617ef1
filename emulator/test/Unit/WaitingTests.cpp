//===- WaitingTests.cpp - Loops that wait for memory ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waiting for long is no bug and costs little; waiting forever is a deadlock.
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

#include "gtest/gtest.h"

using namespace qcc::emu;
using namespace qcc::emu::test;

namespace {

constexpr uint64_t numSeeds = 8;

/// Executions of the first instruction with this text.
int64_t executionsOf(const Counters &counters, const std::string &text) {
  for (const InstructionCounters &inst : counters.instructions)
    if (contains(inst.text, text))
      return inst.executions;
  ADD_FAILURE() << "no '" << text << "'";
  return 0;
}

/// All CTAs of the grid meet, then each writes its number.
Snippet gridBarrier(int ctas) {
  Snippet snippet(R"(
  .shared .align 4 .b32 s;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 st.shared.u32 [s], %r3;
  bar.sync 0;
  @!%p1 bra MEET;
  membar.gl;
  atom.global.add.u32 %r10, [%rd1], 1;
  mov.u32 %r11, %nctaid.x;
WAIT:
  ld.relaxed.gpu.global.u32 %r12, [%rd1];
  setp.lt.u32 %p2, %r12, %r11;
  @%p2 bra WAIT;
  membar.gl;
MEET:
  bar.sync 0;
  ld.shared.u32 %r13, [s];
  mad.wide.u32 %rd10, %r3, 4, %rd1;
  @%p1 st.global.u32 [%rd10+4], %r13;)");
  // Two of 108 multiprocessors each.
  snippet.chip = "sm_80";
  snippet.shared = 80000;
  snippet.grid.x = ctas;
  return snippet;
}

} // namespace

TEST(Waiting, LanesMeetAfterALongWait) {
  // Lane 0 waits while the other warp works for long.
  Snippet snippet(R"(
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra WORK;
  setp.ne.u32 %p2, %r1, 0;
  @%p2 bra MEET;
WAIT:
  ld.acquire.gpu.global.u32 %r10, [%rd1+256];
  setp.eq.u32 %p2, %r10, 0;
  @%p2 bra WAIT;
  bra MEET;
WORK:
  mov.u32 %r11, 0;
LOOP:
  add.u32 %r11, %r11, 1;
  setp.lt.u32 %p2, %r11, 20000;
  @%p2 bra LOOP;
  setp.ne.u32 %p2, %r1, 32;
  @%p2 bra MEET;
  st.release.gpu.global.u32 [%rd1+256], 1;
MEET:
  @%p1 ret;
  st.global.u32 [%rd1+8], 5;)");
  snippet.block.x = 64;
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    snippet.options.seed = seed;
    Snippet::Outcome outcome = snippet.run();
    EXPECT_EQ(outcome.kinds(), "") << "seed " << seed;
    EXPECT_EQ(executionsOf(outcome.counters, "st.global.u32 [%rd1+8]"), 1);
    // One turn of 16, while the other warp works.
    EXPECT_LT(executionsOf(outcome.counters, "ld.acquire"), 4000);
  }
}

TEST(Waiting, LanesThatHadToPartMeetAgain) {
  // Each lane must be let on with the lock while the others spin. They are one
  // again at the barrier of the warp at the latest.
  Snippet snippet(R"(
AGAIN:
  atom.acquire.gpu.global.cas.b32 %r10, [%rd1+256], 0, 1;
  setp.ne.u32 %p1, %r10, 0;
  @%p1 bra AGAIN;
  ld.global.u32 %r11, [%rd1];
  add.u32 %r11, %r11, 1;
  st.global.u32 [%rd1], %r11;
  atom.release.gpu.global.exch.b32 %r12, [%rd1+256], 0;
  bar.warp.sync -1;
  mul.lo.u32 %r13, %r11, 3;)");
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    snippet.options.seed = seed;
    Snippet::Outcome outcome = snippet.run();
    EXPECT_EQ(outcome.kinds(), "");
    EXPECT_EQ(outcome.word(0), 32u);
    EXPECT_EQ(executionsOf(outcome.counters, "mul.lo"), 1);
  }
}

TEST(Waiting, LanesThatHadToPartCatchUp) {
  // Lane 0 waits for lane 1, which has to go on from where they would meet.
  Snippet snippet(R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra MEET;
WAIT:
  ld.relaxed.gpu.global.u32 %r10, [%rd1+256];
  setp.eq.u32 %p2, %r10, 0;
  @%p2 bra WAIT;
MEET:
  setp.eq.u32 %p3, %r1, 1;
  @%p3 st.relaxed.gpu.global.u32 [%rd1+256], 1;
  mov.u32 %r11, 0;
LOOP:
  add.u32 %r11, %r11, 1;
  setp.lt.u32 %p2, %r11, 1000;
  @%p2 bra LOOP;
  mul.lo.u32 %r12, %r11, 3;)");
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    snippet.options.seed = seed;
    Snippet::Outcome outcome = snippet.run();
    EXPECT_EQ(outcome.kinds(), "");
    EXPECT_LE(executionsOf(outcome.counters, "mul.lo"), 2);
  }
}

TEST(Waiting, AGridThatTheChipHoldsMeets) {
  for (uint64_t seed = 0; seed < 2; ++seed) {
    Snippet snippet = gridBarrier(216);
    snippet.options.seed = seed;
    Snippet::Outcome outcome = snippet.run();
    EXPECT_EQ(outcome.kinds(), "");
    for (int i = 0; i < 216; ++i)
      ASSERT_EQ(outcome.word(i + 1), uint32_t(i));
    EXPECT_EQ(executionsOf(outcome.counters, "ld.shared.u32 %r13"), 216);
    EXPECT_LT(executionsOf(outcome.counters, "ld.relaxed"), 216 * 200);
  }
}

TEST(Waiting, AGridThatTheChipDoesNotHoldIsADeadlock) {
  Snippet::Outcome outcome = gridBarrier(217).run();
  ASSERT_EQ(outcome.kinds(), "deadlock");
  const Report &report = outcome.reports[0];
  EXPECT_PART(report.message, "waits in loops");
  EXPECT_EQ(report.notes.back(),
            "CTAs that have not started: 1; 216 run at once, as many as the "
            "chip holds");
  EXPECT_LT(outcome.counters.executions, 1000000);
}

TEST(Waiting, ALimitSaysHowManyRun) {
  Snippet snippet = gridBarrier(200);
  snippet.options.maxInstructions = 20;
  Snippet::Outcome outcome = snippet.run();
  ASSERT_EQ(outcome.kinds(), "limit");
  EXPECT_PART(outcome.reports[0].notes.back(),
              "run at once, and more as they wait; the chip holds 216");
}

TEST(Waiting, LoopsOfAllKindsThatNothingEnds) {
  struct Loop {
    const char *name, *body;
  };
  const Loop loops[] = {
      {"a flag", R"(
W: ld.volatile.global.u32 %r10, [%rd1];
  setp.eq.u32 %p1, %r10, 0;
  @%p1 bra W;)"},
      {"a lock", R"(
  st.relaxed.gpu.global.u32 [%rd1], 1;
W: atom.global.cas.b32 %r10, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r10, 0;
  @%p1 bra W;)"},
      {"many flags", R"(
W: mov.u32 %r11, 0; mov.u32 %r12, 0;
N: mad.wide.u32 %rd10, %r11, 4, %rd1;
  ld.relaxed.gpu.global.u32 %r10, [%rd10];
  or.b32 %r12, %r12, %r10;
  add.u32 %r11, %r11, 1;
  setp.lt.u32 %p1, %r11, 40;
  @%p1 bra N;
  setp.eq.u32 %p1, %r12, 0;
  @%p1 bra W;)"},
      {"one lane reads, all are told", R"(
W: setp.ne.u32 %p1, %r1, 0;
  mov.u32 %r10, 0;
  @%p1 bra T;
  ld.relaxed.gpu.global.u32 %r10, [%rd1];
T: shfl.sync.idx.b32 %r11, %r10, 0, 31, -1;
  setp.eq.u32 %p2, %r11, 0;
  @%p2 bra W;)"},
      {"shared memory", R"(
  .shared .align 4 .b32 s;
  st.volatile.shared.u32 [s], 0;
  bar.sync 0;
W: ld.volatile.shared.u32 %r10, [s];
  setp.eq.u32 %p1, %r10, 0;
  @%p1 bra W;)"},
  };
  for (const Loop &loop : loops)
    for (int ctas : {1, 3}) {
      Snippet snippet(loop.body);
      snippet.grid.x = ctas;
      Snippet::Outcome outcome = snippet.run();
      EXPECT_EQ(outcome.failure, "");
      EXPECT_PART(outcome.kinds(), "deadlock") << loop.name;
      EXPECT_LT(outcome.counters.executions, 500000) << loop.name;
    }
}

TEST(Waiting, LoopsThatGiveUpAreNoDeadlock) {
  for (const char *body : {R"(
  mov.u32 %r11, 0;
W: ld.relaxed.gpu.global.u32 %r10, [%rd1];
  add.u32 %r11, %r11, 1;
  setp.lt.u32 %p1, %r11, 20000;
  @%p1 bra W;)",
                           R"(
  mov.u64 %rd10, %clock64;
  add.u64 %rd10, %rd10, 20000;
W: ld.relaxed.gpu.global.u32 %r10, [%rd1];
  mov.u64 %rd11, %clock64;
  setp.lt.u64 %p1, %rd11, %rd10;
  mov.u64 %rd11, 0;
  @%p1 bra W;)"})
    for (int ctas : {1, 3}) {
      Snippet snippet(body);
      snippet.grid.x = ctas;
      EXPECT_EQ(snippet.run().kinds(), "") << body;
    }
}
