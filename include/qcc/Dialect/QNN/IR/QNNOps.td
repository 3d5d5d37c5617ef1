//===- QNNOps.td - The qnn dialect -------------------------*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantized layers on tensors. Labels N1 ... N9 are those of docs/Numerics.md.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_QNNOPS_TD
#define QCC_DIALECT_QNN_IR_QNNOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "qcc/Dialect/QNN/IR/QNNInterfaces.td"

def QNN_Dialect : Dialect {
  let name = "qnn";
  let cppNamespace = "::qcc::qnn";
  let summary = "Quantized linear layers on tensors";
  let description = [{
    A quantized tensor stands for `real = scale * (stored - zero_point)` (N1).
    The parameters are carried in one of two ways:

    * by the type: `tensor<4x8x!quant.uniform<i8:f32, 0.05:3>>`, per tensor or
      per channel;
    * by operands, for parameters that are known only at run time: the tensor is
      then `tensor<4x8xi8>` (int8) or `tensor<4x8xui8>` (uint8) and the op has a
      scale operand and, where it is not zero, a zero point operand.

    Parameter operands have one of these shapes, for a tensor of rank r:

    * scalar: `f32`, `tensor<f32>` or `tensor<1xf32>`: one for the whole tensor;
    * `tensor<Cxf32>`: one per channel along the op's channel axis;
    * per row: rank r, the last dimension 1, the others those of the tensor
      (`tensor<Mx1xf32>` for `tensor<MxKxi8>`);
    * per group: rank r, the last dimension a divisor of the tensor's, the others those
      of the tensor (`tensor<MxLxf32>`). Each element belongs to K / L consecutive
      elements of a row. Only `qnn.linear` takes this form.

    Scales are f32. Zero points are i32, or of the element type of the tensor
    (i8 or ui8).
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::quant::QuantDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def QNN_ScaleParam : AnyTypeOf<[F32, RankedTensorOf<[F32]>],
    "f32 or ranked tensor of f32">;
def QNN_ZeroPointParam
    : AnyTypeOf<[I32, RankedTensorOf<[I32, I8, UI<8>]>],
                "i32 or ranked tensor of i32, i8 or ui8">;
def QNN_Tensor : RankedTensorOf<[AnyType]>;

class QNN_Op<string mnemonic, list<Trait> traits = []>
    : Op<QNN_Dialect, mnemonic, !listconcat([Pure], traits)> {
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// What elementwise ops are made of
//===----------------------------------------------------------------------===//

/// A tensor of an elementwise op, named as its accessor: "Lhs" for `$lhs`. `rest` is what
/// QuantTensor says of its parameters.
class QNN_ElementwiseTensor<string accessor, string rest> {
  string cpp = "{\"" # !tolower(accessor) # "\", get" # accessor # "()" # rest # "}";
}

/// Real numbers.
class QNN_Real<string accessor> : QNN_ElementwiseTensor<accessor, "">;

/// Quantized, per tensor or per row; the parameters are in the type or in the operands
/// `$scale` and `$zero_point`, whose accessors begin with `prefix`.
class QNN_Quantized<string accessor, string prefix = "",
                    string forms = "QuantForms::perTensorOrRow()">
    : QNN_ElementwiseTensor<accessor,
        ", get" # prefix # "Scale(), get" # prefix # "ZeroPoint(), " # forms>;

/// Quantized, also per channel along `$axis`, and optionally with i32 storage.
class QNN_QuantizedAnyhow<string accessor, string prefix = "", bit orInt32 = 0>
    : QNN_Quantized<accessor, prefix,
        "QuantForms::any(get" # accessor # "(), getAxis())" # !if(orInt32, ".orInt32()", "")>;

/// Stored integers, whose parameters do not matter.
class QNN_Stored<string accessor>
    : QNN_ElementwiseTensor<accessor, ", {}, {}, QuantForms::stored()">;

/// Quantized if the type says so.
class QNN_OfType<string accessor>
    : QNN_ElementwiseTensor<accessor, ", {}, {}, QuantForms::ofType(get" # accessor # "())">;

/// An op of ElementwiseOpInterface. `tensors` are its tensors in order, the result last;
/// what else it has may be parameters of these or operands of its formula.
class QNN_ElementwiseOp<string mnemonic, list<QNN_ElementwiseTensor> tensors,
                        list<Trait> traits = []>
    : QNN_Op<mnemonic, !listconcat(traits, [QNN_ElementwiseOpInterface])> {
  /// Whether it has the attribute `$axis`.
  bit hasAxis = 0;
  /// Whether the result is the value of the first tensor, only quantized (again).
  bit onlyQuantizes = 0;
  /// Whether operands are broadcast to the shape of the result.
  bit broadcastsOperands = 0;

  /// Only for what the interface does not check.
  let hasVerifier = 0;
  let extraClassDeclaration =
      "::llvm::SmallVector<QuantTensor> getTensors() {\n  return {"
      # !interleave(!foreach(tensor, tensors, tensor.cpp), ", ") # "};\n}\n"
      # !if(hasAxis, "::std::optional<uint64_t> getChannelAxis() { return getAxis(); }\n", "")
      # !if(onlyQuantizes, "bool onlyQuantizes() { return true; }\n", "")
      # !if(broadcastsOperands, "bool broadcasts() { return true; }\n", "");
}

//===----------------------------------------------------------------------===//
// Between real and quantized
//===----------------------------------------------------------------------===//

def QNN_QuantizeOp : QNN_ElementwiseOp<"quantize", [
    QNN_Real<"Input">, QNN_QuantizedAnyhow<"Result">],
    [AttrSizedOperandSegments]> {
  let summary = "real numbers to int8 or uint8";
  let description = [{
    `result = saturate(rint(x / scale) + zero_point)` (N5): a correctly rounded
    f32 division, rounded half to even, the zero point added in integer, then
    saturated to the storage range. NaN gives the zero point. f16 and bf16
    inputs are widened to f32 first.

    With `zero_point_before_rounding`, `saturate(rint(x / scale + zero_point))`,
    the form some frameworks use; it differs at ties with an odd zero point.

    Constraints:
    * (C1) input and result have the same shape.
    * (C2) exactly one of: result of quantized type, or `scale` given and the
      result of element type i8 or ui8.
    * (C3) the parameters fit the result: per tensor, per channel along `axis`
      (operand form; the type's own axis otherwise; default the last dimension)
      or per row.
    * (C4) scales are normal, positive and finite (N9); zero points lie in the
      storage range.

    Example:

    ```mlir
    %q = qnn.quantize %x : tensor<4x8xf32> -> tensor<4x8x!quant.uniform<i8:f32, 5.000000e-02:3>>
    %d = qnn.quantize %x scale(%s : tensor<4x1xf32>) : tensor<4x8xf32> -> tensor<4x8xi8>
    ```
  }];
  let arguments = (ins RankedTensorOf<[F16, BF16, F32]>:$input,
                       Optional<QNN_ScaleParam>:$scale,
                       Optional<QNN_ZeroPointParam>:$zero_point,
                       OptionalAttr<I64Attr>:$axis,
                       UnitAttr:$zero_point_before_rounding);
  let results = (outs QNN_Tensor:$result);
  let assemblyFormat = [{
    $input (`scale` `(` $scale^ `:` type($scale) `)`)?
    (`zero_point` `(` $zero_point^ `:` type($zero_point) `)`)?
    attr-dict `:` type($input) `->` type($result)
  }];
  let hasAxis = 1;
  let onlyQuantizes = 1;
}

def QNN_DequantizeOp : QNN_ElementwiseOp<"dequantize", [
    QNN_QuantizedAnyhow<"Input", "", /*orInt32=*/1>, QNN_Real<"Result">],
    [AttrSizedOperandSegments]> {
  let summary = "int8, uint8 or int32 to real numbers";
  let description = [{
    `result = f32(q - zero_point) * scale` (N6). An f16 or bf16 result is rounded
    once from the f32 value (N7). An i32 input (a bias or an accumulator) has
    zero point 0.

    Constraints: (C1) to (C4) of `qnn.quantize`, with the parameters on the
    input; storage may also be i32.

    Example:

    ```mlir
    %x = qnn.dequantize %q : tensor<4x8x!quant.uniform<u8:f32, 5.000000e-02:128>> -> tensor<4x8xf32>
    %b = qnn.dequantize %c scale(%s : tensor<8xf32>) : tensor<8xi32> -> tensor<8xf32>
    ```
  }];
  let arguments = (ins QNN_Tensor:$input,
                       Optional<QNN_ScaleParam>:$scale,
                       Optional<QNN_ZeroPointParam>:$zero_point,
                       OptionalAttr<I64Attr>:$axis);
  let results = (outs RankedTensorOf<[F16, BF16, F32]>:$result);
  let assemblyFormat = [{
    $input (`scale` `(` $scale^ `:` type($scale) `)`)?
    (`zero_point` `(` $zero_point^ `:` type($zero_point) `)`)?
    attr-dict `:` type($input) `->` type($result)
  }];
  let hasAxis = 1;
}

def QNN_RequantizeOp : QNN_ElementwiseOp<"requantize", [
    QNN_QuantizedAnyhow<"Input", "Input", /*orInt32=*/1>,
    QNN_QuantizedAnyhow<"Result", "Output">],
    [AttrSizedOperandSegments]> {
  let summary = "from one quantization to another";
  let description = [{
    `v = f32(q - z) * (s / sy)`, `result = saturate(rint(v) + zy)` (N6), with s/sy
    one f32 division. The input may also be i32 with zero point 0.

    Constraints: as `qnn.quantize`, for input and result each.

    Example:

    ```mlir
    %y = qnn.requantize %x : tensor<4x8x!quant.uniform<i8:f32, 5.000000e-02:3>> -> tensor<4x8x!quant.uniform<u8:f32, 1.000000e-01>>
    ```
  }];
  let arguments = (ins QNN_Tensor:$input,
                       Optional<QNN_ScaleParam>:$input_scale,
                       Optional<QNN_ZeroPointParam>:$input_zero_point,
                       Optional<QNN_ScaleParam>:$output_scale,
                       Optional<QNN_ZeroPointParam>:$output_zero_point,
                       OptionalAttr<I64Attr>:$axis);
  let results = (outs QNN_Tensor:$result);
  let assemblyFormat = [{
    $input (`input_scale` `(` $input_scale^ `:` type($input_scale) `)`)?
    (`input_zero_point` `(` $input_zero_point^ `:` type($input_zero_point) `)`)?
    (`output_scale` `(` $output_scale^ `:` type($output_scale) `)`)?
    (`output_zero_point` `(` $output_zero_point^ `:` type($output_zero_point) `)`)?
    attr-dict `:` type($input) `->` type($result)
  }];
  let hasAxis = 1;
  let onlyQuantizes = 1;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

def QNN_LinearOp : QNN_Op<"linear", [AttrSizedOperandSegments]> {
  let summary = "a fully connected layer, x * transpose(w) + bias";
  let description = [{
    For input `x` [..., K], weight `w` [N, K] and result [..., N]:

    ```
    acc[m, n] = sum over k of (x[m, k] - zx) * (w[n, k] - zw)      exactly, i32 (N2)
    ```

    An i32 bias [N] joins `acc` and wraps. Then, by the element type of the result:

    * i32: `acc`.
    * f32, f16, bf16: `v = f32(acc) * (sx * sw)`; with an f32 bias
      `v = fma(f32(acc), sx * sw, bias)` (N3); clamped to [clamp_min, clamp_max];
      rounded once to the result type (N7).
    * quantized: `m = (sx * sw) / sy`, `v = f32(acc) * m`, or with an f32 bias
      `v = fma(f32(acc), m, bias / sy)`; clamped to [clamp_min / sy, clamp_max / sy];
      `saturate(rint(v) + zy)` (N6).

    Parameters of input and weight may vary along K, in groups of G elements, K being
    a multiple of G. The result is then real, with one sum of integers for each group,
    and a chain of FMAs over the groups, in order, from the bias or +0 (N3):

    ```
    acc_g = sum over k of group g of (x[m, k] - zx[m, g]) * (w[n, k] - zw[n, g])
    v = bias[n]; for g = 0, 1, ...: v = fma(f32(acc_g), sx[m, g] * sw[n, g], v)
    ```

    Input and weight may also both be f32. If both are dequantized values the op
    is defined by N3; otherwise it is literal: a chain of FMAs in k order from +0,
    then the bias added, then the clamp (N4, N8). The result is then f32, f16 or
    bf16, and the bias f32.

    Constraints:
    * (C1) input [..., K], weight [N, K], result [..., N], the leading dimensions
      of input and result equal; only leading dimensions may be dynamic.
    * (C2) each of input, weight and a quantized result carries its parameters in
      its type or by operands, not both. With an i32 result the scales of input and
      weight are not used and may be absent.
    * (C3) input parameters: per tensor, per row, or per group (operands of shape
      [..., K / G]); weight: per tensor, per channel along axis 0, or per group
      (operands of shape [N, K / G]); result: per tensor.
    * (C4) scales are normal, positive and finite (N9); zero points lie in the
      storage range.
    * (C5) the reduction, or that of each group, cannot overflow i32 (N2); zero points
      known only at run time count at their worst.
    * (C6) bias [N] of i32 or f32; i32 results take no scale of the result, no f32
      bias and no clamp.
    * (C7) clamp_min <= clamp_max, neither NaN.
    * (C8) groups of input and weight have one size; with groups the result is real,
      and the bias f32.

    Example:

    ```mlir
    %y = qnn.linear %x, %w bias(%b : tensor<16xi32>) {clamp_min = 0.000000e+00 : f32}
      : tensor<?x8x!quant.uniform<u8:f32, 5.000000e-02:128>>, tensor<16x8x!quant.uniform<i8:f32, 1.000000e-02>>
      -> tensor<?x16x!quant.uniform<i8:f32, 1.000000e-01>>
    %z = qnn.linear %d, %w input_scale(%s : tensor<?x1xf32>)
      : tensor<?x8xi8>, tensor<16x8x!quant.uniform<i8:f32, 1.000000e-02>> -> tensor<?x16xf32>
    %g = qnn.linear %d, %v input_scale(%s : tensor<?x1xf32>) weight_scale(%t : tensor<16x2xf32>)
      : tensor<?x8xi8>, tensor<16x8xi8> -> tensor<?x16xf32>
    ```
  }];
  let arguments = (ins QNN_Tensor:$input, QNN_Tensor:$weight,
                       Optional<RankedTensorOf<[I32, F32]>>:$bias,
                       Optional<QNN_ScaleParam>:$input_scale,
                       Optional<QNN_ZeroPointParam>:$input_zero_point,
                       Optional<QNN_ScaleParam>:$weight_scale,
                       Optional<QNN_ZeroPointParam>:$weight_zero_point,
                       Optional<QNN_ScaleParam>:$output_scale,
                       Optional<QNN_ZeroPointParam>:$output_zero_point,
                       OptionalAttr<F32Attr>:$clamp_min,
                       OptionalAttr<F32Attr>:$clamp_max);
  let results = (outs QNN_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`input_scale` `(` $input_scale^ `:` type($input_scale) `)`)?
    (`input_zero_point` `(` $input_zero_point^ `:` type($input_zero_point) `)`)?
    (`weight_scale` `(` $weight_scale^ `:` type($weight_scale) `)`)?
    (`weight_zero_point` `(` $weight_zero_point^ `:` type($weight_zero_point) `)`)?
    (`output_scale` `(` $output_scale^ `:` type($output_scale) `)`)?
    (`output_zero_point` `(` $output_zero_point^ `:` type($output_zero_point) `)`)?
    attr-dict `:` type($input) `,` type($weight) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Whether input and weight are f32; they then have no parameters.
    bool hasFloatOperands();
    bool hasQuantizedResult();
    QuantParams getInputParams();
    QuantParams getWeightParams();
    /// Only where the result is quantized.
    QuantParams getResultParams();
    /// The number of elements of K that share parameters; 0 if all of K does.
    int64_t getGroupSize();
  }];
}

def QNN_MatmulOp : QNN_Op<"matmul", [AttrSizedOperandSegments]> {
  let summary = "a batched product of two activations";
  let description = [{
    For lhs [..., M, K], rhs [..., K, N] (with `transpose_rhs`: [..., N, K]) and
    result [..., M, N], per batch `acc[m, n] = sum over k of (lhs - zl) * (rhs - zr)`,
    then as `qnn.linear` without a bias.

    Constraints: those of `qnn.linear`, with
    * (C1) equal ranks of at least 2, equal batch dimensions; K is static, or
      dynamic in both operands.
    * (C3) lhs parameters: per tensor or per row; rhs and result: per tensor.

    Example:

    ```mlir
    %s = qnn.matmul %q, %k {transpose_rhs}
      : tensor<12x128x64x!quant.uniform<i8:f32, 5.000000e-02>>, tensor<12x128x64x!quant.uniform<i8:f32, 5.000000e-02>>
      -> tensor<12x128x128xf32>
    ```
  }];
  let arguments = (ins QNN_Tensor:$lhs, QNN_Tensor:$rhs,
                       Optional<QNN_ScaleParam>:$lhs_scale,
                       Optional<QNN_ZeroPointParam>:$lhs_zero_point,
                       Optional<QNN_ScaleParam>:$rhs_scale,
                       Optional<QNN_ZeroPointParam>:$rhs_zero_point,
                       Optional<QNN_ScaleParam>:$output_scale,
                       Optional<QNN_ZeroPointParam>:$output_zero_point,
                       UnitAttr:$transpose_rhs,
                       OptionalAttr<F32Attr>:$clamp_min,
                       OptionalAttr<F32Attr>:$clamp_max);
  let results = (outs QNN_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`lhs_scale` `(` $lhs_scale^ `:` type($lhs_scale) `)`)?
    (`lhs_zero_point` `(` $lhs_zero_point^ `:` type($lhs_zero_point) `)`)?
    (`rhs_scale` `(` $rhs_scale^ `:` type($rhs_scale) `)`)?
    (`rhs_zero_point` `(` $rhs_zero_point^ `:` type($rhs_zero_point) `)`)?
    (`output_scale` `(` $output_scale^ `:` type($output_scale) `)`)?
    (`output_zero_point` `(` $output_zero_point^ `:` type($output_zero_point) `)`)?
    attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Whether lhs and rhs are f32; they then have no parameters.
    bool hasFloatOperands();
    bool hasQuantizedResult();
    QuantParams getLhsParams();
    QuantParams getRhsParams();
    /// Only where the result is quantized.
    QuantParams getResultParams();
  }];
}

/// What qnn.conv2d and qnn.conv_transpose2d have in common.
class QNN_ConvolutionOp<string mnemonic, dag attributes>
    : QNN_Op<mnemonic, [AttrSizedOperandSegments]> {
  let arguments = !con(
      (ins QNN_Tensor:$input, QNN_Tensor:$weight,
           Optional<RankedTensorOf<[I32, F32]>>:$bias,
           Optional<QNN_ScaleParam>:$input_scale,
           Optional<QNN_ZeroPointParam>:$input_zero_point,
           Optional<QNN_ScaleParam>:$weight_scale,
           Optional<QNN_ZeroPointParam>:$weight_zero_point,
           Optional<QNN_ScaleParam>:$output_scale,
           Optional<QNN_ZeroPointParam>:$output_zero_point,
           DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides,
           DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations,
           DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0, 0, 0}">:$padding,
           DefaultValuedAttr<I64Attr, "1">:$groups),
      attributes,
      (ins OptionalAttr<F32Attr>:$clamp_min,
           OptionalAttr<F32Attr>:$clamp_max));
  let results = (outs QNN_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`input_scale` `(` $input_scale^ `:` type($input_scale) `)`)?
    (`input_zero_point` `(` $input_zero_point^ `:` type($input_zero_point) `)`)?
    (`weight_scale` `(` $weight_scale^ `:` type($weight_scale) `)`)?
    (`weight_zero_point` `(` $weight_zero_point^ `:` type($weight_zero_point) `)`)?
    (`output_scale` `(` $output_scale^ `:` type($output_scale) `)`)?
    (`output_zero_point` `(` $output_zero_point^ `:` type($output_zero_point) `)`)?
    attr-dict `:` type($input) `,` type($weight) `->` type($result)
  }];
  let extraClassDeclaration = [{
    bool hasQuantizedResult();
    QuantParams getInputParams();
    QuantParams getWeightParams();
    /// Only where the result is quantized.
    QuantParams getResultParams();
    /// The strides, dilations and padding along H and W.
    Windows getWindows();
  }];
}

