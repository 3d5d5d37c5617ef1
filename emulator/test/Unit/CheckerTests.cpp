//===- CheckerTests.cpp - Texts of reports --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages of the checker, with their locations; DivergenceTests.cpp has those
// about barriers and deadlocks. PlantedBugTests.cpp tests that each bug is
// found and its twin is not.
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

#include "gtest/gtest.h"

using namespace qcc::emu;
using namespace qcc::emu::test;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

TEST(Checker, SaysWhereAndWho) {
  Snippet snippet(R"(  .loc 3 17 5
  setp.ge.u32 %p1, %r2, 40;
  @%p1 st.global.u32   [%rd3+4000], %r1;)");
  snippet.module = ".file 3 \"gemm.cu\"\n";
  snippet.block = {16, 2, 1};
  snippet.grid = {3, 1, 1};
  Report report = onlyReport(snippet);
  EXPECT_EQ(report.kind, ReportKind::OutOfBounds);
  EXPECT_EQ(report.kernel, "kernel");
  EXPECT_EQ(report.location.line, snippet.firstLine() + 2);
  EXPECT_EQ(report.location.instruction,
            "@%p1 st.global.u32 [%rd3+4000], %r1;");
  EXPECT_EQ(report.location.sourceFile, "gemm.cu");
  EXPECT_EQ(report.location.sourceLine, 17);
  // Thread (8, 0) of CTA 2 is the first whose number, 2 * 16 + 8, is 40.
  EXPECT_EQ(report.cta.x, 2);
  EXPECT_EQ(report.thread.x, 8);
  EXPECT_EQ(report.thread.y, 0);
  EXPECT_EQ(report.warp, 0);
  EXPECT_EQ(report.lane, 8);
  EXPECT_EQ(report.space, StateSpace::Global);
  EXPECT_EQ(report.allocation, "out");
  EXPECT_EQ(report.count, 16);
  EXPECT_PART(report.message, "a write of 4 bytes at 0x");
  EXPECT_PART(report.message, "64 bytes past the end of 'out' (4096 bytes at");
  std::string text = formatReport(report);
  EXPECT_PART(text, "out-of-bounds: a write");
  EXPECT_PART(text, "  from gemm.cu:17\n");
  EXPECT_PART(text, "  CTA (2,0,0), thread (8,0,0), warp 0, lane 8; 16 times "
                    "in all\n");
}

