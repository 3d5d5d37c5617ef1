// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(adapt-lowering-config{cpu=cascadelake}))' | FileCheck %s

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
