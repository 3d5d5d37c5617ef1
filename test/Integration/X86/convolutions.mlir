// REQUIRES: x86-64-v3
// Convolutions of many forms give the bits of the reference on every x86 level: 1x1, 3x3, 7x7, strides, dilations, uneven
// padding, groups, depthwise, one dimension; all types of results.
// RUN: qcc run %s --mcpu=x86-64-v3 --input=random:1 --dim=2 --dim=1 --dim=2 --check | FileCheck %s
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake --input=random:2 --dim=1 --dim=2 --dim=1 --check | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --mcpu=sapphirerapids+emulated-amx --input=random:3 --dim=3 --dim=1 --dim=2 --check | FileCheck %s %}
// CHECK: 0 differ

!u = !quant.uniform<u8:f32, 0.05:131>
!s = !quant.uniform<i8:f32, 0.04:-7>
!w = !quant.uniform<i8:f32, 0.01>
!wu = !quant.uniform<u8:f32, 0.01:120>
!wc = !quant.uniform<i8:f32:0, {0.01, 0.02, 0.015, 0.03, 0.005, 0.011}>
!y = !quant.uniform<i8:f32, 0.3:5>
!z = !quant.uniform<u8:f32, 0.9:99>

func.func @images(%a: tensor<?x7x9x6x!u>, %b: tensor<?x11x12x3x!s>, %line: tensor<?x1x21x6xi8>, %pointwise: tensor<17x1x1x6x!w>, %per_channel: tensor<6x3x3x6x!wc>,
                  %seven: tensor<20x7x7x3x!w>, %two: tensor<6x3x2x3x!wu>, %three: tensor<9x3x3x2x!w>, %depth: tensor<6x3x3x1x!wc>, %twice: tensor<12x3x3x1x!w>,
                  %taps: tensor<5x1x4x6x!w>, %i6: tensor<6xi32>, %f6: tensor<6xf32>, %f20: tensor<20xf32>, %scale: f32, %zero: i32)
    -> (tensor<?x7x9x17xi32>, tensor<?x7x9x6x!y>, tensor<?x6x6x20x!z>, tensor<?x9x11x6xf32>, tensor<?x4x4x6xf16>, tensor<?x7x9x9xf32>, tensor<?x7x9x6x!y>, tensor<?x3x5x12x!z>, tensor<?x1x18x5xi8>) {
  %0 = qnn.conv2d %a, %pointwise : tensor<?x7x9x6x!u>, tensor<17x1x1x6x!w> -> tensor<?x7x9x17xi32>
  %1 = qnn.conv2d %a, %per_channel bias(%i6 : tensor<6xi32>) {padding = array<i64: 1, 1, 1, 1>, clamp_min = 0.0 : f32}
    : tensor<?x7x9x6x!u>, tensor<6x3x3x6x!wc> -> tensor<?x7x9x6x!y>
  %2 = qnn.conv2d %b, %seven bias(%f20 : tensor<20xf32>) {strides = array<i64: 2, 2>, padding = array<i64: 3, 3, 3, 3>, clamp_min = -3.0 : f32, clamp_max = 9.0 : f32}
    : tensor<?x11x12x3x!s>, tensor<20x7x7x3x!w> -> tensor<?x6x6x20x!z>
  %3 = qnn.conv2d %b, %two bias(%f6 : tensor<6xf32>) {dilations = array<i64: 2, 3>, padding = array<i64: 0, 2, 1, 1>}
    : tensor<?x11x12x3x!s>, tensor<6x3x2x3x!wu> -> tensor<?x9x11x6xf32>
  %4 = qnn.conv2d %b, %two {strides = array<i64: 3, 3>, padding = array<i64: 1, 0, 0, 1>, clamp_max = 6.0 : f32}
    : tensor<?x11x12x3x!s>, tensor<6x3x2x3x!wu> -> tensor<?x4x4x6xf16>
  %5 = qnn.conv2d %a, %three {groups = 3, padding = array<i64: 2, 0, 1, 1>} : tensor<?x7x9x6x!u>, tensor<9x3x3x2x!w> -> tensor<?x7x9x9xf32>
  %6 = qnn.conv2d %a, %depth bias(%f6 : tensor<6xf32>) {groups = 6, padding = array<i64: 1, 1, 1, 1>} : tensor<?x7x9x6x!u>, tensor<6x3x3x1x!wc> -> tensor<?x7x9x6x!y>
  %7 = qnn.conv2d %a, %twice {groups = 6, strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 1, 2>} : tensor<?x7x9x6x!u>, tensor<12x3x3x1x!w> -> tensor<?x3x5x12x!z>
  %8 = qnn.conv2d %line, %taps input_scale(%scale : f32) input_zero_point(%zero : i32) output_scale(%scale : f32) output_zero_point(%zero : i32)
    {dilations = array<i64: 1, 2>, padding = array<i64: 0, 0, 3, 0>} : tensor<?x1x21x6xi8>, tensor<5x1x4x6x!w> -> tensor<?x1x18x5xi8>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<?x7x9x17xi32>, tensor<?x7x9x6x!y>, tensor<?x6x6x20x!z>, tensor<?x9x11x6xf32>, tensor<?x4x4x6xf16>, tensor<?x7x9x9xf32>, tensor<?x7x9x6x!y>, tensor<?x3x5x12x!z>, tensor<?x1x18x5xi8>
}
