//===- InstructionTests.cpp - One instruction at a time -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That instructions reach the arithmetic they name, with their operands in
// order. The arithmetic itself is checked under Arith.
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

#include "qcc/Emulator/Arith.h"
#include "gtest/gtest.h"
#include <set>

using namespace qcc::emu;
using namespace qcc::emu::test;

namespace {

struct Case {
  const char *body; ///< Leaves its result in %r10.
  uint32_t want;
};

/// With %r5 = 0x80000007, %r6 = 3, %r7 = -2, %rd5 = 0x100000005,
/// %rd6 = 0xffffffff00000003, %f5 = 1.5, %f6 = -2.25, %fd5 = 1.5, %rs5 =
/// 0xfff6, %p5 = true, %p6 = false.
void expectResults(const std::vector<Case> &cases) {
  std::string body = R"(
  mov.u32 %r5, 0x80000007; mov.u32 %r6, 3; mov.u32 %r7, -2;
  mov.u64 %rd5, 0x100000005; mov.u64 %rd6, 0xffffffff00000003;
  mov.f32 %f5, 0f3fc00000; mov.f32 %f6, 0fc0100000;
  mov.f64 %fd5, 0d3ff8000000000000; mov.u16 %rs5, 0xfff6;
  setp.eq.u32 %p5, 1, 1; not.pred %p6, %p5;
  mov.u32 %r8, 0x40003c00; mov.u32 %r9, 0x3c004000; mov.u16 %rs7, 0x3e00;
)";
  for (size_t i = 0; i < cases.size(); ++i)
    body += std::string(cases[i].body) + "\n  st.global.u32 [%rd1+" +
            std::to_string(4 * i) + "], %r10;\n";
  Snippet snippet(body);
  snippet.block.x = 1;
  Snippet::Outcome outcome = snippet.run();
  ASSERT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.kinds(), "");
  for (size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(outcome.word(int(i)), cases[i].want) << cases[i].body;
}

/// The low word of %rd10, or the bits of %f10.
#define LOW "cvt.u32.u64 %r10, %rd10;"
#define HIGH "shr.u64 %rd10, %rd10, 32; cvt.u32.u64 %r10, %rd10;"
#define SINGLE "mov.b32 %r10, %f10;"
/// %rd11 = {%f5, %f6}, %rd12 = {%f6, %f5}
#define PAIRS "mov.b64 %rd11, {%f5, %f6}; mov.b64 %rd12, {%f6, %f5}; "
#define TRUTH "selp.u32 %r10, 1, 0, %p10;"

} // namespace

TEST(Instructions, Integers) {
  expectResults({
      {"sub.s32 %r10, %r6, %r7;", 5},
      {"add.sat.s32 %r10, %r5, %r5;", 0x80000000},
      {"add.s16x2 %r10, 0x7fff0001, 0x0001ffff;", 0x80000000},
      {"max.s16x2 %r10, 0x7fff8000, 0x0001ffff;", 0x7fffffff},
      {"max.relu.s16x2 %r10, 0x7fff8000, 0x0001ffff;", 0x7fff0000},
      {"min.u16x2 %r10, 0x7fff8000, 0x0001ffff;", 0x00018000},
      {"min.relu.s32 %r10, %r7, %r6;", 0},
      {"mul.hi.u32 %r10, %r5, %r6;", 1},
      {"mul.hi.s32 %r10, %r5, %r6;", 0xfffffffe},
      {"mul.wide.s32 %rd10, %r7, %r6; " HIGH, 0xffffffff},
      {"mul.wide.u16 %r10, %rs5, 2;", 0x1ffec},
      {"mad.lo.s32 %r10, %r7, %r6, 10;", 4},
      {"mad.wide.u32 %rd10, %r5, 2, %rd5; " HIGH, 2},
      {"mad.hi.u32 %r10, %r5, 4, 1;", 3},
      {"mul24.lo.u32 %r10, 0x1000003, 5;", 15},
      {"mad24.hi.u32 %r10, 0x800000, 0x200, 1;", 0x10001},
      {"sad.s32 %r10, %r6, %r7, 100;", 105},
      {"div.s32 %r10, -7, %r7;", 3},
      {"rem.s32 %r10, -7, %r6;", 0xffffffff},
      {"div.u64 %rd10, %rd6, %rd5; " LOW, 0xfffffffa},
      {"abs.s32 %r10, %r7;", 2},
      {"neg.s32 %r10, %r6;", 0xfffffffd},
      {"add.cc.u32 %r11, -1, 2; addc.u32 %r10, 5, 5;", 11},
      {"sub.cc.u32 %r11, 1, 2; subc.u32 %r10, 5, 5;", 0xffffffff},
      {"mad.lo.cc.u32 %r11, -1, 1, 1; madc.hi.u32 %r10, 0, 0, 7;", 8},
      {"add.cc.u64 %rd10, -1, 1; addc.cc.u64 %rd10, 0, 0; " LOW, 1},
  });
}

