// RUN: not qcc-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(select-lowering-config{target=cascadelake}))' 2>&1 | FileCheck %s

// Dilated windows over one channel; collapse-reductions has not run.
#rows = affine_map<(m, n, r) -> (m + r * 2)>
#weight = affine_map<(m, n, r) -> (r, n)>
#mn = affine_map<(m, n, r) -> (m, n)>

// CHECK: error: no strategy of target 'cascadelake' computes it: the innermost dimension of K leaves out elements of the left operand; run collapse-reductions, which adds one that does not
func.func @chosen(%x: tensor<8xi8>, %w: tensor<3x9xi8>, %o: tensor<4x9xi32>) -> tensor<4x9xi32> {
  %0 = kernel.contract lhs(%x : tensor<8xi8>) rhs(%w : tensor<3x9xi8>) outs(%o : tensor<4x9xi32>)
      {indexing_maps = [#rows, #weight, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x9xi32>
  return %0 : tensor<4x9xi32>
}

// -----

#rows = affine_map<(m, n, r) -> (m + r * 2)>
#weight = affine_map<(m, n, r) -> (r, n)>
#mn = affine_map<(m, n, r) -> (m, n)>

// CHECK: error: lowering_config has strategy 'vector_tiles', but the contraction does not suit it: the innermost dimension of K leaves out elements of the left operand
func.func @pinned(%x: tensor<8xi8>, %w: tensor<3x9xi8>, %o: tensor<4x9xi32>) -> tensor<4x9xi32> {
  %0 = kernel.contract lhs(%x : tensor<8xi8>) rhs(%w : tensor<3x9xi8>) outs(%o : tensor<4x9xi32>)
      {indexing_maps = [#rows, #weight, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16], lhs = panel, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x9xi32>
  return %0 : tensor<4x9xi32>
}

// -----

#x = affine_map<(m, n, r) -> (m + r, n)>
#w = affine_map<(m, n, r) -> (r, n)>
#mn = affine_map<(m, n, r) -> (m, n)>

// CHECK: error: lowering_config has strategy 'vector_tiles', but the contraction does not suit it: each of its columns has a left operand of its own, as in a depthwise convolution; use strategy depthwise
func.func @depthwise_columns(%x: tensor<8x16xi8>, %w: tensor<3x16xi8>, %o: tensor<6x16xi32>) -> tensor<6x16xi32> {
  %0 = kernel.contract lhs(%x : tensor<8x16xi8>) rhs(%w : tensor<3x16xi8>) outs(%o : tensor<6x16xi32>)
      {indexing_maps = [#x, #w, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16], lhs = panel, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<6x16xi32>
  return %0 : tensor<6x16xi32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK: error: lowering_config has strategy 'depthwise', but the contraction does not suit it: its columns share a left operand; use another strategy than depthwise
func.func @shared_operand(%x: tensor<8x16xi8>, %w: tensor<9x16xi8>, %o: tensor<8x9xi32>) -> tensor<8x9xi32> {
  %0 = kernel.contract lhs(%x : tensor<8x16xi8>) rhs(%w : tensor<9x16xi8>) outs(%o : tensor<8x9xi32>)
      {indexing_maps = [#mk, #nk, #mn], lowering_config = #x86.config<depthwise, atom = "avx512vnni", tile = [2, 16, 4],
       block = [2, 16], lhs = in_place, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<8x9xi32>
  return %0 : tensor<8x9xi32>
}

// -----

#x = affine_map<(m, n, r) -> (m + r, n)>
#w = affine_map<(m, n, r) -> (r, n)>
#mn = affine_map<(m, n, r) -> (m, n)>

// CHECK: error: lowering_config does not fit atom "avx512vnni": KR must be 4 and NR a multiple of 16
func.func @depthwise_tile(%x: tensor<8x16xi8>, %w: tensor<3x16xi8>, %o: tensor<6x16xi32>) -> tensor<6x16xi32> {
  %0 = kernel.contract lhs(%x : tensor<8x16xi8>) rhs(%w : tensor<3x16xi8>) outs(%o : tensor<6x16xi32>)
      {indexing_maps = [#x, #w, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>,
       lowering_config = #x86.config<depthwise, atom = "avx512vnni", tile = [2, 8, 4], block = [2, 8], lhs = in_place, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<6x16xi32>
  return %0 : tensor<6x16xi32>
}

// -----

#x = affine_map<(m, n, r) -> (m + r, n)>
#w = affine_map<(m, n, r) -> (r, n)>
#mn = affine_map<(m, n, r) -> (m, n)>

// CHECK: error: lowering_config has strategy 'depthwise', which reads the left operand where it lies; use lhs = in_place
func.func @depthwise_panel(%x: tensor<8x16xi8>, %w: tensor<3x16xi8>, %o: tensor<6x16xi32>) -> tensor<6x16xi32> {
  %0 = kernel.contract lhs(%x : tensor<8x16xi8>) rhs(%w : tensor<3x16xi8>) outs(%o : tensor<6x16xi32>)
      {indexing_maps = [#x, #w, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>,
       lowering_config = #x86.config<depthwise, atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16], lhs = panel, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<6x16xi32>
  return %0 : tensor<6x16xi32>
}
