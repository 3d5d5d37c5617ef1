//===- Kernels.cpp - Running PTX files in tests ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

namespace qcc::emu::test {

std::string readInput(const std::string &name) {
  std::ifstream file(std::string(QCC_TEST_EMULATOR_DIR) + "/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> splitLines(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

std::string joinLines(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

std::vector<uint8_t> randomBytes(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t &byte : bytes)
    byte = uint8_t(random() >> 24);
  return bytes;
}

std::string describe(const std::vector<Report> &reports) {
  std::string text;
  for (const Report &report : reports)
    text += formatReport(report);
  return text;
}

Gemm::Gemm(int m, int n, int k, Dim3 grid, int block, int64_t shared)
    : m(m), n(n), k(k), outputBytes(int64_t(m) * n) {
  config.grid = grid;
  config.block = Dim3{block, 1, 1};
  config.dynamicShared = shared;
  std::mt19937 random(1);
  a_.resize(size_t(m) * k);
  b_.resize(size_t(n) * k);
  for (int8_t &x : a_)
    x = int8_t(random() >> 24);
  for (int8_t &x : b_)
    x = int8_t(random() >> 24);
  for (int i = 0; i < n; ++i) {
    scale_.push_back(float(random() % 1000 + 1) * 1e-6f);
    offset_.push_back(float(int(random() % 2000) - 1000) / 20.0f);
  }
  expected_.resize(size_t(m) * n);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      int32_t sum = 0;
      for (int i = 0; i < k; ++i)
        sum += a_[size_t(row) * k + i] * b_[size_t(column) * k + i];
      float x = std::fma(float(sum), scale_[column], offset_[column]);
      x = std::nearbyint(std::max(x, 0.0f));
      expected_[size_t(row) * n + column] = int8_t(std::min(x, 127.0f));
    }
}

Gemm::Outcome Gemm::run(const std::string &ptx,
                        const LaunchOptions &options) const {
  Outcome outcome;
  Emulator emulator;
  auto module = emulator.loadModule(ptx, "gemm.ptx");
  if (!module.isOk()) {
    outcome.failure = module.message();
    return outcome;
  }
  auto kernel = (*module)->kernel("gemm");
  if (!kernel.isOk()) {
    outcome.failure = kernel.message();
    return outcome;
  }
  DeviceAddress a = upload(emulator, a_, "A") + offsetOfA;
  DeviceAddress b = upload(emulator, b_, "B");
  DeviceAddress scale = upload(emulator, scale_, "S");
  DeviceAddress offset = upload(emulator, offset_, "Z");
  DeviceAddress output =
      upload(emulator, std::vector<int8_t>(outputBytes, 0x55), "O");
  auto result =
      emulator.launch(**kernel, config, {a, b, scale, offset, output}, options);
  if (!result.isOk()) {
    outcome.failure = result.message();
    return outcome;
  }
  outcome.result = *std::move(result);
  outcome.output = download<int8_t>(emulator, output, outputBytes);
  return outcome;
}

} // namespace qcc::emu::test
