// RUN: qcc-opt %s -select-lowering-config=target=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: qcc-opt %s -select-lowering-config=target=skylake-avx512 | FileCheck %s --check-prefixes=CHECK,BW
// RUN: qcc-opt %s -select-lowering-config=target=alderlake | FileCheck %s --check-prefixes=CHECK,AVXVNNI
// RUN: qcc-opt %s -select-lowering-config=target=cascadelake | FileCheck %s --check-prefixes=CHECK,VNNI

// The best atom of each target; blocks of rows that fill a quarter of the L2 cache, at least 64.
// CHECK-LABEL: func.func @large
// AVX2: lowering_config = #x86.config<vector_tiles, atom = "avx2-pairs", tile = [4, 16, 2], block = [64, 16], lhs = panel, source = model>
// BW: lowering_config = #x86.config<vector_tiles, atom = "avx512bw-pairs", tile = [5, 64, 2], block = [65, 64], lhs = panel, source = model>
// AVXVNNI: lowering_config = #x86.config<vector_tiles, atom = "avxvnni", tile = [4, 24, 4], block = [64, 24], lhs = panel, source = model>
// VNNI: lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [6, 64, 4], block = [120, 64], lhs = panel, source = model>
func.func @large(%x: tensor<?x2048xi8>, %w: tensor<2048x2048xi8>, %o: tensor<?x2048xi32>) -> tensor<?x2048xi32> {
  %y = kernel.contract lhs(%x : tensor<?x2048xi8>) rhs(%w : tensor<2048x2048xi8>) outs(%o : tensor<?x2048xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x2048xi32>
  return %y : tensor<?x2048xi32>
}

// No more rows and columns than there are. Two rows do not make up for what pairs take for each column.
// CHECK-LABEL: func.func @small
// AVX2: atom = "avx2", tile = [2, 16, 2], block = [2, 16]
// BW: atom = "avx512bw", tile = [2, 16, 2], block = [2, 16]
// AVXVNNI: atom = "avxvnni", tile = [2, 16, 4], block = [2, 16]
// VNNI: atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16]
func.func @small(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// A config that is there stays, also one of an older atom.
// CHECK-LABEL: func.func @pinned
// CHECK: atom = "avx2", tile = [1, 8, 2], block = [1, 8], lhs = panel, source = pinned
func.func @pinned(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {
       lowering_config = #x86.config<vector_tiles, atom = "avx2", tile = [1, 8, 2], block = [1, 8], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// Unsigned bytes are read in place where VNNI takes them so, but not fewer than a word of them, nor with a prologue.
// CHECK-LABEL: func.func @unsigned
// AVX2: lhs = panel
// BW: lhs = panel
// AVXVNNI: lhs = in_place
// VNNI: lhs = in_place
// CHECK: return
func.func @unsigned(%x: tensor<?x4xi8>, %w: tensor<9x4xi8>, %o: tensor<?x9xi32>) -> tensor<?x9xi32> {
  %y = kernel.contract lhs(%x : tensor<?x4xi8>) rhs(%w : tensor<9x4xi8>) outs(%o : tensor<?x9xi32>) {lhs_unsigned}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x9xi32>
  return %y : tensor<?x9xi32>
}

// CHECK-LABEL: func.func @less_than_a_word
// CHECK: lhs = panel
func.func @less_than_a_word(%x: tensor<?x3xi8>, %w: tensor<9x3xi8>, %o: tensor<?x9xi32>) -> tensor<?x9xi32> {
  %y = kernel.contract lhs(%x : tensor<?x3xi8>) rhs(%w : tensor<9x3xi8>) outs(%o : tensor<?x9xi32>) {lhs_unsigned}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x9xi32>
  return %y : tensor<?x9xi32>
}

// CHECK-LABEL: func.func @quantized
// CHECK: lhs = panel
func.func @quantized(%x: tensor<?x8xf32>, %w: tensor<9x8xi8>, %o: tensor<?x9xi32>) -> tensor<?x9xi32> {
  %y = kernel.contract lhs(%x : tensor<?x8xf32>) rhs(%w : tensor<9x8xi8>) outs(%o : tensor<?x9xi32>) {lhs_unsigned}
      lhs_prologue {
      ^bb0(%a: f32):
        %q = arith.fptoui %a : f32 to i8
        kernel.yield %q : i8
      }
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x9xi32>
  return %y : tensor<?x9xi32>
}

// Tiles that suit the sizes: what is left of them is computed too. Few columns leave registers for more rows.
// CHECK-LABEL: func.func @narrow
// VNNI: tile = [14, 32, 4]
// CHECK: return
func.func @narrow(%x: tensor<?x64xi8>, %w: tensor<29x64xi8>, %o: tensor<?x29xi32>) -> tensor<?x29xi32> {
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<29x64xi8>) outs(%o : tensor<?x29xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x29xi32>
  return %y : tensor<?x29xi32>
}

// 80 columns: tiles of 48 and of 32 fit better than 64 and 16.
// CHECK-LABEL: func.func @columns
// VNNI: tile = [9, 48, 4]
// CHECK: return
func.func @columns(%x: tensor<?x64xi8>, %w: tensor<80x64xi8>, %o: tensor<?x80xi32>) -> tensor<?x80xi32> {
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<80x64xi8>) outs(%o : tensor<?x80xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x80xi32>
  return %y : tensor<?x80xi32>
}

// About equal blocks of rows: two of 9 tiles and one of 7, not two of 11 and one of 3.
// CHECK-LABEL: func.func @blocks
// VNNI: tile = [6, 64, 4], block = [54, 64]
// CHECK: return
func.func @blocks(%x: tensor<150x6000xi8>, %w: tensor<640x6000xi8>, %o: tensor<150x640xi32>) -> tensor<150x640xi32> {
  %y = kernel.contract lhs(%x : tensor<150x6000xi8>) rhs(%w : tensor<640x6000xi8>) outs(%o : tensor<150x640xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<150x640xi32>
  return %y : tensor<150x640xi32>
}

// Rows that are copied for one tile of columns are a block by themselves; those that are read in place are not.
// CHECK-LABEL: func.func @one_tile_of_columns
// VNNI: tile = [6, 64, 4], block = [6, 64], lhs = panel
// VNNI: tile = [6, 64, 4], block = [396, 64], lhs = in_place
// CHECK: return
func.func @one_tile_of_columns(%x: tensor<3136x576xi8>, %w: tensor<64x576xi8>,
                               %o: tensor<3136x64xi32>) -> (tensor<3136x64xi32>, tensor<3136x64xi32>) {
  %y = kernel.contract lhs(%x : tensor<3136x576xi8>) rhs(%w : tensor<64x576xi8>) outs(%o : tensor<3136x64xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<3136x64xi32>
  %z = kernel.contract lhs(%x : tensor<3136x576xi8>) rhs(%w : tensor<64x576xi8>) outs(%o : tensor<3136x64xi32>)
      {lhs_unsigned}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<3136x64xi32>
  return %y, %z : tensor<3136x64xi32>, tensor<3136x64xi32>
}
