// RUN: qcc-opt %s -split-input-file -collapse-reductions -canonicalize | FileCheck %s

// Channels follow the columns of a window in both operands: a run of 3 x 64. Its lines stay apart.

#x = affine_map<(n, oh, ow, f, kh, kw, c) -> (n, oh * 2 + kh, ow * 2 + kw, c)>
#w = affine_map<(n, oh, ow, f, kh, kw, c) -> (f, kh, kw, c)>
#y = affine_map<(n, oh, ow, f, kh, kw, c) -> (n, oh, ow, f)>

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 128 + d5)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4, d5)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @strided(
// CHECK-SAME: %[[INPUT:.*]]: tensor<2x9x9x64xi8>, %[[WEIGHT:[^:]*]]:
// CHECK: %[[LHS:.*]] = tensor.collapse_shape %[[INPUT]] {{\[\[}}0], [1], [2, 3]] : tensor<2x9x9x64xi8> into tensor<2x9x576xi8>
// CHECK: %[[RHS:.*]] = tensor.collapse_shape %[[WEIGHT]] {{\[\[}}0], [1], [2, 3]] : tensor<8x3x3x64xi8> into tensor<8x3x192xi8>
// CHECK: kernel.contract lhs(%[[LHS]] : {{.*}}) rhs(%[[RHS]] : {{.*}}) outs({{.*}}) {indexing_maps = [#[[X]], #[[W]], #[[Y]]], reduction_dims = array<i64: 4, 5>, reduction_sizes = array<i64: 3, 192>}
func.func @strided(%x: tensor<2x9x9x64xi8>, %w: tensor<8x3x3x64xi8>, %o: tensor<2x4x4x8xi32>) -> tensor<2x4x4x8xi32> {
  %y = kernel.contract lhs(%x : tensor<2x9x9x64xi8>) rhs(%w : tensor<8x3x3x64xi8>) outs(%o : tensor<2x4x4x8xi32>)
      {indexing_maps = [#x, #w, #y], reduction_dims = array<i64: 4, 5, 6>, reduction_sizes = array<i64: 3, 3, 64>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x4x4x8xi32>
  return %y : tensor<2x4x4x8xi32>
}

// -----

// Dilated: pixels of a window lie apart, and runs have the channels alone.

#x = affine_map<(oh, ow, f, kh, kw, c) -> (oh + kh, ow + kw * 2, c)>
#w = affine_map<(oh, ow, f, kh, kw, c) -> (f, kh, kw, c)>
#y = affine_map<(oh, ow, f, kh, kw, c) -> (oh, ow, f)>

// CHECK-LABEL: func.func @dilated(
// CHECK-NOT: collapse_shape
// CHECK: reduction_sizes = array<i64: 3, 3, 64>
func.func @dilated(%x: tensor<9x9x64xi8>, %w: tensor<8x3x3x64xi8>, %o: tensor<7x5x8xi32>) -> tensor<7x5x8xi32> {
  %y = kernel.contract lhs(%x : tensor<9x9x64xi8>) rhs(%w : tensor<8x3x3x64xi8>) outs(%o : tensor<7x5x8xi32>)
      {indexing_maps = [#x, #w, #y], reduction_dims = array<i64: 3, 4, 5>, reduction_sizes = array<i64: 3, 3, 64>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<7x5x8xi32>
  return %y : tensor<7x5x8xi32>
}

// -----

// A window as large as the input: all of K is one run. The constant remains one.

#x = affine_map<(m, n, kh, kw, c) -> (m, kh, kw, c)>
#w = affine_map<(m, n, kh, kw, c) -> (kh, kw, c, n)>
#y = affine_map<(m, n, kh, kw, c) -> (m, n)>

// CHECK-LABEL: func.func @whole_input(
// CHECK-DAG: %[[RHS:.*]] = arith.constant dense<{{\[\[}}0, 1], [2, 3], [4, 5], [6, 7], {{.*}}> : tensor<8x2xi8>
// CHECK-DAG: %[[LHS:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2, 3]] : tensor<5x2x2x2xi8> into tensor<5x8xi8>
// CHECK: kernel.contract lhs(%[[LHS]] : tensor<5x8xi8>) rhs(%[[RHS]] : tensor<8x2xi8>) outs
func.func @whole_input(%x: tensor<5x2x2x2xi8>, %o: tensor<5x2xi32>) -> tensor<5x2xi32> {
  %w = arith.constant dense<"0x000102030405060708090A0B0C0D0E0F"> : tensor<2x2x2x2xi8>
  %y = kernel.contract lhs(%x : tensor<5x2x2x2xi8>) rhs(%w : tensor<2x2x2x2xi8>) outs(%o : tensor<5x2xi32>)
      {indexing_maps = [#x, #w, #y], reduction_dims = array<i64: 2, 3, 4>, reduction_sizes = array<i64: 2, 2, 2>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x2xi32>
  return %y : tensor<5x2xi32>
}

// -----

// Channels first in the weight: no run of both, but the order of the input.

#x = affine_map<(oh, ow, f, c, kh, kw) -> (oh + kh, ow + kw, c)>
#w = affine_map<(oh, ow, f, c, kh, kw) -> (f, c, kh, kw)>
#y = affine_map<(oh, ow, f, c, kh, kw) -> (oh, ow, f)>

// CHECK-LABEL: func.func @channels_first_weight(
// CHECK-NOT: collapse_shape
// CHECK: reduction_dims = array<i64: 4, 5, 3>, reduction_sizes = array<i64: 3, 2, 64>
func.func @channels_first_weight(%x: tensor<9x9x64xi8>, %w: tensor<8x64x3x2xi8>, %o: tensor<7x8x8xi32>) -> tensor<7x8x8xi32> {
  %y = kernel.contract lhs(%x : tensor<9x9x64xi8>) rhs(%w : tensor<8x64x3x2xi8>) outs(%o : tensor<7x8x8xi32>)
      {indexing_maps = [#x, #w, #y], reduction_dims = array<i64: 3, 4, 5>, reduction_sizes = array<i64: 64, 3, 2>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<7x8x8xi32>
  return %y : tensor<7x8x8xi32>
}

// -----

// Nothing moves from one element to the next: runs have one element.

#x = affine_map<(m, n, r) -> (m * 3 + r * 2)>
#w = affine_map<(m, n, r) -> (r, n)>
#y = affine_map<(m, n, r) -> (m, n)>

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 * 3 + d2 * 2 + d3)>
// CHECK-LABEL: func.func @unit_run(
// CHECK: indexing_maps = [#[[X]], {{.*}}], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 1>
func.func @unit_run(%x: tensor<14xi8>, %w: tensor<3x9xi8>, %o: tensor<4x9xi32>) -> tensor<4x9xi32> {
  %0 = kernel.contract lhs(%x : tensor<14xi8>) rhs(%w : tensor<3x9xi8>) outs(%o : tensor<4x9xi32>)
      {indexing_maps = [#x, #w, #y], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x9xi32>
  return %0 : tensor<4x9xi32>
}

// -----

// An operand that is the same for all of K does not move.

#x = affine_map<(m, n, k) -> (m)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @broadcast(
// CHECK: kernel.contract lhs(%{{.*}} : tensor<4xi8>) {{.*}}reduction_sizes = array<i64: 3>}
func.func @broadcast(%x: tensor<4xi8>, %w: tensor<9x3xi8>, %o: tensor<4x9xi32>) -> tensor<4x9xi32> {
  %0 = kernel.contract lhs(%x : tensor<4xi8>) rhs(%w : tensor<9x3xi8>) outs(%o : tensor<4x9xi32>)
      {indexing_maps = [#x, #w, #y], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x9xi32>
  return %0 : tensor<4x9xi32>
}

// -----

// Each column has a left operand of its own: the dimension that moves beside rows comes first.

#x = affine_map<(oh, ow, c, kh, kw) -> (oh + kh, ow * 2 + kw, c)>
#w = affine_map<(oh, ow, c, kh, kw) -> (kh, kw, c)>
#y = affine_map<(oh, ow, c, kh, kw) -> (oh, ow, c)>

// CHECK-LABEL: func.func @depthwise(
// CHECK-NOT: collapse_shape
// CHECK: reduction_dims = array<i64: 4, 3>, reduction_sizes = array<i64: 5, 3>
func.func @depthwise(%x: tensor<9x15x7xi8>, %w: tensor<3x5x7xi8>, %o: tensor<7x6x7xi32>) -> tensor<7x6x7xi32> {
  %y = kernel.contract lhs(%x : tensor<9x15x7xi8>) rhs(%w : tensor<3x5x7xi8>) outs(%o : tensor<7x6x7xi32>)
      {indexing_maps = [#x, #w, #y], reduction_dims = array<i64: 3, 4>, reduction_sizes = array<i64: 3, 5>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<7x6x7xi32>
  return %y : tensor<7x6x7xi32>
}
