// RUN: qcc-opt %s -convert-kernel-to-nvptx -canonicalize -cse | FileCheck %s

// Two warps share 4 steps of K, and load both of their steps before they multiply. A thread loads 16 bytes of one row,
// since there are no more than 8 rows, and of a column of each fragment.
// CHECK-LABEL: func.func @few(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<5x256xi8>, %[[W:[a-z0-9]+]]: memref<20x64x1xi32>
// CHECK: nvptx.blocks %{{.*}} threads 64 shared 2176 {
// CHECK-COUNT-6: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-NOT: llvm.load
// Products of 32 elements: word 0 and 1 of a step, then 2 and 3. There are no rows g + 8.
// CHECK-COUNT-8: nvvm.mma.sync A[%{{.*}}, %c0_i32, %{{.*}}, %c0_i32]
// CHECK-NOT: nvvm.mma.sync
// Sums of a thread lie side by side; one barrier, and those of both warps are added.
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK-NEXT: nvvm.barrier
// CHECK: scf.if
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NEXT: arith.addi
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<5x20xi32>, vector<4xi32>
// CHECK-NOT: nvvm.barrier
func.func @few(%x: memref<5x256xi8>, %w: memref<20x64x1xi32>, %s: memref<20xi32>, %y: memref<5x20xi32>) {
  kernel.contract lhs(%x : memref<5x256xi8>) rhs(%w : memref<20x64x1xi32>) rhs_sums(%s : memref<20xi32>) outs(%y : memref<5x20xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 256>,
     lowering_config = #nvptx.config<decode, atom = "mma-m16n8k32", tile = [16, 16, 128], warp = [16, 16], stages = 2, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// With a guard there are no blocks where it does not hold.
// CHECK-LABEL: func.func @guard(
// CHECK: %[[ROWS:.*]] = memref.dim
// CHECK: %[[UPTO:.*]] = arith.cmpi ule, %[[ROWS]], %c16
// CHECK: %[[COUNT:.*]] = arith.select %[[UPTO]], %{{.*}}, %c0
// CHECK: %[[ABOVE:.*]] = arith.cmpi uge, %[[ROWS]], %c5
// CHECK: %[[GUARDED:.*]] = arith.select %[[ABOVE]], %[[COUNT]], %c0
// CHECK: nvptx.blocks %[[GUARDED]]
func.func @guard(%x: memref<?x64xi8>, %w: memref<20x16x1xi32>, %s: memref<20xi32>, %y: memref<?x20xi32>) {
  kernel.contract lhs(%x : memref<?x64xi8>) rhs(%w : memref<20x16x1xi32>) rhs_sums(%s : memref<20xi32>) outs(%y : memref<?x20xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 64>,
     lowering_config = #nvptx.config<decode, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 1, rows_above = 4, rows_up_to = 16, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}
