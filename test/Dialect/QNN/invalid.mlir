// RUN: qcc-opt %s -split-input-file -verify-diagnostics

// Parameters of types (N1, N9).

!x = !quant.uniform<i8:f32, 0x7FF8000000000000>
func.func @f(%x: tensor<4x8x!x>) {
  // expected-error@+1 {{scale of input is NaN; give a positive, finite and normal f32}}
  qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-40>
func.func @f(%x: tensor<4x8x!x>) {
  // expected-error@+1 {{scale of input is denormal; give a positive, finite and normal f32}}
  qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01:128>
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{zero point 128 of result is outside its storage range [-128, 127]; give one inside it}}
  qnn.quantize %x : tensor<4x8xf32> -> tensor<4x8x!x>
  return
}

// -----

!x = !quant.uniform<i8<-127:127>:f32, 1.0e-01:-128>
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{zero point -128 of result is outside its storage range [-127, 127]}}
  qnn.quantize %x : tensor<4x8xf32> -> tensor<4x8x!x>
  return
}

// -----

!x = !quant.uniform<i16:f32, 1.0e-01>
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{result has i16 storage; use i8 or u8}}
  qnn.quantize %x : tensor<4x8xf32> -> tensor<4x8x!x>
  return
}

// -----

!x = !quant.uniform<u32:f32, 1.0e-01>
func.func @f(%x: tensor<4x8x!x>) {
  // expected-error@+1 {{input has u32 storage; use i8 or u8, or i32}}
  qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  return
}

// -----

