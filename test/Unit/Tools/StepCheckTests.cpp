//===- StepCheckTests.cpp - Steps beside what is expected of them ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallProgram.h"
#include "common/StepCheck.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace qcc;
using namespace qcc::test;
using namespace qcc::tools;

namespace {
constexpr rt::DType f32{QCC_FLOAT, 32};

/// main on x = 1, 2, 3: relu1 is 2, 4, 6 and fc2 is 3, 5, 7.
class StepChecks : public testing::Test {
protected:
  void expect(const char *layer, std::vector<int32_t> values,
              rt::DType dtype = SmallProgram::i32) {
    std::vector<int32_t> &kept = storage[{layer, dtype.name()}] =
        std::move(values);
    expected.emplace(LayerForm(layer, dtype.name()),
                     rt::Tensor(kept.data(), dtype, {int64_t(kept.size())}));
  }
  StepCheck check() {
    rt::Result<HostTensor> x = HostTensor::create(SmallProgram::i32, {3});
    EXPECT_TRUE(x.isOk());
    const int32_t values[] = {1, 2, 3};
    memcpy(x->data(), values, sizeof(values));
    std::vector<HostTensor> inputs;
    inputs.push_back(*std::move(x));
    rt::Result<StepCheck> result = checkSteps(
        program.load(), "main", std::move(inputs), 1, expected,
        [](std::string_view layer) { return "layer " + std::string(layer); });
    EXPECT_TRUE(result.isOk()) << result.message();
    return *result;
  }

  SmallProgram program;
  std::map<LayerForm, std::vector<int32_t>> storage;
  LayerValues expected;
};
} // namespace

TEST_F(StepChecks, KnowsWhatStepsShow) {
  std::shared_ptr<const rt::Module> module = program.load();
  EXPECT_EQ(shownForms(module->entries().front()),
            (std::set<LayerForm>{{"fc2", "i32"}, {"relu1", "i32"}}));
}

TEST_F(StepChecks, TellFormsOfALayerApart) {
  program.outputs[1].layer_ref = program.outputs[0].layer_ref;
  EXPECT_TRUE(shownForms(program.load()->entries().front()).empty());
  program.outputs[1].type_code = QCC_FLOAT;
  EXPECT_EQ(shownForms(program.load()->entries().front()),
            (std::set<LayerForm>{{"relu1", "f32"}, {"relu1", "i32"}}));
}

TEST_F(StepChecks, FindNothingWhereAllIsAsExpected) {
  expect("relu1", {2, 4, 6});
  expect("fc2", {3, 5, 7});
  StepCheck result = check();
  EXPECT_EQ(result.values, 2);
  EXPECT_EQ(result.elements, 6);
  EXPECT_EQ(result.differing, 0);
  EXPECT_EQ(result.first, "");
}

TEST_F(StepChecks, NameTheFirstStepThatDiffers) {
  expect("relu1", {2, 4, 5});
  expect("fc2", {3, 4, 6});
  StepCheck result = check();
  EXPECT_EQ(result.differing, 3);
  EXPECT_EQ(result.first, "main.step0/twice, value of layer relu1, first at "
                          "[2]: 6 instead of 5");
}

TEST_F(StepChecks, LeaveOtherFormsOfALayerAlone) {
  expect("relu1", {2, 4, 5}, f32);
  expect("fc2", {3, 4});
  StepCheck result = check();
  EXPECT_EQ(result.values, 0);
  EXPECT_EQ(result.first, "");
}

TEST(CheckResults, NamesTheFirstElementOfEachResult) {
  float a[] = {1, 1.25f, 3}, b[] = {1, 1.5f, 4};
  int32_t c[] = {7}, d[] = {8, 9};
  rt::Tensor x(a, f32, {1, 3}), y(b, f32, {1, 3});
  rt::Tensor z(c, SmallProgram::i32, {1}), w(d, SmallProgram::i32, {2});
  CheckReport same = checkResults({x, z}, {x, z});
  EXPECT_EQ(same.differing, 0);
  EXPECT_EQ(same.text, "check: 4 elements, 0 differ\n");
  CheckReport other = checkResults({x, z}, {y, w});
  EXPECT_EQ(other.differing, 3);
  EXPECT_EQ(other.text,
            "check: 4 elements, 3 differ\n"
            "  result 0: first at [0, 1]: 1.25 (0x3fa00000) instead of 1.5 "
            "(0x3fc00000)\n"
            "  result 1 is 1xi32 instead of 2xi32\n");
}
