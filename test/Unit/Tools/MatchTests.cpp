//===- MatchTests.cpp - Which outputs of two programs match ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Match.h"

#include "gtest/gtest.h"

using namespace qcc;
using namespace qcc::tools;

namespace {
/// An output: its layer, the number of the result that it is, if any, and the
/// name of its value.
struct Output {
  const char *layer;
  int result = -1;
  bool isQuantized = false;
  bool isFloat = true;
  const char *name = "";
};
const Output relu{"relu"}, reluQuantized{"relu", -1, true},
    reluRaw{"relu", -1, false, false};

rt::Step step(const char *name, const char *layer,
              std::vector<Output> outputs) {
  rt::Step step;
  step.name = name;
  step.layer = layer;
  for (Output output : outputs) {
    rt::OperandInfo info;
    info.layer = output.layer;
    info.name = output.name;
    info.kind = output.result >= 0 ? QCC_RESULT : QCC_ARENA;
    info.dtype = output.isFloat && !output.isQuantized
                     ? rt::DType{QCC_FLOAT, 32}
                     : rt::DType{QCC_INT, 8};
    if (output.isQuantized)
      info.quantization.emplace();
    info.index = rt::Size(std::max(output.result, 0));
    step.outputs.push_back(info);
  }
  return step;
}

rt::Entry entry(std::vector<rt::Step> steps, size_t results = 1) {
  rt::Entry entry;
  entry.steps = std::move(steps);
  entry.results.resize(results);
  return entry;
}

/// "name:stepA.output-stepB.output ..."
std::string text(const Matching &matching) {
  std::string text;
  for (const MatchedValue &value : matching.values)
    text += (text.empty() ? "" : " ") + value.name + ":" +
            std::to_string(value.a.step) + "." +
            std::to_string(value.a.output) + "-" +
            std::to_string(value.b.step) + "." + std::to_string(value.b.output);
  return text;
}
} // namespace

TEST(Match, SameStepsOneByOne) {
  rt::Entry a =
      entry({step("s0", "fc1", {{""}, {"x"}}), step("s1", "", {{"", 0}})});
  Matching matching = matchValues(a, a);
  EXPECT_TRUE(matching.byStep);
  EXPECT_EQ(text(matching), "s0#0:0.0-0.0 s0 (x)#1:0.1-0.1 s1:1.0-1.0");
}

TEST(Match, LayersByTheirLastSteps) {
  rt::Entry a =
      entry({step("a0", "fc1", {{"fc1"}}), step("a1", "fc1", {{"fc1"}}),
             step("a2", "fc2", {{"fc2", 0}})});
  rt::Entry b =
      entry({step("b0", "fc1", {{"fc1"}}), step("b1", "fc2", {{"fc2", 0}})});
  Matching matching = matchValues(a, b);
  EXPECT_FALSE(matching.byStep);
  EXPECT_EQ(text(matching), "fc1:1.0-0.0 fc2:2.0-1.0");
  EXPECT_TRUE(matching.onlyA.empty());
  EXPECT_TRUE(matching.onlyB.empty());
}

TEST(Match, LayersThatOneSideHasFused) {
  rt::Entry a =
      entry({step("a0", "fc1", {{"fc1"}}), step("a1", "relu", {{"relu"}}),
             step("a2", "soft", {{"soft", 0}})});
  rt::Entry b = entry({step("b0", "fc1", {{"relu"}}),
                       step("b1", "", {{"other"}}), step("b2", "", {{"", 0}})});
  Matching matching = matchValues(a, b);
  EXPECT_EQ(text(matching), "relu:1.0-0.0 result 0:2.0-2.0");
  ASSERT_EQ(matching.onlyA.size(), 2u);
  EXPECT_EQ(matching.onlyA[0].name, "fc1");
  EXPECT_EQ(matching.onlyA[0].step, 0u);
  EXPECT_EQ(matching.onlyA[0].partOf, size_t(0));
  EXPECT_EQ(matching.onlyA[1].name, "soft");
  EXPECT_FALSE(matching.onlyA[1].partOf);
  ASSERT_EQ(matching.onlyB.size(), 1u);
  EXPECT_EQ(matching.onlyB[0].name, "other");
}

