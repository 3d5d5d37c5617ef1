// RUN: qcc-opt %s -select-lowering-config=cpu=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: qcc-opt %s -select-lowering-config=cpu=skylake-avx512 | FileCheck %s --check-prefixes=CHECK,BW
// RUN: qcc-opt %s -select-lowering-config=cpu=cascadelake | FileCheck %s --check-prefixes=CHECK,VNNI

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// The best atom of each target; blocks of the weight that fill half of the L2 cache.
// CHECK-LABEL: func.func @large
// AVX2: lowering_config = #kernel.lowering_config<atom = "avx2", tile = [6, 16, 2], block = [6, 128], source = "model">
// BW: lowering_config = #kernel.lowering_config<atom = "avx512bw", tile = [6, 64, 2], block = [6, 128], source = "model">
// VNNI: lowering_config = #kernel.lowering_config<atom = "avx512vnni", tile = [6, 64, 4], block = [6, 256], source = "model">
func.func @large(%x: tensor<?x2048xi8>, %w: tensor<2048x2048xi8>, %o: tensor<?x2048xi32>) -> tensor<?x2048xi32> {
  %y = kernel.contract lhs(%x : tensor<?x2048xi8>) rhs(%w : tensor<2048x2048xi8>) outs(%o : tensor<?x2048xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 2048>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x2048xi32>
  return %y : tensor<?x2048xi32>
}

// No more rows and columns than there are.
// CHECK-LABEL: func.func @small
// AVX2: atom = "avx2", tile = [2, 16, 2], block = [2, 16]
// BW: atom = "avx512bw", tile = [2, 16, 2], block = [2, 16]
// VNNI: atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16]
func.func @small(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// A config that is there stays, also one of an older atom.
// CHECK-LABEL: func.func @pinned
// CHECK: atom = "avx2", tile = [1, 8, 2], block = [1, 8], source = "pinned"
func.func @pinned(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>,
       lowering_config = #kernel.lowering_config<atom = "avx2", tile = [1, 8, 2], block = [1, 8], source = "pinned">}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}
