//===- ParserTests.cpp - PTX that is right and PTX that is not ------------===//
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

/// What loading says of a text, or of the first kernel that is refused; empty
/// if all is well.
std::string messageOf(const std::string &text) {
  Emulator emulator;
  auto module = emulator.loadModule(text, "test.ptx");
  if (!module.isOk())
    return module.message();
  for (const std::string &name : (*module)->kernelNames())
    if (auto kernel = (*module)->kernel(name); !kernel.isOk())
      return kernel.message();
  return "";
}

/// What it says of a body, without "test.ptx:LINE:", where LINE must be the
/// body's `line`-th.
std::string bodyMessage(const std::string &body, int line = 1) {
  Snippet snippet(body);
  std::string message = messageOf(snippet.text());
  std::string place =
      "test.ptx:" + std::to_string(snippet.firstLine() + line - 1) + ":";
  if (message.compare(0, place.size(), place) != 0)
    return message.empty() ? "" : "elsewhere: " + message;
  return message.substr(message.find(' ') + 1);
}

std::string module(const std::string &items) {
  return messageOf(".version 7.0\n.target sm_80\n.address_size 64\n" + items);
}

} // namespace

#define EXPECT_SAYS(MESSAGE, PART)                                             \
  EXPECT_NE((MESSAGE).find(PART), std::string::npos) << (MESSAGE)

//===----------------------------------------------------------------------===//
// What is accepted
//===----------------------------------------------------------------------===//

TEST(Parser, ReadsDirectives) {
  EXPECT_EQ(module(R"(
// A comment.
/* Another one,
   of two lines. */
	// .globl	f
.file 1 "a.cu"
.file 2 "b.cu", 1234, 99
.pragma "nounroll";
.extern .shared .align 128 .b8 dynamic[];
.shared .align 16 .b8 fixed[256];
.global .align 4 .u32 counter = 7;
.visible .const .align 8 .f64 table[2][2] = {{0d3FF0000000000000, 1.5}, {2e3}};
.global .u8 letters[] = {1, 2, 0x7f, 0b101, 017, -1};
.weak .global .u64 pointer = generic(counter)+4;
.func (.param .b32 r) twice (.param .b32 a);
.func (.param .b32 r) twice (.param .b32 a)
{
  .reg .b32 %r<2>;
  ld.param.b32 %r1, [a];
  add.s32 %r1, %r1, %r1;
  st.param.b32 [r], %r1;
  ret;
}
.visible .entry f(.param .u64 .ptr .global .align 16 p, .param .align 4 .b8 s[12], .param .f32 x)
.maxntid 256, 1, 1
.minnctapersm 2
.maxnreg 64
{
  .reg .b32 a, b, %r<3>;
  .reg .pred p0;
  .local .align 4 .b8 stack[16];
  .loc 1 3 5
  mov.u32 a, %tid.x;
  .loc 2 4 1, function_name $L__info_string0+3, inlined_at 1 3 5
  { .reg .b32 t; add.u32 t, a, 1; { mov.u32 b, t; } }
  .pragma "nounroll";
$L__BB0_1:
  setp.eq.u32 p0, a, 0;
  @!p0 bra $L__BB0_1;
  ret;
}
	.section	.debug_str { .b8 1, 2, 3
  info: .b32 $L - 4 }
)"),
            "");
}

TEST(Parser, ReadsNumbers) {
  Snippet snippet(R"(
  mov.u32 %r10, 0x7fffffff;
  mov.u32 %r11, 017;
  mov.u32 %r12, 0b101;
  mov.u32 %r13, -1;
  mov.u32 %r14, 4000000000U;
  mov.b32 %r15, 0f3f800000;
  mov.f32 %f1, 0F40000000;
  mov.f32 %f2, 0d3ff8000000000000;
  mov.f32 %f3, 0.25;
  mov.u32 %r16, (1 << 4 | 3) * 2 - -6 / 3 % 4;
  mov.u32 %r17, WARP_SZ;
  mov.u32 %r18, ~0 & 0xff;
  mov.u32 %r19, !5 + !0;
  mov.b64 %rd10, 0d3ff0000000000000;
  st.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};
  st.global.v2.u32 [%rd1+16], {%r14, %r15};
  st.global.f32 [%rd1+24], %f1;
  st.global.f32 [%rd1+28], %f2;
  st.global.f32 [%rd1+32], %f3;
  st.global.u32 [%rd1+36], %r16;
  st.global.u32 [%rd1+40], %r17;
  st.global.u32 [%rd1+44], %r18;
  st.global.u32 [%rd1+(50-2)], %r19;
  st.global.u64 [%rd1+56], %rd10;)");
  snippet.block.x = 1;
  Snippet::Outcome outcome = snippet.run();
  ASSERT_EQ(outcome.failure, "");
  const uint32_t want[] = {
      0x7fffffff, 15, 5,  ~0u,  4000000000, 0x3f800000, 0x40000000, 0x3fc00000,
      0x3e800000, 40, 32, 0xff, 1,          0,          0,          0x3ff00000};
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(outcome.word(i), want[i]) << i;
}

