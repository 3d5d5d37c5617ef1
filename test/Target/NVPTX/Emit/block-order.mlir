// RUN: qcc-opt %s -convert-kernel-to-nvptx -canonicalize -cse | FileCheck %s

// 12 rows of tiles by 16 columns: blocks go down eight rows of tiles, then on to the next column; the last group has four.
// CHECK-LABEL: func.func @groups(
// CHECK: nvptx.blocks %c192
// CHECK-NEXT: ^bb0(%[[BLOCK:[a-z0-9]+]]: index,
// CHECK: %[[GROUP:.*]] = arith.divui %[[BLOCK]], %c128
// CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[GROUP]], %c8
// CHECK-NEXT: %[[IN:.*]] = arith.remui %[[BLOCK]], %c128
// CHECK-NEXT: %[[REST:.*]] = arith.subi %c12, %[[FIRST]]
// CHECK-NEXT: %[[HEIGHT:.*]] = arith.minui %[[REST]], %c8
// CHECK-NEXT: %[[DOWN:.*]] = arith.remui %[[IN]], %[[HEIGHT]]
// CHECK-NEXT: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[DOWN]]
// CHECK-NEXT: %[[COLUMN:.*]] = arith.divui %[[IN]], %[[HEIGHT]]
// CHECK-NEXT: arith.muli %[[ROW]], %c16
// CHECK-NEXT: arith.muli %[[COLUMN]], %c16
func.func @groups(%x: memref<192x64xi8>, %w: memref<256x16x1xi32>, %s: memref<256xi32>, %y: memref<192x256xi32>) {
  kernel.contract lhs(%x : memref<192x64xi8>) rhs(%w : memref<256x16x1xi32>) rhs_sums(%s : memref<256xi32>) outs(%y : memref<192x256xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 64>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 2, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}
