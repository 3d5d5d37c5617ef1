//===- ObserverTests.cpp - Looking at values between steps ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeArtifact.h"

#include "gtest/gtest.h"

#include <atomic>
#include <thread>

using namespace qcc::rt;
using namespace qcc::rt::test;

namespace {

const DType i32{QCC_INT, 32};
constexpr int64_t kSize = 1000;

std::atomic<int> stepsInFlight{0};

/// The same bytes of the arena are overwritten by each step: x, 2x, 3x, and
/// the result is 4x.
template <int Factor>
void scale(const qcc_frame *frame, int32_t thread, int32_t threads) {
  ++stepsInFlight;
  auto *x = static_cast<const int32_t *>(frame->tensors[0]);
  auto *y = Factor == 4 ? static_cast<int32_t *>(frame->tensors[1])
                        : reinterpret_cast<int32_t *>(frame->arena + 64);
  for (int64_t i = thread; i < frame->values[0]; i += threads)
    y[i] = Factor * x[i];
  --stepsInFlight;
}

void failingStep(const qcc_frame *frame, int32_t, int32_t) {
  frame->runtime->fail(frame, "it is broken");
}

struct Program {
  explicit Program(std::vector<FakeArtifact::StepSpec> steps)
      : artifact(entryOf(std::move(steps))) {
    auto *dims = artifact.table<int64_t>(1);
    dims[0] = value(0);
    int32_t numSteps = artifact.entries[0].n_steps;
    for (int32_t i = 0; i < numSteps; ++i) {
      auto *operand = artifact.table<qcc_operand_desc>(1);
      *operand = {QCC_ARENA, QCC_INT, 32, 1, 64, artifact.ref(dims), 0, 0,
                  0,         0,       0,  0, 0};
      if (i + 1 == numSteps) {
        operand->kind = QCC_RESULT;
        operand->index = 0;
      }
      operands.push_back(operand);
      artifact.steps[i].n_outputs = 1;
      artifact.steps[i].outputs_ref = artifact.ref(operand);
    }
    x.resize(kSize);
    y.resize(kSize);
    for (int64_t i = 0; i < kSize; ++i)
      x[i] = int32_t(i + 1);
  }
  static FakeArtifact::EntrySpec
  entryOf(std::vector<FakeArtifact::StepSpec> steps) {
    FakeArtifact::EntrySpec spec;
    spec.arguments = {{i32, {value(0)}, "x"}};
    spec.results = {{i32, {value(0)}, "y"}};
    spec.symbols = 1;
    spec.values = 1;
    spec.plan = [](int64_t *values) -> int64_t { return 64 + values[0] * 4; };
    spec.steps = std::move(steps);
    return spec;
  }

  Status run(const ContextOptions &options) {
    Result<std::shared_ptr<const Module>> module = artifact.load();
    EXPECT_TRUE(module.isOk()) << module.message();
    Result<std::unique_ptr<Context>> context =
        Context::create(*module, "", options);
    EXPECT_TRUE(context.isOk()) << context.message();
    std::vector<Tensor> inputs = {Tensor(x.data(), i32, {kSize})};
    std::vector<Tensor> outputs = {Tensor(y.data(), i32, {kSize})};
    return (*context)->run(inputs, outputs);
  }

  FakeArtifact artifact;
  std::vector<qcc_operand_desc *> operands; // the output of each step
  std::vector<int32_t> x, y;
};

/// Checks that output i holds (i + 1) * x when it is told of step i.
struct Watcher {
  static void afterStep(void *self, const Context &run, size_t step) {
    auto &watcher = *static_cast<Watcher *>(self);
    watcher.steps.push_back(step);
    watcher.inFlight += stepsInFlight.load();
    AlignedBuffer copy;
    Tensor tensor =
        *run.operandTensor(run.entry().steps[step].outputs[0], copy);
    EXPECT_EQ(tensor.describe(), "1000xi32");
    auto *values = static_cast<const int32_t *>(tensor.data);
    for (int64_t i = 0; i < kSize; ++i)
      if (values[i] != int32_t(step + 1) * (i + 1))
        ++watcher.wrong;
    if (step == watcher.cancelAt)
      watcher.cancelled.store(true);
  }
  ContextOptions options(int threads) {
    ContextOptions options;
    options.threads = threads;
    options.observer = {&Watcher::afterStep, this};
    options.cancel = &cancelled;
    return options;
  }