TEST(Parser, KeepsScopesApart) {
  // Inline assembly declares names that others use too.
  Snippet snippet(R"(
  mov.u32 %r10, 1;
  { .reg .b32 %r<20>; .reg .pred p; mov.u32 %r10, 2;
    setp.eq.u32 p, %r10, 2;
    @p bra done;
    mov.u32 %r10, 3;
  done: st.global.u32 [%rd1], %r10; }
  { .reg .b32 t; mov.u32 t, 5; bra done; mov.u32 t, 6;
  done: st.global.u32 [%rd1+4], t; }
  st.global.u32 [%rd1+8], %r10;)");
  snippet.block.x = 1;
  Snippet::Outcome outcome = snippet.run();
  ASSERT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.word(0), 2u);
  EXPECT_EQ(outcome.word(1), 5u);
  EXPECT_EQ(outcome.word(2), 1u);
}

TEST(Parser, GivesRegistersTheirOwnPlaces) {
  // %r1 followed by 7 of %r1<n> is not %r17 of %r<n>.
  Snippet snippet(R"(
  { .reg .b32 %x<20>, %x1<8>;
    mov.u32 %x17, 3; mov.u32 %x7, 4; mov.u32 %x107, 5;
    st.global.u32 [%rd1], %x17; st.global.u32 [%rd1+4], %x7; })");
  EXPECT_SAYS(messageOf(snippet.text()), "'%x107' is not declared");
}

TEST(Parser, TellsWhatAKernelTakes) {
  Emulator emulator;
  auto module = emulator.loadModule(
      ".version 8.0\n.target sm_90a\n.address_size 64\n"
      ".entry a(.param .u64 .ptr .global .align 4 p, .param .align 8 .b8 "
      "s[24], .param .f32 x)\n.reqntid 64, 2 { .shared .b8 t[100]; ret; }\n"
      ".entry b() { ret; }\n.global .u32 v[3];\n",
      "m");
  ASSERT_TRUE(module.isOk()) << module.message();
  EXPECT_EQ((*module)->target(), "sm_90a");
  EXPECT_EQ((*module)->kernelNames(), (std::vector<std::string>{"a", "b"}));
  auto kernel = (*module)->kernel("a");
  ASSERT_TRUE(kernel.isOk());
  const std::vector<ParameterInfo> &parameters = (*kernel)->parameters();
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_TRUE(parameters[0].isPointer);
  EXPECT_EQ(parameters[1].size, 24);
  EXPECT_EQ(parameters[1].alignment, 8);
  EXPECT_EQ(parameters[2].type, ScalarType::F32);
  EXPECT_EQ((*kernel)->staticShared(), 100);
  EXPECT_EQ((*kernel)->requiredBlock().y, 2);
  EXPECT_EQ((*module)->kernel("c").message(),
            "no kernel 'c'; the module has a, b");
  auto variable = (*module)->variable("v");
  ASSERT_TRUE(variable.isOk());
  EXPECT_EQ(variable->second, 12);
  EXPECT_FALSE((*module)->variable("w").isOk());
}

//===----------------------------------------------------------------------===//
// What is not
//===----------------------------------------------------------------------===//

