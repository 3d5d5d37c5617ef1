//===- ExecutionTests.cpp - Control flow, memory and operands -------------===//
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

constexpr uint64_t numSeeds = 5;

/// Runs with several seeds; word i of `out` must be want(i), and there must be
/// no report.
template <typename Want>
void expectWords(Snippet snippet, int count, Want want) {
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    snippet.options.seed = seed;
    Snippet::Outcome outcome = snippet.run();
    ASSERT_EQ(outcome.failure, "");
    for (const Report &report : outcome.reports)
      ADD_FAILURE() << "seed " << seed << "\n" << formatReport(report);
    for (int i = 0; i < count; ++i)
      ASSERT_EQ(outcome.word(i), uint32_t(want(i)))
          << "word " << i << ", seed " << seed;
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

TEST(Execution, GuardsLanes) {
  Snippet snippet(R"(
  and.b32 %r10, %r1, 1;
  setp.eq.u32 %p1, %r10, 0;
  mov.u32 %r11, 7;
  @%p1 mov.u32 %r11, 100;
  @!%p1 add.u32 %r11, %r11, %r1;
  st.global.u32 [%rd3], %r11;)");
  expectWords(snippet, 32, [](int i) { return i % 2 ? 7 + i : 100; });
}

TEST(Execution, MeetsAfterNestedBranches) {
  // What all lanes do together shows that they have met again.
  Snippet snippet(R"(
  mov.u32 %r10, 0;
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra LOW;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p2, %r1, 24;
  @%p2 bra MIDDLE;
  add.u32 %r10, %r10, 10;
  bra JOIN2;
MIDDLE:
  add.u32 %r10, %r10, 20;
JOIN2:
  activemask.b32 %r11;
  popc.b32 %r12, %r11;
  mad.lo.u32 %r10, %r12, 1000, %r10;
  bra JOIN;
LOW:
  add.u32 %r10, %r10, 2;
JOIN:
  activemask.b32 %r11;
  popc.b32 %r12, %r11;
  mad.lo.u32 %r10, %r12, 100000, %r10;
  st.global.u32 [%rd3], %r10;)");
  // With checks, activemask parts lanes that are together.
  snippet.options.checking = Checking::None;
  expectWords(snippet, 32, [](int i) {
    int low = i < 16 ? 2 : i < 24 ? 16000 + 21 : 16000 + 11;
    return 3200000 + low;
  });
}

TEST(Execution, LeavesLoopsLaneByLane) {
  Snippet snippet(R"(
  mov.u32 %r10, 0;
  mov.u32 %r11, 0;
LOOP:
  add.u32 %r11, %r11, %r10;
  add.u32 %r10, %r10, 1;
  setp.le.u32 %p1, %r10, %r1;
  @%p1 bra LOOP;
  activemask.b32 %r12;
  not.b32 %r12, %r12;
  mad.lo.u32 %r11, %r12, 1000, %r11;
  st.global.u32 [%rd3], %r11;)");
  // With checks, activemask parts lanes that are together.
  snippet.options.checking = Checking::None;
  expectWords(snippet, 32, [](int i) { return i * (i + 1) / 2; });
}

TEST(Execution, LeavesLoopsInTheMiddle) {
  Snippet snippet(R"(
  mov.u32 %r10, 0;
LOOP:
  setp.ge.u32 %p1, %r10, %r1;
  @%p1 bra DONE;
  add.u32 %r10, %r10, 3;
  setp.gt.u32 %p2, %r10, 20;
  @%p2 ret;
  bra LOOP;
DONE:
  st.global.u32 [%rd3], %r10;)");
  expectWords(snippet, 32, [](int i) {
    int n = 0;
    while (n < i)
      if ((n += 3) > 20)
        return 0;
    return n;
  });
}

TEST(Execution, LetsLanesWaitForEachOther) {
  // Each lane takes the lock in turn: whoever holds it must be let on while the
  // others of its warp spin.
  Snippet snippet(R"(
  mov.u32 %r20, 0;
AGAIN:
  atom.acquire.gpu.global.cas.b32 %r10, [%rd1+256], 0, 1;
  setp.ne.u32 %p1, %r10, 0;
  @%p1 bra AGAIN;
  ld.global.u32 %r11, [%rd1];
  add.u32 %r11, %r11, %r1;
  st.global.u32 [%rd1], %r11;
  atom.release.gpu.global.exch.b32 %r12, [%rd1+256], 0;)");
  snippet.block.x = 64;
  expectWords(snippet, 1, [](int) { return 63 * 64 / 2; });
}

TEST(Execution, BranchesByTable) {
  Snippet snippet(R"(
  and.b32 %r10, %r1, 3;
  mov.u32 %r11, 0;
T: .branchtargets L0, L1, L2, L1;
  brx.idx %r10, T;
L0: add.u32 %r11, %r11, 1;
L1: add.u32 %r11, %r11, 10;
L2: add.u32 %r11, %r11, 100;
  st.global.u32 [%rd3], %r11;)");
  expectWords(snippet, 32, [](int i) {
    const int want[] = {111, 110, 100, 110};
    return want[i % 4];
  });
}

TEST(Execution, ReportsATableThatEnds) {
  Snippet snippet("T: .branchtargets L;\n  brx.idx %r1, T;\nL:");
  Snippet::Outcome outcome = snippet.run();
  EXPECT_EQ(outcome.kinds(), "out-of-bounds");
  EXPECT_EQ(outcome.reports[0].message, "entry 1 of a table of 1 labels");
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

TEST(Execution, CallsFunctions) {
  Snippet snippet(R"(
  .param .b32 x; .param .align 8 .b8 pair[16]; .param .b32 result;
  setp.lt.u32 %p1, %r1, 20;
  mov.u32 %r11, 5;
  st.param.b32 [x], %r1;
  cvt.u64.u32 %rd10, %r1;
  st.param.b64 [pair], %rd10;
  st.param.b64 [pair+8], 1000;
  @%p1 call.uni (result), outer, (x, pair);
  @%p1 ld.param.b32 %r11, [result];
  activemask.b32 %r12;
  not.b32 %r12, %r12;
  add.u32 %r11, %r11, %r12;
  st.global.u32 [%rd3], %r11;)");
  // With checks, activemask parts lanes that are together.
  snippet.options.checking = Checking::None;
  snippet.module = R"(
.func (.param .b32 r) inner (.param .b32 a)
{
  .reg .b32 %r<3>; .reg .pred %p<2>;
  .local .align 4 .b8 buffer[8];
  .reg .b64 %rd<3>;
  ld.param.b32 %r1, [a];
  mov.u64 %rd1, buffer;
  st.local.b32 [buffer+4], %r1;
  ld.local.b32 %r2, [%rd1+4];
  and.b32 %r1, %r2, 1;
  setp.eq.u32 %p1, %r1, 0;
  mul.lo.u32 %r2, %r2, 3;
  st.param.b32 [r], %r2;
  @%p1 ret;
  add.u32 %r2, %r2, 1;
  st.param.b32 [r], %r2;
}
.func (.param .b32 r) outer (.param .b32 a, .param .align 8 .b8 pair[16])
{
  .reg .b32 %r<5>; .reg .b64 %rd<4>;
  .param .b32 x; .param .b32 y;
  ld.param.b32 %r1, [a];
  st.param.b32 [x], %r1;
  call (y), inner, (x);
  ld.param.b32 %r2, [y];
  ld.param.b64 %rd1, [pair];
  ld.param.b64 %rd2, [pair+8];
  add.s64 %rd3, %rd1, %rd2;
  cvt.u32.u64 %r3, %rd3;
  add.u32 %r2, %r2, %r3;
  st.param.b32 [r], %r2;
  ret;
}
)";
  expectWords(snippet, 32,
              [](int i) { return i < 20 ? 3 * i + i % 2 + i + 1000 : 5; });
}

TEST(Execution, BoundsRecursion) {
  Snippet snippet("call recurse;");
  snippet.module = ".func recurse () { call recurse; ret; }\n";
  Snippet::Outcome outcome = snippet.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.kinds(), "limit");
  EXPECT_EQ(outcome.reports[0].message, "calls nested more than 256 deep");
}

