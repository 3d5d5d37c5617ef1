// REQUIRES: x86-64-v3
// Depthwise convolutions read arguments where they lie, as if they were padded: signed and unsigned ones, with any zero
// point, stride and dilation, windows larger than the image, several images, tails of columns and of vectors, sizes that
// are known when the program runs, one dimension. Every x86 level gives the bits of the reference, with any number of
// threads.
// RUN: qcc run %s --mcpu=x86-64-v3 --input=random:1 --dim=5 --dim=3 --check | FileCheck %s
// RUN: qcc run %s --mcpu=x86-64-v3 --input=random:2 --dim=1 --dim=9 --threads=2 --check | FileCheck %s
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake --input=random:3 --dim=1 --dim=1 --check | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake --input=random:4 --dim=6 --dim=17 --threads=2 --check --check-steps | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --mcpu=sapphirerapids+emulated-amx --input=random:5 --dim=8 --dim=4 --threads=3 --check | FileCheck %s %}
// RUN: %if avx512bw %{ qcc run %s --mcpu=skylake-avx512 --input=random:6 --dim=7 --dim=12 --check | FileCheck %s %}
// CHECK: 0 differ

// The padding is a part of the steps, whose scratch memory holds a line of it. Images are copied for the convolution that
// makes two channels of one, where lines have a dynamic size, and where they have much padding.
// RUN: qcc explain %s --mcpu=x86-64-v3 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: .generic {{.*}}to unsigned
// EXPLAIN-NOT: .generic
// EXPLAIN-COUNT-3: .contract {{.*}}tensor.pad, qnn.conv2d
// EXPLAIN: .generic {{.*}}memref.copy
// EXPLAIN: .contract {{.*}}tensor.pad, qnn.conv2d
// EXPLAIN: .generic {{.*}}memref.copy
// EXPLAIN-COUNT-2: .contract {{.*}}tensor.pad, qnn.conv2d
// EXPLAIN-NOT: .generic
// EXPLAIN: scratch 768 bytes for each thread

!u = !quant.uniform<u8:f32, 0.05:131>
!s = !quant.uniform<i8:f32, 0.04:-7>
!w = !quant.uniform<i8:f32, 0.01>
!wu = !quant.uniform<u8:f32, 0.01:120>
!y = !quant.uniform<i8:f32, 0.3:5>
!z = !quant.uniform<u8:f32, 0.9:99>

func.func @images(%a: tensor<2x7x9x80x!u>, %b: tensor<1x11x12x19x!s>, %d: tensor<1x?x?x6x!s>, %line: tensor<3x1x21x5x!u>,
                  %three: tensor<80x3x3x1x!w>, %seven: tensor<19x7x7x1x!wu>, %two: tensor<38x3x2x1x!w>, %five: tensor<6x5x5x1x!w>,
                  %taps: tensor<5x1x4x1x!wu>, %i80: tensor<80xi32>, %part: tensor<33x3x3x1x!w>, %wide: tensor<19x3x3x1x!w>)
    -> (tensor<2x7x9x80x!y>, tensor<2x4x5x80x!z>, tensor<1x6x6x19x!z>, tensor<1x10x11x38xf32>, tensor<1x?x?x6x!y>, tensor<3x1x20x5xi32>, tensor<2x11x13x80x!y>, tensor<2x7x9x33x!y>, tensor<1x11x6x19x!z>) {
  %0 = qnn.conv2d %a, %three bias(%i80 : tensor<80xi32>) {groups = 80, padding = array<i64: 1, 1, 1, 1>, clamp_min = 0.0 : f32}
    : tensor<2x7x9x80x!u>, tensor<80x3x3x1x!w> -> tensor<2x7x9x80x!y>
  %1 = qnn.conv2d %a, %three {groups = 80, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
    : tensor<2x7x9x80x!u>, tensor<80x3x3x1x!w> -> tensor<2x4x5x80x!z>
  %2 = qnn.conv2d %b, %seven {groups = 19, strides = array<i64: 2, 2>, padding = array<i64: 3, 3, 3, 3>}
    : tensor<1x11x12x19x!s>, tensor<19x7x7x1x!wu> -> tensor<1x6x6x19x!z>
  %3 = qnn.conv2d %b, %two {groups = 19, dilations = array<i64: 2, 3>, padding = array<i64: 0, 3, 1, 1>}
    : tensor<1x11x12x19x!s>, tensor<38x3x2x1x!w> -> tensor<1x10x11x38xf32>
  %4 = qnn.conv2d %d, %five {groups = 6, padding = array<i64: 2, 2, 2, 2>} : tensor<1x?x?x6x!s>, tensor<6x5x5x1x!w> -> tensor<1x?x?x6x!y>
  %5 = qnn.conv2d %line, %taps {groups = 5, dilations = array<i64: 1, 2>, padding = array<i64: 0, 0, 2, 3>}
    : tensor<3x1x21x5x!u>, tensor<5x1x4x1x!wu> -> tensor<3x1x20x5xi32>
  %6 = qnn.conv2d %a, %three {groups = 80, dilations = array<i64: 4, 4>, padding = array<i64: 8, 4, 8, 4>}
    : tensor<2x7x9x80x!u>, tensor<80x3x3x1x!w> -> tensor<2x11x13x80x!y>
  // Lines that are not compact.
  %channels = tensor.extract_slice %a[0, 0, 0, 7] [2, 7, 9, 33] [1, 1, 1, 1] : tensor<2x7x9x80x!u> to tensor<2x7x9x33x!u>
  %7 = qnn.conv2d %channels, %part {groups = 33, padding = array<i64: 1, 1, 1, 1>}
    : tensor<2x7x9x33x!u>, tensor<33x3x3x1x!w> -> tensor<2x7x9x33x!y>
  %columns = tensor.extract_slice %b[0, 0, 0, 0] [1, 11, 6, 19] [1, 1, 2, 1] : tensor<1x11x12x19x!s> to tensor<1x11x6x19x!s>
  %8 = qnn.conv2d %columns, %wide {groups = 19, padding = array<i64: 1, 1, 1, 1>}
    : tensor<1x11x6x19x!s>, tensor<19x3x3x1x!w> -> tensor<1x11x6x19x!z>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2x7x9x80x!y>, tensor<2x4x5x80x!z>, tensor<1x6x6x19x!z>, tensor<1x10x11x38xf32>, tensor<1x?x?x6x!y>, tensor<3x1x20x5xi32>, tensor<2x11x13x80x!y>, tensor<2x7x9x33x!y>, tensor<1x11x6x19x!z>
}