TEST(Parser, RejectsInstructions) {
  struct Case {
    const char *body, *message;
  };
  const Case cases[] = {
      {"frobnicate.u32 %r1, %r2;", "unknown instruction 'frobnicate'"},
      {"add.u33 %r1, %r2, %r3;", "'add' has no modifier '.u33'"},
      {"add.sat.u32 %r1, %r2, %r3;", "'add' has no modifier '.u32'"},
      {"add %r1, %r2, %r3;", "'add' lacks a modifier"},
      {"ld.global.v4 {%r1}, [%rd1];", "'ld' lacks a modifier"},
      {"add.u32 %r1, %r2;", "'add' has 2 operands where 3 are needed"},
      {"add.u32 %r1, %r2, %r3, %r4;",
       "'add' has 4 operands where 3 are needed"},
      {"add.u32 %r1, %r2, %r900;", "'%r900' is neither declared"},
      {"add.u32 %q, %r2, %r3;", "'%q' is not declared as a register"},
      {"add.u32 x, %r2, %r3;", "'x' is not declared as a register"},
      {"add.u32 %r1, %r2, %rd3;", "'%rd3' is a .b64 where a .u32 is needed"},
      {"add.f32 %f1, %f2, %fd3;", "'%fd3' is a .f64 where a .f32 is needed"},
      {"add.u32 %f1, %r2, %r3;", "'%f1' is a .f32 where a .u32 is needed"},
      {"add.u32 %r1, %p2, %r3;", "'%p2' is a .pred where a .u32 is needed"},
      {"and.pred %p1, %p2, %r3;", "'%r3' is a .b32 where a .pred is needed"},
      {"@%r1 bra A;", "'%r1' is a .b32, not a predicate"},
      {"@%q ret;", "'%q' is not declared as a register"},
      {"add.u32 5, %r2, %r3;", "expected a register"},
      {"add.u32 _, %r2, %r3;", "'_' is not allowed here"},
      {"add.u32 %r1, %r2, 0x100000000;", "does not fit in a .u32"},
      {"mov.u16 %rs1, -32769;", "does not fit in a .u16"},
      {"add.f32 %f1, %f2, 3;", "an integer constant for a .f32"},
      {"add.u32 %r1, %r2, 0f3f800000;", "a float constant for a .u32"},
      {"add.u32 %r1, %r2, 3/0;", "a division by zero"},
      {"mov.u32 %r1, 99999999999999999999;", "more than 64 bits"},
      {"mov.u32 %r1, 0x;", "expected digits"},
      {"mov.u32 %r1, 12ab;", "a number with a letter in it"},
      {"mov.f32 %f1, 0f3f80;", "expected 8 hexadecimal digits"},
      {"bra NOWHERE;", "there is no label 'NOWHERE'"},
      {"bra 5;", "expected the name of a label"},
      {"brx.idx %r1, T;", "there is no .branchtargets 'T'"},
      {"ld.global.u32 %r1, %rd1;", "expected '[' before an address"},
      {"ld.global.u32 %r1, [%rd1;", "expected ']' after an address"},
      {"ld.global.u32 %r1, [%f1];", "'%f1' is a .f32, which is no address"},
      {"ld.shared.u32 %r1, [in];", "'in' lies in .param"},
      {"ld.global.u32 %r1, [nothing];", "'nothing' is not declared"},
      {"ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];", "more than 2 elements"},
      {"ld.global.v4.u32 {%r1, %r2}, [%rd1];", "fewer than 4 elements"},
      {"ld.global.nc.shared.u32 %r1, [%rd1];", "no modifier '.shared'"},
      {"ld.shared.nc.u32 %r1, [%r1];", "does not exist with these"},
      {"ld.relaxed.global.u32 %r1, [%rd1];", "does not exist with these"},
      {"ld.gpu.global.u32 %r1, [%rd1];", "does not exist with these"},
      {"st.const.u32 [%rd1], %r1;", "'st' has no modifier '.const'"},
      {"cp.async.cg.shared.global [%r1], [%rd1], 8;", "does not exist"},
      {"cp.async.ca.shared.global [%r1], [%rd1], 12;", "does not exist"},
      {"setp.lo.s32 %p1, %r1, %r2;", "does not exist with these"},
      {"setp.lt.b32 %p1, %r1, %r2;", "does not exist with these"},
      {"setp.lt.and.u32 %p1, %r1, %r2;", "does not exist with these"},
      {"setp.lt.u32 %p1, %r1, %r2, %p3;", "does not exist with these"},
      {"cvt.f32.s32 %f1, %r1;", "does not exist with these"},
      {"cvt.rn.s32.f32 %r1, %f1;", "does not exist with these"},
      {"cvt.rni.f32.s32 %f1, %r1;", "does not exist with these"},
      {"cvt.rn.f64.f32 %fd1, %f1;", ""},
      {"min.xorsign.f32 %f1, %f2, %f3;", "does not exist with these"},
      {"lop3.b32 %r1, %r2, %r3, %r4, 256;", "does not exist with these"},
      {"mov.b32 %r1, {%rs1, %rs2, %rs3};", "a vector of 3 elements"},
      {"mov.b64 %rd1, {%r1, %rs2};", "'%rs2' is a .b16 where a .b32"},
      {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1,%r2,%r3,%r4}, "
       "{%r1,%r2}, {%r1,%r2}, {%r1,%r2,%r3,%r4};",
       "fewer than 4 elements"},
      {"shfl.up.b32 %r1, %r2, 1, 0;", "'shfl' has no modifier '.up'"},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r1, %r2}, %rd1, "
       "%rd2, 1, 1, 1, 0, 2;",
       "does not exist with these"},
      {"wgmma.fence.sync.aligned;", "needs sm_90a or another target"},
      {"fence.proxy.tensormap::generic.release.gpu;",
       "'fence.proxy.tensormap::generic' is not emulated"},
      {"mbarrier.init.shared::cluster.b64 [%r1], 1;",
       "'mbarrier' has no modifier '.shared::cluster'"},
      {"tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r2];",
       "'tcgen05' needs the tensor cores of sm_100"},
      {"add.f32 %f1, .5, .25e1;", ""},
      {"cp.reduce.async.bulk.commit_group;", "'cp.reduce' is not emulated"},
      {"barrier.cluster.arrive.acquire;", "'barrier' has no modifier"},
      {"call foo, (%r1);", "'foo' is not declared as a function"},
      {"call kernel;", "a call of a kernel"},
      {"mov.u64 %rd1, kernel;", "the address of a function"},
      {"add.u32 %r1, %r2, %r3", "expected ';' after an instruction"},
      {"mov.u32 %r1, %pm0;", "nor a special register that is emulated"},
      {"mov.u64 %rd1, %tid.x;", "'%tid' is a .u32 where a .u64 is needed"},
      {"mov.u32 %r1, #;", "unexpected character '#'"},
      {"mov.u32 %r1, \x01;", "unexpected byte 1"},
      {".reg .b32 %r<5>;", "'%r' is declared twice"},
      {".reg .b32 a, a;", "'a' is declared twice"},
      {".reg .f33 a;", "unknown type '.f33'"},
      {".reg .v4 .f32 a;", "vector registers are not emulated"},
      {"A: A: ret;", "the label 'A' stands twice"},
      {".bogus 5;", "unknown directive '.bogus' in a function"},
      {".local .b8 big[600000];", "more than 512 KiB of local memory"},
      {"P: .callprototype _ ();", "indirect calls are not emulated"},
      {"bar.sync;", "'bar' has 0 operands where 1 are needed"},
  };
  for (const Case &test : cases) {
    std::string message = bodyMessage(test.body);
    if (!*test.message)
      EXPECT_EQ(message, "") << test.body;
    else
      EXPECT_NE(message.find(test.message), std::string::npos)
          << test.body << "\n"
          << message;
  }
}

