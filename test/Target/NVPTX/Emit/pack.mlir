// RUN: qcc-opt %s -convert-kernel-to-nvptx -canonicalize -cse | FileCheck %s

// A warp packs a column: elements side by side come to lanes that follow each other, and those of a word from four lanes.
// CHECK-LABEL: func.func @elements(
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<?x102xi8>, %[[P:[a-z0-9]+]]: memref<?x32x1xi32>, %[[S:[a-z0-9]+]]: memref<?xi32>)
// CHECK: scf.forall (%[[T:.*]]) in (%{{.*}}) {
// CHECK: %[[LANE:.*]] = arith.remui %[[T]], %c32
// CHECK: %[[N:.*]] = arith.divui %[[T]], %c32
// CHECK: %[[K:.*]] = arith.minui %[[LANE]], %c101
// CHECK: memref.load %[[W]][%[[N]], %[[K]]]
// CHECK-COUNT-4: nvvm.shfl.sync idx
// CHECK-COUNT-3: nvvm.prmt <default>
// CHECK: memref.store %[[WORD:.*]], %[[P]][%[[N]], %[[LANE]], %c0]
// CHECK: nvvm.dot.accumulate.4way
// CHECK-COUNT-5: nvvm.shfl.sync down
// CHECK: memref.store %{{.*}}, %[[S]][%[[N]]]
func.func @elements(%w: memref<?x102xi8>, %p: memref<?x32x1xi32>, %s: memref<?xi32>) {
  kernel.pack %w : memref<?x102xi8> outs(%p, %s : memref<?x32x1xi32>, memref<?xi32>)
    {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 102>, tile = array<i64: 1, 4>, k_step = 64 : i64}
  return
}

// Rows of whole words.
// CHECK-LABEL: func.func @words(
// CHECK: scf.for
// CHECK: vector.load %{{.*}} {alignment = 4 : i64} : memref<?x160xi8>, vector<4xi8>
// CHECK-NOT: nvvm.shfl.sync idx
// CHECK: nvvm.dot.accumulate.4way %{{.*}} <unsigned>, %{{.*}} <unsigned>
func.func @words(%w: memref<?x160xi8>, %p: memref<?x48x1xi32>, %s: memref<?xi32>) {
  kernel.pack %w : memref<?x160xi8> outs(%p, %s : memref<?x48x1xi32>, memref<?xi32>)
    {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 160>, tile = array<i64: 1, 4>, k_step = 64 : i64, unsigned_source}
  return
}

// A block packs 32 columns that lie side by side, by way of shared memory.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<64x?xi8>, %[[P:[a-z0-9]+]]: memref<?x16x1xi32>, %[[S:[a-z0-9]+]]: memref<?xi32>)
// CHECK: nvptx.blocks %{{.*}} threads 128 shared 4096 {
// CHECK: ^bb0(%[[BLOCK:.*]]: index, %[[T:.*]]: index, %{{.*}}: !llvm.ptr<3>):
// CHECK: %[[LANE:.*]] = arith.remui %[[T]], %c32
// CHECK: scf.for
// CHECK: memref.load %[[W]][%{{.*}}, %[[COLUMN:.*]]]
// CHECK: llvm.store %{{.*}} : i32, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK: memref.store %{{.*}}, %[[P]][%{{.*}}, %[[LANE]], %c0]
// CHECK: nvvm.barrier
// CHECK: nvvm.shfl.sync down
func.func @columns(%w: memref<64x?xi8>, %p: memref<?x16x1xi32>, %s: memref<?xi32>) {
  kernel.pack %w : memref<64x?xi8> outs(%p, %s : memref<?x16x1xi32>, memref<?xi32>)
    {indexing_maps = [affine_map<(n, k) -> (k, n)>], num_batch = 0 : i64, reduction_sizes = array<i64: 64>, tile = array<i64: 1, 4>, k_step = 64 : i64}
  return
}
