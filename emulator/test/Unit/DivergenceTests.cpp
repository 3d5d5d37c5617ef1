//===- DivergenceTests.cpp - Reports of barriers and deadlocks ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every message about barriers, instructions of whole warps, deadlocks and
// limits, with its location.
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

#include "gtest/gtest.h"

using namespace qcc::emu;
using namespace qcc::emu::test;

TEST(Divergence, DivergentBarriers) {
  Snippet snippet(R"(
  setp.lt.u32 %p1, %r1, 40;
  @!%p1 bra DONE;
  bar.sync 0;
DONE:
  st.global.u32 [%rd3], %r1;)");
  snippet.block.x = 64;
  Report report = onlyReport(snippet);
  EXPECT_EQ(report.kind, ReportKind::BarrierDivergence);
  EXPECT_EQ(report.warp, 1);
  EXPECT_EQ(report.message,
            "8 lanes execute it, which waits for 24 others that never come");
  Snippet guarded("setp.lt.u32 %p1, %r1, 40; @%p1 bar.sync 0;");
  guarded.block.x = 64;
  report = onlyReport(guarded);
  EXPECT_EQ(report.kind, ReportKind::BarrierDivergence);
  EXPECT_EQ(report.message,
            "all lanes of the warp must execute it together; 8 do");
}

TEST(Divergence, DivergentMatrices) {
  Snippet snippet(R"(
  mov.u32 %r10, 0;
  mov.u32 %r11, 0;
  setp.lt.u32 %p1, %r1, 31;
  @%p1 mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r10, %r11}, {%r1}, {%r1}, {%r10, %r11};)");
  EXPECT_EQ(onlyReport(snippet).message,
            "all lanes of the warp must execute it together; 31 do");
  Snippet partial(R"(
  mov.u32 %r10, 0;
  mov.u32 %r11, 0;
  mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r10, %r11}, {%r1}, {%r1}, {%r10, %r11};)");
  partial.block.x = 48;
  EXPECT_EQ(onlyReport(partial).warp, 1);
}

TEST(Divergence, MisusedBarriers) {
  struct Case {
    const char *body, *message;
  };
  const Case cases[] = {
      {"mov.u32 %r10, 16; bar.sync %r10;", "barrier 16; a CTA has"},
      {"bar.sync 0, 20;", "for 20 threads, which is no multiple of 32"},
      {"mov.u32 %r10, 0; bar.sync 0, %r10;", "which is no multiple of 32"},
      {"bar.sync 0, 128;", "for 128 threads in a CTA of 64"},
      {"shr.u32 %r10, %r1, 4; bar.sync %r10;",
       "lanes of a warp name different barriers"},
  };
  for (const Case &test : cases) {
    Snippet snippet(test.body);
    snippet.block.x = 64;
    Snippet::Outcome outcome = snippet.run();
    ASSERT_FALSE(outcome.reports.empty()) << test.body;
    EXPECT_EQ(outcome.reports[0].kind, ReportKind::BarrierMisuse);
    EXPECT_PART(outcome.reports[0].message, test.message);
  }
}

TEST(Divergence, WarpWideMisuse) {
  Snippet unnamed("setp.eq.u32 %p1, %r1, 0; "
                  "vote.sync.ballot.b32 %r10, %p1, 0xffff;");
  EXPECT_EQ(onlyReport(unnamed).message,
            "a lane executes it that the mask does not name");
  Snippet absent("shfl.sync.bfly.b32 %r10, %r1, 16, 31, -1;");
  absent.block.x = 16;
  EXPECT_EQ(
      onlyReport(absent).message,
      "lane 0 reads lane 16, which the mask names and which is not there");
  Snippet uniform(R"(
  setp.lt.u32 %p1, %r1, 4;
  @%p1 bra.uni L;
L:)");
  EXPECT_EQ(onlyReport(uniform).message,
            "a branch with .uni that only some lanes take");
}

