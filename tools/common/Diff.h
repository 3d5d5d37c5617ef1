//===- Diff.h - Two programs side by side -----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both programs run on one input. What they compute is compared value by value
// (Match.h), as real numbers: a quantized value is dequantized first. A is what
// is expected: errors are B's distance from it.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_DIFF_H
#define QCC_TOOLS_COMMON_DIFF_H

#include "common/Compare.h"
#include "common/Execution.h"
#include "common/Inputs.h"
#include "common/Match.h"
#include "qcc/Support/Json.h"

namespace qcc::tools {

struct DiffSide {
  std::string name; ///< for people: the file, and the processor
  ModulePtr module;
};

struct DiffOptions {
  std::string entryA, entryB;
  InputSources sources;
  unsigned threads = 0;
  /// Of the largest magnitude of A's value; see Compare.h.
  double tolerance = 0;
};

/// What came of a matched value.
struct DiffValue {
  Difference difference;
  /// The first element that differs, "[0, 3]: 1.25 instead of 1.5".
  std::string first;
  /// Why it cannot be compared: "other shape", "no scale"; or empty.
  std::string reason;
};

struct DiffReport {
  const rt::Entry *entryA = nullptr, *entryB = nullptr;
  Matching matching;
  std::vector<DiffValue> values; ///< one for each of the matching
  /// The first value that differs.
  std::optional<size_t> first;
};

rt::Result<DiffReport> diffModules(const DiffSide &a, const DiffSide &b,
                                   const DiffOptions &options);

std::string diffText(const DiffSide &a, const DiffSide &b,
                     const DiffReport &report);
Json diffJson(const DiffSide &a, const DiffSide &b, const DiffReport &report);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_DIFF_H
