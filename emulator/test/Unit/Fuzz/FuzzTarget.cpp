//===- FuzzTarget.cpp - libFuzzer on the emulator -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With -DQCC_BUILD_FUZZERS=ON -DQCC_SANITIZE=address and, for speed,
// -DQCC_BUILD_COMPILER=OFF:
//
//   mkdir corpus
//   bin/qcc-emulator-fuzz -max_total_time=300 -timeout=10 corpus FOLDERS
//
// where FOLDERS are emulator/test/Inputs and emulator/test/Bugs
//
//===----------------------------------------------------------------------===//

#include "Mutant.h"

#include <cstddef>
#include <cstring>

using namespace qcc::emu;

extern "C" __attribute__((visibility("default"))) int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  test::runMutant(text, size);
  return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

/// Mostly changes of tokens and lines: those of bytes seldom get past the
/// lexer.
extern "C" __attribute__((visibility("default"))) size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                        unsigned seed) {
  std::mt19937 random(seed);
  if (random() % 8 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  static const std::vector<std::string> corpus =
      test::fuzzCorpus(QCC_TEST_EMULATOR_DIR);
  std::string mutant = test::mutate(
      std::string(reinterpret_cast<const char *>(data), size), corpus, random);
  mutant.resize(std::min(mutant.size(), maxSize));
  memcpy(data, mutant.data(), mutant.size());
  return mutant.size();
}