TEST(Checker, CountsOccurrencesOfAnInstruction) {
  Snippet snippet(R"(
  mov.u32 %r10, 0;
LOOP:
  ld.global.u32 %r11, [%rd1+-4];
  ld.global.u32 %r12, [%rd1+-8];
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, 10;
  @%p1 bra LOOP;)");
  snippet.grid.x = 4;
  Snippet::Outcome outcome = snippet.run();
  EXPECT_EQ(outcome.kinds(), "out-of-bounds out-of-bounds");
  EXPECT_EQ(outcome.reports[0].count, 4 * 32 * 10);
  EXPECT_PART(outcome.reports[0].message, "4 bytes before 'out'");
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

TEST(Checker, Bounds) {
  struct Case {
    const char *body, *message;
  };
  const Case cases[] = {
      {"ld.global.u32 %r10, [%rd1+4096];", "0 bytes past the end of 'out'"},
      {"ld.global.u64 %rd10, [16];", "bytes before 'out'"},
      {".shared .b8 s[8]; ld.shared.u32 %r10, [s+8];",
       "a read of 4 bytes at 0x8 of shared memory, beyond every variable; "
       "the CTA has 8 bytes of "
       "static and 0 of dynamic shared memory"},
      {"ld.local.u32 %r10, [4];",
       "a read of 4 bytes at 0x4 of local memory, beyond every variable; the "
       "function has 0 bytes"},
      {"ld.param.u32 %r10, [in+8];",
       "a read of 4 bytes at 0x30 of param memory, beyond every variable; the "
       "kernel has 16 bytes of parameters"},
      {"ld.const.u32 %r10, [%rd1];", "which is no constant memory"},
      {"red.global.add.u32 [%rd1+8192], 1;",
       "an atomic operation of 4 bytes at"},
      {".shared .align 16 .b8 s[16]; mov.u32 %r10, s; "
       "cp.async.cg.shared.global "
       "[%r10+16], [%rd2], 16;",
       "a write of 16 bytes at 0x10 of shared memory"},
      {".shared .align 16 .b8 s[16]; mov.u32 %r10, s; "
       "cp.async.cg.shared.global "
       "[%r10], [%rd2+4096], 16;",
       "a read of 16 bytes at"},
      {".shared .align 16 .b8 s[16]; mov.u32 %r10, s; mov.u32 %r11, 20; "
       "cp.async.cg.shared.global [%r10], [%rd2], 16, %r11;",
       "a copy that reads 20 bytes to write 16"},
  };
  for (const Case &test : cases) {
    Snippet snippet(test.body);
    snippet.block.x = 1;
    Report report = onlyReport(snippet);
    EXPECT_EQ(report.kind, ReportKind::OutOfBounds);
    EXPECT_TRUE(contains(report.message, test.message)) << test.body << "\n"
                                                        << report.message;
  }
}

TEST(Checker, BoundsOfDynamicSharedMemory) {
  // Between static memory and the aligned dynamic one nothing belongs to the
  // kernel.
  Snippet snippet(R"(
  .shared .b8 fixed[4];
  st.shared.u32 [fixed], %r1;
  st.shared.u32 [fixed+4], %r1;
  st.shared.u32 [dynamic+12], %r1;
  st.shared.u32 [dynamic+16], %r1;)");
  snippet.module = ".extern .shared .align 64 .b8 dynamic[];\n";
  snippet.block.x = 1;
  snippet.shared = 16;
  Snippet::Outcome outcome = snippet.run();
  EXPECT_EQ(outcome.kinds(), "out-of-bounds out-of-bounds");
  EXPECT_PART(outcome.reports[0].message, "0x4 of shared memory");
  EXPECT_PART(
      outcome.reports[1].message,
      "4 bytes of static and 16 of dynamic shared memory from 0x1080 on");
}

TEST(Checker, KnowsReleasedMemory) {
  Emulator emulator;
  auto module =
      emulator.loadModule(".version 7.0\n.target sm_80\n.address_size 64\n"
                          ".entry k(.param .u64 p) { .reg .b64 d; .reg .b32 r; "
                          "ld.param.u64 d, [p]; ld.u32 r, [d+4]; ret; }",
                          "m");
  auto memory = emulator.allocate(64, "gone");
  ASSERT_TRUE(emulator.deallocate(*memory).isOk());
  EXPECT_FALSE(emulator.deallocate(*memory).isOk());
  auto result = emulator.launch(**(*module)->kernel("k"), {}, {*memory});
  ASSERT_EQ(result->reports.size(), 1u);
  EXPECT_PART(result->reports[0].message, "inside 'gone', which was released");
}

TEST(Checker, Alignment) {
  Snippet snippet(R"(
  .shared .align 16 .b8 s[1024];
  mad.lo.u32 %r10, %r1, 16, 4;
  ld.global.v2.u32 {%r11, %r12}, [%rd2+12];
  mov.u32 %r13, s;
  add.u32 %r13, %r13, %r10;
  st.shared.v4.u32 [%r13], {%r1, %r1, %r1, %r1};)");
  Snippet::Outcome outcome = snippet.run();
  EXPECT_EQ(outcome.kinds(), "misaligned misaligned");
  EXPECT_PART(outcome.reports[0].message, "an access of 8 bytes at 0x");
  EXPECT_EQ(outcome.reports[0].allocation, "in");
  EXPECT_PART(outcome.reports[1].message,
              "an access of 16 bytes at 0x4 of shared memory, which is no "
              "multiple of its size");
  EXPECT_EQ(outcome.reports[1].count, 32);
}

TEST(Checker, BoundsAndAlignmentAreAlwaysChecked) {
  Snippet snippet("ld.global.u32 %r10, [%rd1+4096]; "
                  "ld.global.u32 %r10, [%rd1+1];");
  snippet.options.checking = Checking::None;
  EXPECT_EQ(snippet.run().kinds(), "out-of-bounds misaligned");
}

TEST(Checker, Constants) {
  Snippet snippet(R"(
  cvta.const.u64 %rd10, table;
  st.u32 [%rd10+4], %r1;
  cvta.param.u64 %rd11, in;
  st.u32 [%rd11], %r1;
  ld.const.u32 %r10, [table+4];
  st.global.u32 [%rd1], %r10;)");
  snippet.module = ".const .u32 table[2] = {5, 6};\n";
  snippet.block.x = 1;
  Snippet::Outcome outcome = snippet.run();
  EXPECT_EQ(outcome.kinds(), "const-write const-write");
  EXPECT_PART(outcome.reports[0].message, "inside 'table', which is constant");
  EXPECT_PART(outcome.reports[1].message, "inside 'the parameters'");
  EXPECT_EQ(outcome.word(0), 6u);
}

//===----------------------------------------------------------------------===//
// Initialization
//===----------------------------------------------------------------------===//

TEST(Checker, LocalMemoryOfACallIsNew) {
  Snippet snippet("call f; call f;");
  snippet.module = R"(
.func f ()
{
  .reg .pred %p1;
  .reg .b32 %r<2>;
  .local .align 4 .b8 l[4];
  ld.local.u32 %r1, [l];
  setp.eq.u32 %p1, %r1, 0;
  st.local.u32 [l], 1;
  @%p1 ret;
  ret;
}
)";
  EXPECT_EQ(onlyReport(snippet).count, 64);
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

TEST(Checker, LanesReadTheValueThatTheyHaveWrittenTogether) {
  const std::string store = ".shared .align 4 .b32 s;\n"
                            "  setp.lt.u32 %p1, %r1, 8;\n";
  EXPECT_EQ(Snippet(store + "st.shared.u32 [s], 7; ld.shared.u32 %r10, [s];")
                .run()
                .kinds(),
            "");
  // A lane that has not written it.
  EXPECT_EQ(
      Snippet(store + "@%p1 st.shared.u32 [s], 7; ld.shared.u32 %r10, [s];")
          .run()
          .kinds(),
      "race");
  EXPECT_EQ(Snippet(store + "@%p1 st.shared.u32 [s], 7; bar.warp.sync -1; "
                            "ld.shared.u32 %r10, [s];")
                .run()
                .kinds(),
            "");
  // Different values.
  EXPECT_EQ(Snippet(store + "st.shared.u32 [s], %r1; ld.shared.u32 %r10, [s];")
                .run()
                .kinds(),
            "race race");
  // And whoever changes it.
  EXPECT_EQ(Snippet(store + "st.shared.u32 [s], 7; @%p1 st.shared.u32 [s], 8;")
                .run()
                .kinds(),
            "race");
}

TEST(Checker, RacesBetweenWarps) {
  Snippet snippet(R"(
  .shared .align 4 .b8 s[4];
  setp.eq.u32 %p1, %r1, 5;
  @%p1 st.shared.u32 [s], %r1;
  setp.eq.u32 %p2, %r1, 40;
  @%p2 st.shared.u32 [s], %r1;)");
  snippet.block.x = 64;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    snippet.options.seed = seed;
    Report report = onlyReport(snippet);
    EXPECT_EQ(report.kind, ReportKind::Race);
    bool isSecond = report.location.line == snippet.firstLine() + 5;
    EXPECT_EQ(report.message,
              "a write of 4 bytes at 0x0 of shared memory, which nothing "
              "orders with a write by another warp");
    ASSERT_EQ(report.notes.size(), 1u);
    EXPECT_EQ(report.notes[0],
              isSecond
                  ? "the other was made at line " +
                        std::to_string(snippet.firstLine() + 3) +
                        " (@%p1 st.shared.u32 [s], %r1;) by warp 0, lane 5"
                  : "the other was made at line " +
                        std::to_string(snippet.firstLine() + 5) +
                        " (@%p2 st.shared.u32 [s], %r1;) by warp 1, lane 8");
  }
}

