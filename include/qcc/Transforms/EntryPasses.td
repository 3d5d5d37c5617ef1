//===- EntryPasses.td - Passes on entries, steps and memory -*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of Passes.td, which includes this file.
//
//===----------------------------------------------------------------------===//

def AddResultDestinations : Pass<"add-result-destinations", "::mlir::func::FuncOp"> {
  let summary = "Results of entries become arguments that the caller provides";
  let description = [{
    Each tensor result gets a destination argument, and the function returns the
    dynamic sizes of its results, in order, instead:

    ```mlir
    func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xi8>
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<?x4xf32>, %y: tensor<?x4xi8>) -> (tensor<?x4xi8>, index)
    ```
    with the result materialized in `%y`. A result that is reshaped is materialized in its
    other shape in `%y`, reshaped as well, so that what computes it can write to `%y`.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PadInPlace : Pass<"pad-in-place", "::mlir::func::FuncOp"> {
  let summary = "Padding to borders of the buffers that are padded";
  let description = [{
    What is padded with one value by static amounts is computed inside of a buffer of the
    padded size, of which only the border is filled:

    ```mlir
    %x = kernel.contract ... outs(%0 : tensor<1x56x56x64xi8>)
    %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] { yield %zero }
    ```
    becomes
    ```mlir
    %1 = tensor.empty() : tensor<1x58x58x64xi8>
    %2 = kernel.fill_border %zero : i8 outs(%1 : ...) low [0, 1, 1, 0] high [0, 1, 1, 0]
    %3 = tensor.extract_slice %2[0, 1, 1, 0] [1, 56, 56, 64] [1, 1, 1, 1]
    %x = kernel.contract ... outs(%3 : tensor<1x56x56x64xi8>)
    %p = tensor.insert_slice %x into %2[0, 1, 1, 0] [1, 56, 56, 64] [1, 1, 1, 1]
    ```
    A tensor that is padded more than once, or an argument, is copied. Where there is
    nothing inside, all of the result is filled.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::qcc::kernel::KernelDialect"];
}

def ExpandBorders : Pass<"expand-borders", "::mlir::func::FuncOp"> {
  let summary = "kernel.fill_border to a linalg.fill of each of its sides";
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
}

def PlaceTemporaries : Pass<"place-temporaries", "::mlir::func::FuncOp"> {
  let summary = "Temporaries where they are copied to";
  let description = [{
    A temporary that is copied to a part of another one, as the inputs of a concatenation
    and what is padded, is that part from the start:

    ```mlir
    %0 = memref.alloc() : memref<1x16x16x32xi8>
    kernel.contract ... outs(%0)
    %1 = memref.alloc() : memref<1x16x16x64xi8>
    %2 = memref.subview %1[0, 0, 0, 32] [1, 16, 16, 32] [1, 1, 1, 1]
    memref.copy %0, %2
    ```
    becomes
    ```mlir
    %1 = memref.alloc() : memref<1x16x16x64xi8>
    %2 = memref.subview %1[0, 0, 0, 32] [1, 16, 16, 32] [1, 1, 1, 1]
    kernel.contract ... outs(%2)
    ```
    The copy stays where something else is written to the part, where the temporary is
    written again after it is copied, where its shape is collapsed across elements that the
    part does not have, and where sizes of the other temporary are not known yet.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

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

def PlanMemory : Pass<"plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Temporaries of an entry to offsets in one arena";
  let description = [{
    A temporary is alive from the first step that uses it to the last one. Temporaries that
    are alive at the same step are apart; others may have the same memory. They are stacked
    in an order: each lies right behind the highest of those before it in the order from
    which it has to be apart. An order is valid for all sizes, so that offsets may be
    computed for sizes that are known at run time only:

    ```mlir
    %a = memref.alloc(%m) : memref<?x64xi8>
    %b = memref.alloc() : memref<100xi8>
    ```
    becomes, where both are alive at once,
    ```mlir
    %0 = memref.view %arena[%c0][] : memref<?xi8> to memref<100xi8>
    %1 = memref.view %arena[%c128][%m] : memref<?xi8> to memref<?x64xi8>
    ```
    The order is chosen by the sizes of temporaries, or by examples of them where they are
    dynamic. All offsets are multiples of 64. The entry takes the arena as its last argument
    and returns last two indices: the most bytes that are alive at one step, and the size of
    the arena.
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
                           "::mlir::arith::ArithDialect"];
}