  std::vector<size_t> steps;
  int64_t wrong = 0, inFlight = 0;
  size_t cancelAt = ~size_t(0);
  std::atomic<bool> cancelled{false};
};

const std::vector<FakeArtifact::StepSpec> mixedSteps = {
    {"one", scale<1>, true},
    {"two", scale<2>, false},
    {"three", scale<3>, false},
    {"four", scale<4>, true}};

} // namespace

TEST(Observer, SeesTheOutputsOfEachStep) {
  for (int threads : {1, 2, 5}) {
    Program program(mixedSteps);
    Watcher watcher;
    Status status = program.run(watcher.options(threads));
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(watcher.steps, (std::vector<size_t>{0, 1, 2, 3}));
    EXPECT_EQ(watcher.wrong, 0);
    EXPECT_EQ(watcher.inFlight, 0);
  }
}

/// Rows that are apart are seen as if they were not.
TEST(Observer, SeesRowsThatAreApart) {
  static_assert(kSize == 1000);
  Program program({{"one", scale<1>, true}, {"four", scale<4>, true}});
  qcc_operand_desc *operand = program.operands.front();
  auto *dims = program.artifact.table<int64_t>(2);
  dims[0] = 10;
  dims[1] = 60;
  operand->rank = 2;
  operand->dims_ref = program.artifact.ref(dims);
  operand->row_pitch = 100;
  struct Rows {
    static void afterStep(void *self, const Context &run, size_t step) {
      if (step != 0)
        return;
      AlignedBuffer copy;
      Tensor tensor = *run.operandTensor(run.entry().steps[0].outputs[0], copy);
      EXPECT_EQ(tensor.describe(), "10x60xi32");
      auto *values = static_cast<const int32_t *>(tensor.data);
      for (int row = 0; row < 10; ++row)
        for (int column = 0; column < 60; ++column)
          EXPECT_EQ(values[60 * row + column], 100 * row + column + 1);
      ++*static_cast<int *>(self);
    }
  };
  int calls = 0;
  ContextOptions options;
  options.observer = {&Rows::afterStep, &calls};
  Status status = program.run(options);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(calls, 1);
}

/// Rows that overlap, or in memory that is not the program's own.
TEST(Observer, RefusesImpossibleRows) {
  for (auto [kind, rank, pitch] :
       {std::tuple(QCC_ARENA, 1, 999), std::tuple(QCC_ARENA, 1, -1),
        std::tuple(QCC_ARENA, 0, 64), std::tuple(QCC_RESULT, 1, 2000)}) {
    Program program({{"one", scale<1>, true}, {"four", scale<4>, true}});
    auto *dims = program.artifact.table<int64_t>(1);
    dims[0] = kSize;
    qcc_operand_desc &operand = *program.operands.front();
    operand.kind = kind;
    operand.index = 0;
    operand.rank = rank;
    operand.dims_ref = program.artifact.ref(dims);
    operand.row_pitch = pitch;
    EXPECT_NE(program.artifact.load().message().find(
                  "the rows of an operand cannot be apart"),
              std::string::npos);
  }
}

