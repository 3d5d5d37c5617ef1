//===- TritonTests.cpp - Kernels that Triton compiled ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX of another compiler: the files of emulator/test/Triton, which make.py
// there made, load as they are, compute what the host computes, and have no
// reports.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace qcc::emu;

namespace {

class Triton : public testing::Test {
protected:
  template <typename T>
  DeviceAddress upload(const std::vector<T> &values, const char *name) {
    return test::upload(emulator, values, name);
  }

  /// Launches the kernel of a file with several seeds, and expects no reports.
  void launch(const std::string &name, Dim3 grid, int64_t shared,
              std::vector<Argument> arguments) {
    auto module =
        emulator.loadModule(test::readInput("Triton/" + name + ".ptx"), name);
    ASSERT_TRUE(module.isOk()) << module.message();
    auto kernel = (*module)->kernel(name);
    ASSERT_TRUE(kernel.isOk()) << kernel.message();
    // Scratch memory of the whole launch, which these kernels do not use.
    while (arguments.size() < (*kernel)->parameters().size())
      arguments.push_back(uint64_t(0));
    LaunchConfig config;
    config.grid = grid;
    config.block = (*kernel)->requiredBlock();
    config.dynamicShared = shared;
    for (uint64_t seed = 0; seed < 3; ++seed) {
      LaunchOptions options;
      options.seed = seed;
      auto result = emulator.launch(**kernel, config, arguments, options);
      ASSERT_TRUE(result.isOk()) << result.message();
      EXPECT_TRUE(result->reports.empty()) << test::describe(result->reports);
    }
  }

  std::vector<float> floats(size_t count) {
    std::vector<uint8_t> bytes = test::randomBytes(count, 7);
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i)
      values[i] = (float(bytes[i]) - 128) / 32;
    return values;
  }

  Emulator emulator;
};

} // namespace

TEST_F(Triton, Add) {
  constexpr int n = 1500;
  std::vector<float> x = floats(n), y(x.rbegin(), x.rend());
  DeviceAddress out = upload(std::vector<float>(n), "out");
  launch("add", {2, 1, 1}, 0, {upload(x, "x"), upload(y, "y"), out, n});
  std::vector<float> got = test::download<float>(emulator, out, n);
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(got[i], x[i] + y[i]) << i;
}

TEST_F(Triton, Softmax) {
  constexpr int rows = 3, cols = 200;
  std::vector<float> x = floats(rows * cols);
  DeviceAddress out = upload(std::vector<float>(rows * cols), "out");
  launch("softmax", {rows, 1, 1}, 16, {upload(x, "x"), out, cols});
  std::vector<float> got = test::download<float>(emulator, out, rows * cols);
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < cols; ++i)
      sum += exp(double(x[row * cols + i]));
    for (int i = row * cols; i < (row + 1) * cols; ++i)
      ASSERT_NEAR(got[i], exp(double(x[i])) / sum, 1e-6) << i;
  }
}

TEST_F(Triton, LayerNorm) {
  // Rows of zeros and ones, whose mean and variance are exact.
  constexpr int rows = 2, cols = 400;
  constexpr uint16_t one = 0x3c00;
  std::vector<uint16_t> x(rows * cols);
  for (int i = 0; i < rows * cols; ++i)
    x[i] = i % 2 ? one : 0;
  std::vector<float> w(cols, 2.0f);
  DeviceAddress out = upload(std::vector<uint16_t>(rows * cols), "out");
  launch("layernorm", {rows, 1, 1}, 16,
         {upload(x, "x"), upload(w, "w"), out, cols, 0.0f});
  std::vector<uint16_t> got =
      test::download<uint16_t>(emulator, out, rows * cols);
  for (int i = 0; i < rows * cols; ++i)
    ASSERT_EQ(got[i], i % 2 ? 0x4000 : 0xc000) << i; // 2 and -2.
}

TEST_F(Triton, Histogram) {
  constexpr int n = 900, bins = 8;
  std::vector<int32_t> x(n), expected(bins);
  for (int i = 0; i < n; ++i)
    expected[x[i] = i * i % bins] += 3; // Once for each seed.
  DeviceAddress out = upload(std::vector<int32_t>(bins), "out");
  launch("histogram", {2, 1, 1}, 0, {upload(x, "x"), out, n});
  EXPECT_EQ(test::download<int32_t>(emulator, out, bins), expected);
}

TEST_F(Triton, Matmul) {
  // Tiles that hang over all edges.
  constexpr int m = 70, n = 50, k = 100;
  std::vector<uint8_t> bytes = test::randomBytes((m + n) * k, 3);
  std::vector<int8_t> a(bytes.begin(), bytes.begin() + m * k);
  std::vector<int8_t> b(bytes.begin() + m * k, bytes.end());
  DeviceAddress out = upload(std::vector<int32_t>(m * n), "c");
  launch("matmul", {2, 1, 1}, 8448,
         {upload(a, "a"), upload(b, "b"), out, m, n, k});
  std::vector<int32_t> got = test::download<int32_t>(emulator, out, m * n);
  for (int row = 0; row < m; ++row)
    for (int col = 0; col < n; ++col) {
      int32_t sum = 0;
      for (int i = 0; i < k; ++i)
        sum += a[row * k + i] * b[col * k + i];
      ASSERT_EQ(got[row * n + col], sum) << row << "," << col;
    }
}
