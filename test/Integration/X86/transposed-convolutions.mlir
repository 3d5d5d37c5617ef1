// REQUIRES: x86-64-v3
// Transposed convolutions with strides, dilations, padding and groups give the bits of the reference.
// RUN: qcc run %s --mcpu=x86-64-v3 --input=random:1 --dim=2 --dim=1 --check | FileCheck %s
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake --input=random:2 --dim=1 --dim=2 --check | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --mcpu=sapphirerapids+emulated-amx --input=random:3 --dim=3 --dim=1 --check | FileCheck %s %}
// CHECK: 0 differ

!u = !quant.uniform<u8:f32, 0.05:131>
!w = !quant.uniform<i8:f32, 0.01>
!wu = !quant.uniform<u8:f32, 0.01:120>
!wc = !quant.uniform<i8:f32:0, {0.01, 0.02, 0.015, 0.03, 0.005, 0.011}>
!y = !quant.uniform<i8:f32, 0.3:5>

func.func @transposed(%a: tensor<?x4x5x6x!u>, %even: tensor<7x2x2x6x!w>, %three: tensor<6x3x3x6x!wc>, %group: tensor<4x3x3x3x!wu>, %depth: tensor<6x3x3x1x!wc>,
                      %f6: tensor<6xf32>, %q: tensor<?x4x5x6xui8>, %scale: f32, %zero: i32)
    -> (tensor<?x8x10x7x!y>, tensor<?x8x10x6xf32>, tensor<?x4x8x4xi32>, tensor<?x13x6x6xf16>, tensor<?x8x10x7xf32>) {
  %0 = qnn.conv_transpose2d %a, %even {strides = array<i64: 2, 2>} : tensor<?x4x5x6x!u>, tensor<7x2x2x6x!w> -> tensor<?x8x10x7x!y>
  %1 = qnn.conv_transpose2d %a, %three bias(%f6 : tensor<6xf32>) {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, output_padding = array<i64: 1, 1>, clamp_min = 0.0 : f32}
    : tensor<?x4x5x6x!u>, tensor<6x3x3x6x!wc> -> tensor<?x8x10x6xf32>
  %2 = qnn.conv_transpose2d %a, %group {dilations = array<i64: 1, 2>, padding = array<i64: 2, 0, 1, 0>, groups = 2}
    : tensor<?x4x5x6x!u>, tensor<4x3x3x3x!wu> -> tensor<?x4x8x4xi32>
  %3 = qnn.conv_transpose2d %a, %depth {strides = array<i64: 3, 1>, padding = array<i64: 0, 0, 1, 0>, output_padding = array<i64: 1, 0>, groups = 6}
    : tensor<?x4x5x6x!u>, tensor<6x3x3x1x!wc> -> tensor<?x13x6x6xf16>
  // Of the zero point, 8 bits count.
  %4 = qnn.conv_transpose2d %q, %even input_scale(%scale : f32) input_zero_point(%zero : i32) {strides = array<i64: 2, 2>} : tensor<?x4x5x6xui8>, tensor<7x2x2x6x!w> -> tensor<?x8x10x7xf32>
  return %0, %1, %2, %3, %4 : tensor<?x8x10x7x!y>, tensor<?x8x10x6xf32>, tensor<?x4x8x4xi32>, tensor<?x13x6x6xf16>, tensor<?x8x10x7xf32>
}