!x = !quant.uniform<i32:f32, 1.0e-01:3>
func.func @f(%x: tensor<4x8x!x>) {
  // expected-error@+1 {{input has i32 storage and zero point 3; i32 values have zero point 0}}
  qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f16, 1.0e-01>
func.func @f(%x: tensor<4x8x!x>) {
  // expected-error@+1 {{input has a quantized type with expressed type 'f16'; write f32 (results may still be f16 or bf16)}}
  qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf16>
  return
}

// -----

!x = !quant.uniform<i8:f32:{0:2,1:4}, {{1.0, 2.0}, {3.0, 4.0}}>
func.func @f(%x: tensor<4x8x!x>) {
  // expected-error@+1 {{only !quant.uniform per tensor or per channel is supported (sub-channel scales are not)}}
  qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  return
}

// -----

!x = !quant.any<i8:f32>
func.func @f(%x: tensor<4x8x!x>) {
  // expected-error@+1 {{only !quant.uniform per tensor or per channel is supported}}
  qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32:1, {1.0, 2.0}>
func.func @f(%x: tensor<4x8x!x>) {
  // expected-error@+1 {{input has 2 scales in its type but 8 channels along dimension 1; give one scale per channel}}
  qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32:2, {1.0, 2.0}>
func.func @f(%x: tensor<4x2x!x>) {
  // expected-error@+1 {{input is quantized along dimension 2 but has rank 2; give the axis of one of its dimensions}}
  qnn.dequantize %x : tensor<4x2x!x> -> tensor<4x2xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32:0, {1.0, 2.0}>
func.func @f(%x: tensor<?x2x!x>) {
  // expected-error@+1 {{input is quantized along dimension 0, which is dynamic; give it a static size}}
  qnn.dequantize %x : tensor<?x2x!x> -> tensor<?x2xf32>
  return
}

// -----

// Parameters by operands.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x8x!x>, %s: f32) {
  // expected-error@+1 {{and also a scale or zero point operand; remove the operands or use i8 or ui8}}
  qnn.dequantize %x scale(%s : f32) : tensor<4x8x!x> -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi8>) {
  // expected-error@+1 {{input of type 'tensor<4x8xi8>' has no scale; give a scale operand or a quantized type}}
  qnn.dequantize %x : tensor<4x8xi8> -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xi16>, %s: f32) {
  // expected-error@+1 {{input has element type 'i16'; use a quantized type, i8 or ui8, or i32}}
  qnn.dequantize %x scale(%s : f32) : tensor<4x8xi16> -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %s: f32) {
  // expected-error@+1 {{result has element type 'i32'; use a quantized type, i8 or ui8}}
  qnn.quantize %x scale(%s : f32) : tensor<4x8xf32> -> tensor<4x8xi32>
  return
}

// -----

func.func @f(%x: tensor<4x2xi8>) {
  %s = arith.constant dense<[1.0, 0.0]> : tensor<2xf32>
  // expected-error@+1 {{scale of input is zero (scales are rounded to f32)}}
  qnn.dequantize %x scale(%s : tensor<2xf32>) : tensor<4x2xi8> -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xi8>) {
  %s = arith.constant -1.0 : f32
  // expected-error@+1 {{scale of input is negative}}
  qnn.dequantize %x scale(%s : f32) : tensor<4x2xi8> -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xi8>) {
  %s = arith.constant dense<0x7F800000> : tensor<4x1xf32>
  // expected-error@+1 {{scale of input is infinite (scales are rounded to f32)}}
  qnn.dequantize %x scale(%s : tensor<4x1xf32>) : tensor<4x2xi8> -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xi8>) {
  %s = arith.constant dense_resource<s> : tensor<2xf32>
  // expected-error@+1 {{scale of input is NaN}}
  qnn.dequantize %x scale(%s : tensor<2xf32>) : tensor<4x2xi8> -> tensor<4x2xf32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      s: "0x040000000000803F0000C07F"
    }
  }
#-}

// -----

func.func @f(%x: tensor<4x2xui8>, %s: f32) {
  %z = arith.constant -1 : i32
  // expected-error@+1 {{zero point -1 of input is outside its storage range [0, 255]; give one inside it}}
  qnn.dequantize %x scale(%s : f32) zero_point(%z : i32) : tensor<4x2xui8> -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xi8>, %s: f32, %z: tensor<ui8>) {
  // expected-error@+1 {{zero point of input has element type 'ui8' but the tensor 'i8'; give it as 'i8' or i32}}
  qnn.dequantize %x scale(%s : f32) zero_point(%z : tensor<ui8>) : tensor<4x2xi8> -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xi32>, %s: f32, %z: i32) {
  // expected-error@+1 {{input is i32 and has a zero point operand; i32 values have zero point 0, remove it}}
  qnn.dequantize %x scale(%s : f32) zero_point(%z : i32) : tensor<4x2xi32> -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xi8>, %s: tensor<3xf32>) {
  // expected-error@+1 {{scale of input of type 'tensor<3xf32>' does not fit 'tensor<4x2xi8>'; give a scalar, one per channel of dimension 1, or one per row (its shape with the last dimension 1)}}
  qnn.dequantize %x scale(%s : tensor<3xf32>) : tensor<4x2xi8> -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xi8>, %s: tensor<3x1xf32>) {
  // expected-error@+1 {{scale of input of type 'tensor<3x1xf32>' does not fit 'tensor<4x2xi8>'}}
  qnn.dequantize %x scale(%s : tensor<3x1xf32>) : tensor<4x2xi8> -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xi8>, %s: tensor<1x2xf32>) {
  // expected-error@+1 {{scale of input of type 'tensor<1x2xf32>' does not fit 'tensor<4x2xi8>'}}
  qnn.dequantize %x scale(%s : tensor<1x2xf32>) : tensor<4x2xi8> -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>, %s: tensor<2xf32>) {
  // expected-error@+1 {{axis 2 is not a dimension of 'tensor<4x2xi8>'; give 0 to 1}}
  qnn.quantize %x scale(%s : tensor<2xf32>) {axis = 2} : tensor<4x2xf32> -> tensor<4x2xi8>
  return
}

// -----

// Shapes.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{must have the same shape; insert a tensor.cast if only ? differs}}
  qnn.quantize %x : tensor<4x8xf32> -> tensor<?x8x!x>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x8x!x>) {
  // expected-error@+1 {{must have the same shape}}
  qnn.requantize %x : tensor<4x8x!x> -> tensor<4x7x!x>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x8x!x>, %y: tensor<8x!x>) {
  // expected-error@+1 {{rhs 'tensor<8x!quant.uniform<i8:f32, 1.000000e-01>>' and result 'tensor<4x8x!quant.uniform<i8:f32, 1.000000e-01>>' must have equal ranks; insert a tensor.expand_shape that adds dimensions of size 1}}
  qnn.add %x, %y : tensor<4x8x!x>, tensor<8x!x> -> tensor<4x8x!x>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x8x!x>, %y: tensor<1x7x!x>) {
  // expected-error@+1 {{must have the same shape, apart from sizes of 1 of rhs; insert a tensor.cast if only ? differs}}
  qnn.add %x, %y : tensor<4x8x!x>, tensor<1x7x!x> -> tensor<4x8x!x>
  return
}

// -----

// A dynamic size is not broadcast.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<?x8x!x>, %y: tensor<4x8x!x>) {
  // expected-error@+1 {{must have the same shape, apart from sizes of 1 of lhs}}
  qnn.mul %x, %y : tensor<?x8x!x>, tensor<4x8x!x> -> tensor<4x8x!x>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x8x!x>, %y: tensor<1x1x!x>) {
  // expected-error@+1 {{result 'tensor<?x8x!quant.uniform<i8:f32, 1.000000e-01>>' has the size ? in dimension 0, in which all operands have the size 1; make it 1 there, or broadcast it by linalg.broadcast}}
  qnn.mul %x, %y : tensor<1x8x!x>, tensor<1x1x!x> -> tensor<?x8x!x>
  return
}