TEST(Match, SeveralOutputsOfALayer) {
  rt::Entry a =
      entry({step("a0", "", {{"fc1"}, {"fc1"}}), step("a1", "", {{"", 0}})});
  rt::Entry b = entry(
      {step("b0", "", {{"fc1"}, {""}, {"fc1"}}), step("b1", "", {{"", 0}})});
  EXPECT_EQ(text(matchValues(a, b)),
            "fc1#0:0.0-0.0 fc1#1:0.1-0.2 result 0:1.0-1.0");
}

TEST(Match, OutputsThatOneSideHasMoreOf) {
  rt::Entry a = entry({step("a0", "", {{"fc1"}}), step("a1", "", {{"", 0}})});
  rt::Entry b =
      entry({step("b0", "", {{"fc1"}, {"fc1"}}), step("b1", "", {{"", 0}})});
  Matching matching = matchValues(a, b);
  EXPECT_EQ(text(matching), "fc1:0.0-0.0 result 0:1.0-1.0");
  EXPECT_TRUE(matching.onlyA.empty());
  ASSERT_EQ(matching.onlyB.size(), 1u);
  EXPECT_EQ(matching.onlyB[0].name, "fc1#1");
}

TEST(Match, FormsThatTwoQuantizedProgramsHave) {
  const rt::Step real = step("f", "", {relu}),
                 quantized = step("q", "", {reluQuantized}),
                 raw = step("r", "", {reluRaw}),
                 other = step("o", "", {{"x", -1, true}});
  rt::Entry both = entry({real, quantized});
  EXPECT_EQ(text(matchValues(both, entry({other, real}))), "relu:0.0-1.0");
  EXPECT_EQ(text(matchValues(both, entry({quantized}))), "relu:1.0-0.0");
  EXPECT_EQ(text(matchValues(entry({quantized}), both)), "relu:0.0-1.0");
  // No form in common.
  EXPECT_EQ(text(matchValues(entry({quantized}), entry({other, real}))),
            "relu:0.0-1.0");
  // A float program has the other one's last form for its counterpart.
  EXPECT_EQ(text(matchValues(entry({real}), both)), "relu:0.0-1.0");
  EXPECT_EQ(text(matchValues(both, entry({real}))), "relu:1.0-0.0");
  // Integers without a scale are a last resort.
  EXPECT_EQ(text(matchValues(entry({real, raw}), both)), "relu:0.0-1.0");
  EXPECT_EQ(text(matchValues(entry({raw}), both)), "relu:0.0-1.0");
}

/// A quantizer has fused "relu" into "conv", and kept the name of the value.
TEST(Match, ValuesByTheirNames) {
  auto output = [](const char *layer, const char *name, bool isQuantized) {
    return Output{layer, -1, isQuantized, true, name};
  };
  rt::Entry a = entry({step("a0", "conv", {output("conv", "c", false)}),
                       step("a1", "relu", {output("relu", "r", false)}),
                       step("a2", "fc", {output("fc", "y", false)}),
                       step("a3", "", {{"", 0}})});
  rt::Entry b = entry({step("b0", "conv", {output("conv", "r", false)}),
                       step("b1", "conv", {output("conv", "r", true)}),
                       step("b2", "fc", {output("fc", "y_input", false)})});
  Matching matching = matchValues(a, b);
  EXPECT_EQ(text(matching), "relu:1.0-1.0 fc:2.0-2.0");
  ASSERT_EQ(matching.onlyA.size(), 1u);
  EXPECT_EQ(matching.onlyA[0].name, "conv");
  EXPECT_TRUE(matching.onlyB.empty());
  // The other way round.
  matching = matchValues(b, a);
  EXPECT_EQ(text(matching), "conv:1.0-1.0 fc:2.0-2.0");
  ASSERT_EQ(matching.onlyB.size(), 1u);
  EXPECT_EQ(matching.onlyB[0].name, "conv");
}

TEST(Match, ResultsByPosition) {
  rt::Entry a =
      entry({step("a0", "", {{"", 1}}), step("a1", "", {{"", 0}})}, 2);
  rt::Entry b = entry({step("b0", "", {{"", 0}, {"", 1}})}, 2);
  EXPECT_EQ(text(matchValues(a, b)), "result 1:0.0-0.1 result 0:1.0-0.0");
}
