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
