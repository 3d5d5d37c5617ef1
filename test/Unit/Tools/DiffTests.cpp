//===- DiffTests.cpp - Two programs side by side --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Support/TemporaryFolder.h"
#include "SmallProgram.h"
#include "common/Diff.h"
#include "qcc/Support/TensorFile.h"

#include "gtest/gtest.h"

using namespace qcc;
using namespace qcc::test;
using namespace qcc::tools;

namespace {
void thrice(const qcc_frame *frame, int32_t, int32_t) {
  auto *x = static_cast<const int32_t *>(frame->tensors[0]);
  for (int64_t i = 0; i < frame->values[0]; ++i)
    reinterpret_cast<int32_t *>(frame->arena)[i] = 3 * x[i];
}

/// As SmallProgram, on floats: f(x) = 2x + 1.
void twiceFloat(const qcc_frame *frame, int32_t, int32_t) {
  auto *x = static_cast<const float *>(frame->tensors[0]);
  for (int64_t i = 0; i < frame->values[0]; ++i)
    reinterpret_cast<float *>(frame->arena)[i] = 2 * x[i];
}
void moreFloat(const qcc_frame *frame, int32_t, int32_t) {
  auto *t = reinterpret_cast<const float *>(frame->arena);
  for (int64_t i = 0; i < frame->values[0]; ++i)
    static_cast<float *>(frame->tensors[1])[i] = t[i] + 1;
}

class Diff : public testing::Test {
protected:
  Diff() { options.sources = {{"random:1"}, {{3}, {}, {}}}; }

  rt::Result<DiffReport> diff() {
    return diffModules({"a", a.load()}, {"b", b.load()}, options);
  }
  std::string failure() {
    rt::Result<DiffReport> report = diff();
    EXPECT_FALSE(report.isOk());
    return report.message();
  }
  std::string text() {
    DiffSide sideA{"a", a.load()}, sideB{"b", b.load()};
    rt::Result<DiffReport> report = diffModules(sideA, sideB, options);
    EXPECT_TRUE(report.isOk()) << report.message();
    return diffText(sideA, sideB, *report);
  }
  void setFunction(SmallProgram &program, int step, qcc_step_fn function) {
    program.artifact.steps[step].function_ref =
        program.artifact.ref(reinterpret_cast<const void *>(function));
  }
  /// Input and steps of B become floats, of other names.
  void makeFloat() {
    b.artifact.arguments[0].type_code = QCC_FLOAT;
    b.artifact.results[0].type_code = QCC_FLOAT;
    for (int i = 0; i < 2; ++i) {
      b.outputs[i].type_code = QCC_FLOAT;
      b.outputs[i].quant_ref = 0;
      b.artifact.steps[i].name_ref = b.artifact.string("float");
    }
    setFunction(b, 0, twiceFloat);
    setFunction(b, 1, moreFloat);
  }

  SmallProgram a, b;
  DiffOptions options;
};
} // namespace

TEST_F(Diff, SameProgramsDoNotDiffer) {
  EXPECT_EQ(text(), R"(A: a, entry main
B: b, entry main
  step                      largest error  mean  signal/noise  differ  in A                          in B
  main.step0/twice (relu1)              0     0         exact  0 of 3  i32, scale 0.5, zero point 1  i32, scale 0.5, zero point 1
  main.step1/more (fc2)                 0     0         exact  0 of 3  i32                           i32
no difference in 2 values
)");
}

TEST_F(Diff, FindsTheFirstStepThatDiffers) {
  setFunction(b, 0, thrice);
  TemporaryFolder folder;
  int32_t x[] = {1, 2, -3};
  options.sources = {{folder.path + "/x.npy"}, {{}, {}, {}}};
  ASSERT_TRUE(
      writeNpy(options.sources.inputs[0], {QCC_INT, 32}, {3}, x).isOk());
  rt::Result<DiffReport> report = diff();
  ASSERT_TRUE(report.isOk()) << report.message();
  EXPECT_TRUE(report->matching.byStep);
  EXPECT_EQ(report->first, size_t(0));
  EXPECT_EQ(report->values[0].difference.differing, 3);
  EXPECT_EQ(report->values[1].difference.differing, 3);
  // Half of x, in steps of 0.5 from a zero point of 1.
  EXPECT_EQ(report->values[0].difference.largest,
            0.5 * report->values[1].difference.largest);
  EXPECT_NE(text().find("first difference: main.step0/twice (relu1), "
                        "main.step0/twice of A and main.step0/twice of B, at "
                        "[0]: 1 instead of 0.5\n"),
            std::string::npos);

  // 3x is half as much again as 2x.
  options.tolerance = 0.75;
  EXPECT_FALSE(diff()->first);
}

