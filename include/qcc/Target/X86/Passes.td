//===- Passes.td - Passes of the x86 target -*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "mlir/Pass/PassBase.td"

def ConvertKernelToX86 : Pass<"convert-kernel-to-x86", "::mlir::func::FuncOp"> {
  let summary = "Kernel ops on memrefs to blocked vector loops with x86 instructions";
  let description = [{
    `kernel.contract` becomes an `scf.forall` over blocks, around a main loop of the
    atom that its `lowering_config` names, with the prologue applied to a panel of
    rows and the epilogue inlined on vectors; `kernel.pack` becomes loops.
  }];
  let dependentDialects = [
    "::mlir::amx::AMXDialect", "::mlir::arith::ArithDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def RoundByConversion : Pass<"round-by-conversion", "::mlir::func::FuncOp"> {
  let summary = "Vectors that are rounded and converted to i32, in one instruction";
  let description = [{
    `vcvtps2dq` rounds to nearest, ties to even, as `math.roundeven` does. Where the
    number fits an i32, `arith.fptosi` of it becomes `llvm.intr.lrint` of what is
    rounded.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
}

def LowerLookups : Pass<"lower-lookups", "::mlir::ModuleOp"> {
  let summary = "Tables of bytes to permutations of vectors, and to loads";
  let description = [{
    `kernel.lookup` of a vector becomes permutations of registers that hold the table:

    * `vpermi2b` of its halves and a choice by the highest bit, with AVX-512 VBMI;
    * `vpermi2w` of words, with AVX-512: a word has the elements of two bytes that
      differ in the lowest bit, by which it is shifted then. Bytes of even and of odd lanes
      are looked up in turn;
    * `vpshufb` of each 16 elements otherwise: what it makes of indices that are not of
      these 16 is 0, and the elements are exclusive-ors of those that are 16 apart.

    A lookup of a scalar becomes a load from a constant.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "Width of vector registers">,
    Option<"hasVBMI", "vbmi", "bool", "false", "Whether bytes of vectors can be permuted">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def RewriteAMXToVector : Pass<"rewrite-amx-to-vector", "::mlir::ModuleOp"> {
  let summary = "AMX tiles as vectors, for hosts without AMX";
  let description = [{
    Each tile becomes a vector for each of its rows, each integer product of tiles
    the exact wrapping sums

    ```
    acc[i][j] += sum over w, b of lhs[i][4 w + b] * rhs[w][4 j + b]
    ```

    with the signedness of the op. The kernels that run on hosts with AMX then run,
    slowly and with the same results, on any host. Ops that are alike call one function:

    ```mlir
    %a = amx.tile_load %A[%i, %j] : memref<?x?xi8> into !amx.tile<2x64xi8>
    ```
    ⇒
    ```mlir
    %a0, %a1 = call @amx.tile_load(%A, %i, %j)

    func.func private @amx.tile_load(%A: memref<?x?xi8>, %i: index, %j: index) {
      %a0 = vector.load %A[%i, %j] : memref<?x?xi8>, vector<64xi8>
      %i1 = arith.addi %i, %c1 : index
      %a1 = vector.load %A[%i1, %j] : memref<?x?xi8>, vector<64xi8>
      return %a0, %a1 : vector<64xi8>, vector<64xi8>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::amx::AMXDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}
