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
#include "common/TestData.h"
#include "qcc/Runtime/HostFeatures.h"
#include "qcc/Support/FileFormat.h"

#include <cstdio>

using namespace qcc;
using namespace qcc::tools;

static int reportError(const std::string &message) {
  printError("qcc-run", message);
  return 1;
}

/// The tool, once the process is set up; returns the exit code.
static int runTool(int argc, char **argv) {
  if (!rt::HostFeatures::hostStatus().isOk())
    return reportError(rt::HostFeatures::hostStatus().message());
  RunCommand command;
  if (std::optional<int> code =
          command.arguments.answer(argc, argv, QCC_VERSION))
    return *code;
  RunOptions &options = command.options;
  const std::string &file = command.file;
  if (!command.cases.empty()) {
    rt::Status status = runCases(command, stdout);
    if (status.isOk())
      status = flushStandardOutput();
    return status.isOk() ? 0 : reportError(status.message());
  }
  options.files.reads(file, "the program");
  rt::Status status = checkOptions(options);
  if (!status.isOk())
    return reportError(status.message());

  rt::Result<rt::ModuleOptions> moduleOptions = moduleOptionsOf(options);
  if (!moduleOptions.isOk())
    return reportError(moduleOptions.message());
  if (!isArtifact(file))
    if (auto reason = refuseFileFormat(file, FileUse::Artifact))
      return reportError("'" + file + "': " + *reason);
  rt::Result<ModulePtr> module = rt::Module::open(file, *moduleOptions);
  if (!module.isOk())
    return reportError(module.message());
  if (!options.testData.empty()) {
    int code = runTestData(*module, options, stdout, reportError);
    status = flushStandardOutput();
    return status.isOk() ? code : reportError(status.message());
  }
  status = runModule(*std::move(module), file, options, std::nullopt, stdout);
  if (status.isOk())
    status = flushStandardOutput();
  return status.isOk() ? 0 : reportError(status.message());
}

int main(int argc, char **argv) {
  ignoreWriteSignals();
  return runWithLargeStack("qcc-run", [&] { return runTool(argc, argv); });
}
