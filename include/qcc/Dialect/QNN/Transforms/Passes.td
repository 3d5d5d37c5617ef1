//===- Passes.td - Graph passes -*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "mlir/Pass/PassBase.td"

def QNNIntegerizeContractions : Pass<"qnn-integerize-contractions", "::mlir::func::FuncOp"> {
  let summary = "Contractions of dequantized values become integer contractions (N3)";
  let description = [{
    A `linalg` contraction of two dequantized values becomes the same contraction on
    the integers, with the zero points subtracted in its body, followed by
    `f32(acc) * (sx * sw)`; `qnn.linear` and `qnn.matmul` on dequantized operands take
    the quantized operands. A contraction that has dequantized operands but fails a
    condition of N3 stays and carries the reason in `qcc.refused`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
    "::mlir::quant::QuantDialect"
  ];
}

def QNNIntegerizeMaxima : Pass<"qnn-integerize-maxima", "::mlir::func::FuncOp"> {
  let summary = "Maxima of dequantized values become maxima of bytes";
  let description = [{
    A `linalg` op that takes maxima of values that were dequantized with one scale, such as
    a max pooling between `qnn.dequantize` and `qnn.quantize`, takes those of the stored
    bytes; its result is dequantized. The bits are the same, since dequantization keeps the
    order of numbers, as long as each maximum has one of these numbers: the padding, and what
    the op starts from, are constants that are no larger than any of them.

    ```mlir
    %x = qnn.dequantize %q : tensor<...x!quant.uniform<...>> -> tensor<...xf32>
    %y = linalg.pooling_nchw_max ins(%x, ...) outs(%minus_infinity)
    ```
    becomes
    ```mlir
    %m = linalg.generic ins(%bytes, ...) outs(%least) { arith.maxsi }
    %y = qnn.dequantize %m
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::mlir::quant::QuantDialect"
  ];
}