TEST(Parser, ShowsTheLine) {
  EXPECT_EQ(
      bodyMessage("  add.u32 %r10, %r11, 1;\n\tadd.u32 %r10, %rd1, 1;", 2),
      "'%rd1' is a .b64 where a .u32 is needed\n  add.u32 %r10, %rd1, 1;");
}

TEST(Parser, RejectsModules) {
  struct Case {
    const char *text, *message;
  };
  const Case cases[] = {
      {"", "there is no PTX in this text"},
      {"hello", "PTX starts with .version"},
      {".version 5.0", "PTX version 5.0 is not emulated"},
      {".version 2147483647.0", "PTX version 2147483647.0 is not emulated"},
      {".version x", "expected a version"},
      {".version 7.0", "the module has no .target"},
      {".version 8.0\n.visible .entry k()\n{\n  .reg .b32 %r<3>;\n"
       "  redux.sync.add.s32 %r1, %r2, -1;\n  ret;\n}\n",
       "the module has no .target before this; write .target"},
      {".version 7.0 .target sm_60", "targets before sm_70"},
      {".version 7.0 .target sm_80x", "unknown target 'sm_80x'"},
      {".version 7.0 .target sm_80 .address_size 32", "only .address_size 64"},
      {".version 7.0 .target sm_80 .bogus", "unknown directive '.bogus'"},
      {".version 7.0 .target sm_80 5", "expected a directive"},
      {".version 7.0 .target sm_80 .local .u32 x;", "outside of a function"},
      {".version 7.0 .target sm_80 .global .u32 x = 1.5;", "a float constant"},
      {".version 7.0 .target sm_80 .global .u8 x[2] = {1,2,3};", "more values"},
      {".version 7.0 .target sm_80 .global .u32 x; .global .u32 x;",
       "'x' is declared twice"},
      {".version 7.0 .target sm_80 .extern .global .u32 x;",
       "is defined in another module"},
      {".version 7.0 .target sm_80 .global .u8 x[];", "without a size"},
      {".version 7.0 .target sm_80 .global .u8 x[0xffffffff][0xffffffff];",
       "more than 64 GiB"},
      {".version 7.0 .target sm_80 .global .u8 x[0x800000000]; .global .u8 "
       "y[0x800000000];",
       "variables of more than 64 GiB"},
      {".version 7.0 .target sm_80 .global .align 3 .u8 x;", "power of two"},
      {".version 7.0 .target sm_80 .global .attribute(.managed) .u32 x;",
       ".attribute"},
      {".version 7.0 .target sm_80 .entry f(.param .u32 a, .param .u32 a) "
       "{ret;}",
       "'a' is declared twice"},
      {".version 7.0 .target sm_80 .entry f(.reg .u32 a) {ret;}",
       "parameters in registers"},
      {".version 7.0 .target sm_80 .entry f() {ret;} .entry f() {ret;}",
       "'f' is defined twice"},
      {".version 7.0 .target sm_80 .func f(.param .u32 a); "
       ".func f(.param .u64 a) {ret;}",
       "declared in another way"},
      {".version 7.0 .target sm_80 .func f(); .entry g() { call f; ret; }",
       "'f' is not defined in this module"},
      {".version 7.0 .target sm_80 .func f(.param .b32 a) {ret;} "
       ".entry g() { call f; ret; }",
       "lacks the function's arguments"},
      {".version 7.0 .target sm_80 .func f(.param .b32 a) {ret;} "
       ".entry g() { .param .b64 x; call f, (x); ret; }",
       "'x' has 8 bytes; the function has 4"},
      {".version 7.0 .target sm_80 .entry f() .reqnctapercluster 2 {ret;}",
       "clusters"},
      {".version 7.0 .target sm_80 .entry f() .bogus 2 {ret;}",
       "unknown attribute"},
      {".version 7.0 .target sm_80 .entry f() { ret;", "'{' without '}'"},
      {".version 7.0 .target sm_80 .section .debug { .b8 1", "without an end"},
      {".version 7.0 .target sm_80 /* ", "a comment without an end"},
      {".version 7.0 .target sm_80 .file 1 \"abc", "a string without an end"},
  };
  for (const Case &test : cases) {
    std::string message = messageOf(test.text);
    EXPECT_EQ(message.compare(0, 9, "test.ptx:"), 0) << message;
    EXPECT_NE(message.find(test.message), std::string::npos)
        << test.text << "\n"
        << message;
  }
}

