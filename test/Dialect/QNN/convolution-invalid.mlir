// RUN: qcc-opt %s -split-input-file -verify-diagnostics

// Shapes.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{needs an input [N, H, W, C], a weight [F, KH, KW, C / groups] and a result [N, OH, OW, F]; got 'tensor<6x5x4x!quant.uniform<i8:f32, 1.000000e-01>>'}}
  qnn.conv2d %x, %w : tensor<6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x?x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{only N, H and W of input and result may be dynamic; make channels and the weight static}}
  qnn.conv2d %x, %w : tensor<1x6x5x?x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x?x4x!x>) {
  // expected-error@+1 {{only N, H and W of input and result may be dynamic}}
  qnn.conv2d %x, %w : tensor<1x6x5x4x!x>, tensor<8x3x?x4x!x> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{only N, H and W of input and result may be dynamic}}
  qnn.conv2d %x, %w : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x3x?xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<6x3x3x1x!x>) {
  // expected-error@+1 {{has 3 groups for 4 channels of the input and 6 of the result; give a positive number that divides both}}
  qnn.conv2d %x, %w {groups = 3 : i64} : tensor<1x6x5x4x!x>, tensor<6x3x3x1x!x> -> tensor<1x4x3x6xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<5x3x3x2x!x>) {
  // expected-error@+1 {{has 2 groups for 4 channels of the input and 5 of the result}}
  qnn.conv2d %x, %w {groups = 2 : i64} : tensor<1x6x5x4x!x>, tensor<5x3x3x2x!x> -> tensor<1x4x3x5xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<5x3x3x2x!x>) {
  // expected-error@+1 {{has 0 groups for 4 channels}}
  qnn.conv2d %x, %w {groups = 0 : i64} : tensor<1x6x5x4x!x>, tensor<5x3x3x2x!x> -> tensor<1x4x3x5xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{input has 2 channels in each of 2 groups but the weight 4; the weight must be [F, KH, KW, C / groups]}}
  qnn.conv2d %x, %w {groups = 2 : i64} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{result has 7 channels but the weight 8; they must be equal}}
  qnn.conv2d %x, %w : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x3x7xf32>
  return
}

// -----

// Windows.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has 'strides' of length 3; give [H, W]}}
  qnn.conv2d %x, %w {strides = array<i64: 1, 1, 1>} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has 0 in 'strides'; give numbers from 1 to 2147483647}}
  qnn.conv2d %x, %w {strides = array<i64: 1, 0>} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has 'dilations' of length 1; give [H, W]}}
  qnn.conv2d %x, %w {dilations = array<i64: 1>} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has 4294967296 in 'dilations'; give numbers from 1 to 2147483647}}
  qnn.conv2d %x, %w {dilations = array<i64: 4294967296, 1>} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has 'padding' of length 2; give [top, bottom, left, right]}}
  qnn.conv2d %x, %w {padding = array<i64: 1, 1>} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has -1 in 'padding'; give numbers from 0 to 2147483647}}
  qnn.conv2d %x, %w {padding = array<i64: 1, 1, 0, -1>} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x0x3x4x!x>) {
  // expected-error@+1 {{has 0 in 'kernel'; give numbers from 1 to 2147483647}}
  qnn.conv2d %x, %w : tensor<1x6x5x4x!x>, tensor<8x0x3x4x!x> -> tensor<1x7x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has a padding of 5 along W, where a window extends over 5: windows could lie in padding alone; give less padding than that}}
  qnn.conv2d %x, %w {dilations = array<i64: 2, 2>, padding = array<i64: 4, 4, 5, 0>} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x10x6x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x1x3x4x!x>) {
  // expected-error@+1 {{has a padding of 1 along H, where a window extends over 1}}
  qnn.conv2d %x, %w {padding = array<i64: 0, 1, 0, 0>} : tensor<1x6x5x4x!x>, tensor<8x1x3x4x!x> -> tensor<1x7x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has windows that extend over 9 along H, where the input has 6 elements and a padding of 2; give a smaller window or more padding}}
  qnn.conv2d %x, %w {dilations = array<i64: 4, 1>, padding = array<i64: 1, 1, 0, 0>} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x0x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has a result of type 'tensor<1x4x4x8xf32>'; for an input of type 'tensor<1x6x5x4x!quant.uniform<i8:f32, 1.000000e-01>>' make it [1, 4, 3, 8]}}
  qnn.conv2d %x, %w : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x4x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<?x?x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{make it [?, ?, 2, 8]}}
  qnn.conv2d %x, %w {strides = array<i64: 1, 2>} : tensor<?x?x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<?x4x2x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<2x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{make it [2, 4, 3, 8]}}
  qnn.conv2d %x, %w : tensor<2x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<?x4x3x8xf32>
  return
}

