//===- Steps.h - Steps at the speed of memory -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A suite of programs instead of shapes: a folder of MLIR files, each of whose
// functions is a step that reads and writes more than a cache holds. It is
// measured beside a copy of as many bytes. docs/Benchmarking.md describes both.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_BENCH_STEPS_H
#define QCC_TOOLS_QCC_BENCH_STEPS_H

#include "Bench.h"

namespace qcc::bench {

/// A function of a suite, with the aliases of its file.
struct StepProgram {
  std::string name;
  std::string text;
};

/// The functions of a text, which begin with "func.func" and end with "}" at
/// the beginnings of lines. Fails without any function.
llvm::Expected<std::vector<StepProgram>> splitSteps(llvm::StringRef text);

/// The folder or file of a suite of steps: of a name beside the program, or of
/// a path that ends in .mlir. Nothing for suites of shapes.
std::optional<std::string> findStepSuite(const std::string &name);

/// The steps of all files, by name of the file.
llvm::Expected<std::vector<StepProgram>> loadSteps(const std::string &path);

/// What is known of a step after it was measured.
struct StepRow {
  std::string name;
  /// Of the inputs and of the results.
  int64_t bytesRead = 0, bytesWritten = 0;
  double compileSeconds = 0;
  tools::TimedRun qcc, copy;
  /// The time of the copy over that of the step: median and quartiles of the
  /// ratios within a round.
  double share = 0, shareLow = 0, shareHigh = 0;
};

/// Compiles a step, compares its results with the reference, and measures it.
llvm::Expected<StepRow> runStep(const StepProgram &step,
                                const Options &options);

/// Runs the steps whose names contain the filter. Returns the exit code.
int runSteps(const std::string &path, const Options &options);

} // namespace qcc::bench

#endif // QCC_TOOLS_QCC_BENCH_STEPS_H
