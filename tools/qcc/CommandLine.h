//===- CommandLine.h - The options of the commands of qcc -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_COMMANDLINE_H
#define QCC_TOOLS_QCC_COMMANDLINE_H

#include "Driver.h"
#include "PassDebugging.h"
#include "common/Commands.h"

namespace qcc::driver {

/// The options of all commands; one of them is run.
struct CommandLine {
  ProgramOptions program;
  RunOptions run;
  DiffCommand diff;
  std::vector<std::string> others; ///< B of diff, if there is one
  std::string against;
  bool layers = false;
  /// Options of diff that the sides have in common.
  std::string entry;
  std::optional<double> tolerance;
  QuantizeCommand quantize;
  std::vector<std::string> serve; ///< what Python gets
  ExplainOptions explain;
  ReduceOptions reduce;
  TuneOptions tune;
  VerifyCommand verify;
  std::string output;
  CompileCommand compile;
  PassDebugging passes; ///< Of compile.
  std::string key;      ///< Of sign and verify-signature.
  bool ofONNX = false, ofStableHLO = false, ofTFLite = false; ///< Of ops.
};

/// Adds the options of the commands that compile programs.
void addCompilingOptions(tools::Arguments &arguments, ProgramOptions &program);
void addTuningDb(tools::Arguments &arguments, ProgramOptions &program);
/// The names of --mcpu.
std::vector<std::string> processors();
/// Adds those and the others of the commands that take one program.
void addProgramOptions(tools::Arguments &arguments, ProgramOptions &program);
/// Notes which of the options above the command line has.
void noteGiven(const tools::Arguments &arguments, ProgramOptions &program);

/// Adds the command diff.
void addDiff(tools::Commands &commands, CommandLine &line);

/// Adds the command serve.
void addServe(tools::Commands &commands, CommandLine &line);
/// Adds the command quantize.
void addQuantize(tools::Commands &commands, CommandLine &line);

/// Adds the command verify.
void addVerify(tools::Commands &commands, CommandLine &line);

} // namespace qcc::driver

#endif // QCC_TOOLS_QCC_COMMANDLINE_H
