// Configs that compute no contraction of floats, or floats only.
// RUN: qcc-opt %s -select-lowering-config=target=x86-64-v3 -split-input-file -verify-diagnostics

func.func @f(%x: tensor<2x7xf32>, %w: tensor<9x7xf32>, %o: tensor<2x9xf32>) -> tensor<2x9xf32> {
  // expected-error@+1 {{lowering_config does not fit atom "avx2-f32": it multiplies floats; use float_tiles}}
  %y = kernel.contract lhs(%x : tensor<2x7xf32>) rhs(%w : tensor<9x7xf32>) outs(%o : tensor<2x9xf32>)
      {lowering_config = #x86.config<vector_tiles, atom = "avx2-f32", tile = [1, 8, 1], block = [1, 8], lhs = in_place, source = pinned>}
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<2x9xf32>
  return %y : tensor<2x9xf32>
}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config does not fit atom "avx2": it multiplies integers; use vector_tiles}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {lowering_config = #x86.config<float_tiles, atom = "avx2", tile = [1, 8, 2], block = [1, 8], lhs = panel, source = pinned>}
    epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config does not fit atom "avx2-f32": it multiplies floats, not integers; choose another atom}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {lowering_config = #x86.config<float_tiles, atom = "avx2-f32", tile = [1, 8, 1], block = [1, 8], lhs = panel, source = pinned>}
    epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @f(%x: tensor<2x7xf32>, %w: tensor<9x7xf32>, %o: tensor<2x9xf32>) -> tensor<2x9xf32> {
  // expected-error@+1 {{lowering_config does not fit atom "avx2": it multiplies integers, not floats; choose another atom}}
  %y = kernel.contract lhs(%x : tensor<2x7xf32>) rhs(%w : tensor<9x7xf32>) outs(%o : tensor<2x9xf32>)
      {lowering_config = #x86.config<vector_tiles, atom = "avx2", tile = [1, 8, 2], block = [1, 8], lhs = panel, source = pinned>}
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<2x9xf32>
  return %y : tensor<2x9xf32>
}

// -----

func.func @f(%x: tensor<2x7xf32>, %w: tensor<9x7xf32>, %o: tensor<2x9xf32>) -> tensor<2x9xf32> {
  // expected-error@+1 {{lowering_config has strategy 'float_tiles', whose blocks have the columns of one tile; use NC = NR}}
  %y = kernel.contract lhs(%x : tensor<2x7xf32>) rhs(%w : tensor<9x7xf32>) outs(%o : tensor<2x9xf32>)
      {lowering_config = #x86.config<float_tiles, atom = "avx2-f32", tile = [1, 8, 1], block = [1, 16], lhs = in_place, source = pinned>}
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<2x9xf32>
  return %y : tensor<2x9xf32>
}

// -----

func.func @f(%x: tensor<2x7xf32>, %w: tensor<9x7xf32>, %o: tensor<2x9xf32>) -> tensor<2x9xf32> {
  // expected-error@+1 {{lowering_config does not fit atom "avx2-f32": KR must be 1 and NR a multiple of 8}}
  %y = kernel.contract lhs(%x : tensor<2x7xf32>) rhs(%w : tensor<9x7xf32>) outs(%o : tensor<2x9xf32>)
      {lowering_config = #x86.config<float_tiles, atom = "avx2-f32", tile = [1, 12, 1], block = [1, 12], lhs = in_place, source = pinned>}
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<2x9xf32>
  return %y : tensor<2x9xf32>
}

// -----

func.func @f(%x: tensor<2x7xf32>, %w: tensor<9x7xf32>, %o: tensor<2x9xf32>) -> tensor<2x9xf32> {
  // expected-error@+1 {{lowering_config asks for a tile of more than 64 registers; choose a smaller MR or NR}}
  %y = kernel.contract lhs(%x : tensor<2x7xf32>) rhs(%w : tensor<9x7xf32>) outs(%o : tensor<2x9xf32>)
      {lowering_config = #x86.config<float_tiles, atom = "avx2-f32", tile = [16, 40, 1], block = [16, 40], lhs = in_place, source = pinned>}
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<2x9xf32>
  return %y : tensor<2x9xf32>
}

// -----

func.func @f(%x: tensor<2x7xf32>, %w: tensor<9x7xf32>, %o: tensor<2x9xf32>) -> tensor<2x9xf32> {
  // expected-error@+1 {{lowering_config asks for blocks of more than 4194304 accumulators; choose a smaller MC}}
  %y = kernel.contract lhs(%x : tensor<2x7xf32>) rhs(%w : tensor<9x7xf32>) outs(%o : tensor<2x9xf32>)
      {lowering_config = #x86.config<float_tiles, atom = "avx2-f32", tile = [1, 8, 1], block = [1048576, 8], lhs = in_place, source = pinned>}
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<2x9xf32>
  return %y : tensor<2x9xf32>
}

// -----

func.func @f(%x: tensor<2x7xf32>, %w: tensor<9x7xf32>, %o: tensor<2x9xf32>) -> tensor<2x9xf32> {
  // expected-error@+1 {{lowering_config asks for atom "avx512-f32", but target 'x86-64-v3' does not have it; choose another atom or target}}
  %y = kernel.contract lhs(%x : tensor<2x7xf32>) rhs(%w : tensor<9x7xf32>) outs(%o : tensor<2x9xf32>)
      {lowering_config = #x86.config<float_tiles, atom = "avx512-f32", tile = [1, 16, 1], block = [1, 16], lhs = in_place, source = pinned>}
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<2x9xf32>
  return %y : tensor<2x9xf32>
}

// -----

func.func @dilated(%x: tensor<4x9xf32>, %w: tensor<9x3xf32>, %o: tensor<4x5x9xf32>) -> tensor<4x5x9xf32> {
  // expected-error@+1 {{lowering_config copies rows of the left operand, but the innermost dimension of K leaves out elements of it; use lhs = in_place}}
  %y = kernel.contract lhs(%x : tensor<4x9xf32>) rhs(%w : tensor<9x3xf32>) outs(%o : tensor<4x5x9xf32>)
      {indexing_maps = [affine_map<(b, m, n, k) -> (b, m + k * 2)>, affine_map<(b, m, n, k) -> (n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>],
       reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 3>,
       lowering_config = #x86.config<float_tiles, atom = "avx2-f32", tile = [1, 8, 1], block = [1, 8], lhs = panel, source = pinned>}
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<4x5x9xf32>
  return %y : tensor<4x5x9xf32>
}

// -----

#argument = #x86.config<float_tiles, atom = "avx2-f32", tile = [2, 8, 1], block = [2, 8], lhs = in_place, rhs = narrow,
                        source = pinned>

func.func @narrow_argument(%x: tensor<2x3xf32>, %w: tensor<8x3xi8>, %o: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error@+1 {{lowering_config does not fit atom "avx2-f32": rhs = narrow needs a constant of a contraction of floats, with a prologue of constants}}
  %y = kernel.contract lhs(%x : tensor<2x3xf32>) rhs(%w : tensor<8x3xi8>) outs(%o : tensor<2x8xf32>) {lowering_config = #argument}
    rhs_prologue {
  ^bb0(%a: i8):
    %0 = arith.sitofp %a : i8 to f32
    kernel.yield %0 : f32
  }
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

#wide = #x86.config<float_tiles, atom = "avx2-f32", tile = [2, 8, 1], block = [2, 8], lhs = in_place, rhs = nibbles,
                    source = pinned>

func.func @wide_nibbles(%x: tensor<2x8xf32>, %o: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %w = arith.constant dense<[[0, 1, 2, 3, 4, 5, 6, 16]]> : tensor<1x8xi8>
  // expected-error@+1 {{lowering_config does not fit atom "avx2-f32": rhs = nibbles needs groups of K of whole slices of 8 elements, or of floats, and a constant of 4 bits}}
  %y = kernel.contract lhs(%x : tensor<2x8xf32>) rhs(%w : tensor<1x8xi8>) outs(%o : tensor<2x1xf32>) {lowering_config = #wide}
    rhs_prologue {
  ^bb0(%a: i8):
    %0 = arith.sitofp %a : i8 to f32
    kernel.yield %0 : f32
  }
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}

// -----

func.func @turned(%x: tensor<2x12xf32>, %w: tensor<8x12xf32>, %o: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error@+1 {{lowering_config reads the right operand in place, but K is not its last dimension and a multiple of 8; use rhs = packed}}
  %y = kernel.contract lhs(%x : tensor<2x12xf32>) rhs(%w : tensor<8x12xf32>) outs(%o : tensor<2x8xf32>)
      {lowering_config = #x86.config<float_tiles, atom = "avx2-f32", tile = [2, 8, 1], block = [2, 8], lhs = in_place,
                                     rhs = in_place, source = pinned>}
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
