// RUN: qcc-opt %s -qnn-integerize-contractions -split-input-file | FileCheck %s

// What happens to scales and zero points where movement does not leave them on whole
// dimensions.

// A collapse joins a dimension along which the scale varies with one along which it
// does not: the scale is repeated.
// CHECK-LABEL: @collapse_repeats
// CHECK: %[[Q:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : tensor<2x3x8xi8> into tensor<6x8xi8>
// CHECK: %[[BOTH:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<2xf32>) outs(%{{.*}} : tensor<2x3xf32>)
// CHECK: %[[SCALE:.*]] = tensor.collapse_shape %[[BOTH]] {{\[\[}}0, 1]] : tensor<2x3xf32> into tensor<6xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[SCALE]] : tensor<4x6xi32>, tensor<6xf32>)
// CHECK: arith.constant 5.000000e-01 : f32
// CHECK: arith.mulf
!x = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32:0, {1.0, 2.0}>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @collapse_repeats(%x: tensor<4x8x!x>, %w: tensor<2x3x8x!w>) -> tensor<4x6xf32> {
  %zeros = arith.constant dense<0.0> : tensor<4x6xf32>
  %xd = qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  %wd = qnn.dequantize %w : tensor<2x3x8x!w> -> tensor<2x3x8xf32>
  %c = tensor.collapse_shape %wd [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %y = linalg.matmul indexing_maps = [#a, #b, #c] ins(%xd, %c : tensor<4x8xf32>, tensor<6x8xf32>) outs(%zeros : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

// Padding where the zero point is known only at run time: the differences are padded.
// CHECK-LABEL: @pad_run_time_zero_point
// CHECK: %[[D:.*]] = linalg.generic {{.*}} ins(%arg0, %{{.*}} : tensor<4x7xi8>, tensor<i32>) outs(%{{.*}} : tensor<4x7xi32>)
// CHECK: arith.subi
// CHECK: %[[P:.*]] = tensor.pad %[[D]] low[0, 0] high[0, 1]
// CHECK: linalg.generic {{.*}} ins(%[[P]], %{{.*}} : tensor<4x8xi32>, tensor<8x2xi8>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: i32, %[[W:.*]]: i8, %{{.*}}: i32):
// CHECK-NEXT: %[[W32:.*]] = arith.extsi %[[W]]
// CHECK-NEXT: arith.muli %[[X]], %[[W32]]
!w = !quant.uniform<i8:f32, 0.5>
func.func @pad_run_time_zero_point(%x: tensor<4x7xi8>, %s: f32, %z: i32, %w: tensor<8x2x!w>) -> tensor<4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<4x2xf32>
  %xd = qnn.dequantize %x scale(%s : f32) zero_point(%z : i32) : tensor<4x7xi8> -> tensor<4x7xf32>
  %p = tensor.pad %xd low[0, 0] high[0, 1] {
  ^bb0(%a: index, %b: index):
    tensor.yield %zero : f32
  } : tensor<4x7xf32> to tensor<4x8xf32>
  %wd = qnn.dequantize %w : tensor<8x2x!w> -> tensor<8x2xf32>
  %y = linalg.matmul ins(%p, %wd : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zeros : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

// Padding along a dimension along which the scale varies: the scale of what is
// added is 1, its integer the zero point.
// CHECK-LABEL: @pad_channels
// CHECK: arith.constant dense<[5.000000e-01, 1.000000e+00, 5.000000e-01]> : tensor<3xf32>
!x = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32:0, {1.0, 2.0}>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @pad_channels(%x: tensor<4x8x!x>, %w: tensor<2x8x!w>) -> tensor<4x3xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<4x3xf32>
  %xd = qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  %wd = qnn.dequantize %w : tensor<2x8x!w> -> tensor<2x8xf32>
  %p = tensor.pad %wd low[0, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x8xf32> to tensor<3x8xf32>
  %y = linalg.matmul indexing_maps = [#a, #b, #c] ins(%xd, %p : tensor<4x8xf32>, tensor<3x8xf32>) outs(%zeros : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

// Zero points that differ along the reduction are operands of the sum; a broadcast and
// a dynamic slice are movement. Scales per row are read along the rows.
// CHECK-LABEL: @broadcast_and_slice
// CHECK: tensor.extract_slice %arg0[%arg3, 0] [2, 8] [1, 1] : tensor<?x8xi8> to tensor<2x8xi8>
// CHECK: tensor.extract_slice %{{.*}}[%arg3] [2] [1] : tensor<?xf32> to tensor<2xf32>
// CHECK: linalg.generic {indexing_maps = [#[[A:.*]], #[[B:.*]], #[[K:.*]], #[[C:.*]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<3x2x8xi8>, tensor<3x8x5xi8>, tensor<8xi32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<3x2x5xi32>, tensor<2xf32>)
func.func @broadcast_and_slice(%x: tensor<?x8xi8>, %s: tensor<?x1xf32>, %w: tensor<3x8x5x!quant.uniform<i8:f32, 0.5>>, %i: index) -> tensor<3x2x5xf32> {
  %z = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi32>
  %zeros = arith.constant dense<0.0> : tensor<3x2x5xf32>
  %xd = qnn.dequantize %x scale(%s : tensor<?x1xf32>) zero_point(%z : tensor<8xi32>) {axis = 1 : i64} : tensor<?x8xi8> -> tensor<?x8xf32>
  %slice = tensor.extract_slice %xd[%i, 0] [2, 8] [1, 1] : tensor<?x8xf32> to tensor<2x8xf32>
  %e = tensor.empty() : tensor<3x2x8xf32>
  %b = linalg.broadcast ins(%slice : tensor<2x8xf32>) outs(%e : tensor<3x2x8xf32>) dimensions = [0]
  %wd = qnn.dequantize %w : tensor<3x8x5x!quant.uniform<i8:f32, 0.5>> -> tensor<3x8x5xf32>
  %y = linalg.batch_matmul ins(%b, %wd : tensor<3x2x8xf32>, tensor<3x8x5xf32>) outs(%zeros : tensor<3x2x5xf32>) -> tensor<3x2x5xf32>
  return %y : tensor<3x2x5xf32>
}

// -----

// Zero points of channels that are equal are one: the pad adds it to the stored
// integers.
// CHECK-LABEL: @pad_equal_zero_points
// CHECK: %[[P:.*]] = tensor.pad %arg0 low[0, 0] high[0, 1]
// CHECK: linalg.generic {{.*}} ins(%[[P]], %{{.*}} : tensor<4x8xi8>, tensor<8x2xi8>)
// CHECK: %[[Z:.*]] = arith.constant 3 : i32
// CHECK-NEXT: arith.subi %{{.*}}, %[[Z]] : i32
!w = !quant.uniform<i8:f32, 0.5>
func.func @pad_equal_zero_points(%x: tensor<4x7xi8>, %w: tensor<8x2x!w>) -> tensor<4x2xf32> {
  %s = arith.constant dense<[0.5, 1.0, 2.0, 4.0]> : tensor<4xf32>
  %z = arith.constant dense<3> : tensor<4xi8>
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<4x2xf32>
  %xd = qnn.dequantize %x scale(%s : tensor<4xf32>) zero_point(%z : tensor<4xi8>) {axis = 0 : i64} : tensor<4x7xi8> -> tensor<4x7xf32>
  %p = tensor.pad %xd low[0, 0] high[0, 1] {
  ^bb0(%a: index, %b: index):
    tensor.yield %zero : f32
  } : tensor<4x7xf32> to tensor<4x8xf32>
  %wd = qnn.dequantize %w : tensor<8x2x!w> -> tensor<8x2xf32>
  %y = linalg.matmul ins(%p, %wd : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zeros : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
