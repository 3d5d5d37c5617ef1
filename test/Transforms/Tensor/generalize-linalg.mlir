// RUN: qcc-opt %s -generalize-linalg | FileCheck %s

// Named ops keep their name and what was said about them; generic ones are named by their bodies.
// CHECK-LABEL: func.func @f
// CHECK: linalg.generic {{.*}} attrs = {qcc.origin = "linalg.matmul", qcc.refused = "because"}
// CHECK: linalg.generic {{.*}} attrs = {qcc.origin = "sitofp+mulf"}
func.func @f(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %o: tensor<5x9xi32>) -> tensor<5x9xf32> {
  %y = linalg.matmul {qcc.refused = "because"} ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%o : tensor<5x9xi32>) -> tensor<5x9xi32>
  %e = tensor.empty() : tensor<5x9xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<5x9xi32>) outs(%e : tensor<5x9xf32>) {
  ^bb0(%a: i32, %b: f32):
    %c = arith.constant 2.0 : f32
    %f = arith.sitofp %a : i32 to f32
    %s = arith.mulf %f, %c : f32
    linalg.yield %s : f32
  } -> tensor<5x9xf32>
  return %g : tensor<5x9xf32>
}

// At most four ops of a body are named; one that only moves data is a copy.
// CHECK-LABEL: func.func @long
// CHECK: qcc.origin = "addi+muli+subi+xori+..."
// CHECK: qcc.origin = "copy"
func.func @long(%x: tensor<4xi32>) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %g = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: i32, %b: i32):
    %0 = arith.addi %a, %a : i32
    %1 = arith.muli %0, %a : i32
    %2 = arith.subi %1, %a : i32
    %3 = arith.xori %2, %a : i32
    %4 = arith.andi %3, %a : i32
    linalg.yield %4 : i32
  } -> tensor<4xi32>
  %h = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]} ins(%g : tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: i32, %b: i32):
    linalg.yield %a : i32
  } -> tensor<4xi32>
  return %h : tensor<4xi32>
}

// A dimension for the results of a channel, of which there is one, is left out.
// CHECK-LABEL: func.func @depthwise(
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1], [2, 3]] : tensor<3x3x16x1xi8> into tensor<3x3x16xi8>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]{{.*}}qcc.origin = "linalg.depthwise_conv_2d_nhwc_hwc_q"
// CHECK: tensor.expand_shape %{{.*}} output_shape [1, 3, 3, 16, 1]
func.func @depthwise(%x: tensor<1x5x5x16xi8>, %w: tensor<3x3x16x1xi8>, %z: i32, %i: tensor<1x3x3x16x1xi32>) -> tensor<1x3x3x16x1xi32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwcm_q ins(%x, %w, %z, %z : tensor<1x5x5x16xi8>, tensor<3x3x16x1xi8>, i32, i32)
      outs(%i : tensor<1x3x3x16x1xi32>) -> tensor<1x3x3x16x1xi32>
  return %r : tensor<1x3x3x16x1xi32>
}
