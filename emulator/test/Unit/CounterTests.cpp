//===- CounterTests.cpp - Banks, sectors, loops ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Access patterns whose counts are computed by hand.
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

#include "gtest/gtest.h"

using namespace qcc::emu;
using namespace qcc::emu::test;

namespace {

const InstructionCounters *find(const Counters &counters,
                                const std::string &text) {
  for (const InstructionCounters &row : counters.instructions)
    if (row.text.find(text) != std::string::npos)
      return &row;
  return nullptr;
}

Counters countersOf(const Snippet &snippet) {
  Snippet::Outcome outcome = snippet.run();
  EXPECT_EQ(outcome.failure, "");
  return outcome.counters;
}

} // namespace

//===----------------------------------------------------------------------===//
// Banks
//===----------------------------------------------------------------------===//

namespace {
struct BankPattern {
  const char *name;
  const char *address; ///< Computes %r11, an offset below 32768, from %r1.
  const char *access;  ///< Of [%r12].
  int wavefronts, ideal, degree;
};
} // namespace

TEST(Counters, BankConflicts) {
  const BankPattern patterns[] = {
      // 32 words side by side: one in each bank.
      {"consecutive words", "shl.b32 %r11, %r1, 2;",
       "ld.shared.u32 %r20, [%r12];", 1, 1, 1},
      // All lanes read one word.
      {"broadcast", "mov.u32 %r11, 64;", "ld.shared.u32 %r20, [%r12];", 1, 1,
       1},
      // Words 0, 2, 4 ...: words i and i + 32 share a bank.
      {"every second word", "shl.b32 %r11, %r1, 3;",
       "ld.shared.u32 %r20, [%r12];", 2, 1, 2},
      // A column of a matrix with rows of 128 bytes: all in bank 0.
      {"column", "shl.b32 %r11, %r1, 7;", "ld.shared.u32 %r20, [%r12];", 32, 1,
       32},
      // With 33 words in a row, each lane has its own bank.
      {"column of padded rows", "mul.lo.u32 %r11, %r1, 132;",
       "ld.shared.u32 %r20, [%r12];", 1, 1, 1},
      // Bytes: 4 lanes share each of 8 words.
      {"bytes", "mov.u32 %r11, %r1;", "st.shared.u8 [%r12], %r1;", 1, 1, 1},
      // 16 bytes a lane, 4 phases of 8 lanes, each with all banks once.
      {"vectors of four", "shl.b32 %r11, %r1, 4;",
       "st.shared.v4.u32 [%r12], {%r1, %r1, %r1, %r1};", 4, 4, 1},
      // Rows of 64 bytes: lanes 0, 2, 4, 6 of a phase have banks 0-3, lanes 1,
      // 3, 5, 7 banks 16-19; each 4 times.
      {"vectors of four in rows of 64 bytes", "shl.b32 %r11, %r1, 6;",
       "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r12];", 16, 4, 4},
      // The same with the 16-byte chunk of a row exchanged by its number: row i
      // has chunk (i / 2) mod 4, so that 8 rows have 8 different ones.
      {"swizzled rows of 64 bytes",
       "shr.u32 %r13, %r1, 1; and.b32 %r13, %r13, 3; shl.b32 %r13, %r13, 4; "
       "shl.b32 %r11, %r1, 6; or.b32 %r11, %r11, %r13;",
       "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r12];", 4, 4, 1},
      // 8 bytes a lane: 2 phases.
      {"vectors of two", "shl.b32 %r11, %r1, 3;",
       "ld.shared.u64 %rd20, [%r12];", 2, 2, 1},
      // Every second pair: in a phase of 16 lanes, lanes i and i + 8 collide.
      {"every second pair", "shl.b32 %r11, %r1, 4;",
       "ld.shared.u64 %rd20, [%r12];", 4, 2, 2},
      // ldmatrix.x4 of rows of 128 bytes: 8 rows of a matrix start in bank 0.
      {"ldmatrix", "shl.b32 %r11, %r1, 7;",
       "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, "
       "[%r12];",
       32, 4, 8},
      // The usual swizzle: chunk ^ (row mod 8).
      {"ldmatrix with a swizzle",
       "and.b32 %r13, %r1, 7; shl.b32 %r13, %r13, 4; shl.b32 %r11, %r1, 7; "
       "or.b32 %r11, %r11, %r13;",
       "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, "
       "[%r12];",
       4, 4, 1},
      // Two matrices: lanes 16 to 31 name nothing.
      {"ldmatrix of two", "shl.b32 %r11, %r1, 4;",
       "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r20, %r21}, [%r12];", 2, 2,
       1},
      {"stmatrix", "shl.b32 %r11, %r1, 4;",
       "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r12], {%r1, %r1, %r1, "
       "%r1};",
       4, 4, 1},
      // cp.async of 16 bytes into rows of 128: 8 lanes of a phase collide.
      {"cp.async", "shl.b32 %r11, %r1, 7;",
       "cp.async.cg.shared.global [%r12], [%rd2], 16;", 32, 4, 8},
      // Lanes whose atomics are for one word follow each other.
      {"atomics on four words", "and.b32 %r11, %r1, 12;",
       "red.shared.add.u32 [%r12], 1;", 8, 1, 8},
  };
  for (const BankPattern &pattern : patterns) {
    Snippet snippet(
        std::string(".shared .align 16 .b8 s[32768];\n") + pattern.address +
        "\nmov.u32 %r12, s; add.u32 %r12, %r12, %r11;\n" + pattern.access);
    snippet.options.checking = Checking::None;
    Counters counters = countersOf(snippet);
    EXPECT_EQ(counters.shared.requests, 1) << pattern.name;
    EXPECT_EQ(counters.shared.wavefronts, pattern.wavefronts) << pattern.name;
    EXPECT_EQ(counters.shared.idealWavefronts, pattern.ideal) << pattern.name;
    EXPECT_EQ(counters.shared.maxDegree, pattern.degree) << pattern.name;
  }
}