// -----

// Rows of parameters are those of the operand.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x8x!x>, %y: tensor<1x8xi8>, %s: tensor<4x1xf32>) {
  // expected-error@+1 {{scale of rhs of type 'tensor<4x1xf32>' does not fit 'tensor<1x8xi8>'}}
  qnn.add %x, %y rhs_scale(%s : tensor<4x1xf32>) : tensor<4x8x!x>, tensor<1x8xi8> -> tensor<4x8x!x>
  return
}

// -----

// qnn.linear, C1.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x8x!x>, %w: tensor<8x!x>) {
  // expected-error@+1 {{needs an input [..., K], a weight [N, K] and a result [..., N] of the input's rank}}
  qnn.linear %x, %w : tensor<4x8x!x>, tensor<8x!x> -> tensor<4x1xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x?x!x>, %w: tensor<3x8x!x>) {
  // expected-error@+1 {{only leading dimensions of input and result may be dynamic; make K and N static}}
  qnn.linear %x, %w : tensor<4x?x!x>, tensor<3x8x!x> -> tensor<4x3xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x8x!x>, %w: tensor<3x7x!x>) {
  // expected-error@+1 {{input has 8 elements in its last dimension but the weight 7; the weight must be [N, K]}}
  qnn.linear %x, %w : tensor<4x8x!x>, tensor<3x7x!x> -> tensor<4x3xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x8x!x>, %w: tensor<3x8x!x>) {
  // expected-error@+1 {{result has 8 elements in its last dimension but the weight 3 rows; they must be equal}}
  qnn.linear %x, %w : tensor<4x8x!x>, tensor<3x8x!x> -> tensor<4x8xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x8x!x>, %w: tensor<3x8x!x>) {
  // expected-error@+1 {{must have equal leading dimensions}}
  qnn.linear %x, %w : tensor<4x8x!x>, tensor<3x8x!x> -> tensor<5x3xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x8x!x>, %w: tensor<3x8x!x>, %b: tensor<4xi32>) {
  // expected-error@+1 {{bias has type 'tensor<4xi32>'; it must have shape [3]}}
  qnn.linear %x, %w bias(%b : tensor<4xi32>) : tensor<4x8x!x>, tensor<3x8x!x> -> tensor<4x3xf32>
  return
}

// -----

// C3.

