//===- PassDebugging.cpp - MLIR's debugging options of qcc compile --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassDebugging.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassRegistry.h"
#include "qcc/Pipelines/Decisions.h"
#include "qcc/Pipelines/Register.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace qcc;
using namespace qcc::driver;

namespace {
struct DebuggingOption {
  const char *name;
  const char *value; ///< "" if the option takes none.
  const char *help;
};
} // namespace

/// The options that MLIR implements.
static constexpr DebuggingOption kOptions[] = {
    {"mlir-print-ir-before", "PASS[,...]",
     "Print the program to stderr before each of these passes"},
    {"mlir-print-ir-before-all", "",
     "Print the program to stderr before each pass"},
    {"mlir-print-ir-after", "PASS[,...]",
     "Print the program to stderr after each of these passes"},
    {"mlir-print-ir-after-all", "",
     "Print the program to stderr after each pass"},
    {"mlir-print-ir-after-change", "",
     "Of the passes above, print after those that changed the program"},
    {"mlir-print-ir-after-failure", "",
     "Print the program to stderr after a pass that failed"},
    {"mlir-timing", "", "Print to stderr the time of each pass"},
    {"mlir-pass-pipeline-crash-reproducer", "FILE",
     "If a pass fails or crashes, write the program before the stage and the "
     "stage's passes, for qcc-opt --run-reproducer"},
};

void PassDebugging::addOptions(tools::Arguments &arguments) {
  for (const DebuggingOption &option : kOptions) {
    std::string spelling = std::string("--") + option.name;
    auto add = [this, spelling](std::string_view value) {
      given.push_back(value.empty() ? spelling
                                    : spelling + "=" + std::string(value));
      return rt::Status::ok();
    };
    arguments.option(option.name, option.value, option.help, add);
    arguments.rules().exclude({option.name}, {"emit=import"},
                              "no pass runs before that stage ends");
  }
  arguments.flag("mlir-pass-statistics", "Print to stderr what passes count",
                 counts);
  arguments.option(
      "debug-only", "PASS[,...]",
      "Print to stderr what these passes decide, and why; PASS:2 also prints "
      "what PASS considers. Needs a build with assertions (preset dev)",
      [this](std::string_view value) {
        for (llvm::StringRef pass : llvm::split(llvm::StringRef(value), ','))
          deciders.push_back(pass.str());
        return rt::Status::ok();
      });
  for (const char *option : {"mlir-pass-statistics", "debug-only"})
    arguments.rules().exclude({option}, {"emit=import"},
                              "no pass runs before that stage ends");
  arguments.rules().needs({"mlir-print-ir-after-change"},
                          {"mlir-print-ir-after", "mlir-print-ir-after-all"});
}

/// Fails if a pass that `option` names does not exist.
static rt::Status checkPass(llvm::StringRef pass, const std::string &option) {
  if (mlir::PassInfo::lookup(pass))
    return rt::Status::ok();
  return rt::invalidArgument("'" + option +
                             "' names no pass; qcc-opt --help lists them");
}

/// Fails if `option`, one of MLIR's, names a pass that does not exist.
static rt::Status checkPasses(const std::string &option) {
  auto [name, value] = llvm::StringRef(option).split('=');
  if (name != "--mlir-print-ir-before" && name != "--mlir-print-ir-after")
    return rt::Status::ok();
  for (llvm::StringRef pass : llvm::split(value, ','))
    if (rt::Status status = checkPass(pass, option); !status.isOk())
      return status;
  return rt::Status::ok();
}

rt::Status PassDebugging::start() {
  if (!isGiven())
    return rt::Status::ok();
  registerAllPasses();
  for (const std::string &pass : deciders)
    if (rt::Status status = checkPass(llvm::StringRef(pass).split(':').first,
                                      "--debug-only=" + pass);
        !status.isOk())
      return status;
  if (!deciders.empty() && !printDecisions(deciders))
    return rt::invalidArgument(
        "--debug-only: this build of qcc has no assertions, and its passes "
        "have no messages; build the preset dev");
  if (counts)
    llvm::EnableStatistics(/*DoPrintOnExit=*/false);
  return given.empty() ? rt::Status::ok() : startMLIR();
}

rt::Status PassDebugging::startMLIR() {
  for (const std::string &option : given) {
    rt::Status status = checkPasses(option);
    if (!status.isOk())
      return status;
  }
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  mlir::registerAsmPrinterCLOptions();
  std::vector<const char *> words{"qcc compile"};
  // A program that is only looked at needs no constants.
  if (llvm::none_of(given, [](llvm::StringRef option) {
        return option.starts_with("--mlir-pass-pipeline-crash-reproducer");
      }))
    words.insert(words.end(), {"--mlir-elide-elementsattrs-if-larger=32",
                               "--mlir-elide-resource-strings-if-larger=64"});
  for (const std::string &option : given)
    words.push_back(option.c_str());
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  if (!llvm::cl::ParseCommandLineOptions(int(words.size()), words.data(), "",
                                         &stream))
    return rt::invalidArgument(llvm::StringRef(errors).trim().str());
  timing.emplace();
  mlir::applyDefaultTimingManagerCLOptions(*timing);
  whole = timing->getRootScope();
  return rt::Status::ok();
}

void PassDebugging::configure(mlir::PassManager &passes, Stage stage) {
  // Messages of functions that are compiled at once would be mixed.
  if (!deciders.empty())
    passes.getContext()->disableMultithreading();
  if (given.empty())
    return;
  if (mlir::failed(mlir::applyPassManagerCLOptions(passes)))
    return;
  ofStage = whole.nest(stageName(stage));
  passes.enableTiming(ofStage);
}

void PassDebugging::finish() {
  ofStage.stop();
  whole.stop();
  timing.reset();
  if (counts)
    llvm::PrintStatistics(llvm::errs());
}
