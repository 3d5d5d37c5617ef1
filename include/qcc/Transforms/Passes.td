//===- Passes.td - Passes on linalg, kernel and memref programs -*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "mlir/Pass/PassBase.td"

def VerifyStage : Pass<"verify-stage", "::mlir::ModuleOp"> {
  let summary = "Rejects dialects that a stage does not allow";
  let description = [{
    Every op must belong to one of `dialects`; the message names the stage, the op and
    what is allowed.
  }];
  let options = [
    Option<"stage", "stage", "std::string", "", "Name of the stage, for the message">,
    ListOption<"dialects", "dialects", "std::string", "Dialects that are allowed">
  ];
}
