//===- Mutant.h - Damaged PTX -----------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes mutants of PTX texts, and puts any text through all of the emulator
// within small limits: what is malformed must be refused with a place, and
// whatever can be loaded must run without harm to the host.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_EMULATOR_FUZZ_MUTANT_H
#define QCC_TEST_UNIT_EMULATOR_FUZZ_MUTANT_H

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace qcc::emu::test {

/// One to four changes of a text: of characters, tokens, numbers and lines,
/// some taken from the other texts, or its end cut off.
std::string mutate(const std::string &text,
                   const std::vector<std::string> &others,
                   std::mt19937 &random);

/// What became of a text.
struct MutantFate {
  bool isLoaded = false;
  std::string error; ///< Of the parser.
  int launches = 0;  ///< Kernels that ran, to whatever end.
};

/// Loads a text and launches its kernels on a few threads and buffers.
MutantFate runMutant(std::string_view ptx, uint64_t seed);

/// All PTX files below emulator/test.
std::vector<std::string> fuzzCorpus(const std::string &folder);

} // namespace qcc::emu::test

#endif // QCC_TEST_UNIT_EMULATOR_FUZZ_MUTANT_H