TEST(Counters, Atomics) {
  // One address of the grid, and one word of shared memory for all lanes or one
  // for each.
  Snippet snippet(R"(
  .shared .align 4 .b8 s[128];
  mov.u32 %r10, s;
  mad.lo.u32 %r11, %r1, 4, %r10;
  st.shared.u32 [%r11], 0;
  bar.warp.sync -1;
  red.shared.add.u32 [%r10], 1;
  red.shared.add.u32 [%r11], 1;
  red.global.add.u32 [%rd1], 1;
  red.global.add.u32 [%rd3+256], 1;)");
  snippet.grid.x = 3;
  Counters counters = snippet.run().counters;
  EXPECT_EQ(counters.hottestAtomic, 3 * 32);
  EXPECT_EQ(counters.globalAtomics, 6);
  EXPECT_EQ(counters.atomicTraffic.sectors, 3 + 3 * 4);
  EXPECT_EQ(counters.shared.wavefronts, 3 * (1 + 32 + 1));
  EXPECT_EQ(counters.shared.maxDegree, 32);
}

TEST(Counters, BatchesOfLoads) {
  Snippet snippet(R"(
  ld.global.u32 %r10, [%rd2];
  ld.global.u32 %r11, [%rd2+4];
  mov.u32 %r12, 5;
  add.u32 %r13, %r12, %r11;
  mad.wide.u32 %rd10, %r10, 4, %rd2;
  ld.global.u32 %r14, [%rd10];
  mad.wide.u32 %rd10, %r14, 4, %rd2;
  ld.global.u32 %r15, [%rd10];
  bra L;
L:
  st.global.u32 [%rd3], %r15;)");
  std::vector<int> distances;
  for (const InstructionCounters &row : snippet.run().counters.instructions)
    if (row.useDistance >= 0)
      distances.push_back(row.useDistance);
  EXPECT_EQ(distances, (std::vector<int>{3, 1, 2}));
}

