//===- DiffModel.cpp - qcc diff --against ---------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Other implementations of ONNX are packages of Python, so the comparison with
// one is made there, by the package qcc: `python -m qcc diff`.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace qcc;
using namespace qcc::driver;

/// The arguments of `python -m qcc diff`; fails where an option has another
/// form there.
static rt::Result<std::vector<std::string>>
argumentsOf(const ModelDiffCommand &command) {
  std::vector<std::string> arguments = {"diff", command.model,
                                        "--against=" + command.against,
                                        "--mcpu=" + command.mcpu};
  if (command.layers)
    arguments.push_back("--layers");
  if (command.tolerance)
    arguments.push_back("--tolerance=" + std::to_string(*command.tolerance));
  if (!command.html.empty())
    arguments.push_back("--html=" + command.html);
  const tools::InputSources &sources = command.sources;
  for (const std::string &input : sources.inputs) {
    llvm::StringRef file = llvm::StringRef(input).split(':').second;
    if (!file.ends_with(".npy"))
      return rt::invalidArgument("'--input=" + input +
                                 "' must be NAME:FILE.npy with --against, or "
                                 "left out: then all inputs are random");
    arguments.push_back("--input=" + input);
  }
  if (!sources.sizes.dims.empty() || !sources.sizes.shapes.empty())
    return rt::invalidArgument(
        "--against takes sizes of dimensions by the names that the model has "
        "for them, as in --dim=batch=1");
  for (const auto &[name, size] : sources.sizes.named)
    arguments.push_back("--dim=" + name + "=" + std::to_string(size));
  return arguments;
}

/// Runs Python, and waits for it; its exit code, or a negative number if it
/// could not be run or crashed.
static int runPython(llvm::StringRef python,
                     llvm::ArrayRef<std::string> arguments, bool isQuiet,
                     std::string &error) {
  llvm::SmallVector<llvm::StringRef> all = {python};
  all.append(arguments.begin(), arguments.end());
  std::optional<llvm::StringRef> nowhere[] = {std::nullopt, "", ""};
  return llvm::sys::ExecuteAndWait(
      python, all, std::nullopt,
      isQuiet ? llvm::ArrayRef<std::optional<llvm::StringRef>>(nowhere)
              : llvm::ArrayRef<std::optional<llvm::StringRef>>(),
      0, 0, &error);
}

int driver::runModelDiff(const ModelDiffCommand &command) {
  rt::Result<std::vector<std::string>> arguments = argumentsOf(command);
  if (!arguments.isOk())
    return reportUsage(arguments.status());
  std::string name =
      llvm::sys::Process::GetEnv("QCC_PYTHON").value_or("python3");
  llvm::ErrorOr<std::string> python = llvm::sys::findProgramByName(name);
  if (!python || !llvm::sys::fs::can_execute(*python))
    return reportError(tools::ExitFailed,
                       "--against needs Python, but there is no program '" +
                           name + "'; install it, or name one in QCC_PYTHON");
  std::string error;
  if (runPython(*python, {"-c", "import qcc"}, true, error) != 0)
    return reportError(
        tools::ExitFailed,
        "--against needs the package qcc of Python, which " + *python +
            " cannot import; run pip install qcc-compiler, or name a Python "
            "that has it in QCC_PYTHON");
  std::vector<std::string> all = {"-m", "qcc"};
  all.insert(all.end(), arguments->begin(), arguments->end());
  int code = runPython(*python, all, false, error);
  if (code < 0)
    return reportError(tools::ExitFailed,
                       *python + " cannot compare the model: " + error);
  return code;
}