TEST(Instructions, BitsAndWords) {
  expectResults({
      {"and.b32 %r10, %r5, 5;", 5},
      {"xor.b64 %rd10, %rd5, %rd6; " HIGH, 0xfffffffe},
      {"not.b32 %r10, %r6;", 0xfffffffc},
      {"cnot.b32 %r10, %r6;", 0},
      {"and.pred %p10, %p5, %p6; " TRUTH, 0},
      {"or.pred %p10, %p5, %p6; " TRUTH, 1},
      {"xor.pred %p10, %p5, %p5; " TRUTH, 0},
      {"mov.pred %p10, 1; " TRUTH, 1},
      {"shl.b32 %r10, %r6, 31;", 0x80000000},
      {"shl.b32 %r10, %r6, 32;", 0},
      {"shr.s32 %r10, %r5, 40;", 0xffffffff},
      {"shr.u64 %rd10, %rd6, 16; " LOW, 0xffff0000},
      {"shf.l.wrap.b32 %r10, %r5, %r6, 36;", 0x38},
      {"shf.r.clamp.b32 %r10, %r5, %r6, 1;", 0xc0000003},
      {"lop3.b32 %r10, 0xf0, 0xcc, 0xaa, 0x80;", 0x80},
      {"brev.b32 %r10, 1;", 0x80000000},
      {"popc.b64 %r10, %rd6;", 34},
      {"clz.b32 %r10, %r6;", 30},
      {"bfind.u32 %r10, %r5;", 31},
      {"bfind.shiftamt.s32 %r10, %r6;", 30},
      {"fns.b32 %r10, 0xf0, 0, 2;", 5},
      {"bfe.u32 %r10, %r5, 28, 4;", 8},
      {"bfe.s64 %rd10, %rd6, 32, 4; " HIGH, 0xffffffff},
      {"bfi.b32 %r10, 0xff, %r5, 4, 8;", 0x80000ff7},
      {"bmsk.clamp.b32 %r10, 4, 3;", 0x70},
      {"szext.wrap.s32 %r10, 0xff, 3;", 0xffffffff},
      {"prmt.b32 %r10, 0x33221100, 0x77665544, 0x7351;", 0x77335511},
      {"prmt.b32.f4e %r10, 0x33221100, 0x77665544, 1;", 0x44332211},
      {"dp4a.s32.u32 %r10, 0xff020304, 0x01010101, 10;", 18},
      {"dp2a.hi.u32.u32 %r10, 0x00020003, 0x01020000, 5;", 13},
  });
}

