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
#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace qcc;
using namespace qcc::driver;

/// Whether Python can import the package.
static bool hasPackage(const std::string &python) {
  std::optional<llvm::StringRef> nowhere[] = {std::nullopt, "", ""};
  return llvm::sys::ExecuteAndWait(python, {python, "-c", "import qcc"},
                                   std::nullopt, nowhere) == 0;
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
  if (!hasPackage(*python))
    return reportError(
        tools::ExitFailed,
        what + " needs the package qcc of Python, which " + *python +
            " cannot import; run pip install qcc-compiler, or name a Python "
            "that has it in QCC_PYTHON");
  std::vector<const char *> words = {python->c_str(), "-m", "qcc"};
  for (const std::string &argument : arguments)
    words.push_back(argument.c_str());
  words.push_back(nullptr);
  // Python takes the place of this process, so signals and exit codes are its.
  finishOutput(tools::ExitSuccess);
  execv(python->c_str(), const_cast<char *const *>(words.data()));
  return reportError(tools::ExitFailed, *python + " cannot run qcc " +
                                            arguments.front() + ": " +
                                            strerror(errno));
}