TEST(Execution, ExitsFromACall) {
  Snippet snippet(R"(
  mov.u32 %r10, 1;
  st.global.u32 [%rd3], %r10;
  .param .b32 x;
  st.param.b32 [x], %r1;
  call leave, (x);
  activemask.b32 %r10;
  st.global.u32 [%rd3], %r10;)");
  // With checks, activemask parts lanes that are together.
  snippet.options.checking = Checking::None;
  snippet.module = R"(
.func leave (.param .b32 a)
{
  .reg .b32 %r<2>; .reg .pred %p<2>;
  ld.param.b32 %r1, [a];
  setp.lt.u32 %p1, %r1, 8;
  @%p1 exit;
  ret;
}
)";
  expectWords(snippet, 32, [](int i) { return i < 8 ? 1u : 0xffffff00u; });
}

//===----------------------------------------------------------------------===//
// State spaces
//===----------------------------------------------------------------------===//

TEST(Execution, ReachesAllSpacesByGenericAddresses) {
  Snippet snippet(R"(
  .shared .align 4 .b8 s[128];
  .local .align 4 .b8 l[8];
  mul.lo.u32 %r10, %r1, 4;
  cvt.u64.u32 %rd10, %r10;
  mov.u64 %rd11, s;
  add.s64 %rd11, %rd11, %rd10;
  cvta.shared.u64 %rd12, %rd11;
  st.u32 [%rd12], %r1;
  cvta.local.u64 %rd13, l;
  st.u32 [%rd13+4], %r1;
  ld.shared.u32 %r11, [%rd11];
  ld.local.u32 %r12, [l+4];
  add.u32 %r11, %r11, %r12;
  cvta.to.shared.u64 %rd14, %rd12;
  ld.shared.u32 %r12, [%rd14];
  add.u32 %r11, %r11, %r12;
  cvta.const.u64 %rd15, table;
  and.b32 %r13, %r1, 3;
  mad.wide.u32 %rd15, %r13, 4, %rd15;
  ld.u32 %r12, [%rd15];
  add.u32 %r11, %r11, %r12;
  mov.u64 %rd16, table;
  ld.const.u32 %r12, [%rd16+4];
  add.u32 %r11, %r11, %r12;
  ld.global.u32 %r12, [offset];
  add.u32 %r11, %r11, %r12;
  ld.global.u64 %rd17, [pointer];
  ld.u32 %r12, [%rd17];
  add.u32 %r11, %r11, %r12;
  cvta.param.u64 %rd18, in;
  ld.u64 %rd18, [%rd18];
  setp.eq.u64 %p9, %rd18, %rd2;
  selp.u32 %r12, 0, 1, %p9;
  add.u32 %r11, %r11, %r12;
  isspacep.shared %p1, %rd12;
  isspacep.local %p2, %rd13;
  isspacep.global %p3, %rd1;
  isspacep.global %p4, %rd12;
  selp.u32 %r20, 1, 0, %p1;
  selp.u32 %r21, 2, 0, %p2;
  selp.u32 %r22, 4, 0, %p3;
  selp.u32 %r23, 8, 0, %p4;
  or.b32 %r20, %r20, %r21;
  or.b32 %r20, %r20, %r22;
  or.b32 %r20, %r20, %r23;
  mad.lo.u32 %r11, %r20, 10000, %r11;
  st.u32 [%rd3], %r11;)");
  snippet.module = R"(
.const .align 4 .u32 table[4] = {100, 200, 300, 400};
.global .align 4 .u32 offset = 50;
.global .align 4 .u32 numbers[2] = {6, 7};
.global .align 8 .u64 pointer = generic(numbers)+4;
)";
  expectWords(snippet, 32, [](int i) {
    return 70000 + 3 * i + 100 * (i % 4 + 1) + 200 + 50 + 7;
  });
}

