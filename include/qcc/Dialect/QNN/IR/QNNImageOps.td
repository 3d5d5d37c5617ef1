//===- QNNImageOps.td - Poolings and other sizes of images -*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that compute an NHWC image of another one, each channel by itself. What
// they are made of is in QNNOps.td, which includes this file at its end.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_QNNIMAGEOPS_TD
#define QCC_DIALECT_QNN_IR_QNNIMAGEOPS_TD

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

def QNN_MaxPool2DOp : QNN_Op<"max_pool2d"> {
  let summary = "the greatest stored integer of each window of an image";
  let description = [{
    For input `x` [N, H, W, C] and result [N, OH, OW, C]:

    ```
    result[n, i, j, c] = max over k, l of x[n, i * strides[0] + k * dilations[0] - top,
                                            j * strides[1] + l * dilations[1] - left, c]
    ```

    for k < window[0] and l < window[1], where the place is inside of the image. It
    compares stored integers, signed or unsigned by storage (N6). OH is
    (H + top + bottom - dilations[0] * (window[0] - 1) - 1) / strides[0] + 1, rounded
    down, and OW likewise.

    Constraints:
    * (C1) input and result of rank 4, of the same element type: i8, ui8 or a
      quantized type, per tensor or per channel along dimension 3. N, H, W and C may
      be dynamic.
    * (C2) `window`, `strides` and `dilations` are [H, W] and at least 1, `padding` is
      [top, bottom, left, right] and not negative.
    * (C3) a window fits in the padded image, and each window has an element of the
      image: padding is less than the extent of a window, and where there is padding on
      both sides, the image has at least `dilations` elements along that dimension.

    Example:

    ```mlir
    %y = qnn.max_pool2d %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
      : tensor<?x112x112x64x!quant.uniform<u8:f32, 5.000000e-02>> -> tensor<?x56x56x64x!quant.uniform<u8:f32, 5.000000e-02>>
    ```
  }];
  let arguments = (ins QNN_Tensor:$input,
                       DenseI64ArrayAttr:$window,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0, 0, 0}">:$padding);
  let results = (outs QNN_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let extraClassDeclaration = [{
    Windows getWindows();
    QuantParams getInputParams();
  }];
}

def QNN_AvgPool2DOp : QNN_Op<"avg_pool2d", [AttrSizedOperandSegments]> {
  let summary = "the mean of each window of an image";
  let description = [{
    For input `x` [N, H, W, C] and result [N, OH, OW, C], with places as those of
    `qnn.max_pool2d` at dilation 1:

    ```
    acc = sum of x - zx over the elements of the image in the window     exactly, i32
    c   = how many these are, or window[0] * window[1] with count_include_pad
    ```

    Then, by the element type of the result (N6):

    * f32, f16, bf16: `f32(acc) * (sx / f32(c))`, rounded once to the result type.
    * quantized: `m = (sx / f32(c)) / sy`, `v = f32(acc) * m`,
      `saturate(rint(v) + zy)`.

    Without `window` the whole image is one window, whatever its size: OH and OW are 1.

    Constraints:
    * (C1) input and result of rank 4; N, H, W and C may be dynamic.
    * (C2) input and a quantized result carry their parameters in their type or by
      operands, not both: per tensor or per channel along dimension 3. (C4) of
      `qnn.linear`.
    * (C3) (C2) and (C3) of `qnn.max_pool2d`; without `window` there are no strides,
      padding and `count_include_pad`.
    * (C4) the sum cannot overflow i32: window[0] * window[1] * max|x - zx| is at most
      2^31 - 1 (N2).

    Example:

    ```mlir
    %y = qnn.avg_pool2d %x : tensor<?x7x7x2048x!quant.uniform<u8:f32, 5.000000e-02>> -> tensor<?x1x1x2048x!quant.uniform<u8:f32, 2.000000e-02>>
    %z = qnn.avg_pool2d %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<?x7x7x2048x!quant.uniform<u8:f32, 5.000000e-02>> -> tensor<?x3x3x2048xf32>
    ```
  }];
  let arguments = (ins QNN_Tensor:$input,
                       Optional<QNN_ScaleParam>:$input_scale,
                       Optional<QNN_ZeroPointParam>:$input_zero_point,
                       Optional<QNN_ScaleParam>:$output_scale,
                       Optional<QNN_ZeroPointParam>:$output_zero_point,
                       OptionalAttr<DenseI64ArrayAttr>:$window,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0, 0, 0}">:$padding,
                       UnitAttr:$count_include_pad);
  let results = (outs QNN_Tensor:$result);
  let assemblyFormat = [{
    $input (`input_scale` `(` $input_scale^ `:` type($input_scale) `)`)?
    (`input_zero_point` `(` $input_zero_point^ `:` type($input_zero_point) `)`)?
    (`output_scale` `(` $output_scale^ `:` type($output_scale) `)`)?
    (`output_zero_point` `(` $output_zero_point^ `:` type($output_zero_point) `)`)?
    attr-dict `:` type($input) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// The input, then the result; a real result is not quantized.
    ::llvm::SmallVector<QuantTensor> getTensors();
    /// Whether the whole image is one window.
    bool isGlobal() { return !getWindow(); }
    /// Where the op has `window`.
    Windows getWindows();
    bool hasQuantizedResult();
    QuantParams getInputParams();
    /// Only where the result is quantized.
    QuantParams getResultParams();
    /// The most elements of a window whose sum cannot overflow (N2).
    int64_t getMostElements();
  }];
}

