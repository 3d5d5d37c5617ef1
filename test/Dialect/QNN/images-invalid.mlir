// RUN: qcc-opt %s -split-input-file -verify-diagnostics

// Images.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x8x2x!x>) {
  // expected-error@+1 {{has an input of type 'tensor<4x8x2x!quant.uniform<i8:f32, 1.000000e-01>>' and a result of type 'tensor<3x7x2x!quant.uniform<i8:f32, 1.000000e-01>>'; both are images [N, H, W, C], add dimensions of size 1 by tensor.expand_shape}}
  qnn.max_pool2d %x {window = array<i64: 2, 2>} : tensor<4x8x2x!x> -> tensor<3x7x2x!x>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{make C, the last dimension, the same in both}}
  qnn.max_pool2d %x {window = array<i64: 2, 2>} : tensor<1x4x8x2xi8> -> tensor<1x3x7x3xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{has a result of type 'tensor<1x3x8x2xi8>'; for an input of type 'tensor<1x4x8x2xi8>' make it [1, 3, 7, 2]}}
  qnn.max_pool2d %x {window = array<i64: 2, 2>} : tensor<1x4x8x2xi8> -> tensor<1x3x8x2xi8>
  return
}

// -----

func.func @f(%x: tensor<?x4x?x2xi8>) {
  // expected-error@+1 {{make it [?, 1, ?, 2]}}
  qnn.max_pool2d %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>} : tensor<?x4x?x2xi8> -> tensor<?x1x3x2xi8>
  return
}

// -----

// Numbers of windows.

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{has 'window' of length 3; give [H, W]}}
  qnn.max_pool2d %x {window = array<i64: 2, 2, 2>} : tensor<1x4x8x2xi8> -> tensor<1x3x7x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{has 0 in 'window'; give numbers from 1 to 2147483647}}
  qnn.max_pool2d %x {window = array<i64: 0, 2>} : tensor<1x4x8x2xi8> -> tensor<1x3x7x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{has 0 in 'strides'; give numbers from 1}}
  qnn.max_pool2d %x {window = array<i64: 2, 2>, strides = array<i64: 1, 0>} : tensor<1x4x8x2xi8> -> tensor<1x3x7x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{has 4294967296 in 'dilations'; give numbers from 1}}
  qnn.max_pool2d %x {window = array<i64: 2, 2>, dilations = array<i64: 4294967296, 1>} : tensor<1x4x8x2xi8> -> tensor<1x3x7x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2x!quant.uniform<i8:f32, 1.0e-01>>) {
  // expected-error@+1 {{has -1 in 'padding'; give numbers from 0}}
  qnn.avg_pool2d %x {window = array<i64: 2, 2>, padding = array<i64: 0, 0, -1, 0>} : tensor<1x4x8x2x!quant.uniform<i8:f32, 1.0e-01>> -> tensor<1x3x7x2xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{has 'padding' of length 2; give [top, bottom, left, right]}}
  qnn.max_pool2d %x {window = array<i64: 2, 2>, padding = array<i64: 1, 1>} : tensor<1x4x8x2xi8> -> tensor<1x3x7x2xi8>
  return
}

// -----

// Windows that have no element.

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{has a padding of 2 along W, where a window extends over 2: windows could lie in padding alone; give less padding than that}}
  qnn.max_pool2d %x {window = array<i64: 2, 2>, padding = array<i64: 1, 1, 2, 0>} : tensor<1x4x8x2xi8> -> tensor<1x5x9x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x1x2xi8>) {
  // expected-error@+1 {{has windows that extend over 5 along H, where the input has 4 elements and a padding of 0; give a smaller window or more padding}}
  qnn.max_pool2d %x {window = array<i64: 3, 1>, dilations = array<i64: 2, 1>} : tensor<1x4x1x2xi8> -> tensor<1x0x1x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x1x2xi8>) {
  // expected-error@+1 {{has windows that lie in padding alone, since the input has 1 elements along W; give it at least 2, or less padding}}
  qnn.max_pool2d %x {window = array<i64: 1, 2>, dilations = array<i64: 1, 2>, padding = array<i64: 0, 0, 1, 1>} : tensor<1x4x1x2xi8> -> tensor<1x4x1x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x0x4x2xi8>) {
  // expected-error@+1 {{has windows that lie in padding alone, since the input has 0 elements along H; give it at least 1}}
  qnn.max_pool2d %x {window = array<i64: 2, 1>, padding = array<i64: 1, 1, 0, 0>} : tensor<1x0x4x2xi8> -> tensor<1x1x4x2xi8>
  return
}

