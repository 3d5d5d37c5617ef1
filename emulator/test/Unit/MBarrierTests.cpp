//===- MBarrierTests.cpp - Barriers in shared memory ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

#include "gtest/gtest.h"

using namespace qcc::emu;
using namespace qcc::emu::test;

namespace {

const char *const variables = ".shared .align 8 .b8 m[16];\n"
                              ".shared .align 16 .b8 s[1024];\n";

/// Thread 0 initializes the object at m for `count` arrivals.
std::string withObject(int count, const std::string &body) {
  return R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra READY;
  mbarrier.init.shared::cta.b64 [m], )" +
         std::to_string(count) + R"(;
READY:
  bar.sync 0;
)" + body;
}

Snippet snippet(int threads, const std::string &body) {
  Snippet result(body);
  result.module = variables;
  result.chip = "sm_90";
  result.block = {threads, 1, 1};
  return result;
}

} // namespace

// Two buffers, a producer warp and a consumer warp, 8 rounds.
TEST(MBarrier, HandsBuffersToAndFro) {
  Snippet::Outcome outcome = outcomeOfAllSeeds(snippet(64, R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra READY;
  mov.u32 %r10, m;
  mbarrier.init.shared.b64 [%r10], 32;
  mbarrier.init.shared.b64 [%r10+8], 32;
READY:
  bar.sync 0;
  mov.u32 %r11, s;
  and.b32 %r12, %r1, 31;
  shl.b32 %r13, %r12, 2;
  add.u32 %r11, %r11, %r13;
  mov.u32 %r14, 0;
  mov.u32 %r16, 0;
  setp.ge.u32 %p2, %r1, 32;
  @%p2 bra CONSUMER;
PRODUCER:
  and.b32 %r15, %r14, 1;
  xor.b32 %r15, %r15, 1;
EMPTY:
  mbarrier.try_wait.parity.shared.b64 %p3, [m+8], %r15, 1000;
  @!%p3 bra EMPTY;
  add.u32 %r17, %r14, %r1;
  st.shared.u32 [%r11], %r17;
  mbarrier.arrive.shared.b64 _, [m];
  add.u32 %r14, %r14, 1;
  setp.lt.u32 %p4, %r14, 8;
  @%p4 bra PRODUCER;
  ret;
CONSUMER:
  and.b32 %r15, %r14, 1;
FULL:
  mbarrier.test_wait.parity.shared.b64 %p3, [m], %r15;
  @!%p3 bra FULL;
  ld.shared.u32 %r17, [%r11];
  mad.lo.u32 %r16, %r16, 10, %r17;
  mbarrier.arrive.release.cta.shared::cta.b64 _, [m+8];
  add.u32 %r14, %r14, 1;
  setp.lt.u32 %p4, %r14, 8;
  @%p4 bra CONSUMER;
  st.global.u32 [%rd3], %r16;)"));
  for (int lane = 0; lane < 32; ++lane)
    EXPECT_EQ(outcome.word(32 + lane), 1234567u + 11111111u * lane);
}

TEST(MBarrier, StatesTellTheirPhase) {
  Snippet::Outcome outcome = outcomeOfAllSeeds(snippet(64, withObject(64, R"(
  mov.u32 %r10, s;
  mad.lo.u32 %r11, %r1, 4, %r10;
  st.shared.u32 [%r11], %r1;
  mbarrier.arrive.shared.b64 %rd10, [m];
WAIT:
  mbarrier.test_wait.shared.b64 %p2, [m], %rd10;
  @!%p2 bra WAIT;
  xor.b32 %r12, %r1, 63;
  mad.lo.u32 %r11, %r12, 4, %r10;
  ld.shared.u32 %r13, [%r11];
  st.global.u32 [%rd3], %r13;)")));
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(outcome.word(int(i)), 63 - i);
}

TEST(MBarrier, CountsArrivalsOfAnyCount) {
  Snippet::Outcome outcome = outcomeOfAllSeeds(snippet(1, withObject(8, R"(
  mbarrier.arrive.noComplete.shared.b64 %rd10, [m], 3;
  mbarrier.pending_count.b64 %r10, %rd10;
  mbarrier.arrive.shared.b64 %rd10, [m], 4;
  mbarrier.pending_count.b64 %r11, %rd10;
  mbarrier.test_wait.parity.shared.b64 %p2, [m], 0;
  selp.u32 %r12, 1, 0, %p2;
  mbarrier.arrive_drop.shared.b64 %rd10, [m];
  mbarrier.test_wait.shared.b64 %p2, [m], %rd10;
  selp.u32 %r13, 1, 0, %p2;
  mbarrier.arrive.shared.b64 %rd10, [m];
  mbarrier.pending_count.b64 %r14, %rd10;
  st.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};
  st.global.u32 [%rd1+16], %r14;)")));
  EXPECT_EQ(outcome.word(0), 8u);
  EXPECT_EQ(outcome.word(1), 5u);
  EXPECT_EQ(outcome.word(2), 0u);
  EXPECT_EQ(outcome.word(3), 1u);
  EXPECT_EQ(outcome.word(4), 7u) << "the arrival before was dropped";
}

TEST(MBarrier, WaitsForBytes) {
  Snippet::Outcome outcome = outcomeOfAllSeeds(snippet(1, withObject(1, R"(
  mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [m], 16;
  mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [m], 48;
  mbarrier.test_wait.parity.acquire.cluster.shared.b64 %p2, [m], 0;
  selp.u32 %r10, 1, 0, %p2;
  mbarrier.complete_tx.relaxed.cta.shared.b64 [m], 32;
  mbarrier.test_wait.parity.shared.b64 %p2, [m], 0;
  selp.u32 %r11, 1, 0, %p2;
  mbarrier.expect_tx.relaxed.cta.shared.b64 [m], 8;
  mbarrier.arrive.shared.b64 _, [m];
  mbarrier.test_wait.parity.shared.b64 %p2, [m], 1;
  selp.u32 %r12, 1, 0, %p2;
  mbarrier.complete_tx.relaxed.cta.shared.b64 [m], 8;
  mbarrier.test_wait.parity.shared.b64 %p2, [m], 1;
  selp.u32 %r13, 1, 0, %p2;
  st.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};)")));
  for (uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(outcome.word(int(i)), i % 2);
}

TEST(MBarrier, TakesGenericAddresses) {
  expectNone(snippet(1, R"(
  mov.u64 %rd10, m;
  cvta.shared.u64 %rd11, %rd10;
  mbarrier.init.b64 [%rd11], 1;
  mbarrier.arrive.b64 %rd12, [%rd11];
  mbarrier.try_wait.b64 %p2, [%rd11], %rd12;
  mbarrier.inval.b64 [%rd11];
  st.u64 [%rd11], %rd12;)"));
  Report report = onlyReport(snippet(1, "mbarrier.init.b64 [%rd1], 1;"));
  EXPECT_EQ(report.kind, ReportKind::MBarrierMisuse);
  EXPECT_PART(report.message, "of global memory; mbarriers lie in shared");
}

// Each copy counts for itself, or beside the arrivals of mbarrier.init.
TEST(MBarrier, TracksCopies) {
  for (const char *form : {"", ".noinc"}) {
    std::string noinc = form;
    Snippet copies = snippet(64, withObject(64, R"(
  shl.b32 %r10, %r1, 4;
  mov.u32 %r11, s;
  add.u32 %r12, %r11, %r10;
  cvt.u64.u32 %rd10, %r10;
  add.u64 %rd11, %rd2, %rd10;
  cp.async.ca.shared.global [%r12], [%rd11], 16;
  cp.async.mbarrier.arrive)" + noinc + R"(.shared.b64 [m];
)" + (noinc.empty() ? "mbarrier.arrive.shared.b64 _, [m];" : "") +
                                                    R"(
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p2, [m], 0;
  @!%p2 bra WAIT;
  xor.b32 %r10, %r10, 512;
  add.u32 %r12, %r11, %r10;
  ld.shared.u32 %r13, [%r12];
  st.global.u32 [%rd3], %r13;)"));
    for (size_t i = 0; i < copies.in.size(); ++i)
      copies.in[i] = static_cast<uint8_t>(i / 16);
    Snippet::Outcome outcome = outcomeOfAllSeeds(copies);
    for (uint32_t i = 0; i < 64; ++i)
      EXPECT_EQ(outcome.word(int(i)), (i ^ 32) * 0x01010101u);
  }
}

TEST(MBarrier, ADeadlockShowsThePhase) {
  Report report = onlyReport(snippet(64, withObject(2, R"(
  @%p1 bra WAIT;
  mbarrier.arrive.expect_tx.shared.b64 _, [m], 96;
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p2, [m], 0;
  @!%p2 bra WAIT;)")));
  EXPECT_EQ(report.kind, ReportKind::Deadlock);
  std::string text = formatReport(report);
  EXPECT_PART(text, "wait for the mbarrier at 0x0 of shared memory in phase 0: "
                    "1 of 2 arrivals and 96 bytes are missing");
}

TEST(MBarrier, ADeadlockNamesAPhaseThatIsOver) {
  Report report = onlyReport(snippet(64, withObject(1, R"(
  @%p1 bra WAIT;
  mbarrier.arrive.shared.b64 _, [m];
  mbarrier.arrive.shared.b64 _, [m];
WAIT:
  bar.sync 0;
LOOP:
  mbarrier.try_wait.parity.shared.b64 %p2, [m], 0;
  @!%p2 bra LOOP;)")));
  EXPECT_EQ(report.kind, ReportKind::Deadlock);
  EXPECT_PART(formatReport(report), "2 phases have ended since these lanes "
                                    "last waited with success");
}

TEST(MBarrier, MisuseIsReported) {
  struct Case {
    const char *body, *message;
  } cases[] = {
      {"mbarrier.arrive.shared.b64 _, [m+8];", "there is no mbarrier at 0x8"},
      {"mbarrier.init.shared.b64 [m+8], 0;", "an mbarrier for 0 arrivals"},
      {"mbarrier.arrive.shared.b64 _, [m], 3;",
       "3 arrivals at the mbarrier at 0x0 of shared memory, whose phase 0 "
       "waits for 2 of 2"},
      {"mbarrier.arrive.noComplete.shared.b64 %rd10, [m], 2;",
       "an arrival with .noComplete ends phase 0"},
      {"mbarrier.test_wait.parity.shared.b64 %p1, [m], 2;", "a parity of 2"},
      {"ld.shared.u8 %rs1, [m+7];",
       "a read of 1 byte at 0x7 of shared memory, inside the mbarrier at 0x0"},
  };
  for (const Case &test : cases) {
    Report report = onlyReport(snippet(1, withObject(2, test.body)));
    EXPECT_EQ(report.kind, ReportKind::MBarrierMisuse) << test.body;
    EXPECT_PART(report.message, test.message);
  }
}

TEST(MBarrier, NeedsItsChipAndVersion) {
  Snippet old = snippet(1, "mbarrier.try_wait.parity.shared.b64 %p1, [m], 0;");
  old.chip = "sm_80";
  EXPECT_PART(old.run().failure, "needs sm_90");
  old.body = "mbarrier.test_wait.parity.shared.b64 %p1, [m], 0;";
  EXPECT_EQ(old.run().failure, "");
  old.chip = "sm_75";
  EXPECT_PART(old.run().failure, "needs sm_80");
}