TEST(Instructions, Floats) {
  expectResults({
      {"add.f32 %f10, %f5, %f6; " SINGLE, 0xbf400000},
      {"sub.rn.f32 %f10, %f5, %f6; " SINGLE, 0x40700000},
      {"mul.rz.f32 %f10, %f5, 0f3eaaaaab; " SINGLE, 0x3f000000},
      {"mul.rp.f32 %f10, %f5, 0f3eaaaaab; " SINGLE, 0x3f000001},
      {"add.sat.f32 %f10, %f5, %f5; " SINGLE, 0x3f800000},
      {"add.ftz.f32 %f10, 0f00000001, 0f00000001; " SINGLE, 0},
      {"fma.rn.f32 %f10, %f5, %f6, %f5; " SINGLE, 0xbff00000},
      {"mad.rn.f32 %f10, %f5, %f5, %f5; " SINGLE, 0x40700000},
      {"div.rn.f32 %f10, %f5, %f6; " SINGLE, 0xbf2aaaab},
      {"div.full.f32 %f10, %f5, %f5; " SINGLE, 0x3f800000},
      {"rcp.rn.f32 %f10, %f6; " SINGLE, 0xbee38e39},
      {"sqrt.approx.f32 %f10, 0f40800000; " SINGLE, 0x40000000},
      {"rsqrt.approx.ftz.f32 %f10, 0f40800000; " SINGLE, 0x3f000000},
      {"ex2.approx.f32 %f10, 0f40400000; " SINGLE, 0x41000000},
      {"lg2.approx.f32 %f10, 0f41000000; " SINGLE, 0x40400000},
      {"sin.approx.f32 %f10, 0f00000000; " SINGLE, 0},
      {"cos.approx.f32 %f10, 0f00000000; " SINGLE, 0x3f800000},
      {"tanh.approx.f32 %f10, 0f00000000; " SINGLE, 0},
      {"abs.f32 %f10, %f6; " SINGLE, 0x40100000},
      {"neg.f32 %f10, %f5; " SINGLE, 0xbfc00000},
      {"min.f32 %f10, %f5, %f6; " SINGLE, 0xc0100000},
      {"max.NaN.f32 %f10, %f5, 0f7fc00000; " SINGLE, 0x7fffffff},
      {"max.xorsign.abs.f32 %f10, %f5, %f6; " SINGLE, 0xc0100000},
      {"copysign.f32 %f10, %f6, %f5; " SINGLE, 0xbfc00000},
      {"testp.infinite.f32 %p10, 0fff800000; " TRUTH, 1},
      {"add.f64 %fd6, %fd5, %fd5; mov.b64 %rd10, %fd6; " HIGH, 0x40080000},
      {"add.f16 %rs6, %rs7, %rs7; cvt.u32.u16 %r10, %rs6;", 0x4200},
      {"add.f16x2 %r10, %r8, %r8;", 0x44004000},
      {"sub.f16x2 %r10, %r8, %r9;", 0x3c00bc00},
      {"mov.u32 %r11, 0x3f80bf80; fma.rn.relu.bf16x2 %r10, %r11, %r11, %r11;",
       0x40000000},
      {"mul.f16x2 %r10, %r8, %r8;", 0x44003c00},
      {"max.bf16x2 %r10, %r8, %r9;", 0x40004000},
      {"ex2.approx.f16x2 %r10, %r8;", 0x44004000},
      // Of f16 1.5 and f32 -2.25.
      {"fma.rn.f32.f16 %f10, %rs7, %rs7, %f6; " SINGLE, 0},
      {"add.f32.f16 %f10, %rs7, %f6; " SINGLE, 0xbf400000},
      {"sub.rz.f32.f16 %f10, %rs7, %f6; " SINGLE, 0x40700000},
      {"add.sat.f32.f16 %f10, %rs7, %f5; " SINGLE, 0x3f800000},
      {"mov.u16 %rs6, 0x3fc0; fma.rm.f32.bf16 %f10, %rs6, %rs6, %f5; " SINGLE,
       0x40700000},
      // 1.5, -2.25 in each half, or the other way around; the upper half.
      {PAIRS "add.f32x2 %rd10, %rd11, %rd11; " LOW, 0x40400000},
      {PAIRS "sub.rn.f32x2 %rd10, %rd11, %rd12; " HIGH, 0xc0700000},
      {PAIRS "mul.ftz.f32x2 %rd10, %rd11, %rd12; " LOW, 0xc0580000},
      {PAIRS "fma.rn.f32x2 %rd10, %rd11, %rd11, %rd12; " HIGH, 0x40d20000},
      {"mov.b64 %rd11, {0f3fc00000, 0fbfc00000}; "
       "mov.b64 %rd12, {0f3eaaaaab, 0f3eaaaaab}; "
       "mul.rp.f32x2 %rd10, %rd11, %rd12; " LOW,
       0x3f000001},
      {"mul.rp.f32x2 %rd10, %rd11, %rd12; " HIGH, 0xbf000000},
      {"mul.rm.f32x2 %rd10, %rd11, %rd12; " HIGH, 0xbf000001},
      {"mul.rz.f32x2 %rd10, %rd11, %rd12; " HIGH, 0xbf000000},
      {"mov.u64 %rd13, 0x0000000100000001; "
       "add.ftz.f32x2 %rd10, %rd13, %rd13; " HIGH,
       0},
      {"add.f32x2 %rd10, %rd13, %rd13; " HIGH, 2},
      {"mov.u16 %rs6, 0; tanh.approx.bf16 %rs6, %rs6; "
       "cvt.u32.u16 %r10, %rs6;",
       0},
  });
}