TEST(Checker, RacesBetweenLanes) {
  // Without bar.warp.sync lanes are not ordered; a part of the warp may meet.
  const std::string body = R"(
  .shared .align 4 .b8 s[128];
  shl.b32 %r10, %r1, 2;
  mov.u32 %r11, s;
  add.u32 %r12, %r11, %r10;
  st.shared.u32 [%r12], %r1;
  SYNC
  xor.b32 %r10, %r10, 4;
  add.u32 %r12, %r11, %r10;
  ld.shared.u32 %r13, [%r12];)";
  auto with = [&](const char *sync) {
    std::string text = body;
    text.replace(text.find("SYNC"), 4, sync);
    return Snippet(text);
  };
  Report report = onlyReport(with(""));
  EXPECT_EQ(report.kind, ReportKind::Race);
  EXPECT_PART(report.message, "a write by another lane of the warp");
  EXPECT_EQ(report.count, 32);
  expectNone(with("bar.warp.sync -1;"));
  expectNone(with("bar.sync 0;"));
  expectNone(with("setp.lt.u32 %p1, %r1, 6; @%p1 bra L; bar.warp.sync "
                  "0xffffffc0; bra J; L: bar.warp.sync 0x3f; J:"));
  // One instruction, two groups.
  expectNone(with("setp.lt.u32 %p1, %r1, 6; selp.b32 %r14, 0x3f, 0xffffffc0, "
                  "%p1; bar.warp.sync %r14;"));
  // Lanes 4 and 5 are on both sides here.
  report = onlyReport(with("setp.lt.u32 %p1, %r1, 5; @%p1 bra L; bar.warp.sync "
                           "0xffffffe0; bra J; L: bar.warp.sync 0x1f; J:"));
  EXPECT_EQ(report.count, 2);
  // A shuffle executes together and orders nothing.
  EXPECT_EQ(onlyReport(with("shfl.sync.idx.b32 %r14, %r1, 0, 31, -1;")).kind,
            ReportKind::Race);
}

