// RUN: qcc-opt %s | qcc-opt | FileCheck %s
// RUN: qcc-opt %s -emit-bytecode | qcc-opt | FileCheck %s
// RUN: qcc-opt %s -mlir-print-op-generic | qcc-opt | FileCheck %s

!s8 = !quant.uniform<i8:f32, 5.000000e-02:3>
!u8 = !quant.uniform<u8:f32, 5.000000e-02:128>
!w8 = !quant.uniform<i8:f32, 1.000000e-02>
!channel = !quant.uniform<i8:f32:0, {1.000000e-02, 2.000000e-02:1}>

// CHECK-LABEL: @types
func.func @types(%x: tensor<1x6x5x3x!u8>, %w: tensor<2x3x3x3x!channel>, %b: tensor<2xi32>, %bf: tensor<2xf32>) {
  // CHECK: qnn.conv2d %{{.*}}, %{{.*}} : tensor<1x6x5x3x!quant.uniform<u8:f32, 5.000000e-02:128>>, tensor<2x3x3x3x!quant.uniform<i8:f32:0, {1.000000e-02,2.000000e-02:1}>> -> tensor<1x4x3x2xi32>
  %0 = qnn.conv2d %x, %w : tensor<1x6x5x3x!u8>, tensor<2x3x3x3x!channel> -> tensor<1x4x3x2xi32>
  // CHECK: qnn.conv2d %{{.*}}, %{{.*}} bias(%{{.*}} : tensor<2xi32>) {clamp_max = 6.000000e+00 : f32, clamp_min = 0.000000e+00 : f32, padding = array<i64: 1, 2, 0, 1>, strides = array<i64: 2, 3>} : {{.*}} -> tensor<1x4x2x2x!quant.uniform<i8:f32, 5.000000e-02:3>>
  %1 = qnn.conv2d %x, %w bias(%b : tensor<2xi32>) {strides = array<i64: 2, 3>, padding = array<i64: 1, 2, 0, 1>, clamp_min = 0.0 : f32, clamp_max = 6.0 : f32}
    : tensor<1x6x5x3x!u8>, tensor<2x3x3x3x!channel> -> tensor<1x4x2x2x!s8>
  // CHECK: qnn.conv2d %{{.*}}, %{{.*}} bias(%{{.*}} : tensor<2xf32>) {dilations = array<i64: 2, 1>} : {{.*}} -> tensor<1x2x3x2xbf16>
  %2 = qnn.conv2d %x, %w bias(%bf : tensor<2xf32>) {dilations = array<i64: 2, 1>} : tensor<1x6x5x3x!u8>, tensor<2x3x3x3x!channel> -> tensor<1x2x3x2xbf16>
  // What is the default is not printed.
  // CHECK: qnn.conv2d %{{[^ ]*}}, %{{[^ ]*}} : {{.*}} -> tensor<1x4x3x2xf16>
  %3 = qnn.conv2d %x, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, groups = 1} : tensor<1x6x5x3x!u8>, tensor<2x3x3x3x!channel> -> tensor<1x4x3x2xf16>
  return
}

// CHECK-LABEL: @operands
func.func @operands(%x: tensor<?x?x?x4xui8>, %w: tensor<6x1x3x2xi8>, %s: f32, %z: i32, %sc: tensor<6xf32>, %zc: tensor<6xi8>) {
  // CHECK: qnn.conv2d %{{.*}}, %{{.*}} input_scale(%{{.*}} : f32) input_zero_point(%{{.*}} : i32) weight_scale(%{{.*}} : tensor<6xf32>) weight_zero_point(%{{.*}} : tensor<6xi8>) output_scale(%{{.*}} : f32) output_zero_point(%{{.*}} : i32) {groups = 2 : i64} : tensor<?x?x?x4xui8>, tensor<6x1x3x2xi8> -> tensor<?x?x?x6xi8>
  %0 = qnn.conv2d %x, %w input_scale(%s : f32) input_zero_point(%z : i32) weight_scale(%sc : tensor<6xf32>) weight_zero_point(%zc : tensor<6xi8>)
    output_scale(%s : f32) output_zero_point(%z : i32) {groups = 2 : i64} : tensor<?x?x?x4xui8>, tensor<6x1x3x2xi8> -> tensor<?x?x?x6xi8>
  // Accumulators need no scales.
  // CHECK: qnn.conv2d %{{.*}}, %{{.*}} {groups = 2 : i64} : tensor<?x?x?x4xui8>, tensor<6x1x3x2xi8> -> tensor<?x?x?x6xi32>
  %1 = qnn.conv2d %x, %w {groups = 2 : i64} : tensor<?x?x?x4xui8>, tensor<6x1x3x2xi8> -> tensor<?x?x?x6xi32>
  return
}

