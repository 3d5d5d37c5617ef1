//===- Passes.td - Passes that fold what is constant -------*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of qcc/Transforms/Passes.td, which includes this file.
//
//===----------------------------------------------------------------------===//

def ClampIndices : Pass<"clamp-indices", "::mlir::func::FuncOp"> {
  let summary = "Indices that depend on data are brought into range (N11)";
  let description = [{
    The index of an element is clamped to [0, size - 1], the offset of a slice of `count`
    elements at a distance of `stride` to [0, size - ((count - 1) * stride + 1)].

    ```mlir
    %r = tensor.extract %t[%i] : tensor<8xf32>
    ```
    becomes
    ```mlir
    %0 = arith.maxsi %i, %c0 : index
    %1 = arith.minsi %0, %c7 : index
    %r = tensor.extract %t[%1] : tensor<8xf32>
    ```
    What `insert-shape-checks` has checked stays, and so does what is in range by its
    type, its arithmetic, or the loop that counts it.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FoldByteFunctions : Pass<"fold-byte-functions", "::mlir::func::FuncOp"> {
  let summary = "Elementwise chains from a byte to a byte to tables";
  let description = [{
    What elementwise ops compute from one byte alone, and constants, and make a byte of
    again, is a function of 256 values: it is computed here for each of them, and becomes
    a `kernel.lookup`.

    ```mlir
    %0 = linalg.generic ins(%x : tensor<8xi8>) { (sitofp(extsi(%q)) - 3.0) * 0.1 }
    %1 = linalg.generic ins(%0 : tensor<8xf32>) { 1.0 / (1.0 + exp(-%v)) }
    %2 = linalg.generic ins(%0, %1 : tensor<8xf32>, tensor<8xf32>) { %v * %s }
    %y = linalg.generic ins(%2 : tensor<8xf32>) { trunci(fptosi(%v / 0.05)) }
    ```
    becomes
    ```mlir
    %y = linalg.generic ins(%x : tensor<8xi8>) { kernel.lookup %q, [...] }
    ```

    The chain begins as early as it can: it goes through other bytes on the way that
    nothing else reads. Tables are computed by the evaluator of constants from the
    operations of the chain, so that the program computes the same bits. A chain stays
    as it is where the target computes it faster than it looks it up
    (`Target::lookupCost`). One that gives each byte itself is left out.
  }];
  let options = [
    Option<"targetName", "target", "std::string", "",
           "Name of the target, where none was handed over in C++">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::qcc::kernel::KernelDialect"
  ];
}

def FoldWeightZeroPoints : Pass<"fold-weight-zero-points", "::mlir::func::FuncOp"> {
  let summary = "Constant weights less their zero points, as int8";
  let description = [{
    Where the body of a reduction subtracts a constant zero point from an element of a
    constant, of any form, and all differences fit in int8, the constant becomes the
    differences, as with weights of 4 bits. A constant with other users stays, and one of 4
    bits whose zero points vary along groups of K, unless the differences have 4 bits, too.

    ```mlir
    %w = arith.constant dense<[[7, 15]]> : tensor<1x2xi8>
    %s = linalg.generic ... ins(%x, %w : ...) { acc + extsi(x) * (extui(w) - 8) }
    ```
    becomes
    ```mlir
    %w = arith.constant dense<[[-1, 7]]> : tensor<1x2xi8>
    %s = linalg.generic ... ins(%x, %w : ...) { acc + extsi(x) * extsi(w) }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}