!x = !quant.uniform<i8:f32:1, {1.0, 2.0}>
!w = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2x!x>, %w: tensor<3x2x!w>) {
  // expected-error@+1 {{input is quantized per channel, which is not allowed here; use one scale per tensor}}
  qnn.linear %x, %w : tensor<4x2x!x>, tensor<3x2x!w> -> tensor<4x3xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
!w = !quant.uniform<i8:f32:1, {1.0, 2.0}>
func.func @f(%x: tensor<4x2x!x>, %w: tensor<3x2x!w>) {
  // expected-error@+1 {{weight is quantized along dimension 1; the channels must be dimension 0}}
  qnn.linear %x, %w : tensor<4x2x!x>, tensor<3x2x!w> -> tensor<4x3xf32>
  return
}

// -----

!w = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2xi8>, %w: tensor<3x2x!w>, %s: tensor<2xf32>) {
  // expected-error@+1 {{scale of input is per channel ('tensor<2xf32>'), which this tensor does not allow; give one per tensor or per row}}
  qnn.linear %x, %w input_scale(%s : tensor<2xf32>) : tensor<4x2xi8>, tensor<3x2x!w> -> tensor<4x3xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2x!x>, %w: tensor<3x2xi8>, %s: tensor<2x1xf32>) {
  // expected-error@+1 {{scale of weight of type 'tensor<2x1xf32>' does not fit 'tensor<3x2xi8>'; give a scalar, one per channel of dimension 0, or one per group (its shape with a last dimension that divides its own)}}
  qnn.linear %x, %w weight_scale(%s : tensor<2x1xf32>) : tensor<4x2x!x>, tensor<3x2xi8> -> tensor<4x3xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
!y = !quant.uniform<i8:f32:1, {1.0, 2.0, 3.0}>
func.func @f(%x: tensor<4x2x!x>, %w: tensor<3x2x!x>) {
  // expected-error@+1 {{result is quantized per channel, which is not allowed here; use one scale per tensor}}
  qnn.linear %x, %w : tensor<4x2x!x>, tensor<3x2x!x> -> tensor<4x3x!y>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2x!x>, %w: tensor<3x2x!x>, %s: tensor<4x1xf32>) {
  // expected-error@+1 {{scale of result is per row}}
  qnn.linear %x, %w output_scale(%s : tensor<4x1xf32>) : tensor<4x2x!x>, tensor<3x2x!x> -> tensor<4x3xi8>
  return
}

// -----

// C5 (N2): the storage ranges and zero points bound the sum.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<1x131072x!x>, %w: tensor<1x131072x!x>) {
  // expected-error@+1 {{reduction of 131072 products of at most 16384 could overflow i32; with these storage ranges and zero points at most 131071 are possible, split the reduction}}
  qnn.linear %x, %w : tensor<1x131072x!x>, tensor<1x131072x!x> -> tensor<1x1xf32>
  return
}

// -----

!x = !quant.uniform<i8<-127:127>:f32, 1.0e-01>
func.func @f(%x: tensor<1x133145x!x>, %w: tensor<1x133145x!x>) {
  // expected-error@+1 {{reduction of 133145 products of at most 16129 could overflow i32; with these storage ranges and zero points at most 133144}}
  qnn.linear %x, %w : tensor<1x133145x!x>, tensor<1x133145x!x> -> tensor<1x1xf32>
  return
}

// -----

// One channel with an extreme zero point is enough.
!x = !quant.uniform<u8:f32, 1.0e-01>
!w = !quant.uniform<i8:f32:0, {1.0e-01, 1.0e-01:127}>
func.func @f(%x: tensor<1x33026x!x>, %w: tensor<2x33026x!w>) {
  // expected-error@+1 {{reduction of 33026 products of at most 65025 could overflow i32; with these storage ranges and zero points at most 33025}}
  qnn.linear %x, %w : tensor<1x33026x!x>, tensor<2x33026x!w> -> tensor<1x2xf32>
  return
}

// -----

// Zero points known at run time count at their worst; constant ones do not.
func.func @f(%x: tensor<1x65794xi8>, %y: tensor<65794x1xi8>, %s: f32, %z: i32) {
  %c = arith.constant 0 : i32
  qnn.matmul %x, %y lhs_scale(%s : f32) lhs_zero_point(%c : i32) rhs_scale(%s : f32) : tensor<1x65794xi8>, tensor<65794x1xi8> -> tensor<1x1xf32>
  // expected-error@+1 {{reduction of 65794 products of at most 32640 could overflow i32; with these storage ranges and zero points at most 65793}}
  qnn.matmul %x, %y lhs_scale(%s : f32) lhs_zero_point(%z : i32) rhs_scale(%s : f32) : tensor<1x65794xi8>, tensor<65794x1xi8> -> tensor<1x1xf32>
  return
}

// -----