TEST(Checker, OneInstructionMayWriteOneValueTwice) {
  Snippet same(".shared .b32 s; st.shared.u32 [s], %r4;");
  expectNone(same);
  Snippet different(".shared .b32 s; st.shared.u32 [s], %r1;");
  EXPECT_EQ(onlyReport(different).kind, ReportKind::Race);
  EXPECT_EQ(onlyReport(different).count, 31);
}

TEST(Checker, WarpsMayWriteCopiesOfOneValue) {
  // As compilers do where several warps hold one tensor.
  Snippet same(R"(
  .shared .align 8 .b32 s[2];
  st.shared.v2.u32 [s], {%r3, 5};
  bar.sync 0;
  ld.shared.u32 %r10, [s+4];)");
  same.block.x = 128;
  expectNone(same);
  // Another value, another instruction, device memory.
  for (const char *body : {"shr.u32 %r10, %r1, 5; st.shared.u32 [s], %r10;",
                           R"(
  setp.lt.u32 %p1, %r1, 32;
  @%p1 st.shared.u32 [s], 5;
  @!%p1 st.shared.u32 [s], 5;)",
                           "st.global.u32 [%rd1], 5;"}) {
    Snippet snippet(std::string(".shared .b32 s; ") + body);
    snippet.block.x = 64;
    Report report = onlyReport(snippet);
    EXPECT_EQ(report.kind, ReportKind::Race) << body;
    EXPECT_PART(report.message, "with a write by another warp");
  }
}

