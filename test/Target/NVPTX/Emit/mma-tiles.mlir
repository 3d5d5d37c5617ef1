// RUN: qcc-opt %s -convert-kernel-to-nvptx -canonicalize -cse | FileCheck %s

// A warp has a tile of 16 rows by 16 columns. Words of both operands are read where they lie, those of rows and columns
// outside at the end. The last fragment of a row tile multiplies by ones: sums of rows, for the right zero point.
// CHECK-LABEL: func.func @tiles(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x64xi8>, %[[W:[a-z0-9]+]]: memref<20x16x1xi32>, %[[S:[a-z0-9]+]]: memref<20xi32>, %[[ZX:[a-z0-9]+]]: memref<i32>, %[[ZW:[a-z0-9]+]]: memref<20xi32>
// CHECK-DAG: %[[ONES:.*]] = arith.constant 16843009 : i32
// CHECK: scf.forall (%{{.*}}) in (%{{.*}}) {
// CHECK: scf.for %[[K:.*]] = %c0 to %c64 step %c32 iter_args(%[[A0:[a-z0-9]+]] = %c0_i32,
// CHECK-COUNT-4: memref.load %[[W]]
// CHECK-COUNT-4: vector.load %[[X]]{{.*}} {alignment = 4 : i64} : memref<?x64xi8>, vector<4xi8>
// CHECK: nvvm.mma.sync A[%[[L0:.*]], %[[L1:.*]], %[[L2:.*]], %[[L3:.*]]] B[%{{.*}}, %{{.*}}] C[%[[A0]], {{.*}}intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>{{.*}}multiplicandAPtxType = #nvvm.mma_type<u8>, multiplicandBPtxType = #nvvm.mma_type<s8>, shape = #nvvm.shape<m = 16, n = 8, k = 32>}
// CHECK: nvvm.mma.sync
// CHECK: nvvm.mma.sync A[%[[L0]], %[[L1]], %[[L2]], %[[L3]]] B[%[[ONES]], %[[ONES]]]
// CHECK-NOT: nvvm.mma.sync
// CHECK: scf.if
// CHECK: %[[LZ:.*]] = memref.load %[[ZX]][]
// CHECK: %[[RZ:.*]] = memref.load %[[ZW]]
// CHECK: %[[SUMS:.*]] = memref.load %[[S]]
// CHECK: arith.muli %[[LZ]], %[[SUMS]]
// CHECK: arith.subi
// CHECK: arith.muli %[[RZ]]
// CHECK: arith.subi
// CHECK: memref.store
func.func @tiles(%x: memref<?x64xi8>, %w: memref<20x16x1xi32>, %s: memref<20xi32>, %zx: memref<i32>, %zw: memref<20xi32>, %y: memref<?x20xi32>) {
  kernel.contract lhs(%x : memref<?x64xi8>) rhs(%w : memref<20x16x1xi32>) rhs_sums(%s : memref<20xi32>)
    lhs_zero_point(%zx : memref<i32>) rhs_zero_point(%zw : memref<20xi32>) outs(%y : memref<?x20xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> ()>,
                      affine_map<(m, n, k) -> (n)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 64>, lhs_unsigned,
     lowering_config = #nvptx.config<mma_tiles, atom = "mma-m16n8k32", tile = [16, 16], source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// The atom of sm_75 has 8 rows and one half of K. K of 5 is read byte by byte, 0 from there on.
// CHECK-LABEL: func.func @bytes(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<3x5xi8>
// CHECK: scf.forall (%{{.*}}) in (32) {
// CHECK-NOT: scf.for
// CHECK: %[[BYTE:.*]] = memref.load %[[X]]
// CHECK: %[[WORD:.*]] = arith.extui %[[BYTE]] : i8 to i32
// CHECK: arith.select %{{.*}}, %[[WORD]], %c0_i32
// CHECK-COUNT-3: arith.shli
// CHECK: nvvm.mma.sync A[%{{[0-9]+}}] B[%{{[0-9]+}}] C[%c0_i32, %c0_i32] {{.*}}shape = #nvvm.shape<m = 8, n = 8, k = 16>}
// CHECK-NOT: nvvm.mma.sync
func.func @bytes(%x: memref<3x5xi8>, %w: memref<4x16x1xi32>, %s: memref<4xi32>, %y: memref<3x4xi32>) {
  kernel.contract lhs(%x : memref<3x5xi8>) rhs(%w : memref<4x16x1xi32>) rhs_sums(%s : memref<4xi32>) outs(%y : memref<3x4xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 5>,
     lowering_config = #nvptx.config<mma_tiles, atom = "mma-m8n8k16", tile = [8, 8], source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// A thread packs a column, and sums it up.
// CHECK-LABEL: func.func @pack(
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<?x6xi8>, %[[P:[a-z0-9]+]]: memref<?x16x1xi32>, %[[S:[a-z0-9]+]]: memref<?xi32>)
// CHECK: scf.forall (%[[N:.*]]) in (%{{.*}}) {
// CHECK: %[[SUM:.*]] = scf.for %[[WORD:.*]] = %c0 to %c16 step %c1 iter_args(%{{.*}} = %c0_i32) -> (i32) {
// CHECK:   memref.load %[[W]][%[[N]],
// CHECK:   memref.store %{{.*}}, %[[P]][%[[N]], %[[WORD]], %c0]
// CHECK: memref.store %[[SUM]], %[[S]][%[[N]]]
func.func @pack(%w: memref<?x6xi8>, %p: memref<?x16x1xi32>, %s: memref<?xi32>) {
  kernel.pack %w : memref<?x6xi8> outs(%p, %s : memref<?x16x1xi32>, memref<?xi32>)
    {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 6>, tile = array<i64: 1, 4>, k_step = 64 : i64}
  return
}