/// Values are seen in the order of their dimensions, wherever these lie.
TEST(Observer, SeesDimensionsInTheirOrder) {
  Program program({{"one", scale<1>, true}, {"four", scale<4>, true}});
  qcc_operand_desc *operand = program.operands.front();
  auto *dims = program.artifact.table<int64_t>(3);
  auto *order = program.artifact.table<int64_t>(3);
  // In memory: 5 of 10 rows of 2, which are 20 elements apart.
  std::copy_n(std::begin({2, 5, 10}), 3, dims);
  std::copy_n(std::begin({1, 2, 0}), 3, order);
  operand->rank = 3;
  operand->dims_ref = program.artifact.ref(dims);
  operand->order_ref = program.artifact.ref(order);
  operand->row_pitch = 20;
  struct Values {
    static void afterStep(void *self, const Context &run, size_t step) {
      if (step != 0)
        return;
      AlignedBuffer copy;
      Tensor tensor = *run.operandTensor(run.entry().steps[0].outputs[0], copy);
      EXPECT_EQ(tensor.describe(), "2x5x10xi32");
      auto *values = static_cast<const int32_t *>(tensor.data);
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 5; ++b)
          for (int c = 0; c < 10; ++c)
            EXPECT_EQ(*values++, 20 * (10 * b + c) + a + 1);
      ++*static_cast<int *>(self);
    }
  };
  int calls = 0;
  ContextOptions options;
  options.observer = {&Values::afterStep, &calls};
  Status status = program.run(options);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(calls, 1);
}

/// A dimension that does not exist, and one twice.
TEST(Observer, RefusesImpossibleOrders) {
  for (auto [first, second] :
       {std::pair(0, 0), std::pair(0, 2), std::pair(-1, 0)}) {
    Program program({{"one", scale<1>, true}, {"four", scale<4>, true}});
    auto *dims = program.artifact.table<int64_t>(2);
    auto *order = program.artifact.table<int64_t>(2);
    std::copy_n(std::begin({10, 100}), 2, dims);
    std::copy_n(std::begin({first, second}), 2, order);
    qcc_operand_desc &operand = *program.operands.front();
    operand.rank = 2;
    operand.dims_ref = program.artifact.ref(dims);
    operand.order_ref = program.artifact.ref(order);
    EXPECT_NE(program.artifact.load().message().find(
                  "the dimensions of an operand lie in no order"),
              std::string::npos);
  }
}

/// Bytes to which something was added are seen as what they were.
TEST(Observer, SeesBytesThatAreShifted) {
  Program program({{"one", scale<1>, true}, {"four", scale<4>, true}});
  qcc_operand_desc *operand = program.operands.front();
  auto *dims = program.artifact.table<int64_t>(1);
  dims[0] = 4 * kSize;
  operand->rank = 1;
  operand->dims_ref = program.artifact.ref(dims);
  operand->bits = 8;
  operand->byte_shift = 128;
  struct Bytes {
    static void afterStep(void *self, const Context &run, size_t step) {
      if (step != 0)
        return;
      AlignedBuffer copy;
      Tensor tensor = *run.operandTensor(run.entry().steps[0].outputs[0], copy);
      EXPECT_EQ(tensor.describe(), "4000xi8");
      auto *values = static_cast<const uint8_t *>(tensor.data);
      for (int i = 0; i < 4 * kSize; ++i) {
        int stored = (i / 4 + 1) >> (8 * (i % 4)) & 255;
        EXPECT_EQ(values[i], (stored + 128) % 256);
      }
      ++*static_cast<int *>(self);
    }
  };
  int calls = 0;
  ContextOptions options;
  options.observer = {&Bytes::afterStep, &calls};
  Status status = program.run(options);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(calls, 1);
}

/// Other elements than bytes, and what no byte is.
TEST(Observer, RefusesImpossibleShifts) {
  for (auto [bits, shift] :
       {std::pair(32, 128), std::pair(8, 256), std::pair(8, -1)}) {
    Program program({{"one", scale<1>, true}, {"four", scale<4>, true}});
    program.operands.front()->bits = bits;
    program.operands.front()->byte_shift = shift;
    EXPECT_NE(program.artifact.load().message().find(
                  "nothing can have been added to the elements of an operand"),
              std::string::npos);
  }
}

