//===- MutantTests.cpp - Damaged text and bytecode ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A damaged program is refused or compiled; nothing crashes, hangs or takes all
// of the memory. The same hundreds in each run; QCC_MUTANTS asks for more and
// QCC_MUTANT_SEED for others. Those that fail are written to the current
// folder.
//
//===----------------------------------------------------------------------===//

#include "Mutant.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

using namespace qcc::test;

static unsigned fromEnvironment(const char *name, unsigned fallback) {
  const char *text = getenv(name);
  return text ? static_cast<unsigned>(atoi(text)) : fallback;
}

template <typename Mutate>
static void checkMutants(const std::string &kind, unsigned count,
                         const std::vector<std::string> &seeds, Mutate mutate) {
  ASSERT_GE(seeds.size(), 20u);
  unsigned seed = fromEnvironment("QCC_MUTANT_SEED", 1);
  count = fromEnvironment("QCC_MUTANTS", count);
  unsigned fates[4] = {};
  for (unsigned i = 0; i < count; ++i) {
    std::mt19937 random(seed * 1000003 + i);
    std::string mutant = mutate(seeds[random() % seeds.size()], seeds, random);
    Fate fate = compileMutant(mutant);
    ++fates[static_cast<int>(fate)];
    if (fate != Fate::Crashed && fate != Fate::Hung)
      continue;
    std::string path =
        kind + "-" + std::to_string(seed) + "-" + std::to_string(i) + ".mlir";
    std::ofstream(path, std::ios::binary) << mutant;
    ADD_FAILURE() << (fate == Fate::Hung ? "hangs: " : "crashes: ") << path;
  }
  std::printf("%u refused, %u compiled, %u crashed, %u hung\n", fates[0],
              fates[1], fates[2], fates[3]);
  // Both ways are taken, or the test says little.
  EXPECT_GT(fates[0], 0u);
  EXPECT_GT(fates[1], 0u);
}

/// Named one by one: with other files, the mutants would be others.
static const char *const seedFiles[] = {
    "docs/examples/asymmetric.mlir",
    "docs/examples/classifier_f32.mlir",
    "docs/examples/classifier_int8.mlir",
    "docs/examples/dynamic_quant.mlir",
    "docs/examples/mlp_f16.mlir",
    "docs/examples/mlp_f32.mlir",
    "docs/examples/tf_linear.mlir",
    "docs/examples/tf_linear_weight_arg.mlir",
    "test/Conversion/QNNToLinalg/elementwise.mlir",
    "test/Conversion/QNNToLinalg/quantize.mlir",
    "test/Dialect/QNN/ops.mlir",
    "test/Frontend/MLIR/valid.mlir",
    "test/Integration/X86/broadcast-rows.mlir",
    "test/Integration/X86/calls-and-loops.mlir",
    "test/Integration/X86/constant-operands.mlir",
    "test/Integration/X86/dynamic-k.mlir",
    "test/Integration/X86/initial-values.mlir",
    "test/Integration/X86/integer-division.mlir",
    "test/Integration/X86/moved-scales.mlir",
    "test/Integration/X86/per-channel-values.mlir",
    "test/Integration/X86/saturated-results.mlir",
    "test/Integration/X86/shapes.mlir",
    "test/Integration/X86/softmax.mlir",
};

namespace {
struct Seeds {
  Seeds() {
    for (const char *file : seedFiles)
      readSeeds(std::string(QCC_SOURCE_DIR "/") + file, text);
    bytecode = acceptSeeds(text);
  }

  std::vector<std::string> text, bytecode;
};
} // namespace

static const Seeds &seeds() {
  static const Seeds all;
  return all;
}

TEST(Mutants, Text) { checkMutants("text", 400, seeds().text, mutateText); }

TEST(Mutants, Bytecode) {
  checkMutants("bytecode", 250, seeds().bytecode, mutateBytes);
}

/// Of one program in eight, in text and in bytecode.
TEST(Mutants, Truncations) {
  for (const auto *programs : {&seeds().text, &seeds().bytecode})
    for (size_t i = 0; i < programs->size(); i += 8)
      if (std::optional<size_t> length = findFatalTruncation((*programs)[i]))
        ADD_FAILURE() << "the first " << *length << " bytes crash of:\n"
                      << (*programs)[i];
}