def QNN_Conv2DOp : QNN_ConvolutionOp<"conv2d", (ins)> {
  let summary = "a convolution of images";
  let description = [{
    For input `x` [N, H, W, C], weight `w` [F, KH, KW, C / groups] and result
    [N, OH, OW, F], with strides [sh, sw], dilations [dh, dw], padding [top, bottom,
    left, right] and g = f / (F / groups), the group of f:

    ```
    acc[n, oh, ow, f] = sum over kh, kw, c of
      (x[n, oh * sh + kh * dh - top, ow * sw + kw * dw - left, g * (C / groups) + c] - zx)
      * (w[f, kh, kw, c] - zw)                                   exactly, i32 (N2)
    ```

    Elements outside of the input are its zero point zx: they add nothing. What
    follows is as in `qnn.linear`: an i32 bias [F] joins `acc`, and the result is i32,
    f32, f16, bf16 or quantized.

    A convolution in one dimension has H = KH = 1. In a depthwise convolution
    groups = C, and F is a multiple of C.

    Constraints:
    * (C1) input [N, H, W, C], weight [F, KH, KW, C / groups], result [N, OH, OW, F].
      Only N, H and W may be dynamic, and then are so in the result as well.
      OH = floor((H + top + bottom - dh * (KH - 1) - 1) / sh) + 1, and OW likewise.
    * (C2) strides, dilations, KH and KW are at least 1. A window fits in the padded
      input; of dynamic sizes this is a requirement at run time. Padding on any side is
      less than what a window extends over, dh * (KH - 1) + 1.
    * (C3) groups divides C and F.
    * (C4) input and weight are quantized. Input parameters: per tensor; weight: per
      tensor or per channel along axis 0; result: per tensor.
    * Otherwise as `qnn.linear`, with K = KH * KW * C / groups.

    Of a zero point of the input that is known only at run time and lies outside of the
    storage range, the lowest 8 bits count.

    Example:

    ```mlir
    %y = qnn.conv2d %x, %w bias(%b : tensor<16xi32>)
        {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, clamp_min = 0.000000e+00 : f32}
      : tensor<?x32x32x3x!quant.uniform<u8:f32, 5.000000e-02:128>>, tensor<16x3x3x3x!quant.uniform<i8:f32, 1.000000e-02>>
      -> tensor<?x16x16x16x!quant.uniform<i8:f32, 1.000000e-01>>
    ```
  }];
}