TEST(Instructions, Conversions) {
  expectResults({
      {"cvt.rn.f32.s32 %f10, %r7; " SINGLE, 0xc0000000},
      {"cvt.rzi.s32.f32 %r10, %f6;", 0xfffffffe},
      {"cvt.rmi.s32.f32 %r10, %f6;", 0xfffffffd},
      {"cvt.rni.f32.f32 %f10, %f5; " SINGLE, 0x40000000},
      {"cvt.sat.u8.s32 %r10, %r7;", 0},
      {"cvt.sat.s8.s32 %r10, 300;", 127},
      {"cvt.s32.s8 %r10, 0xf0;", 0xfffffff0},
      {"cvt.s32.s16 %r10, %rs5;", 0xfffffff6},
      {"cvt.s64.s32 %rd10, %r7; " HIGH, 0xffffffff},
      {"cvt.u64.u32 %rd10, %r7; " HIGH, 0},
      {"cvt.u32.u64 %r10, %rd5;", 5},
      {"cvt.rn.f32.f64 %f10, %fd5; " SINGLE, 0x3fc00000},
      {"cvt.rn.f16.f32 %rs6, %f5; cvt.u32.u16 %r10, %rs6;", 0x3e00},
      {"cvt.f32.f16 %f10, %rs7; " SINGLE, 0x3fc00000},
      {"cvt.rn.bf16x2.f32 %r10, %f5, %f6;", 0x3fc0c010},
      {"cvt.rn.relu.f16x2.f32 %r10, %f5, %f6;", 0x3e000000},
      {"cvt.rna.tf32.f32 %r10, 0f3f801001;", 0x3f802000},
      {"cvt.rn.satfinite.e4m3x2.f32 %rs6, %f5, %f6; cvt.u32.u16 %r10, %rs6;",
       0x3cc1},
      {"mov.u16 %rs6, 0x3cc1; cvt.rn.f16x2.e4m3x2 %r10, %rs6;", 0x3e00c080},
      {"cvt.pack.sat.s8.s32.b32 %r10, 300, -300, 0xabcd;", 0xabcd7f80},
      {"cvt.pack.sat.u16.s32 %r10, 70000, -5;", 0xffff0000},
  });
}

TEST(Instructions, Comparisons) {
  expectResults({
      {"setp.lt.s32 %p10, %r5, %r6; " TRUTH, 1},
      {"setp.lo.u32 %p10, %r5, %r6; " TRUTH, 0},
      {"setp.gt.u64 %p10, %rd6, %rd5; " TRUTH, 1},
      {"setp.neu.f32 %p10, 0f7fc00000, %f5; " TRUTH, 1},
      {"setp.ne.f32 %p10, 0f7fc00000, %f5; " TRUTH, 0},
      {"setp.num.f64 %p10, %fd5, %fd5; " TRUTH, 1},
      {"setp.eq.and.u32 %p11|%p10, 1, 1, %p6; " TRUTH, 0},
      {"setp.eq.and.u32 %p11|%p10, 1, 2, !%p6; " TRUTH, 1},
      {"setp.eq.or.u32 %p10|_, 1, 2, %p5; " TRUTH, 1},
      {"setp.eq.xor.u32 %p10, 1, 1, %p5; " TRUTH, 0},
      {"setp.lt.f16x2 %p11|%p10, %r8, %r9; " TRUTH, 0},
      {"setp.lt.f16x2 %p10|%p11, %r8, %r9; " TRUTH, 1},
      {"setp.gt.bf16 %p10, %rs7, %rs5; " TRUTH, 0},
      {"set.lt.u32.s32 %r10, %r5, %r6;", 0xffffffff},
      {"set.gt.f32.f32 %f10, %f5, %f6; " SINGLE, 0x3f800000},
      {"set.eq.and.u32.u32 %r10, 1, 1, %p6;", 0},
      {"selp.b32 %r10, 7, 8, %p6;", 8},
      {"slct.u32.s32 %r10, 7, 8, %r7;", 8},
      {"slct.u32.f32 %r10, 7, 8, %f5;", 7},
  });
}

//===----------------------------------------------------------------------===//
// Across lanes
//===----------------------------------------------------------------------===//

namespace {
template <typename Want> void expectLanes(const char *body, Want want) {
  Snippet snippet(std::string(body) + "\n  st.global.u32 [%rd3], %r10;");
  Snippet::Outcome outcome = snippet.run();
  ASSERT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.kinds(), "") << body;
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(outcome.word(i), uint32_t(want(i))) << body << " lane " << i;
}
} // namespace

