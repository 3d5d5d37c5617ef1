// RUN: qcc-opt %s -pack-operands=cpu=x86-64-v3 -verify-diagnostics

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @small(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{has no lowering_config; run select-lowering-config first}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}