// -----

// Elements and parameters.

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{has an input of elements 'i8' and a result of elements 'ui8', but keeps stored integers as they are; make the types the same and add a qnn.requantize or qnn.dequantize}}
  qnn.max_pool2d %x {window = array<i64: 2, 2>} : tensor<1x4x8x2xi8> -> tensor<1x3x7x2xui8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2x!quant.uniform<i8:f32, 1.0e-01>>) {
  // expected-error@+1 {{but keeps stored integers as they are}}
  qnn.max_pool2d %x {window = array<i64: 2, 2>} : tensor<1x4x8x2x!quant.uniform<i8:f32, 1.0e-01>> -> tensor<1x3x7x2x!quant.uniform<i8:f32, 2.0e-01>>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xf32>) {
  // expected-error@+1 {{input has element type 'f32'; use a quantized type, i8 or ui8}}
  qnn.max_pool2d %x {window = array<i64: 2, 2>} : tensor<1x4x8x2xf32> -> tensor<1x3x7x2xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32:1, {1.0e-01, 2.0e-01}>
func.func @f(%x: tensor<1x2x8x2x!x>) {
  // expected-error@+1 {{input is quantized along dimension 1; the channels must be dimension 3}}
  qnn.max_pool2d %x {window = array<i64: 1, 2>} : tensor<1x2x8x2x!x> -> tensor<1x2x7x2x!x>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{input of type 'tensor<1x4x8x2xi8>' has no scale; give a scale operand or a quantized type}}
  qnn.avg_pool2d %x : tensor<1x4x8x2xi8> -> tensor<1x1x1x2xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2x!quant.uniform<i8:f32, 1.0e-01>>, %s: f32) {
  // expected-error@+1 {{has a result of 'f32', which takes no scale or zero point; remove the operand}}
  qnn.avg_pool2d %x output_scale(%s : f32) : tensor<1x4x8x2x!quant.uniform<i8:f32, 1.0e-01>> -> tensor<1x1x1x2xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2x!quant.uniform<i8:f32, 1.0e-01>>) {
  // expected-error@+1 {{result has element type 'i32'; use a quantized type, i8 or ui8}}
  qnn.avg_pool2d %x : tensor<1x4x8x2x!quant.uniform<i8:f32, 1.0e-01>> -> tensor<1x1x1x2xi32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>, %s: tensor<1x4x8x1xf32>) {
  // expected-error@+1 {{scale of input is per row ('tensor<1x4x8x1xf32>'), which this tensor does not allow; give one per tensor}}
  qnn.avg_pool2d %x input_scale(%s : tensor<1x4x8x1xf32>) : tensor<1x4x8x2xi8> -> tensor<1x1x1x2xf32>
  return
}

// -----

// The whole image as a window.

func.func @f(%x: tensor<1x4x8x2x!quant.uniform<i8:f32, 1.0e-01>>) {
  // expected-error@+1 {{has strides, padding or count_include_pad, but no window: the whole image is one; give a window}}
  qnn.avg_pool2d %x {count_include_pad} : tensor<1x4x8x2x!quant.uniform<i8:f32, 1.0e-01>> -> tensor<1x1x1x2xf32>
  return
}

// -----

func.func @f(%x: tensor<?x4x8x2x!quant.uniform<i8:f32, 1.0e-01>>) {
  // expected-error@+1 {{make it [?, 1, 1, 2]}}
  qnn.avg_pool2d %x : tensor<?x4x8x2x!quant.uniform<i8:f32, 1.0e-01>> -> tensor<?x2x1x2xf32>
  return
}

// -----

