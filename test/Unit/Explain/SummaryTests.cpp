//===- SummaryTests.cpp - Prices of reasons -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Explain/Remedies.h"
#include "qcc/Explain/Summary.h"
#include "gtest/gtest.h"

using namespace qcc;

static StepExplanation makeStep(WorkKind work, const char *refused,
                                std::optional<double> expected) {
  StepExplanation step;
  step.name = "main.step";
  step.kind = "generic";
  step.work = work;
  step.refused = refused;
  step.numOperations = step.numBytes = 1000;
  step.expectedSeconds = expected;
  return step;
}

TEST(SlowStep, HasARemedyForItsReason) {
  const std::pair<const char *, const char *> cases[] = {
      {"a zero point varies along a reduction dimension",
       "use a symmetric weight, or one zero point for each output channel"},
      {"the right operand is not a dequantized value",
       "quantize the right operand to 8 bits"},
      {"K = 100000 could overflow the i32 accumulator",
       "split the product along K into several, and add their results"},
      {"its operands are i16; only contractions of 8-bit integers, or of "
       "values dequantized from them, have kernels",
       "quantize both operands to 8 bits"},
      {"each result is a single product: computed by generic loops", ""},
      {"no text that a pass records", ""},
  };
  for (auto [reason, remedy] : cases) {
    SlowStep slow =
        SlowStep::of(makeStep(WorkKind::IntegerContraction, reason, {}));
    EXPECT_EQ(slow.reason, reason);
    EXPECT_EQ(slow.remedy, remedy);
    EXPECT_FALSE(slow.saving) << "no time is expected";
  }
}

TEST(SlowStep, SavesWhatAKernelOfBytesTakesLess) {
  StepExplanation step = makeStep(WorkKind::FloatContraction, "", 4e-3);
  EXPECT_FALSE(SlowStep::of(step).saving);
  step.expectedSecondsOfBytes = 1e-3;
  EXPECT_DOUBLE_EQ(*SlowStep::of(step).saving, 0.75);
  EXPECT_DOUBLE_EQ(*SlowStep::of(makeStep(WorkKind::Packing, "", 4e-3)).saving,
                   1);
}

/// A Transpose can be left out of a model, unlike the order in which qcc stores
/// values and what other nodes move.
TEST(SlowStep, LeavesOutOnlyATranspose) {
  StepExplanation step = makeStep(
      WorkKind::DataMovement,
      "it moves data, and no kernel computes or reads it in its other order",
      1);
  for (auto [node, isRemedy] :
       {std::pair("", true), std::pair("Transpose", true),
        std::pair("Concat", false)}) {
    step.modelOp = node;
    EXPECT_EQ(!SlowStep::of(step).remedy.empty(), isRemedy) << node;
    EXPECT_EQ(SlowStep::of(step).saving.has_value(), isRemedy) << node;
  }
  step.modelOp = "Conv";
  step.refused = "it moves data, since qcc computes the steps around it in "
                 "another order of dimensions, such as channels innermost";
  EXPECT_EQ(SlowStep::of(step).remedy, "");
}

TEST(SlowStep, NeedNotQuantizeAnArgument) {
  StepExplanation step = makeStep(WorkKind::Elementwise, "it stands alone", 1);
  step.fused = {"qnn.quantize"};
  step.reads = {"main.step0.generic"};
  EXPECT_EQ(SlowStep::of(step).remedy, "");
  step.reads = {"argument 0"};
  EXPECT_EQ(SlowStep::of(step).remedy,
            "let the program take the quantized tensor as its input");
}

TEST(Summary, PricesReasonsByTheProfile) {
  EntryReport entry;
  entry.steps = {makeStep(WorkKind::FloatContraction, "", 4e-3),
                 makeStep(WorkKind::Packing, "", 1e-3),
                 makeStep(WorkKind::Reduction, "it is a reduction", 2e-3)};
  entry.steps[0].expectedSecondsOfBytes = 1e-3;
  Summary expected(entry);
  ASSERT_EQ(expected.reasons.size(), 3u);
  EXPECT_DOUBLE_EQ(*expected.total.expectedSeconds, 7e-3);
  EXPECT_FALSE(expected.total.measuredSeconds);
  EXPECT_DOUBLE_EQ(*expected.reasons[0].costSeconds, 3e-3);
  EXPECT_FALSE(expected.reasons[1].costSeconds) << "no remedy is known";

  // The most expensive step of a run, and its share that the model gives.
  entry.steps[0].measuredSeconds = 8e-3;
  entry.steps[1].measuredSeconds = 20e-3;
  entry.steps[2].measuredSeconds = 1e-3;
  Summary measured(entry);
  EXPECT_DOUBLE_EQ(*measured.total.measuredSeconds, 29e-3);
  EXPECT_EQ(measured.reasons[0].remedy,
            "make it a constant, such as an initializer");
  EXPECT_DOUBLE_EQ(*measured.reasons[0].costSeconds, 20e-3);
  EXPECT_DOUBLE_EQ(*measured.reasons[1].costSeconds, 6e-3);
}

TEST(Summary, KnowsNoTimeIfOneStepHasNone) {
  EntryReport entry;
  entry.steps = {makeStep(WorkKind::Packing, "", 1e-3),
                 makeStep(WorkKind::ControlFlow, "it is a loop", {})};
  Summary summary(entry);
  EXPECT_FALSE(summary.total.expectedSeconds);
  EXPECT_EQ(summary.toJson().getObject("expected_seconds"), nullptr);
  EXPECT_DOUBLE_EQ(*summary.kinds[0].sum.expectedSeconds, 1e-3);
}