TEST(Divergence, Deadlock) {
  Snippet snippet(R"(
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra A;
  bar.sync 1;
A:
  bar.sync 2;)");
  snippet.block.x = 96;
  Report report = onlyReport(snippet);
  EXPECT_EQ(report.kind, ReportKind::Deadlock);
  EXPECT_EQ(report.message, "no warp of the CTA can go on");
  EXPECT_EQ(report.location.instruction, "bar.sync 2;");
  ASSERT_EQ(report.notes.size(), 3u);
  EXPECT_EQ(report.notes[0],
            "warp 0: lanes 0-31 at line " +
                std::to_string(snippet.firstLine() + 5) +
                " (bar.sync 2;) wait at barrier 2, which 32 of 96 threads have "
                "reached");
  EXPECT_PART(report.notes[2], "wait at barrier 1, which 64 of 96 threads");
}

TEST(Divergence, DeadlockAfterExits) {
  Snippet snippet("setp.lt.u32 %p1, %r1, 32; @%p1 ret; bar.sync 0, 64;");
  snippet.block.x = 64;
  Report report = onlyReport(snippet);
  EXPECT_EQ(report.kind, ReportKind::Deadlock);
  EXPECT_EQ(report.notes[0], "warp 0: has exited");
}

TEST(Divergence, BarriersDoNotWaitForThreadsThatHaveExited) {
  // Warps exit before or after others wait, lanes of a warp as well.
  Snippet snippet(R"(
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra SLOW;
  setp.gt.u32 %p2, %r1, 90;
  @%p2 ret;
  bar.sync 0;
  bar.sync 0;
  st.global.u32 [%rd3], 1;
  ret;
SLOW:
  mov.u32 %r10, 50;
LOOP:
  sub.u32 %r10, %r10, 1;
  setp.ne.u32 %p3, %r10, 0;
  @%p3 bra LOOP;)");
  snippet.block.x = 96;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    snippet.options.seed = seed;
    Snippet::Outcome outcome = snippet.run();
    EXPECT_EQ(outcome.kinds(), "");
    EXPECT_EQ(outcome.word(40), 1u);
    EXPECT_EQ(outcome.word(91), 0u);
  }
}

TEST(Divergence, LanesThatReturnMissABarrier) {
  // The usual `if (i >= n) return;` ahead of a barrier.
  Snippet snippet(R"(
  setp.ge.u32 %p1, %r1, 40;
  @%p1 bra DONE;
  bar.sync 0;
  st.global.u32 [%rd3], %r1;
DONE:)");
  snippet.block.x = 96;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    snippet.options.seed = seed;
    EXPECT_EQ(snippet.run().kinds(), "") << seed;
  }
}

TEST(Divergence, BarriersWaitForLanesThatHaveNotExited) {
  // Some lanes of a warp return from within a loop, others wait.
  Snippet snippet(R"(
  setp.lt.u32 %p1, %r1, 10;
  mov.u32 %r10, %r1;
  @%p1 bra LOOP;
  bar.sync 0;
  st.global.u32 [%rd3], 1;
  bra DONE;
LOOP:
  add.u32 %r10, %r10, 1;
  setp.gt.u32 %p2, %r10, 40;
  @%p2 ret;
  bra LOOP;
DONE:)");
  for (uint64_t seed = 0; seed < 8; ++seed) {
    snippet.options.seed = seed;
    EXPECT_EQ(snippet.run().kinds(), "") << seed;
  }
}

TEST(Divergence, BarriersMissThreadsThatTookPartBefore) {
  // Warp 0 makes two rounds and exits, warp 1 makes three.
  Snippet snippet(R"(
  shr.u32 %r10, %r1, 5;
  add.u32 %r10, %r10, 2;
LOOP:
  bar.sync 0;
  sub.u32 %r10, %r10, 1;
  setp.ne.u32 %p1, %r10, 0;
  @%p1 bra LOOP;)");
  snippet.block.x = 64;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    snippet.options.seed = seed;
    Report report = onlyReport(snippet);
    EXPECT_EQ(report.kind, ReportKind::BarrierDivergence);
    EXPECT_EQ(report.warp, 1);
    EXPECT_EQ(
        report.message,
        "it goes on without 32 threads that took part in barrier 0 "
        "before and exited; all threads of the CTA must execute it alike");
    EXPECT_EQ(report.notes[0], "the first of them: warp 0, lane 0");
  }
  // Lanes of a warp that goes on.
  Snippet lanes("bar.sync 3; setp.eq.u32 %p1, %r1, 9; @%p1 ret; bar.sync 3;");
  Report report = onlyReport(lanes);
  EXPECT_PART(report.message, "without 1 thread that took part in barrier 3");
  EXPECT_EQ(report.notes[0], "the first of them: warp 0, lane 9");
}

