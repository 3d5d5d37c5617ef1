//===- Summary.h - Shares of work and reasons -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EXPLAIN_SUMMARY_H
#define QCC_EXPLAIN_SUMMARY_H

#include "qcc/Explain/Report.h"

namespace qcc {

/// What several steps do together.
struct WorkSum {
  unsigned steps = 0;
  /// Nothing where the work of one of them depends on dimensions that are not
  /// given.
  std::optional<int64_t> operations = 0, bytes = 0;
  /// The bytes of constants among these, and the seconds in which one thread
  /// reads them from memory.
  std::optional<int64_t> constantBytes = 0;
  std::optional<double> constantSeconds = 0;
  /// What the steps took in a measured run, and what the model expects of one
  /// thread (ExpectedTime.h). Nothing where it is not known of one of them.
  std::optional<double> measuredSeconds = 0, expectedSeconds = 0;

  void add(const StepExplanation &step);
};

/// The steps of an entry, by what computes them and by why they are not faster.
struct Summary {
  explicit Summary(const EntryReport &entry);

  struct Kind {
    std::string name; ///< "integer contractions by kernels"
    WorkSum sum;
  };
  struct Reason {
    std::string text;
    std::string remedy;             ///< a change of the model, or empty
    std::vector<std::string> steps; ///< their names
    WorkSum sum;
    /// What the reason costs: the seconds that the remedy is expected to save,
    /// of those that were measured or, without a profile, of those that are
    /// expected. Nothing where the time after the remedy is not known.
    std::optional<double> costSeconds = 0;
  };

  WorkSum total;
  /// Both have the most expensive first: by time where steps were measured, or
  /// else by the expected time. Without it, by the larger of the shares of
  /// operations and of bytes.
  std::vector<Kind> kinds;
  std::vector<Reason> reasons;

  llvm::json::Object toJson() const;
};

/// What `qcc explain --fail-on` refuses.
enum class Unwanted {
  FloatContraction,   ///< a contraction of floats, by a kernel or not
  GenericContraction, ///< a contraction that no kernel computes
  Generic,            ///< any step that generic loops compute
  Packing,            ///< packing of an operand at each call
};

/// The names of --fail-on: "float-contraction", ...
llvm::ArrayRef<llvm::StringLiteral> unwantedNames();
std::optional<Unwanted> unwantedNamed(llvm::StringRef name);

bool isUnwanted(const StepExplanation &step, Unwanted what);

} // namespace qcc

#endif // QCC_EXPLAIN_SUMMARY_H
