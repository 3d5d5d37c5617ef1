// RUN: not qcc-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(select-lowering-config{cpu=cascadelake}))' 2>&1 | FileCheck %s

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
