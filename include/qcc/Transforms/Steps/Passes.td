//===- Passes.td - Passes that make and change steps -------*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of qcc/Transforms/Passes.td, which includes this file.
//
//===----------------------------------------------------------------------===//

def OutlineSteps : Pass<"outline-steps", "::mlir::ModuleOp"> {
  let summary = "Each piece of work of an entry to a function of its own";
  let description = [{
    An entry becomes a list of calls, its steps, between which threads meet, and the
    index arithmetic that they need. A step takes the buffers that it touches, the
    sizes that it uses, and last four indices: operations, bytes, thread, threads.
    Views and scalars are computed again in each step that uses them; a scalar that
    work of the program computes goes through a buffer. A border is filled in the step that
    writes what it surrounds; the two touch different memory, which `qcc.independent` on
    the step says. What the work was in the program stands on the call, so that calls may
    share a function later (`share-steps`).
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def DistributeSteps : Pass<"distribute-steps", "::mlir::func::FuncOp"> {
  let summary = "The parallel loop of a step over its threads";
  let description = [{
    Where the body of a step is one `scf.forall` and code without effects, or several of
    a step that is marked `qcc.independent`, thread t of T runs the iterations
    [count * t / T, count * (t + 1) / T) of each, and the step is marked `qcc.parallel`.
    Otherwise its loops are sequential and one thread runs it.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def AssignScratch : Pass<"assign-scratch", "::mlir::ModuleOp"> {
  let summary = "Stack buffers of steps to the scratch memory of their thread";
  let description = [{
    Each `memref.alloca` of a step becomes a view of its scratch memory, a buffer that
    the step takes as its first argument; `qcc.scratch` is its size. Stacks of host
    threads may be small. The operand of the call stands for it and is not used.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def ShareSteps : Pass<"share-steps", "::mlir::ModuleOp"> {
  let summary = "One function for steps that differ in literals only";
  let description = [{
    Steps whose code is equal but for literals become calls of one function, so that
    machine code is made and stored once: the layers of a network that have the same shape
    differ in scales, zero points and clamps. Literals that are not equal in all of them
    become arguments. The code has been chosen by then, by the literals of each step, so
    that steps for which other instructions were chosen remain apart.

    ```mlir
    func.func private @f.step0(%x: memref<16xf32>, ...) {
      %s = arith.constant dense<0.5> : vector<16xf32>
      ...
      %q = arith.mulf %v, %s : vector<16xf32>
    }
    func.func private @f.step1(%x: memref<16xf32>, ...) { ... dense<0.25> ... }
    ```
    becomes
    ```mlir
    func.func private @f.step0(%x: memref<16xf32>, %p: f32, ...) {
      %s = vector.broadcast %p : f32 to vector<16xf32>
      ...
      %q = arith.mulf %v, %s : vector<16xf32>
    }
    call @f.step0(%a, %half, ...) {qcc.kernel = {name = "f.step0", ...}}
    call @f.step0(%b, %quarter, ...) {qcc.kernel = {name = "f.step1", ...}}
    ```

    Only operands of sums, of products of floats, of choices and of stores become arguments,
    and bounds of clamps, which for floats become a comparison and a choice: for these an
    argument is as fast as a literal. Names, layers and places of steps stand on
    the calls.

    Without `literals` steps become one that have equal literals, too: then code is
    chosen once for all of them.
  }];
  let options = [
    Option<"literals", "literals", "bool", "true",
           "Whether steps that differ in literals become one">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}
