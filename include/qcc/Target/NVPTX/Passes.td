//===- Passes.td - Passes of the NVPTX target -*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "mlir/Pass/PassBase.td"

def DivideContractions : Pass<"divide-contractions", "::mlir::func::FuncOp"> {
  let summary = "Contractions whose config says several kernels";
  let description = [{
    A contraction with `few_rows` becomes one for each of these configs and one for the config
    itself, of which the guard of one holds at run time.

    A contraction with `parts` becomes two steps: sums of products of each part, in a temporary,
    by a contraction with a further batch loop over parts, and an elementwise op that adds
    them, with what belongs to all of K and the epilogue. Sums wrap, so that the order does not
    matter. The packed operand stays as it is: the parts are views of it.

    ```mlir
    kernel.contract lhs(%x : memref<8x512xi8>) rhs(%w : memref<32x128x1xi32>) ...
      outs(%y : memref<8x32xf32>) {lowering_config = #nvptx.config<..., parts = 2, ...>}
    ```
    ⇒
    ```mlir
    %sums = memref.alloc() : memref<2x8x32xi32>
    kernel.contract lhs(%x : memref<8x512xi8>) rhs(%parts : memref<2x32x64x1xi32, strided<...>>)
      outs(%sums : memref<2x8x32xi32>)
      {indexing_maps = [(m, n, k, part) -> (m, 256 * part + k), ...], ...}
    linalg.generic ins(%sum0, %sum1 : ...) outs(%y : memref<8x32xf32>)
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::qcc::nvptx::NVPTXDialect"
  ];
}

def ConvertKernelToNVPTX : Pass<"convert-kernel-to-nvptx", "::mlir::func::FuncOp"> {
  let summary = "Kernel ops on memrefs to loops over threads or blocks";
  let description = [{
    `kernel.contract` becomes an `scf.forall` with an iteration for each thread, or an
    `nvptx.blocks` with a block for each tile, as its `lowering_config` says: prologues are
    applied to elements as they are loaded, and the epilogue to the accumulator in its
    register. `kernel.pack` becomes an `scf.forall` with 32 iterations for each column, which
    one warp runs, or an `nvptx.blocks` with a block for each 32 columns where elements of
    these lie side by side: shared memory turns them.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::qcc::nvptx::NVPTXDialect"
  ];
}

def LowerLinalgToThreads : Pass<"lower-linalg-to-threads", "::mlir::func::FuncOp"> {
  let summary = "linalg ops on memrefs to loops over threads";
  let description = [{
    An op whose results lie side by side along another dimension than an input becomes an
    `nvptx.blocks`: each block copies a tile of the input to shared memory, in the order of
    the input, and computes in the order of the results. Any other op becomes an `scf.forall`
    with one counter, whose iterations are threads:

    * a float reduction has 32 for each result, the lanes of N8: a lane folds its elements
      in order, and the tree exchanges values between the threads of a warp;
    * an elementwise op has one for each 16 bytes of its narrowest result, where rows of all
      operands are multiples of as many elements: whole words of 16 bytes are loaded and
      stored;
    * any other op has one for each result, which runs reductions in the order of the
      iteration space.

    Threads that follow each other compute results that do so in memory, so that what they
    read and write together is whole sectors where operands are contiguous.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::qcc::nvptx::NVPTXDialect"
  ];
}

def OutlineKernels : Pass<"outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Steps of entries to kernels of a device, and calls to launches";
  let description = [{
    The function of each step moves into the module `@kernels`, with pointers and sizes as
    parameters, and its call becomes a `kernel.launch`. Each iteration of its loops over
    threads is one of a thread of the grid, which has as many as the loop with the most
    iterations, in blocks of 128; the blocks of `nvptx.blocks` are those of the grid, and say
    themselves how many threads and how much shared memory they have. The entry computes the
    number of blocks. A step without any of these is scalar code, which one thread runs.

    Tensor work inside of loops and branches of the program is an error.

    With `programmatic`, kernels start while the kernel before them ends (programmatic
    dependent launch). Each waits for those before it ahead of its first access to memory that
    is neither shared nor a constant.

    ```mlir
    call @main.step0(%x, %y, %operations, %bytes, %c0, %c1) : ...
    func.func private @main.step0(%x: memref<?xf32>, %y: memref<?xf32>, ...) {
      %n = memref.dim %x, %c0 : memref<?xf32>
      scf.forall (%i) in (%n) { ... }
    }
    ```
    ⇒
    ```mlir
    kernel.launch @kernels::@main_step0 grid %blocks block 128 shared 0 ... (%x, %y)
    module @kernels {
      func.func @main_step0(%x: !llvm.ptr<1>, %n: i64, %y: !llvm.ptr<1>, %m: i64) {
        %exists = arith.cmpi slt, %thread, %size
        scf.if %exists { ... }
      }
    }
    ```
  }];
  let options = [
    Option<"programmatic", "programmatic", "bool", /*default=*/"false",
           "Let kernels start while the kernel before them ends, which needs sm_90">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::qcc::kernel::KernelDialect"
  ];
}
