//===- PythonCommand.cpp - Commands that the package qcc of Python runs ---===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace qcc;
using namespace qcc::driver;

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

int driver::runPythonCommand(const std::string &what,
                             const std::vector<std::string> &arguments) {
  std::string name =
      llvm::sys::Process::GetEnv("QCC_PYTHON").value_or("python3");
  llvm::ErrorOr<std::string> python = llvm::sys::findProgramByName(name);
  if (!python || !llvm::sys::fs::can_execute(*python))
    return reportError(tools::ExitFailed,
                       what + " needs Python, but there is no program '" +
                           name + "'; install it, or name one in QCC_PYTHON");
  std::string error;
  if (runPython(*python, {"-c", "import qcc"}, true, error) != 0)
    return reportError(
        tools::ExitFailed,
        what + " needs the package qcc of Python, which " + *python +
            " cannot import; run pip install qcc-compiler, or name a Python "
            "that has it in QCC_PYTHON");
  std::vector<std::string> all = {"-m", "qcc"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  int code = runPython(*python, all, false, error);
  if (code < 0)
    return reportError(tools::ExitFailed, *python + " cannot run qcc " +
                                              arguments.front() + ": " + error);
  return code;
}