TEST(Instructions, CrossLanes) {
  expectLanes("shfl.sync.bfly.b32 %r10, %r1, 5, 0x1f, -1;",
              [](int i) { return i ^ 5; });
  expectLanes("shfl.sync.up.b32 %r10|%p1, %r1, 3, 0, -1; "
              "@!%p1 add.u32 %r10, %r10, 100;",
              [](int i) { return i < 3 ? i + 100 : i - 3; });
  expectLanes("shfl.sync.idx.b32 _|%p1, %r1, %r1, 0x1f, -1; "
              "selp.u32 %r10, 1, 0, %p1;",
              [](int) { return 1; });
  expectLanes("shfl.sync.down.b32 %r10, %r1, 8, 0x181f, -1;",
              [](int i) { return i; });
  expectLanes("setp.lt.u32 %p1, %r1, 9; vote.sync.ballot.b32 %r10, !%p1, -1;",
              [](int) { return 0xfffffe00; });
  expectLanes("setp.lt.u32 %p1, %r1, 9; vote.sync.any.pred %p2, %p1, -1; "
              "selp.u32 %r10, 1, 0, %p2;",
              [](int) { return 1; });
  expectLanes("setp.lt.u32 %p1, %r1, 9; vote.sync.uni.pred %p2, %p1, -1; "
              "selp.u32 %r10, 1, 0, %p2;",
              [](int) { return 0; });
  expectLanes("and.b32 %r11, %r1, 3; match.any.sync.b32 %r10, %r11, -1;",
              [](int i) { return 0x11111111u << i % 4; });
  expectLanes("mov.u64 %rd10, 7; match.all.sync.b64 %r10|%p1, %rd10, -1; "
              "@!%p1 mov.u32 %r10, 0;",
              [](int) { return 0xffffffff; });
  expectLanes("redux.sync.add.u32 %r10, %r1, -1;", [](int) { return 496; });
  expectLanes("sub.s32 %r11, %r1, 20; redux.sync.min.s32 %r10, %r11, -1;",
              [](int) { return -20; });
  expectLanes("shl.b32 %r11, 1, %r1; redux.sync.xor.b32 %r10, %r11, -1;",
              [](int) { return 0xffffffff; });
  expectLanes("elect.sync %r11|%p1, -1; selp.u32 %r10, 1, %r11, %p1;",
              [](int i) { return i == 0; });
}

TEST(Instructions, ReducesFloats) {
  struct Reduction {
    const char *words;
    uint32_t want;
  };
  // -16 to 15, but for lane 3, which has NaN.
  for (const Reduction &test : {Reduction{"min", 0xc1800000},
                                {"max", 0x41700000},
                                {"max.abs", 0x41800000},
                                {"min.abs", 0},
                                {"min.NaN", 0x7fffffff},
                                {"max.abs.NaN", 0x7fffffff}}) {
    Snippet snippet(R"(
  sub.s32 %r11, %r1, 16;
  cvt.rn.f32.s32 %f1, %r11;
  setp.eq.u32 %p1, %r1, 3;
  @%p1 mov.f32 %f1, 0f7fc00001;
  redux.sync.)" + std::string(test.words) +
                    R"(.f32 %f2, %f1, -1;
  st.global.f32 [%rd3], %f2;)");
    snippet.chip = "sm_100a";
    Snippet::Outcome outcome = snippet.run();
    ASSERT_EQ(outcome.failure, "");
    EXPECT_EQ(outcome.kinds(), "");
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(outcome.word(i), test.want) << test.words;
  }
}

TEST(Instructions, PoliciesOfCachesChangeNoValue) {
  expectLanes(
      "createpolicy.fractional.L2::evict_last.b64 %rd10, 1.0; "
      "createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 "
      "%rd11, 0.5; createpolicy.cvt.L2.b64 %rd12, %rd11; "
      "createpolicy.range.global.L2::evict_last.b64 %rd13, [%rd2], 128, "
      "256; st.global.L2::cache_hint.u32 [%rd3], %r1, %rd10; "
      "ld.global.L2::cache_hint.u32 %r10, [%rd3], %rd13;",
      [](int i) { return i; });
}

TEST(Instructions, LanesInGroupsByTheirMask) {
  expectLanes(R"(
  setp.lt.u32 %p1, %r1, 12;
  selp.b32 %r11, 0xfff, 0xfffff000, %p1;
  redux.sync.add.u32 %r12, 1, %r11;
  vote.sync.ballot.b32 %r13, %p1, %r11;
  add.u32 %r10, %r12, %r13;)",
              [](int i) { return i < 12 ? 12 + 0xfff : 20; });
}

TEST(Instructions, ActiveMasksAreGroupsThatTheSeedChooses) {
  std::set<uint32_t> masks;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Snippet snippet("activemask.b32 %r10; redux.sync.add.u32 %r11, 1, %r10; "
                    "popc.b32 %r12, %r10; sub.u32 %r11, %r11, %r12; "
                    "st.global.u32 [%rd3], %r10; "
                    "st.global.u32 [%rd3+512], %r11;");
    snippet.options.seed = seed;
    Snippet::Outcome outcome = snippet.run();
    EXPECT_EQ(outcome.kinds(), "");
    for (int i = 0; i < 32; ++i) {
      EXPECT_TRUE(outcome.word(i) >> i & 1);
      EXPECT_NE(outcome.word(i), ~0u);
      EXPECT_EQ(outcome.word(128 + i), 0u);
    }
    masks.insert(outcome.word(0));
  }
  EXPECT_GT(masks.size(), 4u);
}

TEST(Instructions, GathersLanesFromBothSidesOfABranch) {
  // Both halves name all lanes, at places of their own, with equal code.
  expectLanes(R"(
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra HERE;
  bra HERE;
HERE:
  shfl.sync.bfly.b32 %r10, %r1, 16, 0x1f, -1;)",
              [](int i) { return i ^ 16; });
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