TEST(Counters, BankConflictsOfActiveLanes) {
  // Only lanes 0 and 1 of the column of a matrix collide.
  Snippet snippet(R"(
  .shared .align 16 .b8 s[4096];
  mov.u32 %r12, s;
  mad.lo.u32 %r12, %r1, 128, %r12;
  setp.lt.u32 %p1, %r1, 2;
  @%p1 st.shared.u32 [%r12], %r1;)");
  Counters counters = countersOf(snippet);
  EXPECT_EQ(counters.shared.maxDegree, 2);
  EXPECT_EQ(counters.shared.bytes, 8);
  const InstructionCounters *row = find(counters, "st.shared");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->executions, 1);
  EXPECT_EQ(row->lanes, 2);
  EXPECT_EQ(row->shared.wavefronts, 2);
}

//===----------------------------------------------------------------------===//
// Sectors
//===----------------------------------------------------------------------===//

namespace {
struct SectorPattern {
  const char *name;
  const char *address; ///< Computes %rd10, an offset, from %r1.
  const char *access;  ///< Of [%rd11].
  int sectors, useful;
};
} // namespace

TEST(Counters, Sectors) {
  const SectorPattern patterns[] = {
      // 128 bytes side by side.
      {"consecutive words", "mul.wide.u32 %rd10, %r1, 4;",
       "ld.global.u32 %r20, [%rd11];", 4, 128},
      // The same, 16 bytes further: touches a fifth sector.
      {"consecutive words off a sector",
       "mul.wide.u32 %rd10, %r1, 4; add.s64 %rd10, %rd10, 16;",
       "ld.global.u32 %r20, [%rd11];", 5, 128},
      {"broadcast", "mov.u64 %rd10, 32;", "ld.global.u32 %r20, [%rd11];", 1, 4},
      // One word of each sector.
      {"every eighth word", "mul.wide.u32 %rd10, %r1, 32;",
       "ld.global.u32 %r20, [%rd11];", 32, 128},
      {"every second word", "mul.wide.u32 %rd10, %r1, 8;",
       "ld.global.u32 %r20, [%rd11];", 8, 128},
      {"bytes", "cvt.u64.u32 %rd10, %r1;", "ld.global.u8 %r20, [%rd11];", 1,
       32},
      {"vectors of four", "mul.wide.u32 %rd10, %r1, 16;",
       "st.global.v4.u32 [%rd11], {%r1, %r1, %r1, %r1};", 16, 512},
      // Lanes in the reverse order make no difference.
      {"backwards", "sub.u32 %r11, 31, %r1; mul.wide.u32 %rd10, %r11, 4;",
       "ld.global.u32 %r20, [%rd11];", 4, 128},
      // Rows of 64 bytes, 100 sectors apart... 4 lanes read one row's start.
      {"rows of 16 bytes",
       "shr.u32 %r11, %r1, 2; and.b32 %r13, %r1, 3; mul.wide.u32 %rd10, %r11, "
       "512; mad.wide.u32 %rd10, %r13, 4, %rd10;",
       "ld.global.u32 %r20, [%rd11];", 8, 128},
      {"rows of 64 bytes by cp.async",
       "shr.u32 %r11, %r1, 2; and.b32 %r13, %r1, 3; mul.wide.u32 %rd10, %r11, "
       "256; mad.wide.u32 %rd10, %r13, 16, %rd10;",
       "cp.async.cg.shared.global [%r12], [%rd11], 16;", 16, 512},
      // Only 4 of the 16 bytes are read.
      {"cp.async with zero fill", "mul.wide.u32 %rd10, %r1, 32;",
       "cp.async.cg.shared.global [%r12], [%rd11], 16, 4;", 32, 128},
      {"cp.async that reads nothing", "mul.wide.u32 %rd10, %r1, 32;",
       "cp.async.cg.shared.global [%r12], [%rd11], 16, 0;", 0, 0},
      {"atomics", "mov.u64 %rd10, 0;", "red.global.add.u32 [%rd11], 1;", 1, 4},
  };
  for (const SectorPattern &pattern : patterns) {
    Snippet snippet(std::string(".shared .align 16 .b8 s[1024];\n") +
                    "shl.b32 %r12, %r1, 4; mov.u32 %r14, s; "
                    "add.u32 %r12, %r12, %r14;\n" +
                    pattern.address + "\nadd.s64 %rd11, %rd10, %rd2;\n" +
                    pattern.access);
    Counters counters = countersOf(snippet);
    GlobalCounters sum = counters.globalLoads;
    sum.add(counters.globalStores);
    for (const InstructionCounters &row : counters.instructions)
      if (row.cost == CostClass::Atomic)
        sum.add(row.global);
    EXPECT_EQ(sum.requests, 1) << pattern.name;
    EXPECT_EQ(sum.sectors, pattern.sectors) << pattern.name;
    EXPECT_EQ(sum.usefulBytes, pattern.useful) << pattern.name;
    double share =
        pattern.sectors ? pattern.useful / (32.0 * pattern.sectors) : 0;
    EXPECT_EQ(sum.usefulShare(), share) << pattern.name;
    EXPECT_EQ(sum.sectorsPerRequest(), pattern.sectors) << pattern.name;
  }
}