func.func @f(%x: tensor<1x0x?x2x!quant.uniform<i8:f32, 1.0e-01>>) {
  // expected-error@+1 {{whose mean is that of no elements; give an image that is not empty}}
  qnn.avg_pool2d %x : tensor<1x0x?x2x!quant.uniform<i8:f32, 1.0e-01>> -> tensor<1x1x1x2xf32>
  return
}

// -----

// Sums that could overflow (N2).

func.func @f(%x: tensor<1x1x8421505x1x!quant.uniform<u8:f32, 1.0>>) {
  // expected-error@+1 {{sum of 8421505 elements of at most 255 each could overflow i32; with this storage range and zero point at most 8421504 are possible, use smaller windows}}
  qnn.avg_pool2d %x : tensor<1x1x8421505x1x!quant.uniform<u8:f32, 1.0>> -> tensor<1x1x1x1xf32>
  return
}

// -----

func.func @f(%x: tensor<1x?x?x1x!quant.uniform<u8<0:1>:f32, 1.0>>) {
  // expected-error@+1 {{sum of 2147488281 elements of at most 1 each could overflow i32}}
  qnn.avg_pool2d %x {window = array<i64: 46341, 46341>} : tensor<1x?x?x1x!quant.uniform<u8<0:1>:f32, 1.0>> -> tensor<1x?x?x1xf32>
  return
}

// -----

// A dynamic size counts as 1 until the program runs.

func.func @f(%x: tensor<1x?x16843010x1xi8>, %s: f32, %z: i32) {
  // expected-error@+1 {{sum of 16843010 elements of at most 255 each could overflow i32}}
  qnn.avg_pool2d %x input_scale(%s : f32) input_zero_point(%z : i32) : tensor<1x?x16843010x1xi8> -> tensor<1x1x1x1xf32>
  return
}

// -----

// Resizing.

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{has the mode 'cubic'; give nearest or linear}}
  qnn.resize %x {mode = "cubic", coordinate_transformation = "half_pixel"} : tensor<1x4x8x2xi8> -> tensor<1x8x8x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{has the coordinate_transformation 'pytorch_half_pixel'; give asymmetric, half_pixel or align_corners}}
  qnn.resize %x {mode = "linear", coordinate_transformation = "pytorch_half_pixel"} : tensor<1x4x8x2xi8> -> tensor<1x8x8x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{has the mode nearest and no rounding; give floor, ceil, round_prefer_floor or round_prefer_ceil}}
  qnn.resize %x {mode = "nearest", coordinate_transformation = "half_pixel"} : tensor<1x4x8x2xi8> -> tensor<1x8x8x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{has the rounding 'even'; give floor, ceil, round_prefer_floor or round_prefer_ceil}}
  qnn.resize %x {mode = "nearest", coordinate_transformation = "half_pixel", rounding = "even"} : tensor<1x4x8x2xi8> -> tensor<1x8x8x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2x!quant.uniform<i8:f32, 1.0e-01>>) {
  // expected-error@+1 {{has a rounding, which is for the mode nearest; remove it}}
  qnn.resize %x {mode = "linear", coordinate_transformation = "half_pixel", rounding = "floor"} : tensor<1x4x8x2x!quant.uniform<i8:f32, 1.0e-01>> -> tensor<1x8x8x2x!quant.uniform<i8:f32, 1.0e-01>>
  return
}

// -----

