// RUN: qcc-opt %s | qcc-opt | FileCheck %s
// RUN: qcc-opt %s -emit-bytecode | qcc-opt | FileCheck %s
// RUN: qcc-opt %s -mlir-print-op-generic | qcc-opt | FileCheck %s

!s8 = !quant.uniform<i8:f32, 5.000000e-02:3>
!u8 = !quant.uniform<u8:f32, 5.000000e-02:128>
!channel = !quant.uniform<i8:f32:3, {1.000000e-02, 2.000000e-02:1}>

// CHECK-LABEL: @max_pool2d
func.func @max_pool2d(%a: tensor<1x5x6x2x!s8>, %b: tensor<?x?x?x?xui8>, %c: tensor<2x4x4x2x!channel>) {
  // CHECK: qnn.max_pool2d %{{.*}} {window = array<i64: 2, 3>} : tensor<1x5x6x2x!quant.uniform<i8:f32, 5.000000e-02:3>> -> tensor<1x4x4x2x!quant.uniform<i8:f32, 5.000000e-02:3>>
  %0 = qnn.max_pool2d %a {window = array<i64: 2, 3>} : tensor<1x5x6x2x!s8> -> tensor<1x4x4x2x!s8>
  // CHECK: qnn.max_pool2d %{{.*}} {dilations = array<i64: 2, 1>, padding = array<i64: 1, 2, 0, 1>, strides = array<i64: 2, 3>, window = array<i64: 3, 2>} : tensor<?x?x?x?xui8> -> tensor<?x?x?x?xui8>
  %1 = qnn.max_pool2d %b {window = array<i64: 3, 2>, strides = array<i64: 2, 3>, dilations = array<i64: 2, 1>, padding = array<i64: 1, 2, 0, 1>} : tensor<?x?x?x?xui8> -> tensor<?x?x?x?xui8>
  // CHECK: qnn.max_pool2d %{{.*}} {window = array<i64: 4, 4>} : tensor<2x4x4x2x{{.*}}> -> tensor<2x1x1x2x{{.*}}>
  %2 = qnn.max_pool2d %c {window = array<i64: 4, 4>} : tensor<2x4x4x2x!channel> -> tensor<2x1x1x2x!channel>
  return
}

// CHECK-LABEL: @avg_pool2d
func.func @avg_pool2d(%a: tensor<?x5x6x2x!s8>, %b: tensor<?x?x?x?xui8>, %c: tensor<2x4x4x2x!channel>, %s: f32, %z: i32, %sc: tensor<2xf32>) {
  // CHECK: qnn.avg_pool2d %{{.*}} : tensor<?x5x6x2x!quant.uniform<i8:f32, 5.000000e-02:3>> -> tensor<?x1x1x2xbf16>
  %0 = qnn.avg_pool2d %a : tensor<?x5x6x2x!s8> -> tensor<?x1x1x2xbf16>
  // CHECK: qnn.avg_pool2d %{{.*}} {count_include_pad, padding = array<i64: 1, 0, 1, 1>, strides = array<i64: 2, 1>, window = array<i64: 2, 3>} : tensor<?x5x6x2x{{.*}}> -> tensor<?x3x6x2x!quant.uniform<u8:f32, 5.000000e-02:128>>
  %1 = qnn.avg_pool2d %a {window = array<i64: 2, 3>, strides = array<i64: 2, 1>, padding = array<i64: 1, 0, 1, 1>, count_include_pad} : tensor<?x5x6x2x!s8> -> tensor<?x3x6x2x!u8>
  // CHECK: qnn.avg_pool2d %{{.*}} input_scale(%{{.*}} : f32) input_zero_point(%{{.*}} : i32) output_scale(%{{.*}} : f32) output_zero_point(%{{.*}} : i32) : tensor<?x?x?x?xui8> -> tensor<?x1x1x?xi8>
  %2 = qnn.avg_pool2d %b input_scale(%s : f32) input_zero_point(%z : i32) output_scale(%s : f32) output_zero_point(%z : i32) : tensor<?x?x?x?xui8> -> tensor<?x1x1x?xi8>
  // CHECK: qnn.avg_pool2d %{{.*}} output_scale(%{{.*}} : tensor<2xf32>) {window = array<i64: 2, 2>} : tensor<2x4x4x2x{{.*}}> -> tensor<2x3x3x2xi8>
  %3 = qnn.avg_pool2d %c output_scale(%sc : tensor<2xf32>) {window = array<i64: 2, 2>} : tensor<2x4x4x2x!channel> -> tensor<2x3x3x2xi8>
  return
}

// The largest sum that fits (N2): differences of at most 1 and 255.
// CHECK-LABEL: @largest
func.func @largest(%a: tensor<1x46341x46340x1x!quant.uniform<u8<0:1>:f32, 1.0>>, %b: tensor<1x1x8421504x1x!quant.uniform<u8:f32, 1.0>>) {
  %0 = qnn.avg_pool2d %a {window = array<i64: 46341, 46340>} : tensor<1x46341x46340x1x!quant.uniform<u8<0:1>:f32, 1.0>> -> tensor<1x1x1x1xf32>
  %1 = qnn.avg_pool2d %b : tensor<1x1x8421504x1x!quant.uniform<u8:f32, 1.0>> -> tensor<1x1x1x1xf32>
  return
}

// CHECK-LABEL: @resize
func.func @resize(%a: tensor<?x5x6x2x!s8>, %b: tensor<1x5x6x?xui8>, %c: tensor<2x4x4x2x!channel>, %s: f32, %z: i32, %sc: tensor<2xf32>) {
  // CHECK: qnn.resize %{{.*}} {coordinate_transformation = "asymmetric", mode = "nearest", rounding = "floor"} : tensor<?x5x6x2x!quant.uniform<i8:f32, 5.000000e-02:3>> -> tensor<?x10x12x2x!quant.uniform<i8:f32, 5.000000e-02:3>>
  %0 = qnn.resize %a {mode = "nearest", coordinate_transformation = "asymmetric", rounding = "floor"} : tensor<?x5x6x2x!s8> -> tensor<?x10x12x2x!s8>
  // CHECK: qnn.resize %{{.*}} {coordinate_transformation = "align_corners", mode = "nearest", rounding = "round_prefer_ceil"} : tensor<1x5x6x?xui8> -> tensor<1x1x7x?xui8>
  %1 = qnn.resize %b {mode = "nearest", coordinate_transformation = "align_corners", rounding = "round_prefer_ceil"} : tensor<1x5x6x?xui8> -> tensor<1x1x7x?xui8>
  // CHECK: qnn.resize %{{.*}} input_scale(%{{.*}} : f32) input_zero_point(%{{.*}} : i32) {coordinate_transformation = "half_pixel", mode = "linear"} : tensor<1x5x6x?xui8> -> tensor<1x9x9x?xf16>
  %2 = qnn.resize %b input_scale(%s : f32) input_zero_point(%z : i32) {mode = "linear", coordinate_transformation = "half_pixel"} : tensor<1x5x6x?xui8> -> tensor<1x9x9x?xf16>
  // CHECK: qnn.resize %{{.*}} output_scale(%{{.*}} : tensor<2xf32>) output_zero_point(%{{.*}} : i32) {coordinate_transformation = "half_pixel", mode = "linear"} : tensor<2x4x4x2x{{.*}}> -> tensor<2x2x3x2xi8>
  %3 = qnn.resize %c output_scale(%sc : tensor<2xf32>) output_zero_point(%z : i32) {mode = "linear", coordinate_transformation = "half_pixel"} : tensor<2x4x4x2x!channel> -> tensor<2x2x3x2xi8>
  return
}
