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

def BlockRows : Pass<"block-rows", "::mlir::func::FuncOp"> {
  let summary = "Attentions and norms by blocks of rows";
  let description = [{
    A contraction of two activations, such as the scores of an attention, often gives
    more than a cache holds. The ops that follow, as far as they compute rows from rows of
    it, become one loop over blocks of rows, whose temporaries stay in the cache:

    ```mlir
    %s = memref.alloc() : memref<12x1024x1024xf32>
    %p = memref.alloc() : memref<12x1024x1024xi8>
    kernel.contract lhs(%q) rhs(%k) outs(%s)
    linalg.generic ins(%s) outs(%p)
    kernel.contract lhs(%p) rhs(%v) outs(%y)
    ```
    becomes
    ```mlir
    scf.forall (%h, %m) = (0, 0) to (12, 1024) step (1, 32) {
      %s = memref.alloca() : memref<1x32x1024xf32>
      %p = memref.alloca() : memref<1x32x1024xi8>
      kernel.contract lhs(%q[%h, %m, 0]) rhs(%k[%h, ...]) outs(%s)
      linalg.generic ins(%s) outs(%p)
      kernel.contract lhs(%p) rhs(%v[%h, ...]) outs(%y[%h, %m, 0])
    }
    ```
    where brackets stand for subviews. Each op computes the same elements in the same
    order as before. Ops between the members, such as a `kernel.pack`, run before the
    loop. The steps stay apart if their temporaries fit the cache of a core, if the size
    of a row is not known, or if the target runs steps on a device.

    Reductions of rows and the ops around them, such as a residual and its layer norm,
    become such a loop as well, if two of them read or write the same rows. The rows of a
    block then fit the L1 cache, so that memory is read and written once. Rows of windows,
    such as those of an average pooling, are lines of an image. The ops stay apart if the
    elements of a row do not lie side by side.
  }];
  let options = [
    Option<"targetName", "target", "std::string", "",
           "Name of the target, where none was handed over in C++">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::qcc::kernel::KernelDialect"];
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

def FindInPlaceResults : Pass<"find-in-place-results", "::mlir::ModuleOp"> {
  let summary = "Results that may share the memory of an argument";
  let description = [{
    A result that starts as a copy of an argument and is then updated, such as the cache of
    a decoder, may lie in the memory of the argument: the copy is then idle. The pass notes
    such arguments on destinations (`qcc.in_place`), and the copies (`qcc.idle_in_place`),
    which code for a processor leaves out where the caller gives both the same memory:

    ```mlir
    func.func @f(%x: memref<8x64xf32>, ..., %y: memref<8x64xf32> {qcc.result}) {
      call @f.step0(%x, %y)       // copies
      call @f.step1(..., %y)      // writes some rows
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: memref<8x64xf32>, ..., %y: memref<8x64xf32> {qcc.in_place = 0 : index, qcc.result}) {
      call @f.step0(%x, %y) {qcc.idle_in_place}
      call @f.step1(..., %y)
    }
    ```
    The argument may have fewer elements in some dimension, where the rest of the result is
    filled first. A result stays apart if something else is written to it before the
    argument, or if a step reads the argument after the result has changed. The pass does
    not run for devices, where a kernel would copy a tensor to itself.
  }];
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