// -----

// What sums are made of.

func.func @f(%x: tensor<1x6x5x4xf32>, %w: tensor<8x3x3x4xf32>) {
  // expected-error@+1 {{input has element type 'f32'; convolutions of qnn take quantized operands: quantize it, or write a convolution of linalg, which takes real ones}}
  qnn.conv2d %x, %w : tensor<1x6x5x4xf32>, tensor<8x3x3x4xf32> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4xf32>) {
  // expected-error@+1 {{weight has element type 'f32'; convolutions of qnn take quantized operands}}
  qnn.conv2d %x, %w : tensor<1x6x5x4x!x>, tensor<8x3x3x4xf32> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4xi8>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{input of type 'tensor<1x6x5x4xi8>' has no scale; give a scale operand or a quantized type}}
  qnn.conv2d %x, %w : tensor<1x6x5x4xi8>, tensor<8x3x3x4x!x> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
!c3 = !quant.uniform<i8:f32:3, {1.0e-01, 2.0e-01}>
func.func @f(%x: tensor<1x6x5x2x!c3>, %w: tensor<8x3x3x2x!x>) {
  // expected-error@+1 {{input is quantized per channel, which is not allowed here; use one scale per tensor}}
  qnn.conv2d %x, %w : tensor<1x6x5x2x!c3>, tensor<8x3x3x2x!x> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
!c3 = !quant.uniform<i8:f32:3, {1.0e-01, 2.0e-01}>
func.func @f(%x: tensor<1x6x5x2x!x>, %w: tensor<8x3x3x2x!c3>) {
  // expected-error@+1 {{weight is quantized along dimension 3; the channels must be dimension 0}}
  qnn.conv2d %x, %w : tensor<1x6x5x2x!x>, tensor<8x3x3x2x!c3> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
!c3 = !quant.uniform<i8:f32:3, {1.0e-01, 2.0e-01}>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<2x3x3x4x!x>) {
  // expected-error@+1 {{result is quantized per channel, which is not allowed here; use one scale per tensor}}
  qnn.conv2d %x, %w : tensor<1x6x5x4x!x>, tensor<2x3x3x4x!x> -> tensor<1x4x3x2x!c3>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x33x20x200x!x>, %w: tensor<8x33x20x200x!x>) {
  // expected-error@+1 {{reduction of 132000 products of at most 16384 could overflow i32; with these storage ranges and zero points at most 131071 are possible, split the reduction}}
  qnn.conv2d %x, %w : tensor<1x33x20x200x!x>, tensor<8x33x20x200x!x> -> tensor<1x1x1x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has an i32 result and a clamp; make the result f32 or quantized, or remove the clamp}}
  qnn.conv2d %x, %w {clamp_min = 0.0 : f32} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x3x8xi32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{lower clamp bound is above the upper one; swap them}}
  qnn.conv2d %x, %w {clamp_min = 1.0 : f32, clamp_max = 0.0 : f32} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>, %b: tensor<4xi32>) {
  // expected-error@+1 {{bias has type 'tensor<4xi32>'; it must have shape [8]}}
  qnn.conv2d %x, %w bias(%b : tensor<4xi32>) : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>, %b: tensor<8xf32>) {
  // expected-error@+1 {{has an i32 result and an f32 bias; give the bias in i32 or make the result f32}}
  qnn.conv2d %x, %w bias(%b : tensor<8xf32>) : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x3x8xi32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>, %s: f32) {
  // expected-error@+1 {{has a result of 'f32', which takes no scale or zero point; remove the operand}}
  qnn.conv2d %x, %w output_scale(%s : f32) : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x4x3x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x1x1x132000xi8>, %w: tensor<8x3x3x4x!x>, %s: f32, %i: tensor<1x1x1x34000xi8>, %z: i32, %k: tensor<1x1x1x34000xi8>) {
  // Zero points that are known only at run time count at their worst.
  // expected-error@+1 {{reduction of 34000 products of at most 65025 could overflow i32; with these storage ranges and zero points at most 33025 are possible, split the reduction}}
  qnn.conv2d %i, %k input_zero_point(%z : i32) weight_zero_point(%z : i32) : tensor<1x1x1x34000xi8>, tensor<1x1x1x34000xi8> -> tensor<1x1x1x1xi32>
  return
}

// -----

