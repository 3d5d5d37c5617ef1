//===- MutantTests.cpp - Thousands of damaged programs --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same mutants in every run. That nothing crashes is what counts; besides,
// each refusal must name a place in the text.
//
//===----------------------------------------------------------------------===//

#include "Mutant.h"

#include <gtest/gtest.h>
#include <regex>

using namespace qcc::emu;

TEST(Mutants, AreRefusedOrRun) {
  std::vector<std::string> corpus = test::fuzzCorpus(QCC_TEST_EMULATOR_DIR);
  ASSERT_GE(corpus.size(), 10u);
  // Large files give the same mutants at a higher price.
  corpus.erase(std::remove_if(
                   corpus.begin(), corpus.end(),
                   [](const std::string &text) { return text.size() > 32000; }),
               corpus.end());
  std::mt19937 random(1);
  int loaded = 0, refused = 0, launches = 0;
  const std::regex place("^mutant\\.ptx:[0-9]+:[0-9]+: .+");
  for (int i = 0; i < 4000; ++i) {
    std::string mutant =
        test::mutate(corpus[random() % corpus.size()], corpus, random);
    test::MutantFate fate = test::runMutant(mutant, uint64_t(i));
    launches += fate.launches;
    if (fate.isLoaded) {
      ++loaded;
      continue;
    }
    ++refused;
    std::string first = fate.error.substr(0, fate.error.find('\n'));
    ASSERT_TRUE(std::regex_search(first, place)) << fate.error << "\nin\n"
                                                 << mutant;
  }
  // Both ways are taken often, or the test says little.
  EXPECT_GT(loaded, 400);
  EXPECT_GT(refused, 400);
  EXPECT_GT(launches, 400);
}

// Every beginning of a program: nothing reads past the end.
TEST(Mutants, TruncatedAnywhere) {
  std::vector<std::string> corpus = test::fuzzCorpus(QCC_TEST_EMULATOR_DIR);
  const std::string &text =
      *std::min_element(corpus.begin(), corpus.end(),
                        [](auto &a, auto &b) { return a.size() < b.size(); });
  for (size_t size = 0; size < text.size(); ++size)
    test::runMutant(std::string_view(text).substr(0, size), 1);
}