// The largest sum that fits (N2), the window as large as the padded input, and no image at all.
// CHECK-LABEL: @extremes
func.func @extremes(%x: tensor<1x1x131071x1xi8>, %w: tensor<1x1x131071x1xi8>, %small: tensor<0x2x1x1x!s8>, %k: tensor<1x3x2x1x!w8>) {
  // CHECK: -> tensor<1x1x1x1xi32>
  %0 = qnn.conv2d %x, %w : tensor<1x1x131071x1xi8>, tensor<1x1x131071x1xi8> -> tensor<1x1x1x1xi32>
  // CHECK: -> tensor<0x1x1x1xf32>
  %1 = qnn.conv2d %small, %k {padding = array<i64: 0, 1, 1, 0>} : tensor<0x2x1x1x!s8>, tensor<1x3x2x1x!w8> -> tensor<0x1x1x1xf32>
  return
}

// CHECK-LABEL: @transposed
func.func @transposed(%x: tensor<1x6x5x3x!u8>, %w: tensor<2x3x3x3x!channel>, %b: tensor<2xf32>, %d: tensor<?x?x?x4xui8>, %k: tensor<6x2x3x2xi8>, %z: i32) {
  // CHECK: qnn.conv_transpose2d %{{[^ ]*}}, %{{[^ ]*}} : tensor<1x6x5x3x!quant.uniform<u8:f32, 5.000000e-02:128>>, tensor<2x3x3x3x!quant.uniform<i8:f32:0, {1.000000e-02,2.000000e-02:1}>> -> tensor<1x8x7x2x!quant.uniform<i8:f32, 5.000000e-02:3>>
  %0 = qnn.conv_transpose2d %x, %w : tensor<1x6x5x3x!u8>, tensor<2x3x3x3x!channel> -> tensor<1x8x7x2x!s8>
  // CHECK: qnn.conv_transpose2d %{{.*}}, %{{.*}} bias(%{{.*}} : tensor<2xf32>) {clamp_max = 6.000000e+00 : f32, dilations = array<i64: 1, 2>, output_padding = array<i64: 1, 2>, padding = array<i64: 1, 2, 0, 1>, strides = array<i64: 2, 3>} : {{.*}} -> tensor<1x11x18x2xf32>
  %1 = qnn.conv_transpose2d %x, %w bias(%b : tensor<2xf32>) {strides = array<i64: 2, 3>, dilations = array<i64: 1, 2>, padding = array<i64: 1, 2, 0, 1>, output_padding = array<i64: 1, 2>, clamp_max = 6.0 : f32}
    : tensor<1x6x5x3x!u8>, tensor<2x3x3x3x!channel> -> tensor<1x11x18x2xf32>
  // CHECK: qnn.conv_transpose2d %{{.*}}, %{{.*}} input_zero_point(%{{.*}} : i32) {groups = 2 : i64} : tensor<?x?x?x4xui8>, tensor<6x2x3x2xi8> -> tensor<?x?x?x6xi32>
  %2 = qnn.conv_transpose2d %d, %k input_zero_point(%z : i32) {groups = 2 : i64} : tensor<?x?x?x4xui8>, tensor<6x2x3x2xi8> -> tensor<?x?x?x6xi32>
  return
}
