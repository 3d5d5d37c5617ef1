//===- UndefinedValueTests.cpp - Values that nothing has made -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads of memory that nothing has written, and carries: a report where an
// output depends on them, none where they are dropped.
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

#include "gtest/gtest.h"

using namespace qcc::emu;
using namespace qcc::emu::test;

TEST(UndefinedValues, ReadsOfUnwrittenMemory) {
  Snippet snippet(R"(
  .shared .align 8 .b8 s[16];
  .local .align 4 .b8 l[8];
  st.shared.u16 [s], 1;
  st.shared.u8 [s+3], 1;
  ld.shared.u32 %r10, [s];
  st.global.u32 [%rd1], %r10;
  st.local.u32 [l+4], 1;
  ld.local.u32 %r11, [l];
  st.global.u32 [%rd1+4], %r11;
  ld.local.u32 %r11, [l+4];
  st.global.u32 [%rd1+4], %r11;
  atom.shared.add.u32 %r12, [s+8], 1;
  atom.shared.add.u32 %r12, [s+8], 1;)");
  snippet.block.x = 1;
  Snippet::Outcome outcome = snippet.run();
  EXPECT_EQ(outcome.kinds(),
            "uninitialized-read uninitialized-read uninitialized-read");
  EXPECT_PART(outcome.reports[0].message,
              "a read of 4 bytes at 0x0 of shared memory, whose byte 2 nothing "
              "has written");
  EXPECT_PART(outcome.reports[0].notes[0],
              "the value decides something at line");
  EXPECT_PART(outcome.reports[1].message, "of local memory");
  EXPECT_PART(outcome.reports[2].message, "an atomic operation");
}

TEST(UndefinedValues, UnwrittenValuesThatAreDropped) {
  // Reads, arithmetic, shared memory and matrices pass on what nothing has
  // written; an output that depends on it is a report.
  struct Use {
    const char *body, *kinds;
  };
  const Use uses[] = {
      {"add.u32 %r11, %r10, 1; setp.lt.u32 %p1, %r11, 5; mov.u32 %r12, 7; "
       "st.global.u32 [%rd3], %r12;",
       ""},
      {"setp.lt.u32 %p1, %r1, 40; selp.u32 %r11, %r1, %r10, %p1; "
       "st.global.u32 [%rd3], %r11;",
       ""},
      {"setp.lt.u32 %p1, %r1, 4; selp.u32 %r11, %r1, %r10, %p1; "
       "st.global.u32 [%rd3], %r11;",
       "uninitialized-read"},
      // It decides nothing where the other side decides.
      {"setp.eq.u32 %p1, %r10, 5; setp.gt.u32 %p2, %r1, 40; "
       "and.pred %p3, %p1, %p2; selp.u32 %r11, 1, 2, %p3; "
       "st.global.u32 [%rd3], %r11;",
       ""},
      {"setp.eq.u32 %p1, %r10, 5; @%p1 bra L; L:", "uninitialized-read"},
      {"setp.eq.u32 %p1, %r10, 5; @%p1 mov.u32 %r11, 5;", "uninitialized-read"},
      {"add.u32 %r11, %r10, %r10; ld.shared.u32 %r12, [%r11];",
       "uninitialized-read misaligned"},
      {"st.shared.u32 [%r20+256], %r10; ld.shared.u32 %r11, [%r20+256];", ""},
      {"st.shared.u32 [%r20+256], %r10; ld.shared.u32 %r11, [%r20+256]; "
       "st.global.u32 [%rd3], %r11;",
       "uninitialized-read"},
      {"shfl.sync.bfly.b32 %r11, %r10, 1, 31, -1;", ""},
      {"shfl.sync.bfly.b32 %r11, %r10, 1, 31, -1; st.global.u32 [%rd3], %r11;",
       "uninitialized-read"},
      {"redux.sync.add.u32 %r11, %r10, -1;", "uninitialized-read"},
      // Rows 0 to 7 of the first matrix are written, 8 to 15 are not.
      {"mov.u32 %r15, 0; mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 "
       "{%r11,%r12,%r13,%r14}, {%r1,%r10}, {%r1}, {%r15,%r15,%r15,%r15}; "
       "st.global.v2.u32 [%rd4], {%r11, %r12};",
       ""},
      {"mov.u32 %r15, 0; mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 "
       "{%r11,%r12,%r13,%r14}, {%r1,%r10}, {%r1}, {%r15,%r15,%r15,%r15}; "
       "st.global.v2.u32 [%rd4], {%r13, %r14};",
       "uninitialized-read"},
      // A column of the second one.
      {"mov.u32 %r15, 0; setp.lt.u32 %p1, %r1, 28; selp.u32 %r16, %r1, %r10, "
       "%p1; mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 "
       "{%r11,%r12,%r13,%r14}, {%r1,%r1}, {%r16}, {%r15,%r15,%r15,%r15}; "
       "st.global.v2.u32 [%rd4], {%r11, %r13};",
       ""},
      {"mov.u32 %r15, 0; setp.lt.u32 %p1, %r1, 28; selp.u32 %r16, %r1, %r10, "
       "%p1; mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 "
       "{%r11,%r12,%r13,%r14}, {%r1,%r1}, {%r16}, {%r15,%r15,%r15,%r15}; "
       "st.global.v2.u32 [%rd4], {%r12, %r14};",
       "uninitialized-read"},
  };
  for (const Use &use : uses) {
    Snippet snippet(std::string(R"(
  .shared .align 16 .b8 s[512];
  mov.u32 %r20, s;
  mad.lo.u32 %r20, %r1, 4, %r20;
  mad.wide.u32 %rd4, %r1, 8, %rd1;
  ld.shared.u32 %r10, [%r20];
)") + use.body);
    Snippet::Outcome outcome = snippet.run();
    ASSERT_EQ(outcome.failure, "") << use.body;
    EXPECT_EQ(outcome.kinds(), use.kinds) << use.body;
  }
}

TEST(UndefinedValues, RegistersThatAreDropped) {
  // %r10 is undefined for the lanes from 20 on.
  const std::string begin = R"(
  .shared .align 4 .b8 s[256];
  setp.lt.u32 %p1, %r1, 20;
  @%p1 mov.u32 %r10, 3;
  mov.u32 %r13, s;
  mad.lo.u32 %r13, %r1, 4, %r13;
)";
  struct Use {
    const char *body, *kinds;
  };
  const Use uses[] = {
      // A guarded load whose items pass through shared memory.
      {R"(
  st.shared.u32 [%r13], %r10;
  bar.sync 0;
  ld.shared.u32 %r11, [%r13];
  @%p1 st.global.u32 [%rd3], %r11;)",
       ""},
      {R"(
  st.shared.u32 [%r13], %r10;
  bar.sync 0;
  ld.shared.u32 %r11, [%r13];
  st.global.u32 [%rd3], %r11;)",
       "uninitialized-read"},
      {"st.global.u32 [%rd3], %r10;", "undefined-value"},
      // One half of a pair is defined, or none.
      {R"(
  mov.b32 %f10, %r10;
  cvt.rn.f16x2.f32 %r11, %f10, 0f3F800000;
  st.global.u16 [%rd3], %r11;)",
       ""},
      {R"(
  mov.b32 %f10, %r10;
  cvt.rn.f32.u32 %f11, %r1;
  cvt.rn.bf16x2.f32 %r11, %f10, %f11;
  st.global.u16 [%rd3], %r11;)",
       ""},
      {R"(
  mov.b32 %f10, %r10;
  cvt.rn.f16x2.f32 %r11, %f10, %f10;
  st.global.u16 [%rd3], %r11;)",
       "undefined-value"},
      {R"(
  mov.b32 %f10, %r10;
  cvt.rn.f16.f32 %rs1, %f10;
  st.global.u16 [%rd3], %rs1;)",
       "undefined-value"},
  };
  for (const Use &use : uses)
    EXPECT_EQ(Snippet(begin + use.body).run().kinds(), use.kinds) << use.body;
}

