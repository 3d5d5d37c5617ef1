// REQUIRES: x86-64-v3
// Windows along one line give the bits of the reference for weights that are arguments, which kernels read where they
// lie: the line goes on behind a window, so that a vector that is longer than the window must be cut off.
// RUN: qcc run %s --mcpu=x86-64-v3 --input=random:1 --check | FileCheck %s
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake --input=random:2 --check | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --mcpu=sapphirerapids+emulated-amx --input=random:3 --check | FileCheck %s %}
// CHECK: 0 differ

!x = !quant.uniform<i8:f32, 0.05:-7>
!xu = !quant.uniform<u8:f32, 0.05:131>
!w = !quant.uniform<i8:f32, 0.01:3>
!wu = !quant.uniform<u8:f32, 0.01:120>

func.func @lines(%x0: tensor<1x4x3x8x!x>, %w0: tensor<5x1x2x8x!w>,
                 %x1: tensor<1x4x3x8x!x>, %w1: tensor<5x1x2x8x!wu>,
                 %x2: tensor<1x4x3x8x!xu>, %w2: tensor<5x1x2x8x!w>,
                 %x3: tensor<1x4x3x8x!xu>, %w3: tensor<5x1x2x8x!wu>,
                 %x4: tensor<1x4x5x24x!x>, %w4: tensor<4x1x3x24x!w>,
                 %x5: tensor<1x4x5x24x!x>, %w5: tensor<4x1x3x24x!wu>,
                 %x6: tensor<1x4x5x24x!xu>, %w6: tensor<4x1x3x24x!w>,
                 %x7: tensor<1x4x5x24x!xu>, %w7: tensor<4x1x3x24x!wu>,
                 %x8: tensor<1x4x3x40x!x>, %w8: tensor<1x1x2x40x!w>,
                 %x9: tensor<1x4x3x40x!x>, %w9: tensor<1x1x2x40x!wu>,
                 %x10: tensor<1x4x3x40x!xu>, %w10: tensor<1x1x2x40x!w>,
                 %x11: tensor<1x4x3x40x!xu>, %w11: tensor<1x1x2x40x!wu>)
    -> (tensor<1x4x2x5xi32>,
        tensor<1x4x2x5xi32>,
        tensor<1x4x2x5xi32>,
        tensor<1x4x2x5xi32>,
        tensor<1x4x3x4xi32>,
        tensor<1x4x3x4xi32>,
        tensor<1x4x3x4xi32>,
        tensor<1x4x3x4xi32>,
        tensor<1x4x2x1xi32>,
        tensor<1x4x2x1xi32>,
        tensor<1x4x2x1xi32>,
        tensor<1x4x2x1xi32>) {
  %0 = qnn.conv2d %x0, %w0 : tensor<1x4x3x8x!x>, tensor<5x1x2x8x!w> -> tensor<1x4x2x5xi32>
  %1 = qnn.conv2d %x1, %w1 : tensor<1x4x3x8x!x>, tensor<5x1x2x8x!wu> -> tensor<1x4x2x5xi32>
  %2 = qnn.conv2d %x2, %w2 : tensor<1x4x3x8x!xu>, tensor<5x1x2x8x!w> -> tensor<1x4x2x5xi32>
  %3 = qnn.conv2d %x3, %w3 : tensor<1x4x3x8x!xu>, tensor<5x1x2x8x!wu> -> tensor<1x4x2x5xi32>
  %4 = qnn.conv2d %x4, %w4 : tensor<1x4x5x24x!x>, tensor<4x1x3x24x!w> -> tensor<1x4x3x4xi32>
  %5 = qnn.conv2d %x5, %w5 : tensor<1x4x5x24x!x>, tensor<4x1x3x24x!wu> -> tensor<1x4x3x4xi32>
  %6 = qnn.conv2d %x6, %w6 : tensor<1x4x5x24x!xu>, tensor<4x1x3x24x!w> -> tensor<1x4x3x4xi32>
  %7 = qnn.conv2d %x7, %w7 : tensor<1x4x5x24x!xu>, tensor<4x1x3x24x!wu> -> tensor<1x4x3x4xi32>
  %8 = qnn.conv2d %x8, %w8 : tensor<1x4x3x40x!x>, tensor<1x1x2x40x!w> -> tensor<1x4x2x1xi32>
  %9 = qnn.conv2d %x9, %w9 : tensor<1x4x3x40x!x>, tensor<1x1x2x40x!wu> -> tensor<1x4x2x1xi32>
  %10 = qnn.conv2d %x10, %w10 : tensor<1x4x3x40x!xu>, tensor<1x1x2x40x!w> -> tensor<1x4x2x1xi32>
  %11 = qnn.conv2d %x11, %w11 : tensor<1x4x3x40x!xu>, tensor<1x1x2x40x!wu> -> tensor<1x4x2x1xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11
      : tensor<1x4x2x5xi32>,
        tensor<1x4x2x5xi32>,
        tensor<1x4x2x5xi32>,
        tensor<1x4x2x5xi32>,
        tensor<1x4x3x4xi32>,
        tensor<1x4x3x4xi32>,
        tensor<1x4x3x4xi32>,
        tensor<1x4x3x4xi32>,
        tensor<1x4x2x1xi32>,
        tensor<1x4x2x1xi32>,
        tensor<1x4x2x1xi32>,
        tensor<1x4x2x1xi32>
}
