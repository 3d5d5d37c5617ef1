//===- MutantTests.cpp - Damaged text and bytecode ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A damaged program is refused or compiled; nothing crashes, hangs or takes all
// of the memory. Some hundred in each run, the same ones; QCC_MUTANTS asks for
// more and QCC_MUTANT_SEED for others. Those that fail are written to the
// current folder.
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
                         const std::vector<std::string> &seeds, Mutate mutate,
                         bool mayHang = false) {
  ASSERT_GE(seeds.size(), 20u);
  unsigned seed = fromEnvironment("QCC_MUTANT_SEED", 1);
  count = fromEnvironment("QCC_MUTANTS", count);
  unsigned fates[4] = {};
  for (unsigned i = 0; i < count; ++i) {
    std::mt19937 random(seed * 1000003 + i);
    std::string mutant = mutate(seeds[random() % seeds.size()], seeds, random);
    Fate fate = compileMutant(mutant);
    ++fates[static_cast<int>(fate)];
    if (fate != Fate::Crashed && (fate != Fate::Hung || mayHang))
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

namespace {
struct Seeds {
  std::vector<std::string> text =
      readSeeds({QCC_SOURCE_DIR "/docs/examples", QCC_SOURCE_DIR "/test"});
  std::vector<std::string> bytecode = acceptSeeds(text);
};
} // namespace

static const Seeds &seeds() {
  static const Seeds all;
  return all;
}

TEST(Mutants, Text) { checkMutants("text", 200, seeds().text, mutateText); }

// MLIR's reader goes through as many elements as damaged bytecode claims to
// have, of which there may be 2^60.
TEST(Mutants, Bytecode) {
  checkMutants("bytecode", 150, seeds().bytecode, mutateBytes,
               /*mayHang=*/true);
}