TEST(Checker, LoadsForCompareAndSwapMayMeetIt) {
  // The loop that stands for an atomic operation that the chip does not have.
  const std::string loop = R"(
  ld.global.u32 %r10, [%rd1];
LOOP:
  mov.b32 %r11, %r10;
  add.u32 %r12, %r11, 3;
  atom.global.cas.b32 %r10, [%rd1], %r11, %r12;
  setp.ne.u32 %p1, %r10, %r11;
  @%p1 bra LOOP;)";
  Snippet right(loop);
  right.block.x = 64;
  right.grid.x = 3;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    right.options.seed = seed;
    Snippet::Outcome outcome = right.run();
    EXPECT_EQ(outcome.kinds(), "");
    EXPECT_EQ(outcome.word(0), 3u * 64 * 3);
  }
  // A weak store is not a part of the loop.
  Snippet store(loop + "setp.eq.u32 %p1, %r1, 40; "
                       "@%p1 st.global.u32 [%rd1], 7;");
  store.block.x = 64;
  EXPECT_PART(store.run().kinds(), "race");
  // Nothing tells what this load reads from what memory holds.
  Snippet other("ld.global.u32 %r10, [%rd1]; "
                "atom.global.cas.b32 %r11, [%rd1], 0, %r10;");
  other.block.x = 64;
  EXPECT_PART(other.run().kinds(), "race");
}

TEST(Checker, BytesOfAWordAreApart) {
  Snippet snippet(R"(
  .shared .align 16 .b8 s[128];
  mov.u32 %r10, s;
  add.u32 %r10, %r10, %r1;
  st.shared.u8 [%r10], %r1;
  st.shared.u8 [%r10+64], %r1;
  bar.sync 0;
  and.b32 %r11, %r1, 48;
  mov.u32 %r10, s;
  add.u32 %r11, %r11, %r10;
  ld.shared.v4.u32 {%r12, %r13, %r14, %r15}, [%r11];)");
  snippet.block.x = 64;
  expectNone(snippet);
}

TEST(Checker, RacesBetweenCtas) {
  Snippet snippet(R"(
  and.b32 %r10, %r1, 15;
  mad.wide.u32 %rd10, %r10, 4, %rd1;
  setp.lt.u32 %p1, %r1, 16;
  @%p1 st.global.u32 [%rd10], %r3;)");
  snippet.grid.x = 20;
  for (int threads : {1, 2, 4}) {
    snippet.options.threads = threads;
    Snippet::Outcome outcome = snippet.run();
    EXPECT_EQ(outcome.kinds(), "race");
    const Report &report = outcome.reports[0];
    EXPECT_EQ(report.cta.x, 1);
    EXPECT_EQ(report.lane, 0);
    EXPECT_PART(report.message, "orders with a write by another CTA");
    EXPECT_PART(report.notes[0], "by CTA (0,0,0)");
    // As if CTAs had run in order.
    EXPECT_EQ(outcome.word(0), 19u);
  }
}

TEST(Checker, ReadsOfWhatAnotherCtaWrites) {
  Snippet snippet(R"(
  setp.eq.u32 %p1, %r3, 2;
  @%p1 st.global.u32 [%rd1], %r3;
  @!%p1 ld.global.u32 %r10, [%rd1];)");
  snippet.grid.x = 4;
  snippet.block.x = 1;
  Snippet::Outcome outcome = snippet.run();
  EXPECT_EQ(outcome.kinds(), "race race");
  EXPECT_EQ(outcome.reports[0].cta.x, 2);
  EXPECT_PART(outcome.reports[0].message, "with a read by another CTA");
  EXPECT_EQ(outcome.reports[1].cta.x, 3);
  EXPECT_PART(outcome.reports[1].message, "with a write by another CTA");
}

//===----------------------------------------------------------------------===//
// Acquire and release
//===----------------------------------------------------------------------===//