TEST(Execution, KeepsGlobalVariablesBetweenLaunches) {
  Emulator emulator;
  auto module = emulator.loadModule(
      ".version 7.0\n.target sm_80\n.address_size 64\n.global .u32 n = 5;\n"
      ".entry k() { .reg .b32 r; ld.global.u32 r, [n]; add.u32 r, r, 1; "
      "st.global.u32 [n], r; ret; }",
      "m");
  ASSERT_TRUE(module.isOk()) << module.message();
  auto kernel = (*module)->kernel("k");
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(emulator.launch(**kernel, {}, {}).isOk());
  uint32_t n = 0;
  ASSERT_TRUE(
      emulator.copyToHost(&n, (*module)->variable("n")->first, 4).isOk());
  EXPECT_EQ(n, 8u);
}

TEST(Execution, PlacesDynamicSharedMemory) {
  Snippet snippet(R"(
  .shared .align 4 .b8 fixed[20];
  mov.u32 %r10, dynamic;
  mov.u32 %r11, fixed;
  mov.u32 %r12, %dynamic_smem_size;
  mov.u32 %r13, %total_smem_size;
  st.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};
  mov.u32 %r14, 9;
  st.shared.u32 [dynamic+96], %r14;
  ld.shared.u32 %r15, [%r10+96];
  st.global.u32 [%rd1+16], %r15;)");
  snippet.module = ".extern .shared .align 64 .b8 dynamic[];\n";
  snippet.block.x = 1;
  snippet.shared = 100;
  // Unmapped addresses lie between the two; a chip has 64 bytes there.
  const uint32_t want[] = {4224, 0, 100, 164, 9};
  expectWords(snippet, 5, [&](int i) { return want[i]; });
}