TEST(Counters, DifferentBytes) {
  // Two CTAs read the same 128 bytes and write 128 each.
  Snippet snippet(R"(
  mad.wide.u32 %rd10, %r1, 4, %rd2;
  ld.global.u32 %r10, [%rd10];
  st.global.u32 [%rd3], %r10;)");
  snippet.grid.x = 2;
  Counters counters = countersOf(snippet);
  EXPECT_EQ(counters.loadedBytes, 128);
  EXPECT_EQ(counters.storedBytes, 256);
  EXPECT_EQ(counters.globalLoads.sectors, 8);
}

//===----------------------------------------------------------------------===//
// Instructions and loops
//===----------------------------------------------------------------------===//

TEST(Counters, InstructionsAndLoops) {
  Snippet snippet(R"(
  mov.u32 %r10, 0;
  mov.u32 %r20, 0; mov.u32 %r21, 0;
OUTER:
  mov.u32 %r11, 0;
INNER:
  mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r20, %r21}, {%r1}, {%r1}, {%r20, %r21};
  add.u32 %r11, %r11, 1;
  setp.lt.u32 %p1, %r11, 5;
  @%p1 bra INNER;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, 3;
  @%p1 bra OUTER;
  cvt.u16.u32 %rs1, %r20;
  mad.wide.u32 %rd10, %r2, 2, %rd1;
  st.global.u16 [%rd10], %rs1;)");
  snippet.grid.x = 2;
  snippet.block.x = 64;
  snippet.shared = 100;
  Counters counters = countersOf(snippet);
  EXPECT_EQ(counters.kernel, "kernel");
  EXPECT_EQ(counters.ctas, 2);
  EXPECT_EQ(counters.threadsPerCta, 64);
  EXPECT_EQ(counters.warpsPerCta, 2);
  EXPECT_EQ(counters.dynamicShared, 100);
  EXPECT_EQ(counters.matrix.instructions, 4 * 15);
  EXPECT_EQ(counters.matrix.int8Macs, 4 * 15 * 1024);
  EXPECT_EQ(counters.matrix.halfMacs, 0);
  ASSERT_EQ(counters.loops.size(), 2u);
  // The outer loop comes first.
  const LoopCounters &outer = counters.loops[0], &inner = counters.loops[1];
  EXPECT_EQ(outer.depth, 1);
  EXPECT_EQ(inner.parent, 0);
  EXPECT_EQ(inner.depth, 2);
  EXPECT_EQ(inner.firstLine, snippet.firstLine() + 6);
  EXPECT_EQ(inner.lastLine, snippet.firstLine() + 9);
  EXPECT_EQ(inner.executions, 4 * 15 * 4);
  EXPECT_EQ(outer.executions, 4 * (15 * 4 + 3 * 4));
  EXPECT_EQ(outer.mmas, 60);
  EXPECT_EQ(counters.hottestLoop, 1);
  EXPECT_EQ(counters.instructionsPerMma, 4);
  // After the inner loop: 3 rounds of 3, of which the last branch is not taken,
  // then cvt, mad, st and ret, for each thread, which stores one element.
  EXPECT_EQ(counters.outputElements, 128);
  EXPECT_EQ(counters.instructionsPerOutput, 12);
  const InstructionCounters *row = find(counters, "mma.sync");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->executions, 60);
  EXPECT_EQ(row->lanes, 60 * 32);
  EXPECT_EQ(row->loop, 1);
  EXPECT_EQ(row->cost, CostClass::Matrix);
  // 7 instructions of the snippet's head, and 3 moves before the loops.
  int64_t executions = 4 * (7 + 3 + 15 * 4 + 3 * 4 + 4);
  EXPECT_EQ(counters.executions, executions);
  // Branches that fall through: 3 of the inner loop and 1 of the outer one.
  EXPECT_EQ(counters.lanes, (executions - 4 * 4) * 32);
  EXPECT_EQ(counters.byClass[int(CostClass::Matrix)], 60);
  EXPECT_EQ(counters.byClass[int(CostClass::Branch)], 4 * (15 + 3 + 1));

  snippet.options.outputElementBytes = 1;
  EXPECT_EQ(countersOf(snippet).outputElements, 256);
}