TEST(Instructions, Atomics) {
  // Every lane takes part; the lanes take turns in their order.
  struct Atomic {
    const char *body;
    uint32_t initial, final, lane3; ///< What lane 3 got.
  };
  const Atomic cases[] = {
      {"atom.global.add.u32 %r10, [%rd2], %r1;", 5, 5 + 496, 5 + 3},
      {"atom.global.min.s32 %r10, [%rd2], %r20;", 5, uint32_t(-31),
       uint32_t(-2)},
      {"atom.global.max.u32 %r10, [%rd2], %r1;", 5, 31, 5},
      {"atom.global.inc.u32 %r10, [%rd2], 9;", 5, 7, 8},
      {"atom.global.dec.u32 %r10, [%rd2], 9;", 5, 3, 2},
      {"atom.global.and.b32 %r10, [%rd2], 4;", 5, 4, 4},
      {"atom.global.or.b32 %r10, [%rd2], %r21;", 0, 0xffffffff, 7},
      {"atom.global.xor.b32 %r10, [%rd2], 1;", 5, 5, 4},
      {"atom.global.exch.b32 %r10, [%rd2], %r1;", 5, 31, 2},
      {"atom.global.cas.b32 %r10, [%rd2], %r1, %r22;", 0, 32, 3},
      {"atom.global.add.f32 %f10, [%rd2], 0f3f800000; " SINGLE, 0, 0x42000000,
       0x40400000},
      {"atom.global.add.noftz.f16x2 %r10, [%rd2], %r23;", 0, 0x50005000,
       0x42004200},
      {"red.global.add.u32 [%rd2], %r1; mov.u32 %r10, 1;", 5, 501, 1},
      {"atom.acq_rel.gpu.global.add.u32 %r10, [%rd2], 1;", 0, 32, 3},
  };
  for (const Atomic &test : cases) {
    Snippet snippet("  neg.s32 %r20, %r1; shl.b32 %r21, 1, %r1; "
                    "add.u32 %r22, %r1, 1; mov.u32 %r23, 0x3c003c00;\n  " +
                    std::string(test.body) + R"(
  st.global.u32 [%rd3], %r10;
  bar.sync 0;
  ld.relaxed.gpu.global.u32 %r11, [%rd2];
  st.global.u32 [%rd3+512], %r11;)");
    memcpy(snippet.in.data(), &test.initial, 4);
    Snippet::Outcome outcome = snippet.run();
    ASSERT_EQ(outcome.failure, "") << test.body;
    EXPECT_EQ(outcome.kinds(), "") << test.body;
    EXPECT_EQ(outcome.word(3), test.lane3) << test.body;
    EXPECT_EQ(outcome.word(128), test.final) << test.body;
  }
}

TEST(Instructions, AtomicsInSharedMemoryAndOf64Bits) {
  Snippet snippet(R"(
  .shared .align 8 .b64 s;
  setp.eq.u32 %p1, %r1, 0;
  mov.u64 %rd10, 0xffffffff;
  @%p1 st.shared.u64 [s], %rd10;
  bar.sync 0;
  atom.shared.add.u64 %rd11, [s], 1;
  cvta.shared.u64 %rd12, s;
  red.cta.add.u64 [%rd12], 1;
  bar.sync 0;
  ld.shared.u64 %rd10, [s];
  @%p1 st.global.u64 [%rd1], %rd10;)");
  snippet.block.x = 96;
  Snippet::Outcome outcome = snippet.run();
  ASSERT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.kinds(), "");
  EXPECT_EQ(outcome.wide(0), 0xffffffffu + 192ull);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

TEST(Instructions, BarriersThatReduce) {
  Snippet snippet(R"(
  setp.lt.u32 %p1, %r1, 40;
  bar.red.popc.u32 %r10, 0, %p1;
  bar.red.and.pred %p2, 1, 96, !%p1;
  barrier.red.or.pred %p3, 2, %p1;
  selp.u32 %r11, 1000, 0, %p2;
  selp.u32 %r12, 2000, 0, %p3;
  add.u32 %r10, %r10, %r11;
  add.u32 %r10, %r10, %r12;
  st.global.u32 [%rd3], %r10;)");
  snippet.block.x = 96;
  Snippet::Outcome outcome = snippet.run();
  ASSERT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.kinds(), "");
  for (int i = 0; i < 96; ++i)
    EXPECT_EQ(outcome.word(i), 2040u);
  EXPECT_EQ(outcome.counters.barriers, 3);
}

