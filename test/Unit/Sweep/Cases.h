//===- Cases.h - The programs of the sweep ----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that together cover every op over storage and result types, zero
// points, biases, clamps, where parameters come from, and sizes 1 ... 70 and
// primes. A program is one function whose rows are dynamic, so that one
// compiled kernel serves many cases: a case is a program, a number of rows and
// a fill.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_SWEEP_CASES_H
#define QCC_TEST_UNIT_SWEEP_CASES_H

#include "qcc-fuzz/Data.h"
#include <cstdint>
#include <string>
#include <vector>

namespace qcc::sweep {

using fuzz::Element;
using fuzz::Fill;

/// An argument of a program.
struct Input {
  Element element;
  std::vector<int64_t> shape; // -1: the number of rows of the case
  double low, high;           // the range of its values
  bool parameter = false; // a scale: filled at random whatever the case's fill
};

struct Program {
  std::string name;      // of the function
  std::string text;      // the function
  std::string resources; // entries of the module's builtin resources
  std::vector<Input> inputs;
  std::vector<int64_t> rows; // numbers of rows to run it with
};

/// Programs that one module holds.
struct Group {
  const char *name;
  std::vector<Program> programs;
  bool pinned = false; // with configs by chance (PinConfigs.h)
};

/// All of them, the same in every run.
std::vector<Group> makeGroups();

/// Some programs of each group, with few numbers of rows, for devices, which
/// run on the emulator.
std::vector<Group> makeDeviceGroups();

/// The module of some programs as MLIR text.
std::string moduleText(const std::vector<Program> &programs);

std::vector<Program> makeLinear();
std::vector<Program> makeMatmul();
/// Contractions with 1 to 5 rows or columns, and K from 1 to 130.
std::vector<Program> makeThin();
/// qnn.conv2d of one group, and of several: C from 1 to 70, kernels of 1 to 7,
/// strides and dilations of 1 to 3, any padding.
std::vector<Program> makeConvolution();
std::vector<Program> makeGrouped();
std::vector<Program> makeActivations();
/// Contractions of operands that lack rows or batches.
std::vector<Program> makeBroadcast();
std::vector<Program> makeFloatForms();
std::vector<Program> makeLinalg();

} // namespace qcc::sweep

#endif // QCC_TEST_UNIT_SWEEP_CASES_H