def QNN_ConvTranspose2DOp : QNN_ConvolutionOp<"conv_transpose2d",
    (ins DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$output_padding)> {
  let summary = "a transposed convolution of images";
  let description = [{
    For input `x` [N, H, W, C], weight `w` [F, KH, KW, C / groups] and result
    [N, OH, OW, F], with strides [sh, sw], dilations [dh, dw], padding [top, bottom,
    left, right] and g = f / (F / groups), the group of f:

    ```
    acc[n, oh, ow, f] = sum over all h, w, kh, kw, c with
        oh = h * sh + kh * dh - top and ow = w * sw + kw * dw - left of
      (x[n, h, w, g * (C / groups) + c] - zx) * (w[f, kh, kw, c] - zw)   exactly, i32 (N2)
    ```

    So each pixel of the input adds its multiple of the weight to a window of the result,
    and padding is what is cut off from the result. `output_padding` adds rows at the
    bottom and columns at the right. What follows is as in `qnn.linear`, also for elements
    to which no pixel adds: their `acc` is 0.

    Constraints:
    * (C1) as `qnn.conv2d`, with OH = (H - 1) * sh - top - bottom + dh * (KH - 1) + 1 +
      output_padding[0], at least 1, and OW likewise; of dynamic sizes this is a
      requirement at run time, and so is that H and W are at least 1.
    * (C2) strides, dilations, KH and KW are at least 1, and sh * sw is at most 256. Padding
      on any side is less than what a window extends over, dh * (KH - 1) + 1.
      output_padding is less than the larger one of stride and dilation.
    * Otherwise as `qnn.conv2d`. K = KH * KW * C / groups counts also the products that
      the strides leave out.

    Example:

    ```mlir
    %y = qnn.conv_transpose2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, output_padding = array<i64: 1, 1>}
      : tensor<?x16x16x8x!quant.uniform<i8:f32, 5.000000e-02>>, tensor<4x3x3x8x!quant.uniform<i8:f32, 1.000000e-02>>
      -> tensor<?x32x32x4xf32>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

class QNN_BinaryOp<string mnemonic> : QNN_ElementwiseOp<mnemonic, [
    QNN_Quantized<"Lhs", "Lhs">,
    QNN_Quantized<"Rhs", "Rhs">,
    QNN_Quantized<"Result", "Output">],
    [AttrSizedOperandSegments]> {
  let arguments = (ins QNN_Tensor:$lhs, QNN_Tensor:$rhs,
                       Optional<QNN_ScaleParam>:$lhs_scale,
                       Optional<QNN_ZeroPointParam>:$lhs_zero_point,
                       Optional<QNN_ScaleParam>:$rhs_scale,
                       Optional<QNN_ZeroPointParam>:$rhs_zero_point,
                       Optional<QNN_ScaleParam>:$output_scale,
                       Optional<QNN_ZeroPointParam>:$output_zero_point);
  let results = (outs QNN_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`lhs_scale` `(` $lhs_scale^ `:` type($lhs_scale) `)`)?
    (`lhs_zero_point` `(` $lhs_zero_point^ `:` type($lhs_zero_point) `)`)?
    (`rhs_scale` `(` $rhs_scale^ `:` type($rhs_scale) `)`)?
    (`rhs_zero_point` `(` $rhs_zero_point^ `:` type($rhs_zero_point) `)`)?
    (`output_scale` `(` $output_scale^ `:` type($output_scale) `)`)?
    (`output_zero_point` `(` $output_zero_point^ `:` type($output_zero_point) `)`)?
    attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let broadcastsOperands = 1;
}

def QNN_AddOp : QNN_BinaryOp<"add"> {
  let summary = "the sum of two quantized tensors, quantized";
  let description = [{
    `v = fma(f32(a - za), sa / sy, f32(b - zb) * (sb / sy))`,
    `result = saturate(rint(v) + zy)` (N6).

    Operands are broadcast: one whose static size is 1 in a dimension has its only
    element there at every place of the result. Which sizes are broadcast is known from
    the types; a dynamic size that happens to be 1 is not broadcast.

    Constraints:
    * (C1) equal ranks; in each dimension an operand has the size of the result or the
      static size 1, and at least one operand has the size of the result.
    * (C2), (C4) of `qnn.linear`; (C3) parameters per tensor or per row, the rows being
      those of the operand itself.

    Example:

    ```mlir
    %y = qnn.add %a, %b : tensor<4x8x!quant.uniform<i8:f32, 5.000000e-02>>, tensor<4x8x!quant.uniform<u8:f32, 1.000000e-01:7>> -> tensor<4x8x!quant.uniform<i8:f32, 1.000000e-01>>
    %z = qnn.add %a, %c : tensor<4x8x!quant.uniform<i8:f32, 5.000000e-02>>, tensor<1x8x!quant.uniform<u8:f32, 1.000000e-01:7>> -> tensor<4x8x!quant.uniform<i8:f32, 1.000000e-01>>
    ```
  }];
}

def QNN_MulOp : QNN_BinaryOp<"mul"> {
  let summary = "the product of two quantized tensors, quantized";
  let description = [{
    `v = f32((a - za) * (b - zb)) * ((sa * sb) / sy)`,
    `result = saturate(rint(v) + zy)` (N6).

    Operands are broadcast, and constraints are, as for `qnn.add`.

    Example:

    ```mlir
    %y = qnn.mul %a, %b : tensor<4x8x!quant.uniform<i8:f32, 5.000000e-02>>, tensor<4x8x!quant.uniform<u8:f32, 1.000000e-01:7>> -> tensor<4x8x!quant.uniform<i8:f32, 1.000000e-01>>
    ```
  }];
}

def QNN_ClampOp : QNN_ElementwiseOp<"clamp", [
    QNN_Quantized<"Input">, QNN_Quantized<"Result">],
    [AttrSizedOperandSegments, AllTypesMatch<["input", "result"]>]> {
  let summary = "a quantized tensor clamped to a range of reals";
  let description = [{
    `result = min(max(q, Q(min)), Q(max))` with Q the quantization of N5. Input and
    result have the same type. An absent bound does not clamp.

    Constraints: parameters per tensor or per row; (C2), (C4), (C7) of `qnn.linear`; at
    least one bound.

    Example:

    ```mlir
    %y = qnn.clamp %x {min = 0.000000e+00 : f32, max = 6.000000e+00 : f32} : tensor<4x8x!quant.uniform<i8:f32, 5.000000e-02>>
    ```
  }];
  let arguments = (ins QNN_Tensor:$input,
                       Optional<QNN_ScaleParam>:$scale,
                       Optional<QNN_ZeroPointParam>:$zero_point,
                       OptionalAttr<F32Attr>:$min,
                       OptionalAttr<F32Attr>:$max);
  let results = (outs QNN_Tensor:$result);
  let assemblyFormat = [{
    $input (`scale` `(` $scale^ `:` type($scale) `)`)?
    (`zero_point` `(` $zero_point^ `:` type($zero_point) `)`)?
    attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
}

def QNN_LookupOp : QNN_ElementwiseOp<"lookup", [
    QNN_Stored<"Input">, QNN_OfType<"Result">]> {
  let summary = "any function of one quantized value, as a table";
  let description = [{
    `result = table[q]` for unsigned storage, `table[q + 128]` for signed storage.
    The table has the storage type of the result: for a quantized result its storage
    type (i8, ui8), otherwise its element type.

    Constraints:
    * (C1) input and result have the same shape; the input has storage i8 or u8.
    * (C2) the table has shape [256] and the storage type of the result (i8, ui8,
      i32, f16, bf16 or f32).

    Example:

    ```mlir
    %y = qnn.lookup %x, %t : tensor<4x8x!quant.uniform<u8:f32, 5.000000e-02>>, tensor<256xi8> -> tensor<4x8x!quant.uniform<i8:f32, 1.000000e-01>>
    ```
  }];
  let arguments = (ins QNN_Tensor:$input,
                       RankedTensorOf<[I8, UI<8>, I32, F16, BF16, F32]>:$table);
  let results = (outs QNN_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $table attr-dict `:` type($input) `,` type($table) `->` type($result)
  }];
  let hasVerifier = 1;
}

include "qcc/Dialect/QNN/IR/QNNImageOps.td"

#endif // QCC_DIALECT_QNN_IR_QNNOPS_TD
