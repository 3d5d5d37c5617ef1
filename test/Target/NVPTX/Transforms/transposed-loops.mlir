// RUN: qcc-opt %s -lower-linalg-to-threads -canonicalize -cse | FileCheck %s

#rows = affine_map<(i, j) -> (i, j)>
#columns = affine_map<(i, j) -> (j, i)>

// Words of four rows, turned in registers; whole tiles need no conditions. What is computed stands behind the barrier.
// CHECK-LABEL: func.func @bytes(
// CHECK-SAME: %[[X:.*]]: memref<128x256xi8>, %[[S:.*]]: memref<128xf32>, %[[Y:.*]]: memref<256x128xf32>)
// CHECK: nvptx.blocks %c2 threads 128 shared 16384 {
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1 {
// CHECK-NOT: arith.minui
// CHECK-COUNT-8: vector.load %[[X]]{{.*}} {alignment = 4 : i64} : memref<128x256xi8>, vector<4xi8>
// CHECK-COUNT-8: nvvm.prmt <default>
// CHECK-COUNT-4: llvm.store %{{.*}} : i32, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK: scf.for %{{.*}} = %c0 to %c32 step %c1 {
// CHECK-NOT: scf.if
// CHECK: %[[B:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<4xi8>
// CHECK: vector.load %[[S]]{{.*}} {alignment = 16 : i64} : memref<128xf32>, vector<4xf32>
// CHECK: arith.sitofp %[[B]] : vector<4xi8> to vector<4xf32>
// CHECK: vector.store %{{.*}}, %[[Y]]{{.*}} {alignment = 16 : i64} : memref<256x128xf32>, vector<4xf32>
func.func @bytes(%x: memref<128x256xi8>, %s: memref<128xf32>, %y: memref<256x128xf32>) {
  linalg.generic {indexing_maps = [#columns, affine_map<(i, j) -> (j)>, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%x, %s : memref<128x256xi8>, memref<128xf32>) outs(%y : memref<256x128xf32>) {
  ^bb0(%a: i8, %b: f32, %o: f32):
    %f = arith.sitofp %a : i8 to f32
    %m = arith.mulf %f, %b : f32
    linalg.yield %m : f32
  }
  return
}

// Dynamic sizes: single elements of rows and columns that exist.
// CHECK-LABEL: func.func @dynamic(
// CHECK: nvptx.blocks %{{.*}} threads 128 shared 4096 {
// CHECK: arith.minui
// CHECK-COUNT-8: memref.load
// CHECK-COUNT-8: llvm.store %{{.*}} {alignment = 2 : i64} : f16, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK: scf.if
// CHECK: llvm.load {{.*}} !llvm.ptr<3> -> f16
// CHECK: memref.store
func.func @dynamic(%x: memref<?x?xf16>, %y: memref<?x?xf16>) {
  linalg.transpose ins(%x : memref<?x?xf16>) outs(%y : memref<?x?xf16>) permutation = [1, 0]
  return
}

// Inputs that lie as the results do are read where they are; two that do not have a tile each.
// CHECK-LABEL: func.func @inputs(
// CHECK-SAME: %[[A:.*]]: memref<64x64xi32>, %[[B:.*]]: memref<64x64xf32>, %[[C:.*]]: memref<64x64xf32>, %{{.*}}: memref<64x64xf32>)
// CHECK: nvptx.blocks %c4 threads 128 shared 8192 {
// CHECK: memref.load %[[A]]
// CHECK: memref.load %[[B]]
// CHECK-NOT: memref.load %[[C]]
// CHECK: nvvm.barrier
// CHECK: memref.load %[[C]]
func.func @inputs(%a: memref<64x64xi32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>, %y: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#columns, #columns, #rows, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%a, %b, %c : memref<64x64xi32>, memref<64x64xf32>, memref<64x64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%i: i32, %f: f32, %g: f32, %o: f32):
    %0 = arith.sitofp %i : i32 to f32
    %1 = arith.addf %0, %f : f32
    %2 = arith.mulf %1, %g : f32
    linalg.yield %2 : f32
  }
  return
}
