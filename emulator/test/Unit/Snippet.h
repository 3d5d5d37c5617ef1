//===- Snippet.h - Small kernels in tests -----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a kernel with everything around it: registers %p, %rs, %r, %rd,
// %f and %fd, and in
//   %r1    the thread's number in its CTA, %r2 that in the grid
//   %rd1   the address of `out`, %rd2 of `in`
//   %rd3   the address of the thread's word of `out`
// `out` is a buffer of zeros, `in` one with the bytes that the test gives.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_EMULATOR_SNIPPET_H
#define QCC_TEST_UNIT_EMULATOR_SNIPPET_H

#include "qcc/Emulator/Emulator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qcc::emu::test {

struct Snippet {
  std::string body;
  std::string module;          ///< Before the kernel: variables, functions.
  std::string chip = "sm_100"; ///< One that has every instruction.
  Dim3 grid{1, 1, 1}, block{32, 1, 1};
  Dim3 cluster{0, 0, 0};
  int64_t shared = 0;
  std::vector<uint8_t> in = std::vector<uint8_t>(4096);
  int64_t outBytes = 4096;
  LaunchOptions options;

  explicit Snippet(std::string body) : body(std::move(body)) {}

  std::string text() const;
  /// The line of the text on which the body starts.
  int firstLine() const;

  struct Outcome {
    std::string failure; ///< Of loading or launching; empty: it ran.
    std::vector<Report> reports;
    Counters counters;
    std::vector<uint8_t> bytes; ///< Of out.

    uint32_t word(int i) const;
    uint64_t wide(int i) const;
    /// The names of the kinds of reports, with blanks between.
    std::string kinds() const;
  };
  Outcome run() const;
};

/// The only report of a snippet, which has to run.
Report onlyReport(const Snippet &snippet);
/// Expects that a snippet runs and has no report.
void expectNone(const Snippet &snippet);

/// The outcome of a snippet without reports, the same for eight seeds.
Snippet::Outcome outcomeOfAllSeeds(Snippet snippet);

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace qcc::emu::test

#define EXPECT_PART(TEXT, PART)                                                \
  EXPECT_TRUE(qcc::emu::test::contains(TEXT, PART)) << (TEXT)

#endif // QCC_TEST_UNIT_EMULATOR_SNIPPET_H
