// RUN: qcc-opt %s -split-input-file -merge-groups=target=cascadelake -canonicalize -mlir-elide-elementsattrs-if-larger=64 | FileCheck %s

#lhs = affine_map<(m, g, n, k) -> (m, g, k)>
#rhs = affine_map<(m, g, n, k) -> (g, n, k)>
#out = affine_map<(m, g, n, k) -> (m, g, n)>
#columns = affine_map<(m, g, n, k) -> (g, n)>
#rows = affine_map<(m, g, n, k) -> (m)>

// Two groups become one: blocks of zeros beside theirs. What has groups and columns has them as one dimension, what has
// neither stays.
// CHECK-LABEL: func.func @all_groups
// CHECK-SAME: %[[X:.*]]: tensor<?x2x2xi8>, %[[BIAS:.*]]: tensor<2x2xi32>, %[[SCALE:.*]]: tensor<?xi32>
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[\[}}1, 2, 0, 0], [3, 4, 0, 0], [0, 0, 5, 6], [0, 0, 7, 8]]]> : tensor<1x4x4xi8>
// CHECK: %[[L:.*]] = tensor.collapse_shape %{{.*}} into tensor<?x1x4xi8>
// CHECK: %[[B:.*]] = tensor.collapse_shape %{{.*}} into tensor<1x4xi32>
// CHECK: %[[O:.*]] = tensor.empty(%{{.*}}) : tensor<?x1x4xi32>
// CHECK: %[[R:.*]] = kernel.contract lhs(%[[L]] : {{.*}}) rhs(%[[W]] : {{.*}}) init(%[[B]] : {{.*}}) epilogue_ins(%[[SCALE]] : {{.*}}) outs(%[[O]] : {{.*}})
// CHECK-SAME: qcc.merged_groups = 2 : index
// CHECK: %[[E:.*]] = tensor.expand_shape %[[R]] {{\[\[}}0], [1], [2, 3]]
// CHECK: tensor.collapse_shape %[[E]] {{\[\[}}0], [1, 2], [3]] : {{.*}} into tensor<?x2x2xi32>
func.func @all_groups(%x: tensor<?x2x2xi8>, %bias: tensor<2x2xi32>, %scale: tensor<?xi32>, %m: index) -> tensor<?x2x2xi32> {
  %w = arith.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi8>
  %o = tensor.empty(%m) : tensor<?x2x2xi32>
  %y = kernel.contract lhs(%x : tensor<?x2x2xi8>) rhs(%w : tensor<2x2x2xi8>) init(%bias : tensor<2x2xi32>)
      epilogue_ins(%scale : tensor<?xi32>) outs(%o : tensor<?x2x2xi32>)
      {indexing_maps = [#lhs, #rhs, #columns, #rows, #out], reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 2>}
      epilogue {
      ^bb0(%acc: i32, %s: i32):
        %r = arith.muli %acc, %s : i32
        kernel.yield %r : i32
      } -> tensor<?x2x2xi32>
  return %y : tensor<?x2x2xi32>
}

// -----

#lhs = affine_map<(h, w, g, n, i, j, k) -> (h + i, w + j, g, k)>
#rhs = affine_map<(h, w, g, n, i, j, k) -> (g, n, i, j, k)>
#out = affine_map<(h, w, g, n, i, j, k) -> (h, w, g, n)>

// Groups of 4 channels are words: each lane has the word of its group, and nothing is multiplied by zeros.
// CHECK-DAG: #[[JOINED:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 + d3, d1 + d4, 0, (d2 floordiv 4) * 4 + d5)>
// CHECK-DAG: #[[WEIGHT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (0, d2, d3, d4, d5)>
// CHECK-LABEL: func.func @joined_columns
// CHECK: kernel.contract lhs(%{{.*}} : tensor<58x58x1x128xi8>) rhs(%{{.*}} : tensor<1x128x3x3x4xi8>) outs(%{{.*}} : tensor<56x56x1x128xi32>)
// CHECK-SAME: indexing_maps = [#[[JOINED]], #[[WEIGHT]],
// CHECK-NOT: qcc.merged_groups
func.func @joined_columns(%x: tensor<58x58x32x4xi8>) -> tensor<56x56x32x4xi32> {
  %w = arith.constant dense<3> : tensor<32x4x3x3x4xi8>
  %o = tensor.empty() : tensor<56x56x32x4xi32>
  %y = kernel.contract lhs(%x : tensor<58x58x32x4xi8>) rhs(%w : tensor<32x4x3x3x4xi8>) outs(%o : tensor<56x56x32x4xi32>)
      {indexing_maps = [#lhs, #rhs, #out], lhs_unsigned, reduction_dims = array<i64: 4, 5, 6>,
       reduction_sizes = array<i64: 3, 3, 4>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<56x56x32x4xi32>
  return %y : tensor<56x56x32x4xi32>
}

// Groups of 3 channels are no words. Four of them are one, whose 12 columns and elements have zeros beside theirs.
// CHECK-LABEL: func.func @some_groups
// CHECK: kernel.contract lhs(%{{.*}} : tensor<58x58x8x12xi8>) rhs(%{{.*}} : tensor<8x12x3x3x12xi8>)
// CHECK-SAME: qcc.merged_groups = 4 : index
func.func @some_groups(%x: tensor<58x58x32x3xi8>) -> tensor<56x56x32x3xi32> {
  %w = arith.constant dense<3> : tensor<32x3x3x3x3xi8>
  %o = tensor.empty() : tensor<56x56x32x3xi32>
  %y = kernel.contract lhs(%x : tensor<58x58x32x3xi8>) rhs(%w : tensor<32x3x3x3x3xi8>) outs(%o : tensor<56x56x32x3xi32>)
      {indexing_maps = [#lhs, #rhs, #out], lhs_unsigned, reduction_dims = array<i64: 4, 5, 6>,
       reduction_sizes = array<i64: 3, 3, 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<56x56x32x3xi32>
  return %y : tensor<56x56x32x3xi32>
}

// Groups of 64 channels fill registers by themselves.
// CHECK-LABEL: func.func @wide_groups
// CHECK: kernel.contract lhs(%{{.*}} : tensor<58x58x2x64xi8>)
func.func @wide_groups(%x: tensor<58x58x2x64xi8>) -> tensor<56x56x2x64xi32> {
  %w = arith.constant dense<3> : tensor<2x64x3x3x64xi8>
  %o = tensor.empty() : tensor<56x56x2x64xi32>
  %y = kernel.contract lhs(%x : tensor<58x58x2x64xi8>) rhs(%w : tensor<2x64x3x3x64xi8>) outs(%o : tensor<56x56x2x64xi32>)
      {indexing_maps = [#lhs, #rhs, #out], lhs_unsigned, reduction_dims = array<i64: 4, 5, 6>,
       reduction_sizes = array<i64: 3, 3, 64>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<56x56x2x64xi32>
  return %y : tensor<56x56x2x64xi32>
}

// -----

#lhs = affine_map<(m, g, n, k) -> (m, g, k)>
#rhs = affine_map<(m, g, n, k) -> (g, n, k)>
#out = affine_map<(m, g, n, k) -> (m, g, n)>
#group = affine_map<(m, g, n, k) -> (g)>
#none = affine_map<(m, g, n, k) -> ()>

// A weight that is no constant and one whose zeros are not 0 have no zeros beside them, but columns may be joined.
// CHECK-LABEL: func.func @weight_arg
// CHECK: %[[W:.*]] = tensor.collapse_shape {{.*}} into tensor<1x16x4xi8>
// CHECK: kernel.contract lhs(%{{.*}} : tensor<8x1x16xi8>) rhs(%[[W]] : tensor<1x16x4xi8>)
func.func @weight_arg(%x: tensor<8x4x4xi8>, %w: tensor<4x4x4xi8>) -> tensor<8x4x4xi32> {
  %o = tensor.empty() : tensor<8x4x4xi32>
  %y = kernel.contract lhs(%x : tensor<8x4x4xi8>) rhs(%w : tensor<4x4x4xi8>) outs(%o : tensor<8x4x4xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 4>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<8x4x4xi32>
  return %y : tensor<8x4x4xi32>
}

// CHECK-LABEL: func.func @zero_point
// CHECK: kernel.contract lhs(%{{.*}} : tensor<8x1x16xi8>) rhs(%{{.*}} : tensor<1x16x4xi8>) rhs_zero_point
// CHECK-NOT: qcc.merged_groups
func.func @zero_point(%x: tensor<8x4x4xi8>, %z: tensor<i32>) -> tensor<8x4x4xi32> {
  %w = arith.constant dense<3> : tensor<4x4x4xi8>
  %o = tensor.empty() : tensor<8x4x4xi32>
  %y = kernel.contract lhs(%x : tensor<8x4x4xi8>) rhs(%w : tensor<4x4x4xi8>) rhs_zero_point(%z : tensor<i32>)
      outs(%o : tensor<8x4x4xi32>)
      {indexing_maps = [#lhs, #rhs, #none, #out], reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 4>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<8x4x4xi32>
  return %y : tensor<8x4x4xi32>
}

// Groups of 3 elements are no words; so neither form is there.
// CHECK-LABEL: func.func @weight_arg_of_threes
// CHECK: kernel.contract lhs(%{{.*}} : tensor<8x4x3xi8>)
func.func @weight_arg_of_threes(%x: tensor<8x4x3xi8>, %w: tensor<4x4x3xi8>) -> tensor<8x4x4xi32> {
  %o = tensor.empty() : tensor<8x4x4xi32>
  %y = kernel.contract lhs(%x : tensor<8x4x3xi8>) rhs(%w : tensor<4x4x3xi8>) outs(%o : tensor<8x4x4xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<8x4x4xi32>
  return %y : tensor<8x4x4xi32>
}

// An operand for each group has no place in one loop of columns.
// CHECK-LABEL: func.func @operand_of_groups
// CHECK: kernel.contract lhs(%{{.*}} : tensor<8x4x4xi8>)
func.func @operand_of_groups(%x: tensor<8x4x4xi8>, %bias: tensor<4xi32>) -> tensor<8x4x4xi32> {
  %w = arith.constant dense<3> : tensor<4x4x4xi8>
  %o = tensor.empty() : tensor<8x4x4xi32>
  %y = kernel.contract lhs(%x : tensor<8x4x4xi8>) rhs(%w : tensor<4x4x4xi8>) init(%bias : tensor<4xi32>)
      outs(%o : tensor<8x4x4xi32>)
      {indexing_maps = [#lhs, #rhs, #group, #out], reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 4>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<8x4x4xi32>
  return %y : tensor<8x4x4xi32>
}

// -----

#lhs = affine_map<(g, n, k) -> (g, k)>
#rhs = affine_map<(g, n, k) -> (g, n)>
#out = affine_map<(g, n, k) -> (g, n)>

// A weight that is the same all along K has no place for zeros, and groups of 2 elements are no words.
// CHECK-LABEL: func.func @same_along_k
// CHECK: kernel.contract lhs(%{{.*}} : tensor<4x2xi8>) rhs(%{{.*}} : tensor<4x4xi8>)
func.func @same_along_k(%x: tensor<4x2xi8>) -> tensor<4x4xi32> {
  %w = arith.constant dense<3> : tensor<4x4xi8>
  %o = tensor.empty() : tensor<4x4xi32>
  %y = kernel.contract lhs(%x : tensor<4x2xi8>) rhs(%w : tensor<4x4xi8>) outs(%o : tensor<4x4xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 2>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x4xi32>
  return %y : tensor<4x4xi32>
}

// -----

#lhs = affine_map<(m, g, n, k) -> (m, g, k)>
#rhs = affine_map<(m, g, n, k) -> (g, 0, n, k)>
#out = affine_map<(m, g, n, k) -> (m, g, n)>

// Dimensions of the weight that no loop indexes stay.
// CHECK-LABEL: func.func @unit_dimension
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[\[\[}}1, 2, 0, 0], [3, 4, 0, 0], [0, 0, 5, 6], [0, 0, 7, 8]]]]> : tensor<1x1x4x4xi8>
// CHECK: kernel.contract lhs(%{{.*}} : tensor<8x1x4xi8>) rhs(%[[W]]
func.func @unit_dimension(%x: tensor<8x2x2xi8>) -> tensor<8x2x2xi32> {
  %w = arith.constant dense<[[[[1, 2], [3, 4]]], [[[5, 6], [7, 8]]]]> : tensor<2x1x2x2xi8>
  %o = tensor.empty() : tensor<8x2x2xi32>
  %y = kernel.contract lhs(%x : tensor<8x2x2xi8>) rhs(%w : tensor<2x1x2x2xi8>) outs(%o : tensor<8x2x2xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 2>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<8x2x2xi32>
  return %y : tensor<8x2x2xi32>
}

// -----

#lhs = affine_map<(g, n, h, k) -> (h, g, k)>
#rhs = affine_map<(g, n, h, k) -> (g, n, k)>
#out = affine_map<(g, n, h, k) -> (g, n, h)>

// Columns that are not innermost in the result are not joined.
// CHECK-LABEL: func.func @channels_first
// CHECK: kernel.contract {{.*}} outs(%{{.*}} : tensor<4x4x8xi32>)
func.func @channels_first(%x: tensor<8x4x4xi8>, %w: tensor<4x4x4xi8>) -> tensor<4x4x8xi32> {
  %o = tensor.empty() : tensor<4x4x8xi32>
  %y = kernel.contract lhs(%x : tensor<8x4x4xi8>) rhs(%w : tensor<4x4x4xi8>) outs(%o : tensor<4x4x8xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 4>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x4x8xi32>
  return %y : tensor<4x4x8xi32>
}