TEST_F(Diff, GivesEachSideItsFormOfTheInput) {
  makeFloat();
  a.artifact.arguments[0].quant_ref = a.artifact.ref(a.quant);
  TemporaryFolder folder;
  float x[] = {0.5f, 1.25f, -3};
  options.sources.inputs = {folder.path + "/x.npy"};
  options.sources.sizes.dims.clear();
  ASSERT_TRUE(
      writeNpy(options.sources.inputs[0], {QCC_FLOAT, 32}, {3}, x).isOk());
  // A gets q = x / 0.5 + 1 = 2, 3 (2.5 to even, and 1), -5; twice that is
  // 1.5, 2.5, -5.5 as a real value. B has 1, 2.5, -6.
  rt::Result<DiffReport> report = diff();
  ASSERT_TRUE(report.isOk()) << report.message();
  EXPECT_FALSE(report->matching.byStep);
  EXPECT_EQ(report->matching.values[0].name, "relu1");
  EXPECT_EQ(report->values[0].difference.largest, 0.5);
  EXPECT_EQ(report->values[0].difference.differing, 2);
  EXPECT_EQ(report->values[0].first, "[0]: 1 instead of 1.5");

  // Integers of A's type mean the same.
  int32_t q[] = {2, 3, -5};
  ASSERT_TRUE(
      writeNpy(options.sources.inputs[0], {QCC_INT, 32}, {3}, q).isOk());
  report = diff();
  ASSERT_TRUE(report.isOk()) << report.message();
  EXPECT_EQ(report->values[0].first, "[0]: 1 instead of 1.5");

  int16_t other[] = {2, 3, -5};
  ASSERT_TRUE(
      writeNpy(options.sources.inputs[0], {QCC_INT, 16}, {3}, other).isOk());
  EXPECT_EQ(failure(), "input 0 has elements of type i16, but argument 0 is "
                       "i32 in A and f32 in B; give it as f32");
}

TEST_F(Diff, SaysWhatCannotBeCompared) {
  makeFloat();
  // The input means something, but what relu1 is in A is unknown.
  a.artifact.arguments[0].quant_ref = a.artifact.ref(a.quant);
  a.outputs[0].quant_ref = 0;
  options.sources = {{"random:1"}, {{3}, {}, {}}};
  std::string report = text();
  EXPECT_NE(report.find("  relu1              -     -             -  no scale  "
                        "i32   f32\n"),
            std::string::npos)
      << report;
  // For a result that is a difference.
  EXPECT_NE(report.find("first difference: fc2, main.step1/more of A and float "
                        "of B: no scale\n"),
            std::string::npos)
      << report;

  // For anything else it is only said.
  a.outputs[1].quant_ref = a.artifact.ref(a.quant);
  options.tolerance = 1e6;
  report = text();
  EXPECT_NE(report.find("no difference in 1 value; 1 value could not be "
                        "compared\n"),
            std::string::npos)
      << report;
}

TEST_F(Diff, NeedsProgramsThatTakeTheSame) {
  options.entryA = "f";
  EXPECT_EQ(failure(), "A: no entry 'f'; the program has: main");
  options.entryA = "main";
  options.entryB = "g";
  EXPECT_EQ(failure(), "B: no entry 'g'; the program has: main");
  options.entryB.clear();
  makeFloat();
  EXPECT_EQ(failure(),
            "argument 0 of A: nothing says how real values become elements of "
            "type i32: they have no quantization");
}

TEST_F(Diff, NeedsOneShapeForBoth) {
  for (auto [program, size] : {std::pair(&a, 3), std::pair(&b, 7)}) {
    auto *dims = program->artifact.table<int64_t>(1);
    dims[0] = size;
    program->artifact.arguments[0].dims_ref = program->artifact.ref(dims);
    program->artifact.entries[0].n_symbols = 0;
  }
  EXPECT_EQ(failure(),
            "argument 0 is 3xi32 in A but 7xi32 in B: no input fits both");
}

TEST_F(Diff, RefusesOtherNumbersOfArgumentsAndResults) {
  b.artifact.entries[0].n_results = 0;
  b.artifact.steps[1].n_outputs = 0;
  EXPECT_EQ(failure(), "A has 1 result(s), but B has 0");
}
