// REQUIRES: x86-64-v3
// Images of any size: the smallest ones at which a window fits, none at all, and those that are refused before anything runs.
// RUN: qcc run %s --input=random:1 --dim=2 --dim=9 --dim=14 --check | FileCheck %s
// RUN: qcc run %s --input=random:1 --dim=1 --dim=3 --dim=2 --check | FileCheck %s
// RUN: qcc run %s --input=random:1 --dim=0 --dim=3 --dim=2 --check | FileCheck %s
// CHECK: 0 differ
// RUN: not qcc run %s --input=random:1 --dim=2 --dim=2 --dim=14 2>&1 | FileCheck %s --check-prefix=HEIGHT
// HEIGHT: the input needs at least 3 elements along H, having dimension 1 of argument 0, by 'qnn.conv2d' at {{.*}}convolution-sizes.mlir:
// RUN: not qcc run %s --input=random:1 --dim=2 --dim=9 --dim=1 2>&1 | FileCheck %s --check-prefix=WIDTH
// WIDTH: the input needs at least 2 elements along W, having dimension 2 of argument 0, by 'qnn.conv_transpose2d' at {{.*}}convolution-sizes.mlir:
// RUN: not qcc run %s --input=random:1 --dim=2 --dim=2 --dim=14 --check 2>&1 | FileCheck %s --check-prefix=REFERENCE
// REFERENCE: 'qnn.conv2d': has no window in an input of 2 x 14 elements

!s = !quant.uniform<i8:f32, 0.04:-7>
!w = !quant.uniform<i8:f32, 0.01>
!y = !quant.uniform<i8:f32, 0.3:5>

func.func @sizes(%x: tensor<?x?x?x4x!s>, %w: tensor<6x5x3x4x!w>, %g: tensor<6x3x3x2x!w>) -> (tensor<?x?x?x6x!y>, tensor<?x?x?x6xf32>, tensor<?x?x?x6xf32>) {
  %0 = qnn.conv2d %x, %w {strides = array<i64: 3, 2>, padding = array<i64: 0, 2, 1, 1>} : tensor<?x?x?x4x!s>, tensor<6x5x3x4x!w> -> tensor<?x?x?x6x!y>
  %1 = qnn.conv2d %x, %g {groups = 2, padding = array<i64: 1, 1, 1, 2>} : tensor<?x?x?x4x!s>, tensor<6x3x3x2x!w> -> tensor<?x?x?x6xf32>
  %2 = qnn.conv_transpose2d %x, %w {strides = array<i64: 2, 3>, padding = array<i64: 4, 1, 2, 2>} : tensor<?x?x?x4x!s>, tensor<6x5x3x4x!w> -> tensor<?x?x?x6xf32>
  return %0, %1, %2 : tensor<?x?x?x6x!y>, tensor<?x?x?x6xf32>, tensor<?x?x?x6xf32>
}
