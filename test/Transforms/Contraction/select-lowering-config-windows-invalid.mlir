// RUN: not qcc-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(select-lowering-config{cpu=cascadelake}))' 2>&1 | FileCheck %s

#rows = affine_map<(m, n, r, k) -> (m + r, k)>
#weight = affine_map<(m, n, r, k) -> (r, k, n)>
#mn = affine_map<(m, n, r, k) -> (m, n)>

// CHECK: error: no strategy of target 'cascadelake' computes it: it reads windows of the left operand, which x86 kernels do not do; leave a convolution to generic loops
func.func @chosen(%x: tensor<8x7xi8>, %w: tensor<3x7x9xi8>, %o: tensor<6x9xi32>) -> tensor<6x9xi32> {
  %0 = kernel.contract lhs(%x : tensor<8x7xi8>) rhs(%w : tensor<3x7x9xi8>) outs(%o : tensor<6x9xi32>)
      {indexing_maps = [#rows, #weight, #mn], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 7>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<6x9xi32>
  return %0 : tensor<6x9xi32>
}

// -----

#rows = affine_map<(m, n, r, k) -> (m + r, k)>
#weight = affine_map<(m, n, r, k) -> (r, k, n)>
#mn = affine_map<(m, n, r, k) -> (m, n)>

// CHECK: error: lowering_config has strategy 'vector_tiles', but the contraction does not suit it: it reads windows of the left operand
func.func @pinned(%x: tensor<8x7xi8>, %w: tensor<3x7x9xi8>, %o: tensor<6x9xi32>) -> tensor<6x9xi32> {
  %0 = kernel.contract lhs(%x : tensor<8x7xi8>) rhs(%w : tensor<3x7x9xi8>) outs(%o : tensor<6x9xi32>)
      {indexing_maps = [#rows, #weight, #mn], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 7>,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16], lhs = panel, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<6x9xi32>
  return %0 : tensor<6x9xi32>
}