TEST(Parser, KnowsSinceWhenThereIsWhat) {
  struct Case {
    const char *version, *chip, *body, *message;
  };
  const char *stmatrix =
      "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r1};";
  const char *copy = "cp.async.ca.shared.global [%r1], [%rd1], 4;";
  const char *mma = "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 "
                    "{%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r3}, {%r1,%r2,%r3,%r4};";
  const char *float8 = "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 "
                       "{%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r3,%r4}, "
                       "{%f1,%f2,%f3,%f4};";
  const char *float8ToHalf = "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3"
                             ".f16 {%r1,%r2}, {%r1,%r2,%r3,%r4}, {%r3,%r4}, "
                             "{%r1,%r2};";
  const char *doubles = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
                        "{%fd1,%fd2}, {%fd1}, {%fd2}, {%fd1,%fd2};";
  const char *pair = "fma.rn.f32x2 %rd1, %rd1, %rd1, %rd1;";
  const char *redux = "redux.sync.max.f32 %f1, %f1, -1;";
  const Case cases[] = {
      {"8.0", "sm_80", stmatrix,
       "'stmatrix' with these modifiers needs sm_90; the module is for sm_80 "
       "and PTX 8.0"},
      {"7.8", "sm_90", stmatrix, ""},
      {"7.0", "sm_75", copy, "needs sm_80; the module is for sm_75"},
      {"7.0", "sm_80", copy, ""},
      {"6.5", "sm_75", mma, "needs sm_80 and PTX 7.0; the module is for"},
      {"7.0", "sm_80", mma, ""},
      {"8.3", "sm_89", float8, "needs PTX 8.4"},
      {"8.4", "sm_86", float8, "needs sm_89"},
      {"8.4", "sm_89", float8, ""},
      {"8.6", "sm_89", float8ToHalf, "needs PTX 8.7"},
      {"8.7", "sm_89", float8ToHalf, ""},
      {"7.0", "sm_75", doubles, "needs sm_80"},
      {"7.0", "sm_80", doubles, ""},
      {"7.0", "sm_80", "ld.global.L2::128B.u32 %r1, [%rd1];", "needs PTX 7.4"},
      {"7.4", "sm_75", "ld.global.L2::128B.u32 %r1, [%rd1];", ""},
      {"8.0", "sm_86", "add.rn.bf16 %h1, %h1, %h1;", "needs sm_90"},
      {"8.0", "sm_86", "fma.rn.bf16 %h1, %h1, %h1, %h1;", ""},
      {"7.0", "sm_80", "cvt.rn.bf16.f32 %h1, %f1;", ""},
      {"7.0", "sm_80", "cvt.f32.bf16 %f1, %h1;", "needs PTX 7.1"},
      {"7.1", "sm_80", "cvt.rn.bf16.s32 %h1, %r1;", "needs sm_90 and PTX 7.8"},
      {"7.1", "sm_80", "tanh.approx.f16 %h1, %h1;", ""},
      {"7.1", "sm_80", "tanh.approx.bf16 %h1, %h1;", "needs sm_90"},
      {"6.0", "sm_70", "activemask.b32 %r1;", "needs PTX 6.2"},
      {"8.6", "sm_90", pair, "needs sm_100; the module is for sm_90"},
      {"8.6", "sm_100", pair, ""},
      {"8.8", "sm_100", redux, "needs sm_100a or another target"},
      {"8.8", "sm_120a", redux, "needs sm_100a or another target"},
      {"8.8", "sm_103f", redux, ""},
      // The chip itself.
      {"6.2", "sm_75", "", "'sm_75' needs PTX 6.3; the module has 6.2"},
      {"7.0", "sm_86", "", "'sm_86' needs PTX 7.1"},
      {"8.6", "sm_120", "", "'sm_120' needs PTX 8.7"},
      {"9.1", "sm_120", "", ""},
      {"10.0", "sm_120", "", ""},
      {"10.1", "sm_120", "", "PTX version 10.1 is not emulated"},
  };
  for (const Case &test : cases) {
    std::string message = messageOf(
        std::string(".version ") + test.version + "\n.target " + test.chip +
        "\n.address_size 64\n.entry k(.param .u64 p) { .reg .b16 %h<2>; "
        ".reg .b32 %r<5>; .reg .b64 %rd<2>; .reg .f32 %f<5>; .reg .f64 "
        "%fd<3>; " +
        test.body + " ret; }");
    if (!*test.message)
      EXPECT_EQ(message, "") << test.body;
    else
      EXPECT_SAYS(message, test.message);
  }
}

