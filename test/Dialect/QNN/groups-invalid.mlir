// RUN: qcc-opt %s -split-input-file -verify-diagnostics

// Only linear layers take groups of K.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2x!x>, %w: tensor<3x2xi8>, %s: tensor<3x1xf32>) {
  // expected-error@+1 {{scale of rhs is per row ('tensor<3x1xf32>'), which this tensor does not allow; give one per tensor}}
  qnn.matmul %x, %w rhs_scale(%s : tensor<3x1xf32>) {transpose_rhs} : tensor<4x2x!x>, tensor<3x2xi8> -> tensor<4x3xf32>
  return
}

// -----

// Groups that are no divisor of K.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x6x!x>, %w: tensor<3x6xi8>, %s: tensor<3x4xf32>) {
  // expected-error@+1 {{scale of weight of type 'tensor<3x4xf32>' does not fit 'tensor<3x6xi8>'; give a scalar, one per channel of dimension 0, or one per group (its shape with a last dimension that divides its own)}}
  qnn.linear %x, %w weight_scale(%s : tensor<3x4xf32>) : tensor<4x6x!x>, tensor<3x6xi8> -> tensor<4x3xf32>
  return
}

// -----

!w = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x6xi8>, %w: tensor<3x6x!w>, %s: tensor<3x2xf32>) {
  // expected-error@+1 {{scale of input of type 'tensor<3x2xf32>' does not fit 'tensor<4x6xi8>'; give a scalar, or one per row (its shape with the last dimension 1), or one per group}}
  qnn.linear %x, %w input_scale(%s : tensor<3x2xf32>) : tensor<4x6xi8>, tensor<3x6x!w> -> tensor<4x3xf32>
  return
}

// -----

// C8.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x6x!x>, %w: tensor<3x6xi8>, %s: tensor<3x3xf32>, %z: tensor<3x2xi32>) {
  // expected-error@+1 {{scale of weight of type 'tensor<3x3xf32>' and its zero point of type 'tensor<3x2xi32>' have groups of different sizes; give as many zero points as scales}}
  qnn.linear %x, %w weight_scale(%s : tensor<3x3xf32>) weight_zero_point(%z : tensor<3x2xi32>) : tensor<4x6x!x>, tensor<3x6xi8> -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x6xi8>, %w: tensor<3x6xi8>, %s: tensor<4x3xf32>, %t: tensor<3x2xf32>) {
  // expected-error@+1 {{input has groups of 2 elements along K and weight groups of 3; give both groups of one size}}
  qnn.linear %x, %w input_scale(%s : tensor<4x3xf32>) weight_scale(%t : tensor<3x2xf32>) : tensor<4x6xi8>, tensor<3x6xi8> -> tensor<4x3xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x6x!x>, %w: tensor<3x6xi8>, %t: tensor<3x2xf32>) {
  // expected-error@+1 {{has scales or zero points for groups of K and a result of '!quant.uniform<i8:f32, 1.000000e-01>'; make the result f32, f16 or bf16 and quantize it by qnn.quantize}}
  qnn.linear %x, %w weight_scale(%t : tensor<3x2xf32>) : tensor<4x6x!x>, tensor<3x6xi8> -> tensor<4x3x!x>
  return
}

// -----

func.func @f(%x: tensor<4x6xi8>, %w: tensor<3x6xi8>, %z: tensor<3x2xi32>) {
  // expected-error@+1 {{has scales or zero points for groups of K and a result of 'i32'; make the result f32, f16 or bf16 and quantize it by qnn.quantize}}
  qnn.linear %x, %w weight_zero_point(%z : tensor<3x2xi32>) : tensor<4x6xi8>, tensor<3x6xi8> -> tensor<4x3xi32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x6x!x>, %w: tensor<3x6xi8>, %t: tensor<3x2xf32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{has scales or zero points for groups of K and an i32 bias; dequantize the bias to f32}}
  qnn.linear %x, %w bias(%b : tensor<3xi32>) weight_scale(%t : tensor<3x2xf32>) : tensor<4x6x!x>, tensor<3x6xi8> -> tensor<4x3xf32>
  return
}

// -----

// C5 is about each group: four of them fit, two are too long.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x262144x!x>, %w: tensor<3x262144xi8>, %s: tensor<3x4xf32>, %t: tensor<3x2xf32>) {
  qnn.linear %x, %w weight_scale(%s : tensor<3x4xf32>) : tensor<4x262144x!x>, tensor<3x262144xi8> -> tensor<4x3xf32>
  // expected-error@+1 {{reduction of 131072 products of at most 16384 could overflow i32; with these storage ranges and zero points at most 131071 are possible, split the reduction}}
  qnn.linear %x, %w weight_scale(%t : tensor<3x2xf32>) : tensor<4x262144x!x>, tensor<3x262144xi8> -> tensor<4x3xf32>
  return
}
