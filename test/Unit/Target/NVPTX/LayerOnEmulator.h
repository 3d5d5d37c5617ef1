//===- LayerOnEmulator.h - Layers with pinned configs -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linear layers for NVIDIA chips, on the emulator: what they compute, and what
// their kernels execute.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_TARGET_NVPTX_LAYERONEMULATOR_H
#define QCC_TEST_UNIT_TARGET_NVPTX_LAYERONEMULATOR_H

#include "qcc/Base/Status.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Emulator/Emulator.h"
#include "qcc/Emulator/TimeModel.h"
#include <functional>
#include <gtest/gtest.h>

namespace qcc::test {

struct Layer {
  int64_t m, n, k;
  std::string chip = "sm_80", config = {}; // empty: the model chooses
  std::string zeroPoint = {};              // ":3", or none
  bool isDynamic = false;                  // rows
  std::string weightZeroPoint = {};        // as zeroPoint
};

/// A layer that is compiled once: quantized, with a bias for each column and a
/// ReLU.
class LayerTest : public testing::Test {
protected:
  using Edit = std::function<std::string(const std::string &)>;

  void compile(const Layer &given);
  /// Runs it, with `rows` where they are dynamic; `result` is then what it
  /// computes, `launches` has the counters of its kernels, and `counters` is
  /// those of the last one that multiplies. `edit` changes the code before it
  /// is loaded.
  rt::Status run(uint64_t seed = 0, Edit edit = {}, int64_t rows = 0);
  /// What another config computes, for the same chip.
  std::vector<int8_t> resultOf(const std::string &config, int64_t rows = 0);

  /// Of threads, behind all loops over K.
  double instructionsAfterLoops() const;
  /// What the time model says of all kernels, in cycles.
  double cycles() const;
  /// Whether each barrier and wait matters: without it there is a report or
  /// another result, with some seed.
  void expectAllMatter(const Layer &given, size_t fewest);

  /// A config that a strategy lists for the layer, and the time that the cost
  /// model expects.
  struct Listed {
    std::string config;
    double cycles;
  };

  Layer layer;
  /// Those that the model may choose, the best first.
  std::vector<Listed> listed;
  Artifact artifact;
  std::string code;
  std::vector<int8_t> result;
  std::vector<emu::Counters> launches;
  emu::Counters counters;
};

} // namespace qcc::test

#endif // QCC_TEST_UNIT_TARGET_NVPTX_LAYERONEMULATOR_H
