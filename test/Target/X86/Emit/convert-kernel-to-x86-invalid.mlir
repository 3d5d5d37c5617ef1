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
  // expected-error@+1 {{has no lowering_config; run select-lowering-config first}}
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
  // expected-error@+1 {{has strategy amx_tiles, which does not multiply by atom "avx512vnni"}}
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

// -----

#config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [4, 16, 4], block = [4, 16], lhs = in_place, source = pinned>
#lhs = affine_map<(m, n, i, k) -> (m + i, k)>
#rhs = affine_map<(m, n, i, k) -> (n, i, k)>
#out = affine_map<(m, n, i, k) -> (m, n)>

func.func @padded(%x: memref<4x8xi8>, %w: memref<1x6x16xi32>, %s: memref<16xi32>, %y: memref<4x16xi32>) {
  // expected-error@+1 {{has strategy vector_tiles, which does not read lhs_padding; pad the left operand in memory}}
  kernel.contract lhs(%x : memref<4x8xi8>) rhs(%w : memref<1x6x16xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<4x16xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 8>,
       lhs_padding = #kernel.padding<[1, 1, 0, 0], 3>, lhs_unsigned, lowering_config = #config}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

#groups = affine_map<(m, n, k) -> (m, (n floordiv 4) * 6 + k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @groups_of_sixes(%x: memref<3x48xi8>, %w: memref<2x2x16xi32>, %s: memref<32xi32>, %o: memref<3x32xi32>) {
  // expected-error@+1 {{has strategy depthwise, but groups do not have whole words of elements}}
  kernel.contract lhs(%x : memref<3x48xi8>) rhs(%w : memref<2x2x16xi32>) rhs_sums(%s : memref<32xi32>) outs(%o : memref<3x32xi32>)
      {indexing_maps = [#groups, #weight, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 6>, lhs_unsigned,
       lowering_config = #x86.config<depthwise, atom = "avx512vnni", tile = [1, 16, 4], block = [1, 16], lhs = in_place, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

#groups = affine_map<(m, n, k) -> (m, (n floordiv 12) * 4 + k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @groups_of_twelve_columns(%x: memref<3x16xi8>, %w: memref<3x1x16xi32>, %s: memref<48xi32>, %o: memref<3x48xi32>) {
  // expected-error@+1 {{has strategy depthwise, but a tile does not have whole groups of columns}}
  kernel.contract lhs(%x : memref<3x16xi8>) rhs(%w : memref<3x1x16xi32>) rhs_sums(%s : memref<48xi32>) outs(%o : memref<3x48xi32>)
      {indexing_maps = [#groups, #weight, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 4>, lhs_unsigned,
       lowering_config = #x86.config<depthwise, atom = "avx512vnni", tile = [1, 16, 4], block = [1, 16], lhs = in_place, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

#groups = affine_map<(m, n, k) -> (m, (n floordiv 4) * 20 + k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @groups_of_many_elements(%x: memref<3x160xi8>, %w: memref<2x5x16xi32>, %s: memref<32xi32>, %o: memref<3x32xi32>) {
  // expected-error@+1 {{has strategy depthwise, but the elements of the groups of a vector do not fit in a register}}
  kernel.contract lhs(%x : memref<3x160xi8>) rhs(%w : memref<2x5x16xi32>) rhs_sums(%s : memref<32xi32>) outs(%o : memref<3x32xi32>)
      {indexing_maps = [#groups, #weight, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 20>, lhs_unsigned,
       lowering_config = #x86.config<depthwise, atom = "avx512vnni", tile = [1, 16, 4], block = [1, 16], lhs = in_place, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

#groups = affine_map<(m, n, k) -> (m, (n floordiv 4) * 8 + k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @parts_of_groups(%x: memref<3x64xi8>, %w: memref<2x1x16xi32>, %s: memref<32xi32>, %o: memref<3x32xi32>) {
  // expected-error@+1 {{has strategy depthwise, but the left operand does not have groups of bytes along the last dimension of K}}
  kernel.contract lhs(%x : memref<3x64xi8>) rhs(%w : memref<2x1x16xi32>) rhs_sums(%s : memref<32xi32>) outs(%o : memref<3x32xi32>)
      {indexing_maps = [#groups, #weight, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 4>, lhs_unsigned,
       lowering_config = #x86.config<depthwise, atom = "avx512vnni", tile = [1, 16, 4], block = [1, 16], lhs = in_place, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

func.func @prologue_of_wide_floats(%x: memref<1x8xf32>, %w: memref<1x8x8xi8>, %o: memref<1x8xf32>) {
  // expected-error@+1 {{has a packed right operand of another form than its config says: rhs_prologue belongs to rhs = narrow and to nibbles of floats}}
  kernel.contract lhs(%x : memref<1x8xf32>) rhs(%w : memref<1x8x8xi8>) outs(%o : memref<1x8xf32>)
      {rhs_packed, lowering_config = #x86.config<float_tiles, atom = "avx2-f32", tile = [1, 8, 1], block = [1, 8], lhs = in_place, source = pinned>}
      rhs_prologue {
      ^bb0(%a: i8):
        %0 = arith.sitofp %a : i8 to f32
        kernel.yield %0 : f32
      }
      epilogue {
      ^bb0(%acc: f32):
        kernel.yield %acc : f32
      }
  return
}

// -----

func.func @bytes_for_nibbles(%x: memref<1x8xf32>, %w: memref<1x8x8xi8>, %o: memref<1x8xf32>) {
  // expected-error@+1 {{has a packed right operand of another form than its config says: nibbles of floats lie in words of i32, other elements do not}}
  kernel.contract lhs(%x : memref<1x8xf32>) rhs(%w : memref<1x8x8xi8>) outs(%o : memref<1x8xf32>)
      {rhs_packed, lowering_config = #x86.config<float_tiles, atom = "avx2-f32", tile = [1, 8, 1], block = [1, 8], lhs = in_place, rhs = nibbles, source = pinned>}
      rhs_prologue {
      ^bb0(%a: i8):
        %0 = arith.sitofp %a : i8 to f32
        kernel.yield %0 : f32
      }
      epilogue {
      ^bb0(%acc: f32):
        kernel.yield %acc : f32
      }
  return
}
