//===- Passes.td - Conversions between dialects -*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "mlir/Pass/PassBase.td"

def ConvertQNNToLinalg : Pass<"convert-qnn-to-linalg", "::mlir::ModuleOp"> {
  let summary = "qnn to linalg and arith, quantized types to their storage";
  let description = [{
    Every `qnn` op becomes `linalg.generic` ops that spell out its formula: i32
    accumulation, explicit rounding and saturation (N2, N5, N6). Quantized and
    unsigned element types become signless storage, at function boundaries too; an
    argument or result whose type changes keeps the original as the attribute
    `qcc.type`, and one of an entry the name that its location gives it as `qcc.name`. Constant resources keep their bytes. What windows ask of dynamic sizes
    is left as `cf.assert` for `insert-shape-checks`.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def QNNFoldConstants : Pass<"qnn-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "qnn ops and data movement on constants to constants (N5, N6)";
  let description = [{
    Elementwise `qnn` ops of constants, inline or in a resource, are evaluated exactly;
    so are casts to storage, reshapes and slices of constants, and generics that take some
    of the elements of a constant, such as every other one. Weights are constants of
    their storage type afterwards. Runs after `qnn-integerize-contractions`, which wants
    to see the dequantized weights.

    An op is evaluated by what `convert-qnn-to-linalg` makes of it.

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
  let options = [
    Option<"keepNarrow", "keep-narrow", "bool", "false",
           "Leave large weights of float contractions quantized; the target decides">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def QNNQuantizeBeforeMaxima : Pass<"qnn-quantize-before-maxima", "::mlir::func::FuncOp"> {
  let summary = "Quantized maxima of floats to maxima of quantized floats";
  let description = [{
    Where the result of a `linalg` op that takes maxima, such as a max pooling, is
    quantized with one constant scale and read by nobody else, its operand is quantized
    instead, and the op takes maxima of bytes. The bits are the same: quantization keeps
    the order of numbers, and infinities saturate. What the op starts from and pads with
    has to be quantized to the least integer, which maxima of bytes start from; so windows
    of padding alone give the same as well.

    A NaN would not keep its place, being quantized to the zero point. So the operand must
    not be NaN, as ranges of numbers prove from the ops that compute it: integers times
    finite scales, constants, clamps. Where that or something else fails the op stays as
    it is, and `qcc.refused` says why. Runs after `qnn-integerize-contractions`, since what
    a contraction of dequantized values gives is finite, and after `qnn-fold-constants`.

    ```mlir
    %m = linalg.pooling_nchw_max ins(%x, ...) outs(%minus_infinity)
    %q = qnn.quantize %m : tensor<...xf32> -> tensor<...x!quant.uniform<...>>
    ```
    becomes
    ```mlir
    %b = qnn.quantize %x : tensor<...xf32> -> tensor<...x!quant.uniform<...>>
    %q = linalg.generic ins(%bytes, ...) outs(%least) { arith.maxsi }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::mlir::quant::QuantDialect"
  ];
}

def LegalizeFloat : Pass<"legalize-float", "::mlir::ModuleOp"> {
  let summary = "Float arithmetic in the fixed sequences of N4, N7 and N8";
  let description = [{
    After this pass every float operation is one IEEE operation that all targets
    compute alike: `math` functions are expanded to the sequences of N8, f16 and bf16
    operations widen to f32, do one operation and round, `fptosi` and `fptoui` saturate,
    float contractions are chains of `math.fma`, and fast-math flags are gone. An
    operation that has no such form is rejected.

    Conversions between f32 and bf16 are done on integers, unless the target has
    instructions for them.

    Which ops are float reductions (N8) is decided here, before anything rewrites their
    bodies: the combining operation of each output stays and is marked `qcc.combine`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let options = [
    Option<"hasBF16Instructions", "bf16-instructions", "bool", "false",
           "Leave conversions between f32 and bf16 to instructions of the target">
  ];
}

def LegalizeInteger : Pass<"legalize-integer", "::mlir::ModuleOp"> {
  let summary = "Shifts and divisions that are defined for every operand (N8)";
  let description = [{
    A shift by the width or more and `INT_MIN / -1` are poison in `arith`, and a division
    by zero would end the process. Where the second operand is not a constant that
    excludes these cases, selects make the result that of N8; a division or a
    remainder by zero gives 0. Flags that make poison of an overflow are dropped.

    ```mlir
    %r = arith.shli %x, %n : i32
    ```
    becomes
    ```mlir
    %s = arith.shli %x, %n : i32
    %in = arith.cmpi ult, %n, %c32 : i32
    %r = arith.select %in, %s, %c0 : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ReplaceBF16Type : Pass<"replace-bf16-type", "::mlir::ModuleOp"> {
  let summary = "bf16 values as i16 in the llvm dialect";
  let description = [{
    After `legalize-float` no operation computes on bf16: values are loaded, moved,
    selected, bitcast and stored. LLVM calls a library function where such a value
    crosses basic blocks on a CPU without bf16 arithmetic. So this pass, which runs on
    the `llvm` dialect, gives bf16 values the type `i16` for every target.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}
