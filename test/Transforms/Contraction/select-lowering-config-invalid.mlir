// RUN: qcc-opt %s -select-lowering-config=target=skylake-avx512 -split-input-file -verify-diagnostics
// RUN: not qcc-opt %s -select-lowering-config=target=pentium -split-input-file 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: unknown processor 'pentium'

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config asks for atom "avx512vnni", but target 'skylake-avx512' does not have it; choose another atom or target}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 16, 4], block = [1, 16], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config does not fit atom "avx512bw": KR must be 2 and NR a multiple of 16}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {
       lowering_config = #x86.config<vector_tiles, atom = "avx512bw", tile = [1, 16, 4], block = [1, 16], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config does not fit atom "avx512bw": KR must be 2 and NR a multiple of 16}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {
       lowering_config = #x86.config<vector_tiles, atom = "avx512bw", tile = [1, 8, 2], block = [1, 8], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config asks for a tile of more than 64 registers; choose a smaller MR or NR}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {
       lowering_config = #x86.config<vector_tiles, atom = "avx512bw", tile = [33, 32, 2], block = [33, 32], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config reads the left operand in place, but atom "avx512bw" takes it as a copy; use lhs = panel}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {
       lowering_config = #x86.config<vector_tiles, atom = "avx512bw", tile = [1, 16, 2], block = [1, 16],
                                     lhs = in_place, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @lanes_kr(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config does not fit atom "avx512bw": lanes along K need an atom that multiplies words, and its KR}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {
       lowering_config = #x86.config<inner_product, atom = "avx512bw", tile = [1, 8, 4], block = [1, 16], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @lanes_block(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config does not fit atom "avx512bw": with lanes along K the longer side of the block must be a multiple of 16}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {
       lowering_config = #x86.config<inner_product, atom = "avx512bw", tile = [2, 4, 2], block = [2, 8], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @lanes_tile(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config asks for a tile of more than 64 registers; choose a smaller MR or NR}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {
       lowering_config = #x86.config<inner_product, atom = "avx512bw", tile = [9, 8, 2], block = [9, 16], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

#km = affine_map<(m, n, k) -> (k, m)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @lanes_lhs(%x: tensor<7x2xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config reads the left operand in place, but it has a prologue or K is not its last dimension; use lhs = panel}}
  %y = kernel.contract lhs(%x : tensor<7x2xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {indexing_maps = [#km, #nk, #mn],
       lowering_config = #x86.config<inner_product, atom = "avx512bw", tile = [1, 8, 2], block = [1, 16],
                                     lhs = in_place, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @lanes_rhs(%x: tensor<2x7xi8>, %w: tensor<7x9xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config reads the right operand in place, but it has a prologue or K is not its last dimension; use rhs = packed}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<7x9xi8>) outs(%o : tensor<2x9xi32>)
      {indexing_maps = [#mk, #kn, #mn],
       lowering_config = #x86.config<inner_product, atom = "avx512bw", tile = [1, 8, 2], block = [1, 16], lhs = panel,
                                     rhs = in_place, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @rhs_in_place(%x: tensor<2x7xi8>, %w: tensor<7x9xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config does not fit atom "avx512bw": to read the right operand in place it must multiply words, KR be 2, NR 32 and MC at most NC}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<7x9xi8>) outs(%o : tensor<2x9xi32>)
      {indexing_maps = [#mk, #kn, #mn],
       lowering_config = #x86.config<interleaved_columns, atom = "avx512bw", tile = [1, 16, 2], block = [1, 16],
                                     lhs = panel, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @rhs_transposed(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config reads the right operand in place, but it has a prologue or N is not its last dimension; use another strategy}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {
       lowering_config = #x86.config<interleaved_columns, atom = "avx512bw", tile = [1, 32, 2], block = [1, 32],
                                     lhs = panel, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @rhs_registers(%x: tensor<2x7xi8>, %w: tensor<7x9xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config asks for a tile of more than 64 registers; choose a smaller MR or NR}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<7x9xi8>) outs(%o : tensor<2x9xi32>)
      {indexing_maps = [#mk, #kn, #mn],
       lowering_config = #x86.config<interleaved_columns, atom = "avx512bw", tile = [33, 32, 2], block = [33, 64],
                                     lhs = panel, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @no_rows(%x: tensor<7xi8>, %w: tensor<9x7xi8>, %o: tensor<9xi32>) -> tensor<9xi32> {
  // expected-error@+1 {{lowering_config has results along rows, but there is no dimension of rows; choose MC = 1}}
  %y = kernel.contract lhs(%x : tensor<7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<9xi32>)
      {
       lowering_config = #x86.config<inner_product, atom = "avx512bw", tile = [8, 1, 2], block = [16, 1], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<9xi32>
  return %y : tensor<9xi32>
}

// -----

func.func @f(%x: tensor<2x70000xi8>, %w: tensor<9x70000xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config asks for blocks that no cache holds; choose a smaller MC or NC}}
  %y = kernel.contract lhs(%x : tensor<2x70000xi8>) rhs(%w : tensor<9x70000xi8>) outs(%o : tensor<2x9xi32>)
      {
       lowering_config = #x86.config<vector_tiles, atom = "avx512bw", tile = [1, 32, 2], block = [1024, 32],
                                     lhs = panel, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @tiles_of_vectors(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config does not fit atom "avx512bw": it does not multiply tiles; use vector_tiles}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {
       lowering_config = #x86.config<amx_tiles, atom = "avx512bw", tile = [1, 32, 2], block = [1, 32], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @unknown_strategy(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config has strategy 'abacus', but target 'skylake-avx512' does not have it; choose another strategy or target}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {
       lowering_config = #x86.config<abacus, atom = "avx512bw", tile = [1, 16, 2], block = [1, 16], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @panel_only(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config has strategy 'interleaved_columns', which reads the left operand through a panel; use lhs = panel}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {
       lowering_config = #x86.config<interleaved_columns, atom = "avx512bw", tile = [1, 16, 2], block = [1, 16], lhs = in_place,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @packed_only(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{lowering_config has rhs = in_place, but strategy 'vector_tiles' does not choose that; use inner_product, or interleaved_columns for columns in the lanes}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {
       lowering_config = #x86.config<vector_tiles, atom = "avx512bw", tile = [1, 16, 2], block = [1, 16], lhs = panel, rhs = in_place,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}
