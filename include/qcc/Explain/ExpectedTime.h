//===- ExpectedTime.h - Expected seconds of a step --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model of the seconds that one thread takes for a step. A kernel takes what
// its strategy expects; loops take their operations on vectors; both take at
// least the time of their bytes. docs/Rationale/Explain.md compares the model
// with profiles.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EXPLAIN_EXPECTEDTIME_H
#define QCC_EXPLAIN_EXPECTEDTIME_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "qcc/Target/Target.h"
#include <optional>

namespace qcc {

struct StepExplanation;

/// Sets the expected seconds of `explanation`, whose amounts of work are known.
/// `call` runs `step` in an entry after stage buffer. The seconds stay unknown
/// if the amounts depend on dimensions that are not given. They also do for
/// loops and branches of the program, and on a target of unknown speed.
void expectTime(StepExplanation &explanation, mlir::func::CallOp call,
                mlir::func::FuncOp step, const Target &target);

} // namespace qcc

#endif // QCC_EXPLAIN_EXPECTEDTIME_H
