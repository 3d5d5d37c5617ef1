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

def QNNFoldConstants : Pass<"qnn-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "qnn ops and data movement on constants to constants (N5, N6)";
  let description = [{
    `qnn.quantize`, `dequantize`, `requantize`, `clamp` and `lookup` of constants,
    inline or in a resource, are evaluated exactly; so are casts to storage,
    reshapes and slices of constants. Weights are constants of their storage type
    afterwards. Runs after `qnn-integerize-contractions`, which wants to see the
    dequantized weights.

    ```mlir
    %w = arith.constant dense<[[1.0, -2.0]]> : tensor<1x2xf32>
    %q = qnn.quantize %w : tensor<1x2xf32> -> tensor<1x2x!quant.uniform<i8:f32, 0.5>>
    %s = quant.scast %q : tensor<1x2x!quant.uniform<i8:f32, 0.5>> to tensor<1x2xi8>
    ```
    becomes
    ```mlir
    %s = arith.constant dense<[[2, -4]]> : tensor<1x2xi8>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}
