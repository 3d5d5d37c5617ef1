// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(adapt-lowering-config{target=cascadelake}))' | FileCheck %s

#in_place = #x86.config<vector_tiles, atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16], lhs = in_place,
                        source = pinned>

// CHECK-LABEL: func.func @strided(
// CHECK: lhs = panel
// CHECK-SAME: qcc.refused = "rows of the left operand are copied, since its elements along K do not follow each other in memory"
func.func @strided(%x: memref<5x11xi8, strided<[22, 2]>>, %w: memref<1x3x16xi32>, %s: memref<16xi32>,
                   %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x11xi8, strided<[22, 2]>>) rhs(%w : memref<1x3x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<5x9xi32>) {lhs_unsigned, lowering_config = #in_place}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// CHECK-LABEL: func.func @contiguous(
// CHECK: lhs = in_place
// CHECK-NOT: qcc.refused
func.func @contiguous(%x: memref<5x11xi8, strided<[22, 1]>>, %w: memref<1x3x16xi32>, %s: memref<16xi32>,
                      %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x11xi8, strided<[22, 1]>>) rhs(%w : memref<1x3x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<5x9xi32>) {lhs_unsigned, lowering_config = #in_place}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Rows of the result lie apart, so that tiles end with each 14 of them: one tile of 14 takes less than one of 12 and one of
// 2. A config that was pinned stays.

#x = affine_map<(a, m, n, k) -> (a, m, k)>
#w = affine_map<(a, m, n, k) -> (n, k)>
#y = affine_map<(a, m, n, k) -> (a, m, n)>

// CHECK-LABEL: func.func @rows_apart(
// CHECK: kernel.contract {{.*}} lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [14, 32, 4], block = [14, 32], lhs = in_place, source = model>
// CHECK-SAME: qcc.refused = "tiles have other rows than was chosen first, since rows of the result or of the left operand do not all follow each other in memory"
// CHECK: kernel.contract {{.*}} lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [12, 32, 4], block = [60, 32], lhs = in_place, source = pinned>
func.func @rows_apart(%x: memref<14x14x64xi8>, %w: memref<2x16x32xi32>, %s: memref<64xi32>, %y: memref<14x14x64xi32, strided<[1024, 64, 1]>>) {
  kernel.contract lhs(%x : memref<14x14x64xi8>) rhs(%w : memref<2x16x32xi32>) rhs_sums(%s : memref<64xi32>) outs(%y : memref<14x14x64xi32, strided<[1024, 64, 1]>>)
      {indexing_maps = [#x, #w, #y], reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 64>, lhs_unsigned,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [12, 32, 4], block = [60, 32], lhs = in_place, source = model>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  kernel.contract lhs(%x : memref<14x14x64xi8>) rhs(%w : memref<2x16x32xi32>) rhs_sums(%s : memref<64xi32>) outs(%y : memref<14x14x64xi32, strided<[1024, 64, 1]>>)
      {indexing_maps = [#x, #w, #y], reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 64>, lhs_unsigned,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [12, 32, 4], block = [60, 32], lhs = in_place, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}