func.func @f(%x: tensor<1x6x5x4xi8>, %w: tensor<8x3x3x4xi8>, %s: f32, %c: tensor<4xf32>) {
  // expected-error@+1 {{scale of input is per channel ('tensor<4xf32>'), which this tensor does not allow; give one per tensor}}
  qnn.conv2d %x, %w input_scale(%c : tensor<4xf32>) weight_scale(%s : f32) : tensor<1x6x5x4xi8>, tensor<8x3x3x4xi8> -> tensor<1x4x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<1x6x5x4xi8>, %w: tensor<8x3x3x4xi8>, %s: f32, %c: tensor<4xf32>) {
  // expected-error@+1 {{scale of weight of type 'tensor<4xf32>' does not fit 'tensor<8x3x3x4xi8>'; give a scalar, one per channel of dimension 0}}
  qnn.conv2d %x, %w input_scale(%s : f32) weight_scale(%c : tensor<4xf32>) : tensor<1x6x5x4xi8>, tensor<8x3x3x4xi8> -> tensor<1x4x3x8xf32>
  return
}

// -----

// Transposed convolutions.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{needs an input [N, H, W, C], a weight [F, KH, KW, C / groups] and a result [N, OH, OW, F]}}
  qnn.conv_transpose2d %x, %w : tensor<6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x8x7x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<6x3x3x1x!x>) {
  // expected-error@+1 {{has 3 groups for 4 channels of the input and 6 of the result; give a positive number that divides both}}
  qnn.conv_transpose2d %x, %w {groups = 3 : i64} : tensor<1x6x5x4x!x>, tensor<6x3x3x1x!x> -> tensor<1x8x7x6xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has 'strides' of length 3; give [H, W]}}
  qnn.conv_transpose2d %x, %w {strides = array<i64: 1, 1, 1>} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x8x7x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has a padding of 3 along H, where a window extends over 3: the result could lose all that a pixel adds; give less padding than that}}
  qnn.conv_transpose2d %x, %w {padding = array<i64: 0, 3, 0, 0>} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x5x7x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has 'output_padding' of length 1; give [H, W]}}
  qnn.conv_transpose2d %x, %w {output_padding = array<i64: 0>} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x8x7x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has -1 in 'output_padding'; give numbers from 0 to 2147483647}}
  qnn.conv_transpose2d %x, %w {output_padding = array<i64: -1, 0>} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x7x7x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has an output padding of 2 along W, where the stride is 2 and the dilation 1; give less than the larger one of them}}
  qnn.conv_transpose2d %x, %w {strides = array<i64: 1, 2>, output_padding = array<i64: 0, 2>} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x8x13x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has strides of 64 and 5, whose product is more than 256; give smaller ones}}
  qnn.conv_transpose2d %x, %w {strides = array<i64: 64, 5>} : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x323x23x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x1x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has an input of 1 elements along H, of which nothing is left in the result; with this padding give at least 3}}
  qnn.conv_transpose2d %x, %w {padding = array<i64: 2, 2, 0, 0>} : tensor<1x1x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x0x7x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x0x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has an input of 0 elements along W, of which nothing is left in the result; with this padding give at least 1}}
  qnn.conv_transpose2d %x, %w : tensor<1x6x0x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x8x2x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{has a result of type 'tensor<1x8x8x8xf32>'; for an input of type 'tensor<1x6x5x4x!quant.uniform<i8:f32, 1.000000e-01>>' make it [1, 8, 7, 8]}}
  qnn.conv_transpose2d %x, %w : tensor<1x6x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<1x8x8x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<?x?x5x4x!x>, %w: tensor<8x3x3x4x!x>) {
  // expected-error@+1 {{make it [?, ?, 7, 8]}}
  qnn.conv_transpose2d %x, %w : tensor<?x?x5x4x!x>, tensor<8x3x3x4x!x> -> tensor<?x8x7x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x6x5x4xf32>, %w: tensor<8x3x3x4xf32>) {
  // expected-error@+1 {{input has element type 'f32'; convolutions of qnn take quantized operands}}
  qnn.conv_transpose2d %x, %w : tensor<1x6x5x4xf32>, tensor<8x3x3x4xf32> -> tensor<1x8x7x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x1x1x200x!x>, %w: tensor<8x33x20x200x!x>) {
  // expected-error@+1 {{reduction of 132000 products of at most 16384 could overflow i32}}
  qnn.conv_transpose2d %x, %w : tensor<1x1x1x200x!x>, tensor<8x33x20x200x!x> -> tensor<1x33x20x8xf32>
  return
}
