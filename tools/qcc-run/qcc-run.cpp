//===- qcc-run.cpp - Runs compiled programs -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `qcc run` for artifacts, where there is no compiler: it links the runtime and
// the emulator of GPUs alone.
//
//===----------------------------------------------------------------------===//

#include "CaseList.h"
#include "common/Arguments.h"
#include "common/LargeStack.h"
#include "common/Messages.h"
#include "common/SelfTest.h"
#include "common/TestData.h"
#include "qcc/Runtime/HostFeatures.h"
#include "qcc/Support/FileFormat.h"

#include <cstdio>

using namespace qcc;
using namespace qcc::tools;

static void report(const std::string &message) {
  printError("qcc-run", message);
}

/// Reports a failure, if it is one; returns the exit code.
static ExitCode reportStatus(const rt::Status &status) {
  if (!status.isOk())
    report(status.message());
  return exitCodeOf(status);
}

/// Runs an artifact as the options say; returns the exit code.
static ExitCode runArtifact(const std::string &file, RunOptions &options) {
  if (!isArtifact(file))
    if (auto reason = refuseFileFormat(file, FileUse::Artifact))
      return reportStatus(rt::invalidArgument("'" + file + "': " + *reason));
  if (options.selfTest)
    return runSelfTests(file, options, stdout, report);
  rt::Result<rt::ModuleOptions> moduleOptions = moduleOptionsOf(options);
  if (!moduleOptions.isOk())
    return reportStatus(moduleOptions.status());
  rt::Result<ModulePtr> module = rt::Module::open(file, *moduleOptions);
  if (!module.isOk())
    return reportStatus(module.status());
  if (!options.testData.empty())
    return runTestData(*module, options, stdout, report);
  rt::Result<Differences> differences = runModule(
      *std::move(module), file, options, std::nullopt, textStream(options));
  if (!differences.isOk() || differences->empty())
    return reportStatus(differences.status());
  report(*differences);
  return ExitDiffers;
}

/// The tool, once the process is set up; returns the exit code.
static int runTool(int argc, char **argv) {
  if (!rt::HostFeatures::hostStatus().isOk())
    return reportStatus(rt::HostFeatures::hostStatus());
  RunCommand command;
  if (std::optional<ExitCode> code =
          command.arguments.answer(argc, argv, QCC_VERSION))
    return *code;
  ExitCode code = ExitSuccess;
  if (!command.cases.empty()) {
    code = runCases(command, stdout, report);
  } else {
    command.options.versions = "qcc-run " QCC_VERSION;
    command.options.files.reads(command.file, "the program");
    rt::Status status = checkOptions(command.options);
    if (!status.isOk()) {
      report(status.message());
      return ExitUsage;
    }
    code = runArtifact(command.file, command.options);
  }
  rt::Status status = flushStandardOutput();
  return status.isOk() ? code : reportStatus(status);
}

int main(int argc, char **argv) {
  ignoreWriteSignals();
  return runWithLargeStack("qcc-run", [&] { return runTool(argc, argv); });
}
