//===- qcc-lsp-server.cpp - Editors' view of qcc programs -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "qcc/Pipelines/Register.h"
#include "llvm/Support/CommandLine.h"

/// The whole tool. In the wheels it is part of libqcc, which main.cpp calls.
extern "C" __attribute__((visibility("default"))) int
qccLspServerMain(int argc, char **argv) {
  // Options of LLVM's passes, which are in the same process, but no help here.
  for (auto &option : llvm::cl::getRegisteredOptions())
    if (option.first != "help")
      option.second->setHiddenFlag(llvm::cl::ReallyHidden);
  mlir::DialectRegistry registry;
  qcc::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
