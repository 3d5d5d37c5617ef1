// REQUIRES: x86-64-v3
// Groups of few channels give the bits of the reference on every x86 level: of 4 to 24 elements and 2 to 24 columns, where
// lanes of a vector are columns of several groups; of 3, which get zeros beside them; of 16, which fill a vector. Strides,
// dilations, uneven padding, one by one pixel; weights that are arguments, with a zero point; borders of zeros, of
// which nothing is multiplied; all types of results.
// RUN: qcc run %s --mcpu=x86-64-v3 --weights=random:1 --input=random:1 --dim=1 --dim=2 --dim=3 --dim=0 --dim=2 --check | FileCheck %s
// RUN: %if avx512 %{ qcc run %s --mcpu=skylake-avx512 --weights=random:2 --input=random:2 --dim=2 --dim=1 --dim=1 --dim=1 --dim=1 --check | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake --weights=random:3 --input=random:3 --dim=1 --dim=3 --dim=1 --dim=2 --dim=3 --check | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --mcpu=sapphirerapids+emulated-amx --weights=random:4 --input=random:4 --dim=1 --dim=1 --dim=1 --dim=1 --dim=1 --check | FileCheck %s %}
// CHECK: 0 differ

!u = !quant.uniform<u8:f32, 0.05:131>
!s = !quant.uniform<i8:f32, 0.04:-7>
!w = !quant.uniform<i8:f32, 0.01>
!wu = !quant.uniform<u8:f32, 0.01:120>
!y = !quant.uniform<i8:f32, 0.3:5>
!z = !quant.uniform<u8:f32, 0.9:99>
!v = !quant.uniform<u8:f32, 0.05>

