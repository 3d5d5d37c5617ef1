// RUN: qcc-opt %s -convert-kernel-to-x86 -canonicalize -cse | FileCheck %s --implicit-check-not=kernel. --implicit-check-not=memref.prefetch

#tile8 = #x86.config<vector_tiles, atom = "avx512vnni", tile = [8, 32, 4], block = [8, 32], lhs = panel,
                     source = pinned>
#tile5 = #x86.config<vector_tiles, atom = "avx512vnni", tile = [5, 32, 4], block = [5, 32], lhs = panel,
                     source = pinned>

// 8 MiB of weights and one tile of six rows or more: each vector of the right operand is followed by a line 16 KiB ahead,
// which is 128 words of K in a tile of 32 columns.
// CHECK-LABEL: func.func @ahead(
// CHECK-SAME: %{{.*}}: memref<8x2048xi8>, %[[W:.*]]: memref<128x512x32xi32>
// CHECK: scf.for %[[WORD:.*]] = %c0 to %c512 step %c1 iter_args
// CHECK: vector.load %[[W]][%[[TILE:.*]], %[[WORD]], %c0]
// CHECK: %[[AHEAD:.*]] = arith.addi %[[WORD]], %c128
// CHECK: memref.prefetch %[[W]][%[[TILE]], %[[AHEAD]], %c0], read, locality<2>, data
// CHECK: vector.load %[[W]][%[[TILE]], %[[WORD]], %c16]
// CHECK: memref.prefetch %[[W]][%[[TILE]], %[[AHEAD]], %c16], read, locality<2>, data
// CHECK-COUNT-16: vpdpbusd.512
func.func @ahead(%x: memref<8x2048xi8>, %w: memref<128x512x32xi32>, %y: memref<8x4096xi32>, %s: memref<4096xi32>) {
  kernel.contract lhs(%x : memref<8x2048xi8>) rhs(%w : memref<128x512x32xi32>) rhs_sums(%s : memref<4096xi32>)
      outs(%y : memref<8x4096xi32>) {lhs_unsigned, lowering_config = #tile8}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Fewer bytes lie in a cache.
// CHECK-LABEL: func.func @small(
// CHECK: vpdpbusd.512
// CHECK: return
func.func @small(%x: memref<8x2048xi8>, %w: memref<127x512x32xi32>, %y: memref<8x4064xi32>, %s: memref<4064xi32>) {
  kernel.contract lhs(%x : memref<8x2048xi8>) rhs(%w : memref<127x512x32xi32>) rhs_sums(%s : memref<4064xi32>)
      outs(%y : memref<8x4064xi32>) {lhs_unsigned, lowering_config = #tile8}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Fewer rows: the core runs ahead by itself.
// CHECK-LABEL: func.func @few_rows(
// CHECK: vpdpbusd.512
// CHECK: return
func.func @few_rows(%x: memref<5x2048xi8>, %w: memref<128x512x32xi32>, %y: memref<5x4096xi32>, %s: memref<4096xi32>) {
  kernel.contract lhs(%x : memref<5x2048xi8>) rhs(%w : memref<128x512x32xi32>) rhs_sums(%s : memref<4096xi32>)
      outs(%y : memref<5x4096xi32>) {lhs_unsigned, lowering_config = #tile5}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// More rows than a tile has: the second tile finds the operand in the cache.
// CHECK-LABEL: func.func @tiles_of_rows(
// CHECK: vpdpbusd.512
// CHECK: return
func.func @tiles_of_rows(%x: memref<9x2048xi8>, %w: memref<128x512x32xi32>, %y: memref<9x4096xi32>,
                         %s: memref<4096xi32>) {
  kernel.contract lhs(%x : memref<9x2048xi8>) rhs(%w : memref<128x512x32xi32>) rhs_sums(%s : memref<4096xi32>)
      outs(%y : memref<9x4096xi32>) {lhs_unsigned, lowering_config = #tile8}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Nor where the number of rows is not known.
// CHECK-LABEL: func.func @any_rows(
// CHECK: vpdpbusd.512
// CHECK: return
func.func @any_rows(%x: memref<?x2048xi8>, %w: memref<128x512x32xi32>, %y: memref<?x4096xi32>, %s: memref<4096xi32>) {
  kernel.contract lhs(%x : memref<?x2048xi8>) rhs(%w : memref<128x512x32xi32>) rhs_sums(%s : memref<4096xi32>)
      outs(%y : memref<?x4096xi32>) {lhs_unsigned, lowering_config = #tile8}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}