namespace {
/// CTA 0 writes and raises a flag, CTA 1 waits for the flag and reads.
Snippet message(const char *release, const char *acquire) {
  Snippet snippet(std::string(R"(
  setp.eq.u32 %p1, %r3, 0;
  @!%p1 bra WAIT;
  st.global.u32 [%rd1+8], 42;
  )") + release + R"(
  ret;
WAIT:
  )" + acquire + R"(
  setp.eq.u32 %p2, %r10, 0;
  @%p2 bra WAIT;
  FENCE
  ld.global.u32 %r11, [%rd1+8];
  st.global.u32 [%rd1+16], %r11;)");
  snippet.grid.x = 2;
  snippet.block.x = 1;
  return snippet;
}
Snippet fenced(Snippet snippet, const char *fence) {
  snippet.body.replace(snippet.body.find("FENCE"), 5, fence);
  return snippet;
}
} // namespace

TEST(Checker, FollowsTheMemoryModel) {
  const char *release = "st.release.gpu.global.u32 [%rd1], 1;";
  const char *acquire = "ld.acquire.gpu.global.u32 %r10, [%rd1];";
  const char *fenceStore = "membar.gl; st.volatile.global.u32 [%rd1], 1;";
  const char *load = "ld.volatile.global.u32 %r10, [%rd1];";
  for (uint64_t seed = 0; seed < 4; ++seed) {
    auto run = [&](Snippet snippet) {
      snippet.options.seed = seed;
      Snippet::Outcome outcome = snippet.run();
      EXPECT_EQ(outcome.failure, "");
      return outcome;
    };
    for (const Snippet &good :
         {fenced(message(release, acquire), ""),
          fenced(message(fenceStore, load), "fence.acq_rel.gpu;"),
          fenced(message(fenceStore, acquire), ""),
          fenced(message(release, load), "membar.gl;"),
          fenced(message("fence.release.gpu; st.volatile.global.u32 [%rd1], 1;",
                         load),
                 "fence.acquire.gpu;"),
          fenced(message("membar.gl; red.global.add.u32 [%rd1], 1;",
                         "atom.global.or.b32 %r10, [%rd1], 0;"),
                 "membar.sys;")}) {
      Snippet::Outcome outcome = run(good);
      EXPECT_EQ(outcome.kinds(), "") << good.body;
      EXPECT_EQ(outcome.word(4), 42u);
    }
    for (const Snippet &bad :
         {// Not a release, not an acquire, and scopes that are too small.
          fenced(message("st.volatile.global.u32 [%rd1], 1;", acquire), ""),
          fenced(message(release, load), ""),
          fenced(message("membar.cta; st.volatile.global.u32 [%rd1], 1;", load),
                 "membar.gl;"),
          fenced(message(fenceStore, load), "fence.release.gpu;"),
          fenced(message("fence.acquire.gpu; st.volatile.global.u32 [%rd1], 1;",
                         load),
                 "membar.gl;"),
          fenced(message(fenceStore, load), "membar.cta;")})
      EXPECT_EQ(run(bad).kinds(), "race") << bad.body;
    // A flag that is no strong access races itself.
    EXPECT_PART(
        run(fenced(message("membar.gl; st.global.u32 [%rd1], 1;", acquire), ""))
            .kinds(),
        "race");
  }
}

TEST(Checker, BarriersHandOnFences) {
  // All threads write and fence, then one raises the flag for them.
  const std::string body = R"(
  setp.eq.u32 %p1, %r3, 0;
  setp.ne.u32 %p2, %r1, 0;
  @!%p1 bra WAIT;
  st.global.u32 [%rd3+128], %r1;
  FENCE
  bar.sync 0;
  @%p2 ret;
  red.global.add.u32 [%rd1], 1;
  ret;
WAIT:
  @%p2 bra READ;
SPIN:
  ld.acquire.gpu.global.u32 %r10, [%rd1];
  setp.eq.u32 %p3, %r10, 0;
  @%p3 bra SPIN;
READ:
  bar.sync 0;
  ld.global.u32 %r11, [%rd3+-128];)";
  auto kinds = [&](const char *fence) {
    std::string text = body;
    text.replace(text.find("FENCE"), 5, fence);
    Snippet snippet(text);
    snippet.grid.x = 2;
    snippet.block.x = 64;
    Snippet::Outcome outcome = snippet.run();
    EXPECT_EQ(outcome.failure, "");
    return outcome.kinds();
  };
  EXPECT_EQ(kinds("membar.gl;"), "");
  EXPECT_EQ(kinds("fence.sc.gpu;"), "");
  EXPECT_EQ(kinds("fence.acq_rel.gpu;"), "race");
  EXPECT_EQ(kinds("fence.gpu;"), "race");
  EXPECT_EQ(kinds("membar.cta;"), "race");
  EXPECT_EQ(kinds(""), "race");
}