//===----------------------------------------------------------------------===//
// Resizing
//===----------------------------------------------------------------------===//

def QNN_ResizeOp : QNN_Op<"resize", [AttrSizedOperandSegments]> {
  let summary = "an image of another height and width";
  let description = [{
    Along H and W each, place o of a result of size m lies in an input of size n at the
    rational number

    ```
    asymmetric      x = o * n / m
    half_pixel      x = ((2 * o + 1) * n - m) / (2 * m)
    align_corners   x = o * (n - 1) / (m - 1), 0 where m is 1
    ```

    With the mode `nearest` the result is the stored integer at the index `floor`(x),
    `ceil`(x), `round_prefer_floor` = ceil(x - 1/2) or `round_prefer_ceil` =
    floor(x + 1/2), whichever `rounding` says, brought into [0, n - 1].

    With the mode `linear`, i = floor(x), w is x - i rounded to f32, and the neighbours
    are those at i and i + 1, each brought into [0, n - 1]. For v = f32(q - zx) of the
    neighbours along H (first index) and W, first horizontally, then vertically:

    ```
    h0 = fma(v01 - v00, wx, v00)
    h1 = fma(v11 - v10, wx, v10)
    t  = fma(h1 - h0, wy, h0)
    ```

    The result is `t * sx`, rounded once to f32, f16 or bf16, or
    `saturate(rint(t * (sx / sy)) + zy)` (N6).

    Constraints:
    * (C1) input and result of rank 4, [N, H, W, C]; N and C equal, and possibly
      dynamic. H and W are static, from 1 to 2^24.
    * (C2) `mode` is nearest or linear, `coordinate_transformation` one of the three
      above; `rounding` is one of the four above for nearest, and absent for linear.
    * (C3) nearest: the result has the element type of the input, i8, ui8 or a
      quantized type, and there are no operands for parameters. linear: (C2) of
      `qnn.avg_pool2d`.

    Example:

    ```mlir
    %y = qnn.resize %x {mode = "nearest", coordinate_transformation = "asymmetric", rounding = "floor"}
      : tensor<?x20x20x64xi8> -> tensor<?x40x40x64xi8>
    %z = qnn.resize %q {mode = "linear", coordinate_transformation = "half_pixel"}
      : tensor<1x33x33x21x!quant.uniform<u8:f32, 5.000000e-02:128>> -> tensor<1x513x513x21xf32>
    ```
  }];
  let arguments = (ins QNN_Tensor:$input,
                       Optional<QNN_ScaleParam>:$input_scale,
                       Optional<QNN_ZeroPointParam>:$input_zero_point,
                       Optional<QNN_ScaleParam>:$output_scale,
                       Optional<QNN_ZeroPointParam>:$output_zero_point,
                       StrAttr:$mode,
                       StrAttr:$coordinate_transformation,
                       OptionalAttr<StrAttr>:$rounding);
  let results = (outs QNN_Tensor:$result);
  let assemblyFormat = [{
    $input (`input_scale` `(` $input_scale^ `:` type($input_scale) `)`)?
    (`input_zero_point` `(` $input_zero_point^ `:` type($input_zero_point) `)`)?
    (`output_scale` `(` $output_scale^ `:` type($output_scale) `)`)?
    (`output_zero_point` `(` $output_zero_point^ `:` type($output_zero_point) `)`)?
    attr-dict `:` type($input) `->` type($result)
  }];
  let extraClassDeclaration = [{
    bool isNearest() { return getMode() == "nearest"; }
    /// The input, then the result; a real result is not quantized.
    ::llvm::SmallVector<QuantTensor> getTensors();
    bool hasQuantizedResult();
    // Of the mode linear.
    QuantParams getInputParams();
    /// Only where the result is quantized.
    QuantParams getResultParams();
  }];
}

#endif // QCC_DIALECT_QNN_IR_QNNIMAGEOPS_TD