func.func @groups(%x0: tensor<?x7x19x16x!u>, %w0: tensor<16x3x3x4x!w>, %x1: tensor<2x7x19x32x!s>,
                  %x2: tensor<2x7x19x24x!u>, %w2: tensor<48x3x3x4x!w>, %x3: tensor<?x7x19x48x!s>,
                  %w3: tensor<24x3x3x8x!wu>, %x4: tensor<2x7x19x36x!u>, %w4: tensor<36x3x3x12x!w>,
                  %x5: tensor<2x7x19x48x!u>, %x6: tensor<?x7x19x8x!s>, %w6: tensor<6x3x3x4x!w>,
                  %x7: tensor<2x7x19x20x!u>, %w7: tensor<10x1x1x4x!wu>, %x8: tensor<2x7x19x64x!u>,
                  %w8: tensor<64x3x3x16x!w>, %x9: tensor<?x7x19x64x!u>, %x10: tensor<2x7x19x9x!u>,
                  %w10: tensor<18x3x3x3x!w>, %x11: tensor<2x7x19x40x!s>, %x12: tensor<?x7x19x32x!v>,
                  %w12: tensor<32x3x3x4x!w>, %x13: tensor<2x7x19x48x!v>)
    -> (tensor<?x7x19x16x!y>, tensor<2x6x20x32x!z>, tensor<2x4x10x48xf32>, tensor<?x7x19x24x!y>,
        tensor<2x7x19x36xi32>, tensor<2x4x10x48x!y>, tensor<?x5x17x6x!z>, tensor<2x7x19x10xf32>,
        tensor<2x7x19x64x!y>, tensor<?x7x19x128x!z>, tensor<2x7x19x18x!y>, tensor<2x3x7x60x!y>,
        tensor<?x7x19x32x!y>, tensor<2x3x10x96x!z>) {
  %0 = qnn.conv2d %x0, %w0 {groups = 4, padding = array<i64: 1, 1, 1, 1>}
    : tensor<?x7x19x16x!u>, tensor<16x3x3x4x!w> -> tensor<?x7x19x16x!y>
  %c1 = arith.constant dense_resource<w1> : tensor<32x3x3x8xi8>
  %w1 = quant.scast %c1 : tensor<32x3x3x8xi8> to tensor<32x3x3x8x!w>
  %1 = qnn.conv2d %x1, %w1 {groups = 4, padding = array<i64: 1, 0, 2, 1>}
    : tensor<2x7x19x32x!s>, tensor<32x3x3x8x!w> -> tensor<2x6x20x32x!z>
  %2 = qnn.conv2d %x2, %w2 {groups = 6, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
    : tensor<2x7x19x24x!u>, tensor<48x3x3x4x!w> -> tensor<2x4x10x48xf32>
  %3 = qnn.conv2d %x3, %w3 {groups = 6, dilations = array<i64: 2, 2>, padding = array<i64: 2, 2, 2, 2>}
    : tensor<?x7x19x48x!s>, tensor<24x3x3x8x!wu> -> tensor<?x7x19x24x!y>
  %4 = qnn.conv2d %x4, %w4 {groups = 3, padding = array<i64: 1, 1, 1, 1>}
    : tensor<2x7x19x36x!u>, tensor<36x3x3x12x!w> -> tensor<2x7x19x36xi32>
  %c5 = arith.constant dense_resource<w5> : tensor<48x3x3x24xi8>
  %w5 = quant.scast %c5 : tensor<48x3x3x24xi8> to tensor<48x3x3x24x!w>
  %5 = qnn.conv2d %x5, %w5 {groups = 2, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
    : tensor<2x7x19x48x!u>, tensor<48x3x3x24x!w> -> tensor<2x4x10x48x!y>
  %6 = qnn.conv2d %x6, %w6 {groups = 2}
    : tensor<?x7x19x8x!s>, tensor<6x3x3x4x!w> -> tensor<?x5x17x6x!z>
  %7 = qnn.conv2d %x7, %w7 {groups = 5}
    : tensor<2x7x19x20x!u>, tensor<10x1x1x4x!wu> -> tensor<2x7x19x10xf32>
  %8 = qnn.conv2d %x8, %w8 {groups = 4, padding = array<i64: 1, 1, 1, 1>}
    : tensor<2x7x19x64x!u>, tensor<64x3x3x16x!w> -> tensor<2x7x19x64x!y>
  %c9 = arith.constant dense_resource<w9> : tensor<128x5x5x4xi8>
  %w9 = quant.scast %c9 : tensor<128x5x5x4xi8> to tensor<128x5x5x4x!w>
  %9 = qnn.conv2d %x9, %w9 {groups = 16, padding = array<i64: 2, 2, 2, 2>}
    : tensor<?x7x19x64x!u>, tensor<128x5x5x4x!w> -> tensor<?x7x19x128x!z>
  %10 = qnn.conv2d %x10, %w10 {groups = 3, padding = array<i64: 1, 1, 1, 1>}
    : tensor<2x7x19x9x!u>, tensor<18x3x3x3x!w> -> tensor<2x7x19x18x!y>
  %c11 = arith.constant dense_resource<w11> : tensor<60x3x3x4xi8>
  %w11 = quant.scast %c11 : tensor<60x3x3x4xi8> to tensor<60x3x3x4x!w>
  %11 = qnn.conv2d %x11, %w11 {groups = 10, strides = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>}
    : tensor<2x7x19x40x!s>, tensor<60x3x3x4x!w> -> tensor<2x3x7x60x!y>
  %12 = qnn.conv2d %x12, %w12 {groups = 8, padding = array<i64: 1, 1, 1, 1>}
    : tensor<?x7x19x32x!v>, tensor<32x3x3x4x!w> -> tensor<?x7x19x32x!y>
  %c13 = arith.constant dense_resource<w13> : tensor<96x5x5x16xi8>
  %w13 = quant.scast %c13 : tensor<96x5x5x16xi8> to tensor<96x5x5x16x!w>
  %13 = qnn.conv2d %x13, %w13 {groups = 3, strides = array<i64: 2, 2>, padding = array<i64: 2, 1, 2, 2>}
    : tensor<2x7x19x48x!v>, tensor<96x5x5x16x!w> -> tensor<2x3x10x96x!z>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13
    : tensor<?x7x19x16x!y>, tensor<2x6x20x32x!z>, tensor<2x4x10x48xf32>, tensor<?x7x19x24x!y>,
      tensor<2x7x19x36xi32>, tensor<2x4x10x48x!y>, tensor<?x5x17x6x!z>, tensor<2x7x19x10xf32>,
      tensor<2x7x19x64x!y>, tensor<?x7x19x128x!z>, tensor<2x7x19x18x!y>, tensor<2x3x7x60x!y>,
      tensor<?x7x19x32x!y>, tensor<2x3x10x96x!z>
}
