//===- CaseList.cpp - Many runs in one process ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseList.h"

#include "common/TestData.h"

#include <algorithm>
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
  arguments.example("qcc-run model.so --self-test");
  arguments.example("qcc-run --cases=cases.txt --device=cuda");
  arguments.epilogue(exitCodesHelp);
}

namespace {
/// Runs cases one after the other, and keeps the artifact of the last one open.
class CaseRunner {
public:
  CaseRunner(rt::ModuleOptions device, std::FILE *ignored)
      : moduleOptions_(std::move(device)), ignored_(ignored) {}

  /// Returns the exit code of a case, and why it fails.
  std::pair<ExitCode, std::string> run(const std::string &line);

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

std::pair<ExitCode, std::string> CaseRunner::run(const std::string &line) {
  std::istringstream words(line);
  std::vector<std::string> given = {"qcc-run"};
  for (std::string word; words >> word;)
    given.push_back(word);
  std::vector<const char *> argv;
  for (const std::string &word : given)
    argv.push_back(word.c_str());

  RunCommand command;
  rt::Status status = command.arguments.parse(int(argv.size()), argv.data());
  if (status.isOk() &&
      (!command.cases.empty() || command.arguments.isGiven("device")))
    status = rt::invalidArgument("a case takes neither --cases nor --device");
  command.options.files.reads(command.file, "the program");
  if (status.isOk())
    status = checkOptions(command.options);
  if (status.isOk() && command.options.selfTest)
    status = rt::invalidArgument("a case does not take --self-test");
  if (!status.isOk())
    return {ExitUsage, status.message()};
  status = open(command);
  if (!status.isOk())
    return {exitCodeOf(status), status.message()};
  if (!command.options.testData.empty()) {
    std::string reason;
    ExitCode code =
        runTestData(module_, command.options, ignored_,
                    [&](const std::string &message) { reason = message; });
    return {code, reason};
  }
  rt::Result<Differences> differences =
      runModule(module_, command.file, command.options, std::nullopt, ignored_);
  if (!differences.isOk())
    return {exitCodeOf(differences.status()), differences.message()};
  return {differences->empty() ? ExitSuccess : ExitDiffers, *differences};
}

ExitCode
tools::runCases(RunCommand &command, std::FILE *out,
                const std::function<void(const std::string &)> &report) {
  auto fail = [&](const rt::Status &status) {
    report(status.message());
    return exitCodeOf(status);
  };
  std::ifstream file(command.cases);
  if (!file)
    return fail(rt::notFound("'" + command.cases +
                             "' cannot be read: " + strerror(errno)));
  rt::Result<rt::ModuleOptions> moduleOptions =
      moduleOptionsOf(command.options);
  if (!moduleOptions.isOk())
    return fail(moduleOptions.status());
  std::FILE *ignored = std::fopen("/dev/null", "w");
  if (!ignored)
    return fail(rt::ioError("'/dev/null' cannot be written"));

  CaseRunner runner(*moduleOptions, ignored);
  unsigned numPassed = 0, numFailed = 0;
  ExitCode worst = ExitSuccess;
  for (std::string line; std::getline(file, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    auto [code, reason] = runner.run(line);
    worst = std::max(worst, code);
    ++(code == ExitSuccess ? numPassed : numFailed);
    if (code != ExitSuccess)
      fprintf(out, "FAIL: %s: %s\n", line.c_str(), reason.c_str());
  }
  std::fclose(ignored);
  fprintf(out, "%u passed, %u failed\n", numPassed, numFailed);
  if (numPassed + numFailed == 0)
    return fail(rt::invalidArgument("'" + command.cases + "' has no case"));
  if (numFailed > 0)
    report(std::to_string(numFailed) + " cases fail");
  return worst;
}