TEST(UndefinedValues, UnwrittenRowsOfMatrices) {
  // Rows 0 to 3 of eight are written.
  for (bool isTransposed : {false, true})
    for (int rows : {16, 32}) {
      Snippet snippet(std::string(R"(
  .shared .align 16 .b8 s[128];
  mov.u32 %r20, s;
  mad.lo.u32 %r21, %r1, 4, %r20;
  setp.lt.u32 %p1, %r1, 16;
  @%p1 st.shared.u32 [%r21], %r1;
  bar.sync 0;
  and.b32 %r22, %r1, 7;
  mad.lo.u32 %r22, %r22, 16, %r20;
  ldmatrix.sync.aligned.m8n8.x1)") +
                      (isTransposed ? ".trans" : "") +
                      R"(.shared.b16 {%r10}, [%r22];
  and.b32 %r23, %r1, 3;
  setp.lt.u32 %p2, %r)" +
                      (isTransposed ? "23, " : "1, ") +
                      std::to_string(isTransposed ? rows / 8 : rows) + R"(;
  @%p2 st.global.u32 [%rd3], %r10;)");
      EXPECT_EQ(snippet.run().kinds(), rows == 16 ? "" : "uninitialized-read");
    }
}

TEST(UndefinedValues, CarriesThatNothingHasSet) {
  Snippet snippet("addc.u32 %r10, %r1, 0; st.global.u32 [%rd3], %r10;");
  Snippet::Outcome outcome = snippet.run();
  ASSERT_EQ(outcome.kinds(), "undefined-value");
  EXPECT_PART(outcome.reports[0].notes[0], "a carry that nothing has set");
  for (const char *body :
       {"addc.u32 %r10, %r1, 0;",
        "add.cc.u32 %r10, %r1, 1; addc.u32 %r10, %r1, 0; "
        "st.global.u32 [%rd3], %r10;",
        "setp.lt.u32 %p1, %r1, 5; @%p1 sub.cc.u32 %r10, %r1, 1; "
        "subc.cc.u32 %r10, %r1, 0; @%p1 st.global.u32 [%rd3], %r10;"})
    EXPECT_EQ(Snippet(body).run().kinds(), "") << body;
  EXPECT_EQ(Snippet("setp.lt.u32 %p1, %r1, 5; @%p1 add.cc.u32 %r10, %r1, 1; "
                    "madc.lo.u32 %r10, %r1, 2, 0; st.global.u32 [%rd3], %r10;")
                .run()
                .kinds(),
            "undefined-value");
}