TEST(Instructions, BarriersForSomeWarps) {
  // Warp 0 produces for warps 1 and 2, and does not wait for them.
  Snippet snippet(R"(
  .shared .align 4 .b8 s[128];
  shl.b32 %r10, %r1, 2;
  and.b32 %r10, %r10, 127;
  mov.u32 %r11, s;
  add.u32 %r11, %r11, %r10;
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra CONSUME;
  st.shared.u32 [%r11], %r1;
  bar.arrive 3, 96;
  ret;
CONSUME:
  bar.sync 3, 96;
  ld.shared.u32 %r12, [%r11];
  st.global.u32 [%rd3], %r12;)");
  snippet.block.x = 96;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    snippet.options.seed = seed;
    Snippet::Outcome outcome = snippet.run();
    ASSERT_EQ(outcome.failure, "");
    EXPECT_EQ(outcome.kinds(), "");
    for (int i = 32; i < 96; ++i)
      EXPECT_EQ(outcome.word(i), uint32_t(i % 32));
  }
}

TEST(Instructions, BarriersOfLanes) {
  // barrier without .aligned counts threads; both sides of a branch may wait.
  Snippet snippet(R"(
  .shared .align 4 .b8 s[128];
  shl.b32 %r10, %r1, 2;
  mov.u32 %r11, s;
  add.u32 %r11, %r11, %r10;
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra LOW;
  st.shared.u32 [%r11], %r1;
  barrier.sync 0;
  bra JOIN;
LOW:
  st.shared.u32 [%r11], 7;
  barrier.sync 0;
JOIN:
  xor.b32 %r12, %r10, 64;
  mov.u32 %r11, s;
  add.u32 %r11, %r11, %r12;
  ld.shared.u32 %r12, [%r11];
  st.global.u32 [%rd3], %r12;)");
  Snippet::Outcome outcome = snippet.run();
  ASSERT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.kinds(), "");
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(outcome.word(i), uint32_t(i < 16 ? i + 16 : 7));
}

//===----------------------------------------------------------------------===//
// Copies and matrices
//===----------------------------------------------------------------------===//

TEST(Instructions, CopiesAsynchronously) {
  // Sizes of 4, 8 and 16 bytes; what is not read becomes zeros.
  Snippet snippet(R"(
  .shared .align 16 .b8 s[2048];
  mov.u32 %r10, s;
  mad.lo.u32 %r11, %r1, 48, %r10;
  mad.wide.u32 %rd10, %r1, 48, %rd2;
  cp.async.ca.shared.global [%r11], [%rd10], 4;
  cp.async.ca.shared.global [%r11+8], [%rd10+8], 8;
  cp.async.commit_group;
  mov.u32 %r12, 5;
  cp.async.cg.shared.global.L2::128B [%r11+16], [%rd10+16], 16, %r12;
  cp.async.commit_group;
  cp.async.ca.shared.global [%r11+32], [%rd10+1000000], 16, 0;
  cp.async.wait_group 1;
  ld.shared.u32 %r13, [%r11];
  ld.shared.u64 %rd11, [%r11+8];
  cp.async.wait_all;
  ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r11+16];
  ld.shared.v4.u32 {%r24, %r25, %r26, %r27}, [%r11+32];
  mad.wide.u32 %rd12, %r1, 48, %rd1;
  st.global.u32 [%rd12], %r13;
  st.global.u64 [%rd12+8], %rd11;
  st.global.v4.u32 [%rd12+16], {%r20, %r21, %r22, %r23};
  st.global.v4.u32 [%rd12+32], {%r24, %r25, %r26, %r27};)");
  for (size_t i = 0; i < snippet.in.size(); ++i)
    snippet.in[i] = uint8_t(i * 7 + 1);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    snippet.options.seed = seed;
    Snippet::Outcome outcome = snippet.run();
    ASSERT_EQ(outcome.failure, "");
    EXPECT_EQ(outcome.kinds(), "");
    for (int i = 0; i < 32 * 48; ++i) {
      int offset = i % 48;
      bool isCopied = offset < 4 || (offset >= 8 && offset < 21);
      ASSERT_EQ(outcome.bytes[i], isCopied ? snippet.in[i] : 0) << i;
    }
  }
}

