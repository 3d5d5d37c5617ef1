//===- Data.h - Inputs of a case --------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills the inputs of a program for one case.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_SWEEP_DATA_H
#define QCC_TEST_UNIT_SWEEP_DATA_H

#include "Cases.h"
#include "qcc/Reference/Interpreter.h"

namespace qcc::sweep {

/// One run of a program.
struct Case {
  int64_t rows;
  Fill fill;
};

/// The cases of a program: its numbers of rows, every fill that tells apart.
std::vector<Case> casesOf(const Program &program);

/// The inputs of a case, the same in every run.
std::vector<reference::TensorValue> makeInputs(const Program &program,
                                               const Case &which);

} // namespace qcc::sweep

#endif // QCC_TEST_UNIT_SWEEP_DATA_H
