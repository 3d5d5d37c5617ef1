//===- qcc-opt.cpp - Runs passes on a file, for tests and exploration -----===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "qcc/Pipelines/Decisions.h"
#include "qcc/Pipelines/Register.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/WithColor.h"

namespace {
/// Prints what passes counted. MlirOptMain ends with llvm_shutdown, which would
/// take the counts along: it destroys what was made last first.
struct CountsPrinter {
  ~CountsPrinter() { llvm::PrintStatistics(llvm::errs()); }
};
} // namespace

static llvm::ManagedStatic<CountsPrinter> countsPrinter;

static void countFromNowOn() {
  llvm::EnableStatistics(/*DoPrintOnExit=*/false);
  (void)llvm::GetStatistics(); // which makes them
  (void)*countsPrinter;
}

/// Whether an option of MLIR is given.
static bool isGiven(llvm::StringRef option) {
  llvm::cl::Option *found = llvm::cl::getRegisteredOptions().lookup(option);
  return found && found->getNumOccurrences() > 0;
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  qcc::registerAllDialects(registry);
  qcc::registerAllPasses();
  // LLVM has the option itself if it was built with assertions.
  std::optional<llvm::cl::list<std::string>> debugOnly;
  if (!llvm::cl::getRegisteredOptions().contains("debug-only"))
    debugOnly.emplace(
        "debug-only", llvm::cl::CommaSeparated, llvm::cl::value_desc("pass"),
        llvm::cl::desc("Print what these passes decide, and why; needs a build "
                       "with assertions (preset dev)"));
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "qcc modular optimizer driver\n", registry);
  if (debugOnly && !debugOnly->empty() &&
      !qcc::printDecisions(std::vector<std::string>(*debugOnly))) {
    llvm::WithColor::error() << "--debug-only needs a build with assertions; "
                                "build the preset dev\n";
    return 1;
  }
  // MLIR counts nothing if LLVM was built without assertions; qcc always does.
  if (isGiven("mlir-pass-statistics"))
    countFromNowOn();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}
