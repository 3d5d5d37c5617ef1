//===- TwiceEntry.h - A program to run in tests -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_RUNTIME_TWICEENTRY_H
#define QCC_TEST_UNIT_RUNTIME_TWICEENTRY_H

#include "FakeArtifact.h"

#include "gtest/gtest.h"

namespace qcc::rt::test {

constexpr DType i32{QCC_INT, 32};
constexpr DType f32{QCC_FLOAT, 32};

/// y = 2 * x over one dynamic dimension, through the arena: step 0 copies x
/// there, step 1 adds it to itself in reverse thread order.
inline void copyToArena(const qcc_frame *frame, int32_t thread,
                        int32_t threads) {
  auto *x = static_cast<const int32_t *>(frame->tensors[0]);
  auto *arena = reinterpret_cast<int32_t *>(frame->arena);
  for (int64_t i = thread; i < frame->values[0]; i += threads)
    arena[i] = x[i];
}
inline void addFromArena(const qcc_frame *frame, int32_t thread,
                         int32_t threads) {
  auto *y = static_cast<int32_t *>(frame->tensors[1]);
  auto *arena = reinterpret_cast<const int32_t *>(frame->arena);
  auto *scratch = reinterpret_cast<int32_t *>(frame->scratch +
                                              thread * frame->scratch_stride);
  for (int64_t i = threads - 1 - thread; i < frame->values[0]; i += threads) {
    *scratch = arena[i];
    y[i] = arena[i] + *scratch;
  }
}

inline FakeArtifact::EntrySpec twiceEntry() {
  FakeArtifact::EntrySpec spec;
  spec.arguments = {{i32, {value(0)}, "x"}};
  spec.results = {{i32, {value(1)}, "y"}};
  spec.symbols = 1;
  spec.values = 2;
  spec.requirements = {"at most 1000 elements"};
  spec.plan = [](int64_t *values) -> int64_t {
    values[1] = values[0];
    return values[0] > 1000 ? -1 : values[0] * 4;
  };
  spec.steps = {{"copy", copyToArena}, {"add", addFromArena, true, 100}};
  return spec;
}

struct Fixture {
  explicit Fixture(const FakeArtifact::EntrySpec &spec,
                   const ContextOptions &options = ContextOptions())
      : artifact(spec) {
    Result<std::shared_ptr<const Module>> loaded = artifact.load();
    EXPECT_TRUE(loaded.isOk()) << loaded.message();
    module = *loaded;
    Result<std::unique_ptr<Context>> created =
        Context::create(module, "", options);
    EXPECT_TRUE(created.isOk()) << created.message();
    context = *std::move(created);
  }
  FakeArtifact artifact;
  std::shared_ptr<const Module> module;
  std::unique_ptr<Context> context;
};

inline ContextOptions withThreads(int threads) {
  ContextOptions options;
  options.threads = threads;
  return options;
}

struct Data {
  explicit Data(int64_t size) : x(size), y(size) {
    for (int64_t i = 0; i < size; ++i)
      x[i] = int32_t(i + 1);
    inputs = {Tensor(x.data(), i32, {size})};
    outputs = {Tensor(y.data(), i32, {size})};
  }
  void expectTwice() const {
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(y[i], 2 * x[i]) << i;
  }
  std::vector<int32_t> x, y;
  std::vector<Tensor> inputs, outputs;
};

inline void expectFailure(const Status &status, StatusCode code,
                          const char *text) {
  EXPECT_EQ(status.code(), code) << status.message();
  EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
}

} // namespace qcc::rt::test

#endif // QCC_TEST_UNIT_RUNTIME_TWICEENTRY_H
