//===- Kernels.h - Running PTX files in tests -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files of emulator/test, device buffers, and the GEMM prototype with its
// expected result.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_EMULATOR_KERNELS_H
#define QCC_TEST_UNIT_EMULATOR_KERNELS_H

#include "qcc/Emulator/Emulator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qcc::emu::test {

/// A file below emulator/test; empty, with a failure, if it cannot be read.
std::string readInput(const std::string &name);

/// Lines, without their ends.
std::vector<std::string> splitLines(const std::string &text);
std::string joinLines(const std::vector<std::string> &lines);

/// Pseudorandom bytes, the same everywhere.
std::vector<uint8_t> randomBytes(size_t count, uint32_t seed);

/// All reports, for messages.
std::string describe(const std::vector<Report> &reports);

/// Device memory with the elements of a vector.
template <typename T>
DeviceAddress upload(Emulator &emulator, const std::vector<T> &values,
                     std::string_view name) {
  auto address = emulator.allocate(values.size() * sizeof(T), name);
  if (!address.isOk() ||
      !emulator.copyToDevice(*address, values.data(), values.size() * sizeof(T))
           .isOk())
    return 0;
  return *address;
}

template <typename T>
std::vector<T> download(Emulator &emulator, DeviceAddress address,
                        size_t count) {
  std::vector<T> values(count);
  if (!emulator.copyToHost(values.data(), address, count * sizeof(T)).isOk())
    values.clear();
  return values;
}

/// The int8 GEMM of Inputs/gemm-*.ptx.
struct Gemm {
  int m, n, k;
  LaunchConfig config;
  int64_t outputBytes;
  uint64_t offsetOfA = 0; ///< Added to A's address: a bug of the host.

  Gemm(int m, int n, int k, Dim3 grid, int block, int64_t shared);

  struct Outcome {
    std::string failure; ///< Of loading or launching.
    LaunchResult result;
    std::vector<int8_t> output;
  };
  Outcome run(const std::string &ptx, const LaunchOptions &options) const;
  const std::vector<int8_t> &expected() const { return expected_; }

private:
  std::vector<int8_t> a_, b_, expected_;
  std::vector<float> scale_, offset_;
};

} // namespace qcc::emu::test

#endif // QCC_TEST_UNIT_EMULATOR_KERNELS_H
