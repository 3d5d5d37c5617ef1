//===- qcc-lsp-server.cpp - Editors' view of qcc programs -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Server.h"
#include "common/ExitCodes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "qcc/Pipelines/Register.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"

/// MLIR's own server, for the dialects of qcc, with its command line.
static int serveMLIR(int argc, char **argv) {
  // Options of LLVM's passes, which are in the same process, but no help here.
  for (auto &option : llvm::cl::getRegisteredOptions())
    if (option.first != "help")
      option.second->setHiddenFlag(llvm::cl::ReallyHidden);
  mlir::DialectRegistry registry;
  qcc::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}

/// Whether an argument asks for something else than serving an editor: for
/// help, the version, or the form of messages in MLIR's tests.
static bool isForMLIR(llvm::StringRef argument) {
  argument = argument.ltrim('-');
  return argument.starts_with("help") || argument == "version" ||
         argument.starts_with("lit-test") || argument == "pretty" ||
         argument.starts_with("input-style");
}

/// The whole tool. In the wheels it is part of libqcc, which main.cpp calls.
extern "C" __attribute__((visibility("default"))) int
qccLspServerMain(int argc, char **argv) {
  if (llvm::any_of(llvm::ArrayRef(argv, argc).drop_front(), isForMLIR))
    return serveMLIR(argc, argv);
  // Exit code 1 is that of a wrong option, with which LLVM ends the process.
  auto serve = [&] {
    return serveMLIR(argc, argv) == 0 ? qcc::tools::ExitSuccess
                                      : qcc::tools::ExitFailed;
  };
  return qcc::lsp::Server(serve).run();
}
