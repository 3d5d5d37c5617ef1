//===- SchedulerTests.cpp - Effects of the scheduler's seed ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory and reports are a function of the program, its data and the seed, for
// racy programs too.
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

#include "gtest/gtest.h"
#include <set>

using namespace qcc::emu;
using namespace qcc::emu::test;

namespace {

/// All that a run gives.
std::string textOf(const Snippet &snippet) {
  Snippet::Outcome outcome = snippet.run();
  std::string text = outcome.failure + "\n";
  for (const Report &report : outcome.reports)
    text += formatReport(report);
  text += countersJson(outcome.counters).print();
  text.append(outcome.bytes.begin(), outcome.bytes.end());
  return text;
}

/// Runs the snippet several times with each of many seeds, on different numbers
/// of threads; returns the number of different outcomes over all seeds.
size_t countOutcomes(Snippet snippet) {
  std::set<std::string> outcomes;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    snippet.options.seed = seed;
    snippet.options.threads = 1;
    std::string first = textOf(snippet);
    for (int threads : {1, 2, 5}) {
      snippet.options.threads = threads;
      EXPECT_EQ(textOf(snippet), first)
          << "seed " << seed << ", " << threads << " threads";
    }
    outcomes.insert(first);
  }
  return outcomes.size();
}

} // namespace

TEST(Scheduler, OrdersWarpsBySeed) {
  // Which warp is the first, second ... to take a ticket.
  Snippet snippet(R"(
  .shared .align 4 .b32 ticket;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 st.shared.u32 [ticket], 0;
  bar.sync 0;
  atom.shared.add.u32 %r10, [ticket], 1;
  st.global.u32 [%rd3], %r10;)");
  snippet.block.x = 128;
  snippet.grid.x = 3;
  EXPECT_GT(countOutcomes(snippet), 6u);
}

TEST(Scheduler, OrdersSplitsBySeed) {
  // The sides of a branch run in either order.
  Snippet snippet(R"(
  .shared .align 4 .b32 ticket;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 st.shared.u32 [ticket], 0;
  bar.sync 0;
  setp.lt.u32 %p2, %r1, 16;
  @%p2 bra L;
  atom.shared.add.u32 %r10, [ticket], 1;
  bra J;
L:
  atom.shared.add.u32 %r10, [ticket], 1;
J:
  st.global.u32 [%rd3], %r10;)");
  EXPECT_EQ(countOutcomes(snippet), 2u);
}

TEST(Scheduler, RacesWithinACtaAreRepeatable) {
  Snippet snippet(R"(
  .shared .align 4 .b8 s[128];
  and.b32 %r10, %r1, 31;
  shl.b32 %r10, %r10, 2;
  mov.u32 %r11, s;
  add.u32 %r11, %r11, %r10;
  st.shared.u32 [%r11], %r1;
  ld.shared.u32 %r12, [%r11];
  st.global.u32 [%rd3], %r12;)");
  snippet.block.x = 128;
  snippet.grid.x = 4;
  EXPECT_GT(countOutcomes(snippet), 3u);
}

TEST(Scheduler, RacesBetweenCtasAreRepeatable) {
  // Each CTA adds to what it finds; on their own, all find zeros.
  Snippet snippet(R"(
  mad.wide.u32 %rd10, %r1, 4, %rd1;
  ld.global.u32 %r10, [%rd10];
  add.u32 %r10, %r10, %r3;
  add.u32 %r10, %r10, 1;
  st.global.u32 [%rd10], %r10;)");
  snippet.grid.x = 30;
  countOutcomes(snippet);
  Snippet::Outcome outcome = snippet.run();
  EXPECT_EQ(outcome.kinds(), "race");
  EXPECT_EQ(outcome.word(0), 30u);
}

TEST(Scheduler, CtasThatTalkAreRepeatable) {
  Snippet snippet(R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 ret;
  atom.global.add.u32 %r10, [%rd1], 1;
  mad.wide.u32 %rd10, %r3, 4, %rd1;
  st.global.u32 [%rd10+4], %r10;)");
  snippet.grid.x = 20;
  EXPECT_GT(countOutcomes(snippet), 6u);
}

TEST(Scheduler, CtasWaitForEachOther) {
  // The last CTA to come adds up what the others have written.
  Snippet snippet(R"(
  .shared .b32 last;
  add.u32 %r10, %r2, 1;
  st.global.u32 [%rd3+16], %r10;
  membar.gl;
  bar.sync 0;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra WAIT;
  atom.global.inc.u32 %r11, [%rd1], 1000;
  st.shared.u32 [last], %r11;
  membar.gl;
WAIT:
  bar.sync 0;
  ld.shared.u32 %r12, [last];
  setp.ne.u32 %p2, %r12, 9;
  @%p2 ret;
  @%p1 ret;
  mov.u32 %r13, 0;
  mov.u32 %r14, 0;
LOOP:
  mad.wide.u32 %rd10, %r13, 4, %rd1;
  ld.global.u32 %r15, [%rd10+16];
  add.u32 %r14, %r14, %r15;
  add.u32 %r13, %r13, 1;
  setp.lt.u32 %p3, %r13, 640;
  @%p3 bra LOOP;
  st.global.u32 [%rd1+4], %r14;)");
  snippet.block.x = 64;
  snippet.grid.x = 10;
  for (int resident : {1, 3, 64})
    for (uint64_t seed = 0; seed < 4; ++seed) {
      snippet.options.residentCtas = resident;
      snippet.options.seed = seed;
      Snippet::Outcome outcome = snippet.run();
      EXPECT_EQ(outcome.failure, "");
      for (const Report &report : outcome.reports)
        ADD_FAILURE() << formatReport(report);
      EXPECT_EQ(outcome.word(1), 640u * 641 / 2);
    }
}

TEST(Scheduler, EndsAtTheFirstTrapOfTheOrder) {
  // CTAs after the one that traps do not count, whoever ran them.
  Snippet snippet(R"(
  setp.eq.u32 %p1, %r3, 7;
  @%p1 trap;
  setp.eq.u32 %p1, %r3, 12;
  @%p1 trap;
  st.global.u32 [%rd3], %r3;)");
  snippet.block.x = 4;
  snippet.grid.x = 40;
  for (int threads : {1, 2, 4, 8}) {
    snippet.options.threads = threads;
    Snippet::Outcome outcome = snippet.run();
    EXPECT_EQ(outcome.kinds(), "trap");
    EXPECT_EQ(outcome.reports[0].cta.x, 7);
    EXPECT_EQ(outcome.word(4 * 6), 6u);
    EXPECT_EQ(outcome.word(4 * 8), 0u);
    EXPECT_EQ(outcome.counters.executions, 7 * 13 + 9);
  }
}

TEST(Scheduler, MovesAsynchronousCopiesBySeed) {
  Snippet snippet(R"(
  .shared .align 16 .b8 s[512];
  mov.u32 %r10, s;
  mad.lo.u32 %r10, %r1, 16, %r10;
  mad.wide.u32 %rd10, %r1, 16, %rd2;
  st.shared.v4.u32 [%r10], {%r1, %r1, %r1, %r1};
  cp.async.cg.shared.global [%r10], [%rd10], 16;
  ld.shared.u32 %r11, [%r10];
  st.global.u32 [%rd3], %r11;)");
  for (uint8_t &byte : snippet.in)
    byte = 0xff;
  EXPECT_GT(countOutcomes(snippet), 6u);
}
