// RUN: qcc-opt %s -split-input-file -generalize-linalg -channels-last -canonicalize -cse -mlir-print-local-scope | FileCheck %s

// An image is transposed while it is quantized. The convolution reads and writes channels last, its weight is rewritten,
// its loops go along its result, its reductions along its input. The result of the function is as it was.

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>

// CHECK-LABEL: func.func @convolution(
// CHECK-SAME: %[[X:.*]]: tensor<?x3x8x8xf32>)
// CHECK-DAG: %[[W:.*]] = arith.constant dense<{{\[\[\[\[}}0, 9], [3, 12], [6, 15]], {{\[\[}}1, 10], [4, 13], [7, 16]], {{\[\[}}2, 11], [5, 14], [8, 17]]]]> : tensor<1x3x3x2xi8>
// CHECK: %[[Q:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], {{.*}}} ins(%[[X]] : tensor<?x3x8x8xf32>) outs(%{{.*}} : tensor<?x8x8x3xi8>)
// CHECK: %[[ZERO:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x8x6x2xi32>) attrs = {{.*}}qcc.origin = "linalg.fill"
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [
// CHECK-SAME: affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>
// CHECK-SAME: affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK-SAME: affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
// CHECK-SAME: ins(%[[Q]], %[[W]] : tensor<?x8x8x3xi8>, tensor<1x3x3x2xi8>) outs(%[[ZERO]] : tensor<?x8x6x2xi32>)
// CHECK: %[[B:.*]] = linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-SAME: ins(%[[Y]], %{{.*}} : tensor<?x8x6x2xi32>, tensor<2xi32>) outs(%{{.*}} : tensor<?x8x6x2xi32>)
// CHECK: %[[T:.*]] = linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-SAME: ins(%[[B]] : tensor<?x8x6x2xi32>) outs(%{{.*}} : tensor<?x2x8x6xi32>) attrs = {{.*}}qcc.origin = "change of layout"
// CHECK: return %[[T]]
func.func @convolution(%x: tensor<?x3x8x8xf32>) -> tensor<?x2x8x6xi32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x8x8xf32>
  %eq = tensor.empty(%n) : tensor<?x3x8x8xi8>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x3x8x8xf32>) outs(%eq : tensor<?x3x8x8xi8>) {
  ^bb0(%a: f32, %o: i8):
    %r = arith.fptosi %a : f32 to i8
    linalg.yield %r : i8
  } -> tensor<?x3x8x8xi8>
  %w = arith.constant dense<[[[[0, 1, 2]], [[3, 4, 5]], [[6, 7, 8]]], [[[9, 10, 11]], [[12, 13, 14]], [[15, 16, 17]]]]> : tensor<2x3x1x3xi8>
  %e = tensor.empty(%n) : tensor<?x2x8x6xi32>
  %zero = arith.constant 0 : i32
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<?x2x8x6xi32>) -> tensor<?x2x8x6xi32>
  %y = linalg.conv_2d_nchw_fchw ins(%q, %w : tensor<?x3x8x8xi8>, tensor<2x3x1x3xi8>) outs(%f : tensor<?x2x8x6xi32>) -> tensor<?x2x8x6xi32>
  %bias = arith.constant dense<[5, 6]> : tensor<2xi32>
  %b = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %bias : tensor<?x2x8x6xi32>, tensor<2xi32>) outs(%e : tensor<?x2x8x6xi32>) {
  ^bb0(%a: i32, %c: i32, %o: i32):
    %r = arith.addi %a, %c : i32
    linalg.yield %r : i32
  } -> tensor<?x2x8x6xi32>
  return %b : tensor<?x2x8x6xi32>
}

// -----

// Depthwise: the one image that the function takes is transposed once, for both convolutions that read it.

// CHECK-LABEL: func.func @depthwise(
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x8x?x?xi8>, %[[W:[^:]*]]: tensor<8x3x3xi8>
// CHECK: %[[T:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, {{.*}}} ins(%[[X]] : tensor<1x8x?x?xi8>) outs(%{{.*}} : tensor<1x?x?x8xi8>)
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2 + d5, d3)>
// CHECK-SAME: affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4, d5)>
// CHECK-SAME: affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK-SAME: ins(%[[T]], %[[W]] :
// CHECK: linalg.generic {{.*}} (d0, d1 * 2 + d4, d2 * 2 + d5, d3)>{{.*}} ins(%[[T]], %[[W]] :
func.func @depthwise(%x: tensor<1x8x?x?xi8>, %w: tensor<8x3x3xi8>, %h: index, %v: index) -> (tensor<1x8x?x?xi32>, tensor<1x8x?x?xi32>) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty(%h, %v) : tensor<1x8x?x?xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x8x?x?xi32>) -> tensor<1x8x?x?xi32>
  %y = linalg.depthwise_conv_2d_nchw_chw ins(%x, %w : tensor<1x8x?x?xi8>, tensor<8x3x3xi8>) outs(%f : tensor<1x8x?x?xi32>) -> tensor<1x8x?x?xi32>
  %z = linalg.depthwise_conv_2d_nchw_chw {strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<1x8x?x?xi8>, tensor<8x3x3xi8>) outs(%f : tensor<1x8x?x?xi32>) -> tensor<1x8x?x?xi32>
  return %y, %z : tensor<1x8x?x?xi32>, tensor<1x8x?x?xi32>
}

