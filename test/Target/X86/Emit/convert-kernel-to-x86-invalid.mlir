// RUN: qcc-opt %s -convert-kernel-to-x86 -split-input-file -verify-diagnostics

func.func @tensors(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) -> tensor<5x9xi32> {
  // expected-error@+1 {{is not bufferized; run one-shot-bufferize first}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return %y : tensor<5x9xi32>
}

// -----

func.func @no_config(%x: memref<5x7xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %o: memref<5x9xi32>) {
  // expected-error@+1 {{needs a lowering_config of x86}}
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%o : memref<5x9xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

func.func @unknown_atom(%x: memref<5x7xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %o: memref<5x9xi32>) {
  // expected-error@+1 {{is for atom "abacus", but x86 does not have this atom}}
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%o : memref<5x9xi32>)
      {
       lowering_config = #x86.config<vector_tiles, atom = "abacus", tile = [2, 16, 4], block = [2, 16], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

func.func @not_packed(%x: memref<5x7xi8>, %w: memref<9x7xi8>, %s: memref<16xi32>, %o: memref<5x9xi32>) {
  // expected-error@+1 {{needs a right operand that is packed unless the config reads it in place}}
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<9x7xi8>) outs(%o : memref<5x9xi32>)
      {
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

func.func @packed(%x: memref<5x7xi8>, %w: memref<9x16x1xi32>, %s: memref<9xi32>, %o: memref<5x9xi32>) {
  // expected-error@+1 {{needs a right operand that is packed unless the config reads it in place}}
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<9x16x1xi32>) rhs_sums(%s : memref<9xi32>)
      outs(%o : memref<5x9xi32>)
      {
       lowering_config = #x86.config<inner_product, atom = "avx512vnni", tile = [1, 8, 4], block = [1, 16], lhs = panel,
                                     rhs = in_place, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

func.func @pack_unknown_atom(%w: memref<9x7xi8>, %p: memref<1x2x16xi32>, %s: memref<16xi32>) {
  // expected-error@+1 {{is for atom "mmx", but x86 does not have this atom}}
  kernel.pack %w : memref<9x7xi8> outs(%p, %s : memref<1x2x16xi32>, memref<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>, atom = "mmx"}
  return
}

// -----

func.func @not_contiguous(%x: memref<5x11xi8, strided<[22, 2]>>, %w: memref<1x3x16xi32>, %s: memref<16xi32>,
                          %y: memref<5x9xi32>) {
  // expected-error@+1 {{reads the left operand in place, but its elements along K do not follow each other; run adapt-lowering-config first}}
  kernel.contract lhs(%x : memref<5x11xi8, strided<[22, 2]>>) rhs(%w : memref<1x3x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<5x9xi32>)
      {lhs_unsigned,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16],
                                     lhs = in_place, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

func.func @vectors_as_tiles(%x: memref<5x11xi8>, %w: memref<1x3x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  // expected-error@+1 {{has strategy amx_tiles, but atom "avx512vnni" multiplies vectors}}
  kernel.contract lhs(%x : memref<5x11xi8>) rhs(%w : memref<1x3x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<5x9xi32>)
      {lhs_unsigned,
       lowering_config = #x86.config<amx_tiles, atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16], lhs = in_place,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}