TEST(Execution, ExtendsNarrowLoads) {
  Snippet snippet(R"(
  mov.u32 %r10, 0xfedc8081;
  st.global.u32 [%rd1+512], %r10;
  ld.global.u8 %r11, [%rd1+512];
  ld.global.s8 %r12, [%rd1+513];
  ld.global.u16 %r13, [%rd1+512];
  ld.global.s16 %r14, [%rd1+514];
  ld.global.s32 %rd10, [%rd1+512];
  ld.global.u8 %rs1, [%rd1+515];
  cvt.u32.u16 %r15, %rs1;
  ld.global.s8 %rs2, [%rd1+515];
  cvt.u32.u16 %r16, %rs2;
  st.global.v4.u32 [%rd1], {%r11, %r12, %r13, %r14};
  st.global.u64 [%rd1+16], %rd10;
  st.global.v2.u32 [%rd1+24], {%r15, %r16};
  st.global.b8 [%rd1+32], %r10;
  st.global.b16 [%rd1+36], %rd10;)");
  snippet.block.x = 1;
  const uint32_t want[] = {0x81,       0xffffff80, 0x8081, 0xfffffedc,
                           0xfedc8081, 0xffffffff, 0xfe,   0xfffe,
                           0x81,       0x8081};
  expectWords(snippet, 10, [&](int i) { return want[i]; });
}

TEST(Execution, MovesVectors) {
  Snippet snippet(R"(
  ld.global.v4.u32 {%r10, _, %r12, %r13}, [%rd2];
  ld.global.v2.u64 {%rd10, %rd11}, [%rd2+16];
  mov.b64 %rd12, {%r13, %r10};
  mov.b64 {_, %r20}, %rd12;
  mov.b32 {%rs1, %rs2}, %r12;
  mov.b32 %r21, {%rs2, %rs1};
  mov.b64 {%rs3, %rs4, %rs5, %rs6}, %rd12;
  mov.b64 %rd13, {%rs6, %rs5, %rs4, %rs3};
  st.global.v4.b32 [%rd1], {%r10, %r12, %r20, %r21};
  st.global.v2.b64 [%rd1+16], {%rd10, %rd11};
  st.global.b64 [%rd1+32], %rd13;)");
  snippet.block.x = 1;
  for (int i = 0; i < 64; ++i)
    snippet.in[i] = uint8_t(i);
  const uint32_t want[] = {0x03020100, 0x0b0a0908, 0x03020100, 0x09080b0a,
                           0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c,
                           0x01000302, 0x0d0c0f0e};
  expectWords(snippet, 10, [&](int i) { return want[i]; });
}

