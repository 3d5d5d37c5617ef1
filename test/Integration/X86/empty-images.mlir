// REQUIRES: x86-64-v3
// Images without elements.
// RUN: qcc run %s --entry=pools --input=random:1 --check | FileCheck %s
// RUN: qcc run %s --entry=sizes --input=random:1 --check | FileCheck %s
// RUN: qcc run %s --entry=sums --input=random:1 --check | FileCheck %s
// CHECK: check: 0 elements, 0 differ

!s = !quant.uniform<i8:f32, 5.0e-02:3>
func.func @pools(%x: tensor<0x5x4x3x!s>, %y: tensor<2x5x4x0x!s>) -> (tensor<0x5x4x3x!s>, tensor<2x5x4x0x!s>, tensor<0x5x4x3xf32>, tensor<2x1x1x0x!s>) {
  %0 = qnn.max_pool2d %x {window = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>} : tensor<0x5x4x3x!s> -> tensor<0x5x4x3x!s>
  %1 = qnn.max_pool2d %y {window = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>} : tensor<2x5x4x0x!s> -> tensor<2x5x4x0x!s>
  %2 = qnn.avg_pool2d %x {window = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>} : tensor<0x5x4x3x!s> -> tensor<0x5x4x3xf32>
  %3 = qnn.avg_pool2d %y : tensor<2x5x4x0x!s> -> tensor<2x1x1x0x!s>
  return %0, %1, %2, %3 : tensor<0x5x4x3x!s>, tensor<2x5x4x0x!s>, tensor<0x5x4x3xf32>, tensor<2x1x1x0x!s>
}
func.func @sizes(%x: tensor<0x5x4x3x!s>, %y: tensor<2x5x4x0x!s>) -> (tensor<0x3x9x3x!s>, tensor<2x6x2x0x!s>, tensor<0x5x4x3xf32>) {
  %0 = qnn.resize %x {mode = "nearest", coordinate_transformation = "half_pixel", rounding = "floor"} : tensor<0x5x4x3x!s> -> tensor<0x3x9x3x!s>
  %1 = qnn.resize %y {mode = "linear", coordinate_transformation = "half_pixel"} : tensor<2x5x4x0x!s> -> tensor<2x6x2x0x!s>
  %2 = qnn.resize %x {mode = "linear", coordinate_transformation = "half_pixel"} : tensor<0x5x4x3x!s> -> tensor<0x5x4x3xf32>
  return %0, %1, %2 : tensor<0x3x9x3x!s>, tensor<2x6x2x0x!s>, tensor<0x5x4x3xf32>
}
func.func @sums(%x: tensor<0x5x4x3x!s>, %y: tensor<1x1x4x3x!s>) -> tensor<0x5x4x3x!s> {
  %0 = qnn.mul %x, %y : tensor<0x5x4x3x!s>, tensor<1x1x4x3x!s> -> tensor<0x5x4x3x!s>
  return %0 : tensor<0x5x4x3x!s>
}