TEST(Instructions, MatricesOfOtherTypes) {
  // Rows of A have the numbers of lanes, B ones: an element of the product is
  // the sum of a row.
  Snippet snippet(R"(
  cvt.rn.f64.u32 %fd1, %r1;
  mov.f64 %fd2, 0d3FF0000000000000;
  mov.f64 %fd3, 0d0000000000000000;
  mov.f64 %fd4, 0d4059000000000000;
  mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd3, %fd4}, {%fd1}, {%fd2}, {%fd3, %fd4};
  cvt.rzi.u32.f64 %r10, %fd3;
  cvt.rzi.u32.f64 %r11, %fd4;
  mov.b32 %r12, 0x38383838;
  mov.b32 %r13, 0x40404040;
  mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, 0f3F800000;
  mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f1, %f2, %f3, %f4},
    {%r12, %r12, %r12, %r12}, {%r13, %r13}, {%f1, %f2, %f3, %f4};
  cvt.rzi.u32.f32 %r14, %f1;
  cvt.rzi.u32.f32 %r15, %f4;
  mov.b32 %r16, 0xffffffff;
  mov.b32 %r17, 0x22222222;
  mov.b32 %r18, 5; mov.b32 %r19, 6;
  mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32 {%r18, %r19}, {%r16}, {%r17}, {%r18, %r19};
  mad.wide.u32 %rd10, %r1, 24, %rd1;
  st.global.v2.u32 [%rd10], {%r10, %r11};
  st.global.v2.u32 [%rd10+8], {%r14, %r15};
  st.global.v2.u32 [%rd10+16], {%r18, %r19};)");
  Snippet::Outcome outcome = snippet.run();
  ASSERT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.kinds(), "");
  for (int lane = 0; lane < 32; ++lane) {
    uint32_t sum = 16 * (lane / 4) + 6;
    EXPECT_EQ(outcome.word(6 * lane), sum);
    EXPECT_EQ(outcome.word(6 * lane + 1), sum + 100);
    // 32 products of 1 and 2.
    EXPECT_EQ(outcome.word(6 * lane + 2), 64u);
    EXPECT_EQ(outcome.word(6 * lane + 3), 65u);
    EXPECT_EQ(outcome.word(6 * lane + 4), uint32_t(5 - 64));
    EXPECT_EQ(outcome.word(6 * lane + 5), uint32_t(6 - 64));
  }
}

TEST(Instructions, Matrices) {
  Snippet snippet(R"(
  .shared .align 16 .b8 s[2048];
  mov.u32 %r10, s;
  mad.lo.u32 %r11, %r1, 16, %r10;
  mad.wide.u32 %rd10, %r1, 16, %rd2;
  ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd10];
  st.shared.v4.u32 [%r11], {%r20, %r21, %r22, %r23};
  bar.warp.sync -1;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r30, %r31, %r32, %r33}, [%r11];
  ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r34, %r35}, [%r11];
  ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r36, [%r11+128];
  mov.u32 %r40, 1; mov.u32 %r41, 2; mov.u32 %r42, 3; mov.u32 %r43, 4;
  mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%r40, %r41, %r42, %r43},
    {%r30, %r31, %r32, %r33}, {%r34, %r35}, {%r40, %r41, %r42, %r43};
  stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r11+1024], {%r40, %r41, %r42, %r43};
  bar.warp.sync -1;
  ld.shared.v4.u32 {%r50, %r51, %r52, %r53}, [%r11+1024];
  mad.wide.u32 %rd11, %r1, 16, %rd1;
  st.global.v4.u32 [%rd11], {%r50, %r51, %r52, %r53};
  st.global.u32 [%rd3+1024], %r36;)");
  for (size_t i = 0; i < snippet.in.size(); ++i)
    snippet.in[i] = uint8_t(i * 37 + i / 256);
  Snippet::Outcome outcome = snippet.run();
  ASSERT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.kinds(), "");

  const uint8_t *rows[32];
  for (int i = 0; i < 32; ++i)
    rows[i] = &snippet.in[16 * i];
  uint32_t a[4][32], b[2][32], d[4][32], one[32];
  uint32_t *aOut[] = {a[0], a[1], a[2], a[3]}, *bOut[] = {b[0], b[1]},
           *dOut[] = {d[0], d[1], d[2], d[3]}, *oneOut[] = {one};
  arith::ldmatrix(4, false, rows, aOut);
  arith::ldmatrix(2, true, rows, bOut);
  arith::ldmatrix(1, false, rows + 8, oneOut);
  for (int r = 0; r < 4; ++r)
    for (int i = 0; i < 32; ++i)
      d[r][i] = r + 1;
  arith::MmaKind kind;
  kind.m = 16, kind.n = 8, kind.k = 32;
  kind.d = kind.c = ScalarType::S32;
  kind.a = ScalarType::S8, kind.b = ScalarType::U8;
  arith::mma(kind, dOut, aOut, bOut, dOut);
  uint8_t stored[512];
  uint8_t *storedRows[32];
  for (int i = 0; i < 32; ++i)
    storedRows[i] = stored + 16 * i;
  arith::stmatrix(4, false, storedRows, dOut);
  EXPECT_EQ(memcmp(stored, outcome.bytes.data(), 512), 0);
  EXPECT_EQ(memcmp(one, outcome.bytes.data() + 1024, 128), 0);
}