func.func @f(%x: tensor<4x8x2xi8>) {
  // expected-error@+1 {{both are images [N, H, W, C]}}
  qnn.resize %x {mode = "nearest", coordinate_transformation = "asymmetric", rounding = "floor"} : tensor<4x8x2xi8> -> tensor<8x8x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{make C, the last dimension, the same in both}}
  qnn.resize %x {mode = "nearest", coordinate_transformation = "asymmetric", rounding = "floor"} : tensor<1x4x8x2xi8> -> tensor<1x8x8x3xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{has a result of type 'tensor<2x8x8x2xi8>'; for an input of type 'tensor<1x4x8x2xi8>' make it [1, 8, 8, 2]}}
  qnn.resize %x {mode = "nearest", coordinate_transformation = "asymmetric", rounding = "floor"} : tensor<1x4x8x2xi8> -> tensor<2x8x8x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x?x8x2xi8>) {
  // expected-error@+1 {{has an image of type 'tensor<1x?x8x2xi8>', whose H or W is dynamic; make both static, weights are computed from them}}
  qnn.resize %x {mode = "nearest", coordinate_transformation = "asymmetric", rounding = "floor"} : tensor<1x?x8x2xi8> -> tensor<1x8x8x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{has an image of type 'tensor<1x8x?x2xi8>', whose H or W is dynamic}}
  qnn.resize %x {mode = "nearest", coordinate_transformation = "asymmetric", rounding = "floor"} : tensor<1x4x8x2xi8> -> tensor<1x8x?x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x0x8x2xi8>) {
  // expected-error@+1 {{has an image of type 'tensor<1x0x8x2xi8>', of size 0 along H; give 1 to 16777216}}
  qnn.resize %x {mode = "nearest", coordinate_transformation = "asymmetric", rounding = "floor"} : tensor<1x0x8x2xi8> -> tensor<1x8x8x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x8x8x2xi8>) {
  // expected-error@+1 {{has an image of type 'tensor<1x8x16777217x2xi8>', of size 16777217 along W; give 1 to 16777216}}
  qnn.resize %x {mode = "nearest", coordinate_transformation = "asymmetric", rounding = "floor"} : tensor<1x8x8x2xi8> -> tensor<1x8x16777217x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{has an input of elements 'i8' and a result of elements 'f32', but keeps stored integers as they are}}
  qnn.resize %x {mode = "nearest", coordinate_transformation = "asymmetric", rounding = "floor"} : tensor<1x4x8x2xi8> -> tensor<1x8x8x2xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>, %s: f32) {
  // expected-error@+1 {{has the mode nearest, which keeps stored integers as they are, and operands for parameters; remove them}}
  qnn.resize %x input_scale(%s : f32) {mode = "nearest", coordinate_transformation = "asymmetric", rounding = "floor"} : tensor<1x4x8x2xi8> -> tensor<1x8x8x2xi8>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xf32>) {
  // expected-error@+1 {{input has element type 'f32'; use a quantized type, i8 or ui8}}
  qnn.resize %x {mode = "nearest", coordinate_transformation = "asymmetric", rounding = "floor"} : tensor<1x4x8x2xf32> -> tensor<1x8x8x2xf32>
  return
}

// -----

func.func @f(%x: tensor<1x2x8x2x!quant.uniform<i8:f32:1, {1.0e-01, 2.0e-01}>>) {
  // expected-error@+1 {{input is quantized along dimension 1; the channels must be dimension 3}}
  qnn.resize %x {mode = "nearest", coordinate_transformation = "asymmetric", rounding = "floor"} : tensor<1x2x8x2x!quant.uniform<i8:f32:1, {1.0e-01, 2.0e-01}>> -> tensor<1x2x4x2x!quant.uniform<i8:f32:1, {1.0e-01, 2.0e-01}>>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2xi8>) {
  // expected-error@+1 {{input of type 'tensor<1x4x8x2xi8>' has no scale}}
  qnn.resize %x {mode = "linear", coordinate_transformation = "half_pixel"} : tensor<1x4x8x2xi8> -> tensor<1x8x8x2xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2x!quant.uniform<i8:f32, 1.0e-01>>, %z: i32) {
  // expected-error@+1 {{has a result of 'bf16', which takes no scale or zero point; remove the operand}}
  qnn.resize %x output_zero_point(%z : i32) {mode = "linear", coordinate_transformation = "half_pixel"} : tensor<1x4x8x2x!quant.uniform<i8:f32, 1.0e-01>> -> tensor<1x8x8x2xbf16>
  return
}

// -----

func.func @f(%x: tensor<1x4x8x2x!quant.uniform<i8:f32, 1.0e-01>>) {
  // expected-error@+1 {{result of type 'tensor<1x8x8x2xi8>' has no scale}}
  qnn.resize %x {mode = "linear", coordinate_transformation = "half_pixel"} : tensor<1x4x8x2x!quant.uniform<i8:f32, 1.0e-01>> -> tensor<1x8x8x2xi8>
  return
}
