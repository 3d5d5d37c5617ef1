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

def FormContractions : Pass<"form-contractions", "::mlir::func::FuncOp"> {
  let summary = "int8 contractions with their elementwise neighbours to kernel.contract";
  let description = [{
    A `linalg.generic` whose body is `acc + (extend(x) - zx) * (extend(w) - zw)` in i32
    becomes a `kernel.contract`. It takes in

    * its initial value: nothing for a fill with 0, the vector for a broadcast;
    * movement of its operands (transposes and broadcasts), into their maps;
    * the elementwise producer of an operand with no other use, as a prologue;
    * every elementwise consumer over the same space, as the epilogue: chains,
      several results, several uses of the accumulator, residual operands.

    A contraction that cannot be formed keeps the reason in `qcc.refused`.

    ```mlir
    %acc = linalg.generic ... ins(%x, %w) { acc + extsi(x) * extsi(w) }
    %y = linalg.generic ... ins(%acc, %b) { relu(sitofp(acc) + b) }
    ```
    becomes
    ```mlir
    %y = kernel.contract lhs(%x) rhs(%w) epilogue_ins(%b) ... epilogue { ... }
    ```
  }];
  let dependentDialects = ["::qcc::kernel::KernelDialect", "::mlir::tensor::TensorDialect"];
}

def SelectLoweringConfig : Pass<"select-lowering-config", "::mlir::func::FuncOp"> {
  let summary = "Decides how each contraction is computed";
  let description = [{
    Writes a `lowering_config` onto every `kernel.contract` that has none: the best
    atom of the target, its register tile, and blocks sized so that a block of the
    weight stays in the L2 cache. A config that is already there is a pinned one: it is
    checked against the target and kept. Everything after obeys the attribute.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"x86-64-v3\"",
           "LLVM processor name, where no target was handed over in C++">
  ];
  let dependentDialects = ["::qcc::kernel::KernelDialect"];
}

def PackOperands : Pass<"pack-operands", "::mlir::func::FuncOp"> {
  let summary = "Right operands of contractions in the layout their atom reads";
  let description = [{
    The right operand goes through `kernel.pack`, its prologue with it. Where it is a
    constant, inline or a resource, the packed form and the column sums are
    computed here and become constants themselves.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect", "::qcc::kernel::KernelDialect"
  ];
}