TEST(Parser, BoundsStaticSharedMemory) {
  EXPECT_EQ(module(".entry k() { .shared .b8 s[49152]; ret; }"), "");
  EXPECT_SAYS(module(".entry k() { .shared .b8 s[49153]; ret; }"),
              "'k' has 49153 bytes of static shared memory; 49152 at most");
  EXPECT_SAYS(module(".shared .b8 t[49000]; .entry k() { .shared .b8 s[153]; "
                     "ret; }"),
              "49153 bytes");
}

TEST(Parser, TakesModifiersInAnyOrder) {
  // As ptxas does; types keep their order.
  for (const char *body :
       {"vote.ballot.sync.b32 %r10, %p1, -1;",
        "ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%r1,%r2,%r3,%r4}, [%r5];",
        "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32.satfinite "
        "{%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r3}, {%r1,%r2,%r3,%r4};",
        "ld.global.acquire.gpu.u32 %r1, [%rd1];",
        "ld.global.u32.v2 {%r1, %r2}, [%rd1];",
        "atom.exch.acquire.gpu.b32 %r1, [%rd1], %r1;",
        "atom.global.gpu.acq_rel.add.u32 %r1, [%rd1], %r1;",
        "cvt.f32.s32.rn %f1, %r1;", "ld.global.u32 {%r1}, [%rd1];",
        "st.global.u32 [%rd1], {%r1};"})
    EXPECT_EQ(bodyMessage(body), "") << body;
  EXPECT_SAYS(bodyMessage("cvt.s32.f32.rn %f1, %r1;"), "is needed");
  EXPECT_SAYS(bodyMessage("cvt.rn.rn.f32.s32 %f1, %r1;"), "no modifier '.rn'");
  Snippet snippet("cvt.f32.s32.rn %f1, %r1; st.f32.global [%rd3], {%f1};");
  EXPECT_EQ(snippet.run().word(3), 0x40400000u);
}