// C6.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2x!x>, %w: tensor<3x2x!x>, %s: f32) {
  // expected-error@+1 {{has a result of 'i32', which takes no scale or zero point; remove the operand}}
  qnn.linear %x, %w output_scale(%s : f32) : tensor<4x2x!x>, tensor<3x2x!x> -> tensor<4x3xi32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2x!x>, %w: tensor<3x2x!x>, %z: i32) {
  // expected-error@+1 {{has a result of 'f16', which takes no scale or zero point; remove the operand}}
  qnn.linear %x, %w output_zero_point(%z : i32) : tensor<4x2x!x>, tensor<3x2x!x> -> tensor<4x3xf16>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2x!x>, %w: tensor<3x2x!x>, %b: tensor<3xf32>) {
  // expected-error@+1 {{has an i32 result and an f32 bias; give the bias in i32 or make the result f32}}
  qnn.linear %x, %w bias(%b : tensor<3xf32>) : tensor<4x2x!x>, tensor<3x2x!x> -> tensor<4x3xi32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2x!x>, %w: tensor<3x2x!x>) {
  // expected-error@+1 {{has an i32 result and a clamp; make the result f32 or quantized, or remove the clamp}}
  qnn.linear %x, %w {clamp_min = 0.0 : f32} : tensor<4x2x!x>, tensor<3x2x!x> -> tensor<4x3xi32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2x!x>, %w: tensor<3x2x!x>) {
  // expected-error@+1 {{result of type 'tensor<4x3xui8>' has no scale; give a scale operand or a quantized type}}
  qnn.linear %x, %w : tensor<4x2x!x>, tensor<3x2x!x> -> tensor<4x3xui8>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2x!x>, %w: tensor<3x2xi8>) {
  // expected-error@+1 {{weight of type 'tensor<3x2xi8>' has no scale; give a scale operand or a quantized type}}
  qnn.linear %x, %w : tensor<4x2x!x>, tensor<3x2xi8> -> tensor<4x3xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2x!x>, %w: tensor<3x2x!x>) {
  // expected-error@+1 {{result has element type 'f64'; use a quantized type, i8 or ui8}}
  qnn.linear %x, %w : tensor<4x2x!x>, tensor<3x2x!x> -> tensor<4x3xf64>
  return
}

// -----

// C7.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2x!x>, %w: tensor<3x2x!x>) {
  // expected-error@+1 {{lower clamp bound is above the upper one; swap them}}
  qnn.linear %x, %w {clamp_min = 6.0 : f32, clamp_max = 0.0 : f32} : tensor<4x2x!x>, tensor<3x2x!x> -> tensor<4x3xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2x!x>) {
  // expected-error@+1 {{clamp bound is NaN; give a number or infinity}}
  qnn.clamp %x {max = 0x7FC00000 : f32} : tensor<4x2x!x>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2x!x>) {
  // expected-error@+1 {{has no bound; give min, max or both}}
  qnn.clamp %x : tensor<4x2x!x>
  return
}

// -----

// Real operands.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2xf32>, %w: tensor<3x2x!x>) {
  // expected-error@+1 {{must both be f32 or both be quantized; quantize the one or dequantize the other}}
  qnn.linear %x, %w : tensor<4x2xf32>, tensor<3x2x!x> -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf16>, %w: tensor<3x2xf16>) {
  // expected-error@+1 {{input has element type 'f16'; real operands are f32}}
  qnn.linear %x, %w : tensor<4x2xf16>, tensor<3x2xf16> -> tensor<4x3xf16>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>, %w: tensor<3x2xf32>, %s: f32) {
  // expected-error@+1 {{weight is f32 and takes no scale or zero point; remove the operand}}
  qnn.linear %x, %w weight_scale(%s : f32) : tensor<4x2xf32>, tensor<3x2xf32> -> tensor<4x3xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x2xf32>, %w: tensor<3x2xf32>) {
  // expected-error@+1 {{make the result f32, f16 or bf16 and quantize it by qnn.quantize}}
  qnn.linear %x, %w : tensor<4x2xf32>, tensor<3x2xf32> -> tensor<4x3x!x>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>, %w: tensor<3x2xf32>, %b: tensor<3xi32>) {
  // expected-error@+1 {{has f32 operands and an i32 bias; dequantize the bias to f32}}
  qnn.linear %x, %w bias(%b : tensor<3xi32>) : tensor<4x2xf32>, tensor<3x2xf32> -> tensor<4x3xf32>
  return
}

// -----

