//===- Passes.td - Passes that give tensors memory ---------*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of qcc/Transforms/Passes.td, which includes this file.
//
//===----------------------------------------------------------------------===//

def MaterializeLoopResults : Pass<"materialize-loop-results", "::mlir::func::FuncOp"> {
  let summary = "Tensors that loops carry keep one memory";
  let description = [{
    What scf.for yields is materialized in its iteration argument, and what the body of
    scf.while yields in its own, where the condition hands over what the loop carries:
    bufferization need not choose between buffers at run time.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect"];
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

def BufferizeTensors : Pass<"bufferize-tensors", "::mlir::ModuleOp"> {
  let summary = "Tensors become memrefs";
  let description = [{
    Runs `eliminate-empty-tensors`, and `one-shot-bufferize` over functions with compact
    arguments, and says in words of programs what these cannot do: a loop or a branch that needs a tensor's old elements beside
    its new ones.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def HoistTemporaries : Pass<"hoist-temporaries", "::mlir::func::FuncOp"> {
  let summary = "Memory of temporaries out of loops and branches";
  let description = [{
    A temporary whose sizes do not depend on a loop is allocated before it, once for all
    iterations: each writes it before it reads it. What is handed from one iteration to
    the next stays. Memory is planned for allocations outside of loops only.

    ```mlir
    scf.for %i = ... {
      %t = memref.alloc(%n) : memref<?xf32>
    }
    ```
    becomes
    ```mlir
    %t = memref.alloc(%n) : memref<?xf32>
    scf.for %i = ... {
    }
    ```
  }];
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

def ExpandBorders : Pass<"expand-borders", "::mlir::func::FuncOp"> {
  let summary = "kernel.fill_border to a linalg.fill of each of its sides";
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
}
