//===- CaseList.cpp - Many runs in one process ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseList.h"

#include "common/TestData.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace qcc;
using namespace qcc::tools;

RunCommand::RunCommand()
    : arguments("qcc-run",
                "Runs programs that `qcc compile -o MODEL.so` made.") {
  arguments.positional("MODEL.so", file);
  arguments.insteadOfPositionals("cases");
  addRunArguments(arguments, options);
  std::vector<std::string> others = {"MODEL.so"};
  for (const Arguments::Option &option : arguments.options())
    if (option.name != "device")
      others.push_back(option.name);
  arguments.text("cases", "FILE",
                 "Run each line of a file as the arguments of qcc-run, in one "
                 "process, and say which lines fail",
                 cases);
  arguments.rules().exclude({"cases"}, others,
                            "each line of the file has its own arguments");
  arguments.example("qcc-run model.so --input=x.npy --output=y.npy");
  arguments.example("qcc-run model.so --input=random --dim=1024 --profile");
  arguments.example("qcc-run model.so --test-data=DIR");
  arguments.example("qcc-run model.so --list");
  arguments.example("qcc-run --cases=cases.txt --device=cuda");
}

namespace {
/// Runs cases one after the other, and keeps the artifact of the last one open.
class CaseRunner {
public:
  CaseRunner(rt::ModuleOptions device, std::FILE *ignored)
      : moduleOptions_(std::move(device)), ignored_(ignored) {}

  rt::Status run(const std::string &line);

private:
  rt::Status open(const RunCommand &command);

  rt::ModuleOptions moduleOptions_;
  std::FILE *ignored_; ///< takes what the runs print
  std::string openFile_, openVariant_;
  ModulePtr module_;
};
} // namespace

rt::Status CaseRunner::open(const RunCommand &command) {
  if (module_ && command.file == openFile_ &&
      command.options.variant == openVariant_)
    return rt::Status::ok();
  module_ = nullptr;
  rt::ModuleOptions options = moduleOptions_;
  options.variant = command.options.variant;
  rt::Result<ModulePtr> opened = rt::Module::open(command.file, options);
  if (!opened.isOk())
    return opened.status();
  module_ = *std::move(opened);
  openFile_ = command.file;
  openVariant_ = command.options.variant;
  return rt::Status::ok();
}

rt::Status CaseRunner::run(const std::string &line) {
  std::istringstream words(line);
  std::vector<std::string> given = {"qcc-run"};
  for (std::string word; words >> word;)
    given.push_back(word);
  std::vector<const char *> argv;
  for (const std::string &word : given)
    argv.push_back(word.c_str());

  RunCommand command;
  rt::Status status = command.arguments.parse(int(argv.size()), argv.data());
  if (!status.isOk())
    return status;
  if (!command.cases.empty() || command.arguments.isGiven("device"))
    return rt::invalidArgument("a case takes neither --cases nor --device");
  command.options.files.reads(command.file, "the program");
  status = checkOptions(command.options);
  if (status.isOk())
    status = open(command);
  if (!status.isOk())
    return status;
  if (!command.options.testData.empty()) {
    std::string reason = "a test of --test-data fails";
    auto report = [&](const std::string &message) {
      reason = message;
      return 1;
    };
    return runTestData(module_, command.options, ignored_, report) == 0
               ? rt::Status::ok()
               : rt::invalidArgument(reason);
  }
  return runModule(module_, command.file, command.options, std::nullopt,
                   ignored_);
}

rt::Status tools::runCases(RunCommand &command, std::FILE *out) {
  std::ifstream file(command.cases);
  if (!file)
    return rt::ioError("'" + command.cases +
                       "' cannot be read: " + strerror(errno));
  rt::Result<rt::ModuleOptions> moduleOptions =
      moduleOptionsOf(command.options);
  if (!moduleOptions.isOk())
    return moduleOptions.status();
  std::FILE *ignored = std::fopen("/dev/null", "w");
  if (!ignored)
    return rt::ioError("'/dev/null' cannot be written");

  CaseRunner runner(*moduleOptions, ignored);
  unsigned numPassed = 0, numFailed = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    rt::Status status = runner.run(line);
    ++(status.isOk() ? numPassed : numFailed);
    if (!status.isOk())
      fprintf(out, "FAIL: %s: %s\n", line.c_str(), status.message().c_str());
  }
  std::fclose(ignored);
  fprintf(out, "%u passed, %u failed\n", numPassed, numFailed);
  if (numPassed + numFailed == 0)
    return rt::invalidArgument("'" + command.cases + "' has no case");
  return numFailed == 0
             ? rt::Status::ok()
             : rt::invalidArgument(std::to_string(numFailed) + " cases fail");
}