TEST(Parser, RefusesTheKernelThatHoldsIt) {
  Emulator emulator;
  auto module = emulator.loadModule(R"(.version 7.0
.target sm_80
.address_size 64
.func outside ();
.func inner () { .reg .b32 r; mov.u32 r, %envreg3; ret; }
.func outer () { call inner; ret; }
.entry a() { { .reg .b32 r; mov.u32 r, 1; } L: wmma.load.a { 1, 2 }; bra L; }
.entry b() { .shared .b32 s; st.shared.u32 [s], 4; ret; }
.entry c() { call outer; ret; }
.entry d() { call outside; ret; }
.entry e() { .reg .b64 f; call f, (); ret; }
)",
                                    "m.ptx");
  ASSERT_TRUE(module.isOk()) << module.message();
  EXPECT_EQ((*module)->kernelNames().size(), 5u);
  auto message = [&](const char *kernel) {
    return std::string((*module)->kernel(kernel).message());
  };
  EXPECT_SAYS(message("a"), "m.ptx:7:48: 'wmma' is not emulated");
  EXPECT_SAYS(message("c"), "m.ptx:5:42: '%envreg3' is neither");
  EXPECT_SAYS(message("d"), "m.ptx:10:19: 'outside' is not defined");
  EXPECT_SAYS(message("e"), "indirect calls are not emulated");
  auto kernel = (*module)->kernel("b");
  ASSERT_TRUE(kernel.isOk()) << kernel.message();
  auto result = emulator.launch(**kernel, {}, {});
  ASSERT_TRUE(result.isOk()) << result.message();
  EXPECT_TRUE(result->reports.empty());
}

TEST(Parser, BoundsNesting) {
  std::string deep;
  for (int i = 0; i < 100000; ++i)
    deep += '(';
  EXPECT_SAYS(bodyMessage("mov.u32 %r10, " + deep + "1;"), "nested more than");
  EXPECT_SAYS(bodyMessage("mov.u32 %r10, " + std::string(100000, '-') + "1;"),
              "nested more than");
  EXPECT_SAYS(bodyMessage(std::string(100000, '{')), "nested more than");
  EXPECT_SAYS(module(".global .u32 x[9] = " + std::string(100000, '{') + ";"),
              "nested too deeply");
}

TEST(Parser, EndsAtEveryByteWithAnError) {
  // A text that is cut off is never a crash, and never a module.
  Snippet snippet(R"(
  .local .align 8 .b8 buffer[32];
  setp.lt.u32 %p1|%p2, %r1, 7;
  @!%p1 ld.global.v2.u32 {%r10, %r11}, [%rd2+8];
  { .reg .b32 t; mov.b64 {t, _}, %rd2; }
  mov.f32 %f1, 0f3F800000;)");
  std::string text = snippet.text();
  ASSERT_EQ(messageOf(text), "");
  size_t begin = text.find("{\n");
  for (size_t size = begin; size < text.rfind('}'); ++size)
    EXPECT_NE(messageOf(text.substr(0, size)), "") << text.substr(0, size);
}