TEST(Checker, ScopeOfACtaIsEnoughWithinIt) {
  Snippet snippet(R"(
  .shared .align 4 .b8 s[8];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 st.shared.u32 [s+4], 0;
  bar.sync 0;
  setp.ge.u32 %p2, %r1, 32;
  @%p2 bra WAIT;
  @%p1 st.shared.u32 [s], 7;
  @%p1 membar.cta;
  @%p1 st.volatile.shared.u32 [s+4], 1;
  ret;
WAIT:
  ld.volatile.shared.u32 %r10, [s+4];
  setp.eq.u32 %p3, %r10, 0;
  @%p3 bra WAIT;
  membar.cta;
  ld.shared.u32 %r11, [s];
  st.global.u32 [%rd3], %r11;)");
  snippet.block.x = 64;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    snippet.options.seed = seed;
    Snippet::Outcome outcome = snippet.run();
    EXPECT_EQ(outcome.kinds(), "");
    EXPECT_EQ(outcome.word(40), 7u);
  }
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

TEST(Checker, AsynchronousCopies) {
  Snippet snippet(R"(
  .shared .align 16 .b8 s[512];
  mov.u32 %r10, s;
  mad.lo.u32 %r10, %r1, 16, %r10;
  mad.wide.u32 %rd10, %r1, 16, %rd2;
  cp.async.cg.shared.global [%r10], [%rd10], 16;
  st.global.u32 [%rd10], %r1;
  ld.shared.u32 %r11, [%r10];
  cp.async.wait_all;
  ld.shared.u32 %r11, [%r10];)");
  Snippet::Outcome outcome = snippet.run();
  EXPECT_EQ(outcome.kinds(), "async-race async-race");
  EXPECT_PART(outcome.reports[0].message,
              "which an asynchronous copy may still read");
  EXPECT_PART(
      outcome.reports[1].message,
      "a read of 4 bytes at 0x0 of shared memory, which an asynchronous "
      "copy may still write");
  EXPECT_EQ(outcome.reports[1].notes[0],
            "the copy was issued at line " +
                std::to_string(snippet.firstLine() + 5) +
                " (cp.async.cg.shared.global [%r10], [%rd10], 16;) by warp 0, "
                "lane 0, and nothing has waited for it");
}

TEST(Checker, LateCopiesReadWhatIsThereLast) {
  // With seed 0 the copy takes effect in the wait, and sees the later store.
  Snippet snippet(R"(
  .shared .align 16 .b8 s[512];
  mov.u32 %r10, s;
  mad.lo.u32 %r10, %r1, 16, %r10;
  mad.wide.u32 %rd10, %r1, 16, %rd2;
  cp.async.ca.shared.global [%r10], [%rd10], 4;
  add.u32 %r11, %r1, 1;
  st.global.u32 [%rd10], %r11;
  cp.async.wait_all;
  ld.shared.u32 %r11, [%r10];
  st.global.u32 [%rd3], %r11;)");
  EXPECT_EQ(snippet.run().word(4), 5u);
  // With others, some do at once.
  bool isEarly = false;
  for (uint64_t seed = 1; seed < 4; ++seed) {
    snippet.options.seed = seed;
    Snippet::Outcome outcome = snippet.run();
    for (int i = 0; i < 32; ++i)
      isEarly |= outcome.word(i) == 0;
  }
  EXPECT_TRUE(isEarly);
}