TEST(Divergence, BarriersMissNoOtherThreads) {
  for (const char *body :
       {// Without .aligned, threads need not execute the same barriers.
        "barrier.sync 0; setp.lt.u32 %p1, %r1, 32; @%p1 ret; barrier.sync 0;",
        // Another barrier, or one for a number of threads.
        "bar.sync 0; setp.lt.u32 %p1, %r1, 32; @%p1 ret; bar.sync 1;",
        "bar.sync 0; setp.lt.u32 %p1, %r1, 32; @%p1 ret; bar.sync 0, 32;",
        "bar.sync 0; ret;"}) {
    Snippet snippet(body);
    snippet.block.x = 64;
    for (uint64_t seed = 0; seed < 4; ++seed) {
      snippet.options.seed = seed;
      EXPECT_EQ(snippet.run().kinds(), "") << body;
    }
  }
}

TEST(Divergence, WarpInstructionsMissLanesThatSynchronizedWithoutThem) {
  Snippet snippet(R"(
  setp.ge.u32 %p1, %r1, 16;
  @%p1 bra OTHERS;
  bar.warp.sync -1;
  bra DONE;
OTHERS:
  bar.warp.sync 0xffff0000;
DONE:)");
  for (uint64_t seed = 0; seed < 8; ++seed) {
    snippet.options.seed = seed;
    Report report = onlyReport(snippet);
    EXPECT_EQ(report.kind, ReportKind::WarpDivergence);
    EXPECT_EQ(report.location.line, snippet.firstLine() + 3);
    EXPECT_EQ(report.count, 16);
    EXPECT_EQ(report.message,
              "it goes on without lanes 16-31, which its mask names and which "
              "have exited after an instruction whose mask leaves these lanes "
              "out");
    EXPECT_EQ(report.notes[0], "they left them out at line " +
                                   std::to_string(snippet.firstLine() + 6) +
                                   " (bar.warp.sync 0xffff0000;)");
  }
}

TEST(Divergence, WarpInstructionsMissNoOtherLanes) {
  for (const char *body :
       {// An early return.
        "setp.ge.u32 %p1, %r1, 20; @%p1 ret; bar.warp.sync -1;",
        // Lanes exit after they have met those that go on: at a branch, in an
        // instruction of the warp.
        R"(
  setp.ge.u32 %p1, %r1, 16;
  @%p1 bra HIGH;
  bar.warp.sync 0xffff;
  bra MEET;
HIGH:
  bar.warp.sync 0xffff0000;
MEET:
  mov.u32 %r10, 1;
  setp.ge.u32 %p1, %r1, 16;
  @%p1 ret;
  bar.warp.sync -1;)",
        R"(
  setp.ge.u32 %p1, %r1, 16;
  @%p1 bra HIGH;
  bar.warp.sync -1;
  bar.warp.sync -1;
  bra DONE;
HIGH:
  bar.warp.sync 0xffff0000;
  bar.warp.sync -1;
DONE:)",
        // Groups that do not name each other.
        R"(
  setp.ge.u32 %p1, %r1, 16;
  @%p1 bra HIGH;
  bar.warp.sync 0xffff;
  bra DONE;
HIGH:
  bar.warp.sync 0xffff0000;
  bar.warp.sync 0xffff0000;
DONE:)"}) {
    Snippet snippet(body);
    for (uint64_t seed = 0; seed < 8; ++seed) {
      snippet.options.seed = seed;
      EXPECT_EQ(snippet.run().kinds(), "") << body;
    }
  }
}

TEST(Divergence, Limits) {
  Snippet snippet("L: bra L;");
  snippet.options.maxInstructions = 1000;
  Report report = onlyReport(snippet);
  EXPECT_EQ(report.kind, ReportKind::Limit);
  EXPECT_PART(report.message, "has not ended after 1000 warp instructions");
  EXPECT_EQ(report.location.instruction, "bra L;");
}
