//===- qcc-opt.cpp - Runs passes on a file, for tests and exploration -----===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "qcc/Pipelines/Register.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  qcc::registerAllDialects(registry);
  qcc::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "qcc modular optimizer driver\n", registry));
}
