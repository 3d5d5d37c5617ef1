//===- Remedies.h - Reasons of slow steps and edits -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why a step is not faster, which edit of the model makes it so, and what the
// step takes after this edit.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EXPLAIN_REMEDIES_H
#define QCC_EXPLAIN_REMEDIES_H

#include "qcc/Explain/Explain.h"
#include <optional>
#include <string>

namespace qcc {

struct SlowStep {
  std::string reason; ///< empty where the step is as fast as can be
  std::string remedy; ///< an edit of the model; empty where none is known
  /// The share of the step's expected time that the edit saves; nothing where
  /// the time after the edit is not known.
  std::optional<double> saving;

  /// The reason of `step`, whose `reads` are known.
  static SlowStep of(const StepExplanation &step);
};

} // namespace qcc

#endif // QCC_EXPLAIN_REMEDIES_H
