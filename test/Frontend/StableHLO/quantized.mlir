// Quantized types: an op computes real numbers between qnn.dequantize and qnn.quantize, and products of bytes stay integer.
// RUN: qcc compile %s --emit=import -o - | FileCheck %s
// RUN: qcc explain %s --mcpu=cascadelake | FileCheck %s --check-prefix=KERNEL

!x = !quant.uniform<i8:f32, 5.000000e-02:3>
!w = !quant.uniform<i8<-127:127>:f32:1, {1.000000e-02,2.000000e-02}>
!sum = !quant.uniform<i32:f32:1, {5.000000e-04,1.000000e-03}>
!y = !quant.uniform<i8:f32, 1.000000e-01:-5>

// CHECK-LABEL: func.func @main(%arg0: tensor<4x3xf32>) -> tensor<2x4xi8>
// CHECK: %[[Q:.*]] = qnn.quantize %arg0 scale(%{{.*}} : tensor<f32>) zero_point(%{{.*}} : tensor<i8>) : tensor<4x3xf32> -> tensor<4x3xi8>
// CHECK: qnn.dequantize %[[Q]]
// CHECK: qnn.dequantize %{{.*}} {axis = 1 : i64} : tensor<3x2xi8> -> tensor<3x2xf32>
// CHECK: arith.mulf
// CHECK: arith.addf
// The integers of 32 bits.
// CHECK: arith.divf
// CHECK: math.roundeven
// CHECK: arith.fptosi %{{.*}} : f32 to i32
// CHECK: qnn.dequantize %{{.*}} {axis = 1 : i64} : tensor<4x2xi32> -> tensor<4x2xf32>
// CHECK: qnn.quantize %{{.*}} : tensor<4x2xf32> -> tensor<4x2xi8>
// A transpose keeps integers.
// CHECK-NOT: qnn
// CHECK: linalg.transpose ins(%{{.*}} : tensor<4x2xi8>)
// KERNEL: contract {{.*}}atom avx512vnni
func.func @main(%x: tensor<4x3xf32>) -> tensor<2x4x!y> {
  %q = stablehlo.uniform_quantize %x : (tensor<4x3xf32>) -> tensor<4x3x!x>
  %w = stablehlo.constant() <{value = dense<[[1, -2], [3, 4], [-5, 127]]> : tensor<3x2xi8>}> : () -> tensor<3x2x!w>
  %d = stablehlo.dot_general %q, %w, contracting_dims = [1] x [0] : (tensor<4x3x!x>, tensor<3x2x!w>) -> tensor<4x2x!sum>
  %r = stablehlo.uniform_quantize %d : (tensor<4x2x!sum>) -> tensor<4x2x!y>
  %t = stablehlo.transpose %r, dims = [1, 0] : (tensor<4x2x!y>) -> tensor<2x4x!y>
  return %t : tensor<2x4x!y>
}
