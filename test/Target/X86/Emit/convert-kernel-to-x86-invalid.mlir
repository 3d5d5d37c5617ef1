// RUN: qcc-opt %s -convert-kernel-to-x86 -split-input-file -verify-diagnostics

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @tensors(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) -> tensor<5x9xi32> {
  // expected-error@+1 {{is not bufferized; run one-shot-bufferize first}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return %y : tensor<5x9xi32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @no_config(%x: memref<5x7xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %o: memref<5x9xi32>) {
  // expected-error@+1 {{needs a lowering_config with an x86 atom and a right operand that is packed unless the config reads it in place}}
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>) outs(%o : memref<5x9xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @unknown_atom(%x: memref<5x7xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %o: memref<5x9xi32>) {
  // expected-error@+1 {{needs a lowering_config with an x86 atom and a right operand that is packed unless the config reads it in place}}
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>) outs(%o : memref<5x9xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>, lowering_config = #kernel.lowering_config<atom = "abacus", tile = [2, 16, 4], block = [2, 16], source = "pinned">}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @not_packed(%x: memref<5x7xi8>, %w: memref<9x7xi8>, %s: memref<16xi32>, %o: memref<5x9xi32>) {
  // expected-error@+1 {{needs a lowering_config with an x86 atom and a right operand that is packed unless the config reads it in place}}
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<9x7xi8>) outs(%o : memref<5x9xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>, lowering_config = #kernel.lowering_config<atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16], source = "pinned">}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @packed(%x: memref<5x7xi8>, %w: memref<9x16x1xi32>, %s: memref<9xi32>, %o: memref<5x9xi32>) {
  // expected-error@+1 {{needs a lowering_config with an x86 atom and a right operand that is packed unless the config reads it in place}}
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<9x16x1xi32>) rhs_sums(%s : memref<9xi32>) outs(%o : memref<5x9xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>, lowering_config = #kernel.lowering_config<atom = "avx512vnni", tile = [1, 8, 4], block = [1, 16], lanes = "k", rhs = "in_place", source = "pinned">}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

func.func @pack_unknown_atom(%w: memref<9x7xi8>, %p: memref<1x2x16xi32>, %s: memref<16xi32>) {
  // expected-error@+1 {{is packed for atom "mmx", which x86 has not}}
  kernel.pack %w : memref<9x7xi8> outs(%p, %s : memref<1x2x16xi32>, memref<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>, tile = array<i64: 16, 4>, atom = "mmx"}
  return
}