TEST(Counters, LiveRegisters) {
  // %rd1 alone is live to the end; at most it, %rd2, and 4 words.
  Snippet snippet(R"(
  ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd2];
  add.u32 %r10, %r10, %r11;
  add.u32 %r10, %r10, %r12;
  add.u32 %r10, %r10, %r13;
  st.global.u32 [%rd1], %r10;)");
  snippet.block.x = 1;
  // The head has at most %rd1, %rd2, %r1, %r3, %r4.
  EXPECT_EQ(countersOf(snippet).registers, 7);
}

TEST(Counters, DoNotDependOnSeedsAndThreads) {
  Snippet snippet(R"(
  .shared .align 4 .b8 s[256];
  mov.u32 %r10, s;
  mad.lo.u32 %r10, %r1, 4, %r10;
  st.shared.u32 [%r10], %r1;
  bar.sync 0;
  setp.lt.u32 %p1, %r1, 7;
  @%p1 bra L;
  ld.shared.u32 %r11, [%r10+-28];
  st.global.u32 [%rd3], %r11;
L:)");
  snippet.grid.x = 15;
  snippet.block.x = 64;
  std::string first = countersJson(countersOf(snippet)).print();
  for (uint64_t seed : {1, 2, 3})
    for (int threads : {1, 2, 4}) {
      snippet.options.seed = seed;
      snippet.options.threads = threads;
      EXPECT_EQ(countersJson(countersOf(snippet)).print(), first);
    }
}

TEST(Counters, MayBeLeftOut) {
  Snippet snippet("st.global.u32 [%rd3], %r1;");
  snippet.options.countAccesses = false;
  Counters counters = countersOf(snippet);
  EXPECT_GT(counters.executions, 0);
  EXPECT_EQ(counters.globalStores.requests, 0);
  EXPECT_EQ(counters.storedBytes, 0);
}

TEST(Counters, AsText) {
  Snippet snippet("mad.wide.u32 %rd10, %r1, 32, %rd1; "
                  "st.global.u32 [%rd10], %r1;");
  snippet.block.x = 64;
  Counters counters = countersOf(snippet);
  std::string text = formatCounters(counters);
  for (const char *part :
       {"kernel\n", "  CTAs           1 of 64 threads (2 warps)\n",
        "  global stores  2 requests, 32.00 sectors each, 12.5 % of their "
        "bytes "
        "used\n",
        "  after it       10.00 thread instructions for each of 64 outputs\n",
        "     20            2   32.0                 32.00  12.5%  "
        "st.global.u32 [%rd10], %r1;\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  qcc::Json json = countersJson(counters);
  EXPECT_EQ(json.find("global_stores")->find("sectors")->integer, 64);
  EXPECT_EQ(json.find("by_class")->find("global")->integer, 2);
  auto parsed = qcc::Json::parse(json.print());
  ASSERT_TRUE(parsed.isOk());
  EXPECT_EQ(parsed->find("instructions")->array.size(),
            counters.instructions.size());
}