// qnn.matmul.

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<2x4x8x!x>, %y: tensor<8x4x!x>) {
  // expected-error@+1 {{needs lhs, rhs and result of equal ranks of at least 2}}
  qnn.matmul %x, %y : tensor<2x4x8x!x>, tensor<8x4x!x> -> tensor<2x4x4xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x8x!x>, %y: tensor<?x4x!x>) {
  // expected-error@+1 {{the reduction dimension is dynamic in one operand only; make K static, or dynamic in both}}
  qnn.matmul %x, %y : tensor<4x8x!x>, tensor<?x4x!x> -> tensor<4x4xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x8x!x>, %y: tensor<4x8x!x>) {
  // expected-error@+1 {{lhs has 8 elements in its last dimension but dimension 0 of rhs 4; they must be equal (transpose_rhs takes rhs as [..., N, K])}}
  qnn.matmul %x, %y : tensor<4x8x!x>, tensor<4x8x!x> -> tensor<4x4xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<2x4x8x!x>, %y: tensor<3x8x4x!x>) {
  // expected-error@+1 {{must have equal batch dimensions}}
  qnn.matmul %x, %y : tensor<2x4x8x!x>, tensor<3x8x4x!x> -> tensor<2x4x4xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x8x!x>, %y: tensor<8x5x!x>) {
  // expected-error@+1 {{does not end in the rows of lhs 'tensor<4x8x!quant.uniform<i8:f32, 1.000000e-01>>' and the columns of rhs}}
  qnn.matmul %x, %y : tensor<4x8x!x>, tensor<8x5x!x> -> tensor<4x4xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 1.0e-01>
func.func @f(%x: tensor<4x8x!x>, %y: tensor<8x5xi8>, %s: tensor<5xf32>) {
  // expected-error@+1 {{scale of rhs is per channel ('tensor<5xf32>'), which this tensor does not allow; give one per tensor}}
  qnn.matmul %x, %y rhs_scale(%s : tensor<5xf32>) : tensor<4x8x!x>, tensor<8x5xi8> -> tensor<4x5xf32>
  return
}

// -----

// Elementwise.

!x = !quant.uniform<i8:f32:0, {1.0, 2.0}>
!y = !quant.uniform<i8:f32, 1.0>
func.func @f(%x: tensor<2x8x!x>, %y: tensor<2x8x!y>) {
  // expected-error@+1 {{lhs is quantized per channel, which is not allowed here; use one scale per tensor}}
  qnn.mul %x, %y : tensor<2x8x!x>, tensor<2x8x!y> -> tensor<2x8x!y>
  return
}

// -----

func.func @f(%x: tensor<4xi32>, %s: f32) {
  // expected-error@+1 {{input has element type 'i32'; use a quantized type, i8 or ui8}}
  qnn.clamp %x scale(%s : f32) {min = 0.0 : f32} : tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<4xi8>, %t: tensor<255xi8>) {
  // expected-error@+1 {{table has type 'tensor<255xi8>'; it must have shape [256]}}
  qnn.lookup %x, %t : tensor<4xi8>, tensor<255xi8> -> tensor<4xi8>
  return
}

// -----

!y = !quant.uniform<u8:f32, 1.0>
func.func @f(%x: tensor<4xi8>, %t: tensor<256xi8>) {
  // expected-error@+1 {{table has element type 'i8' but the result is stored as 'ui8'; they must be equal}}
  qnn.lookup %x, %t : tensor<4xi8>, tensor<256xi8> -> tensor<4x!y>
  return
}

// -----

func.func @f(%x: tensor<4xi16>, %t: tensor<256xi8>) {
  // expected-error@+1 {{input has element type 'i16'; use a quantized type, i8 or ui8}}
  qnn.lookup %x, %t : tensor<4xi16>, tensor<256xi8> -> tensor<4xi8>
  return
}

// -----

func.func @f(%x: tensor<4xi8>, %t: tensor<256xf32>) {
  // expected-error@+1 {{must have the same shape}}
  qnn.lookup %x, %t : tensor<4xi8>, tensor<256xf32> -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2x!quant.uniform<i8:f32:0, {0.1, 0.2, 0.3, 0.4}>>) {
  // expected-error@+1 {{has an axis, which is that of scale and zero point operands, and none of these; remove it, a type has its own}}
  qnn.dequantize %x {axis = 1 : i64} : tensor<4x2x!quant.uniform<i8:f32:0, {0.1, 0.2, 0.3, 0.4}>> -> tensor<4x2xf32>
  return
}