// -----

// Transposes around a convolution that has its channels last already vanish where what is around them can follow.

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>

// CHECK-LABEL: func.func @between_transposes(
// CHECK: %[[A:.*]] = linalg.generic {{.*}} -> (d0, d3, d1, d2)>{{.*}} ins(%{{.*}} : tensor<1x16x8x8xi32>) outs(%{{.*}} : tensor<1x8x8x16xi8>)
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[A]], %{{.*}}) outs(%{{.*}} : tensor<1x8x8x16xi32>)
// CHECK: %[[B:.*]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<1x8x8x16xi32>) outs(%{{.*}} : tensor<1x8x8x16xi8>)
// CHECK: %[[T:.*]] = linalg.generic {{.*}} -> (d0, d2, d3, d1)>{{.*}} ins(%[[B]] : tensor<1x8x8x16xi8>) outs(%{{.*}} : tensor<1x16x8x8xi8>)
// CHECK: return %[[T]]
func.func @between_transposes(%x: tensor<1x16x8x8xi32>, %w: tensor<1x1x16x16xi8>) -> tensor<1x16x8x8xi8> {
  %e8 = tensor.empty() : tensor<1x16x8x8xi8>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x16x8x8xi32>) outs(%e8 : tensor<1x16x8x8xi8>) {
  ^bb0(%p: i32, %o: i8):
    %r = arith.trunci %p : i32 to i8
    linalg.yield %r : i8
  } -> tensor<1x16x8x8xi8>
  %et = tensor.empty() : tensor<1x8x8x16xi8>
  %t = linalg.transpose ins(%a : tensor<1x16x8x8xi8>) outs(%et : tensor<1x8x8x16xi8>) permutation = [0, 2, 3, 1]
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x8x8x16xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x8x8x16xi32>) -> tensor<1x8x8x16xi32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%t, %w : tensor<1x8x8x16xi8>, tensor<1x1x16x16xi8>) outs(%f : tensor<1x8x8x16xi32>) -> tensor<1x8x8x16xi32>
  %eu = tensor.empty() : tensor<1x16x8x8xi32>
  %u = linalg.transpose ins(%y : tensor<1x8x8x16xi32>) outs(%eu : tensor<1x16x8x8xi32>) permutation = [0, 3, 1, 2]
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%u : tensor<1x16x8x8xi32>) outs(%e8 : tensor<1x16x8x8xi8>) {
  ^bb0(%p: i32, %o: i8):
    %r = arith.trunci %p : i32 to i8
    linalg.yield %r : i8
  } -> tensor<1x16x8x8xi8>
  return %b : tensor<1x16x8x8xi8>
}

// -----

// A number, here a scale, orders no dimensions of what it is made of.

// CHECK-LABEL: func.func @scaled(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1xi32>)
// CHECK: %[[NUMBER:.*]] = tensor.collapse_shape %{{.*}} [] : tensor<1xi32> into tensor<i32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[NUMBER]] : tensor<1x4x4x8xi32>, tensor<i32>) outs(%{{.*}} : tensor<1x4x4x8xi32>)
func.func @scaled(%x: tensor<1x8x6x6xi8>, %w: tensor<8x8x3x3xi8>, %s: tensor<1xi32>) -> tensor<1x8x4x4xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x8x4x4xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x8x4x4xi32>) -> tensor<1x8x4x4xi32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x8x6x6xi8>, tensor<8x8x3x3xi8>) outs(%f : tensor<1x8x4x4xi32>) -> tensor<1x8x4x4xi32>
  %e1 = tensor.empty() : tensor<1xi32>
  %sum = linalg.add ins(%s, %s : tensor<1xi32>, tensor<1xi32>) outs(%e1 : tensor<1xi32>) -> tensor<1xi32>
  %number = tensor.collapse_shape %sum [] : tensor<1xi32> into tensor<i32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> ()>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %number : tensor<1x8x4x4xi32>, tensor<i32>) outs(%e : tensor<1x8x4x4xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %p = arith.muli %a, %b : i32
    linalg.yield %p : i32
  } -> tensor<1x8x4x4xi32>
  return %r : tensor<1x8x4x4xi32>
}