/// A value inside of a border is seen alone, in the order of its dimensions.
TEST(Observer, SeesValuesWithoutTheirBorder) {
  Program program({{"one", scale<1>, true}, {"four", scale<4>, true}});
  qcc_operand_desc *operand = program.operands.front();
  auto *dims = program.artifact.table<int64_t>(2);
  auto *order = program.artifact.table<int64_t>(2);
  auto *border = program.artifact.table<int64_t>(4);
  // In memory: 10 rows of 20; the value is 9 rows of 15 from [1, 2] on.
  std::copy_n(std::begin({20, 10}), 2, dims);
  std::copy_n(std::begin({1, 0}), 2, order);
  std::copy_n(std::begin({2, 1, 3, 0}), 4, border);
  operand->rank = 2;
  operand->dims_ref = program.artifact.ref(dims);
  operand->order_ref = program.artifact.ref(order);
  operand->border_ref = program.artifact.ref(border);
  struct Inside {
    static void afterStep(void *self, const Context &run, size_t step) {
      if (step != 0)
        return;
      AlignedBuffer copy;
      Tensor tensor = *run.operandTensor(run.entry().steps[0].outputs[0], copy);
      EXPECT_EQ(tensor.describe(), "15x9xi32");
      auto *values = static_cast<const int32_t *>(tensor.data);
      for (int a = 0; a < 15; ++a)
        for (int b = 0; b < 9; ++b)
          EXPECT_EQ(*values++, 20 * (b + 1) + a + 2 + 1);
      ++*static_cast<int *>(self);
    }
  };
  int calls = 0;
  ContextOptions options;
  options.observer = {&Inside::afterStep, &calls};
  Status status = program.run(options);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(calls, 1);
}

/// A border that is wider than the operand, whose size is literal or dynamic.
TEST(Observer, RefusesImpossibleBorders) {
  for (auto [before, behind] :
       {std::pair(-1, 0), std::pair(11, 0), std::pair(5, 6)}) {
    Program program({{"one", scale<1>, true}, {"four", scale<4>, true}});
    auto *dims = program.artifact.table<int64_t>(1);
    auto *border = program.artifact.table<int64_t>(2);
    dims[0] = 10;
    border[0] = before;
    border[1] = behind;
    program.operands.front()->dims_ref = program.artifact.ref(dims);
    program.operands.front()->border_ref = program.artifact.ref(border);
    EXPECT_NE(program.artifact.load().message().find(
                  "the border of an operand does not fit in it"),
              std::string::npos);
  }
  Program program({{"one", scale<1>, true}, {"four", scale<4>, true}});
  auto *border = program.artifact.table<int64_t>(2);
  border[0] = border[1] = kSize;
  program.operands.front()->border_ref = program.artifact.ref(border);
  struct Wide {
    static void afterStep(void *self, const Context &run, size_t step) {
      AlignedBuffer copy;
      if (step == 0)
        *static_cast<Status *>(self) =
            run.operandTensor(run.entry().steps[0].outputs[0], copy).status();
    }
  };
  Status seen;
  ContextOptions options;
  options.observer = {&Wide::afterStep, &seen};
  Status status = program.run(options);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(seen.message(), "the border of an operand does not fit in it");
}

TEST(Observer, WorksOnThreadsOfTheHost) {
  Program program(mixedSteps);
  Watcher watcher;
  ContextOptions options = watcher.options(3);
  options.hostThreads.parallelFor =
      [](void *, int threads, void (*body)(void *, int), void *bodyContext) {
        std::vector<std::thread> pool;
        for (int t = 0; t < threads; ++t)
          pool.emplace_back(body, bodyContext, t);
        for (std::thread &thread : pool)
          thread.join();
      };
  Status status = program.run(options);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(watcher.steps, (std::vector<size_t>{0, 1, 2, 3}));
  EXPECT_EQ(watcher.wrong, 0);
}

TEST(Observer, MayCancelTheRun) {
  Program program(mixedSteps);
  Watcher watcher;
  watcher.cancelAt = 1;
  EXPECT_EQ(program.run(watcher.options(2)).code(), StatusCode::Cancelled);
  EXPECT_EQ(watcher.steps, (std::vector<size_t>{0, 1}));
}

TEST(Observer, IsNotToldOfAStepThatFails) {
  Program program({{"one", scale<1>, true}, {"bad", failingStep, false}});
  Watcher watcher;
  EXPECT_EQ(program.run(watcher.options(2)).code(), StatusCode::KernelFailed);
  EXPECT_EQ(watcher.steps, (std::vector<size_t>{0}));
}