TEST(Execution, ReadsParametersByRegister) {
  Emulator emulator;
  auto module = emulator.loadModule(
      ".version 7.0\n.target sm_80\n.address_size 64\n"
      ".entry k(.param .u64 out, .param .align 4 .b8 values[16]) {\n"
      "  .reg .b32 %r<4>; .reg .b64 %rd<6>; mov.u32 %r1, %tid.x;\n"
      "  mov.b64 %rd1, values; mad.wide.u32 %rd2, %r1, 4, %rd1;\n"
      "  ld.param.u32 %r2, [%rd2]; ld.param.u64 %rd3, [out];\n"
      "  mad.wide.u32 %rd4, %r1, 4, %rd3; st.global.u32 [%rd4], %r2; ret; }",
      "m");
  ASSERT_TRUE(module.isOk()) << module.message();
  auto out = emulator.allocate(16);
  std::vector<uint8_t> values(16);
  for (int i = 0; i < 16; ++i)
    values[i] = uint8_t(i);
  LaunchConfig config;
  config.block.x = 4;
  auto result = emulator.launch(**(*module)->kernel("k"), config,
                                {Argument(*out), Argument(values)});
  ASSERT_TRUE(result.isOk()) << result.message();
  EXPECT_TRUE(result->reports.empty());
  std::vector<uint8_t> got(16);
  ASSERT_TRUE(emulator.copyToHost(got.data(), *out, 16).isOk());
  EXPECT_EQ(got, values);
}

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

TEST(Execution, KnowsWhereThreadsAre) {
  Snippet snippet(R"(
  mov.u32 %r10, %tid.x; mov.u32 %r11, %tid.y; mov.u32 %r12, %tid.z;
  mov.u32 %r13, %ntid.x; mov.u32 %r14, %ntid.y;
  mad.lo.u32 %r15, %r12, %r14, %r11;
  mad.lo.u32 %r15, %r15, %r13, %r10;
  mov.u32 %r16, %laneid;
  mov.u32 %r17, %warpid;
  mad.lo.u32 %r18, %r17, 32, %r16;
  sub.u32 %r18, %r18, %r15;
  mov.u32 %r20, %lanemask_le;
  mov.u32 %r21, %lanemask_lt;
  xor.b32 %r20, %r20, %r21;
  mov.u32 %r21, %lanemask_eq;
  xor.b32 %r20, %r20, %r21;
  or.b32 %r18, %r18, %r20;
  mov.u32 %r22, %ctaid.x; mov.u32 %r23, %ctaid.y; mov.u32 %r24, %nctaid.x;
  mad.lo.u32 %r25, %r23, %r24, %r22;
  mad.lo.u32 %r26, %r25, 48, %r15;
  mad.wide.u32 %rd10, %r26, 4, %rd1;
  mad.lo.u32 %r27, %r18, 1000, %r25;
  st.global.u32 [%rd10], %r27;)");
  snippet.block = {4, 3, 4};
  snippet.grid = {3, 2, 1};
  expectWords(snippet, 288, [](int i) { return i / 48; });
}

TEST(Execution, HasClocksThatGoOn) {
  Snippet snippet(R"(
  mov.u64 %rd10, %clock64;
  mov.u32 %r10, %clock;
  mov.u64 %rd11, %globaltimer;
  setp.lt.u64 %p1, %rd10, %rd11;
  selp.u32 %r11, 1, 0, %p1;
  st.global.u32 [%rd3], %r11;)");
  expectWords(snippet, 32, [](int) { return 1; });
}

TEST(Execution, RunsThreeDimensionsOfBlocksThatEndInAWarp) {
  Snippet snippet("st.global.u32 [%rd3], %r4;");
  snippet.block.x = 33;
  expectWords(snippet, 34, [](int i) { return i < 33 ? 33 : 0; });
}

TEST(Execution, Traps) {
  Snippet snippet(R"(
  setp.eq.u32 %p1, %r1, 5;
  @%p1 trap;
  st.global.u32 [%rd3], %r4;)");
  Snippet::Outcome outcome = snippet.run();
  EXPECT_EQ(outcome.kinds(), "trap");
  EXPECT_EQ(outcome.reports[0].lane, 5);
  EXPECT_EQ(outcome.word(0), 0u);
}
