//===- Passes.td - Passes that make the program ------------*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of qcc/Transforms/Passes.td, which includes this file.
//
//===----------------------------------------------------------------------===//

def LowerEntries : Pass<"lower-entries", "::mlir::ModuleOp"> {
  let summary = "Entries to a plan function, step functions of the ABI and a table";
  let description = [{
    An entry, by now a list of calls and index arithmetic, is taken apart: the
    arithmetic goes into `<entry>.plan`, which fills the values table of abi; each call
    becomes `<entry>.stepN.run`, which reads its buffers and sizes from the frame
    (qcc/Artifact/ABI.h) and calls the step. The constants become the weights: each
    gets a place in one blob, which is written with the artifact. What the descriptor
    will say stands in the module's attributes `qcc.entries` and `qcc.weights`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}
