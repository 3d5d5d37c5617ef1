// RUN: qcc-opt %s -lower-linalg-to-threads -canonicalize -cse | FileCheck %s

// A thread for each result; the last dimension is the fastest.
// CHECK-LABEL: func.func @transpose(
// CHECK-SAME: %[[X:.*]]: memref<8x?xf32>, %[[Y:.*]]: memref<?x8xf32>)
// CHECK: scf.forall (%[[I:.*]]) in (%{{.*}}) {
// CHECK: %[[COLUMN:.*]] = arith.remui %[[I]], %c8
// CHECK: %[[ROW:.*]] = arith.divui %[[I]], %c8
// CHECK: %[[V:.*]] = memref.load %[[X]][%[[COLUMN]], %[[ROW]]]
// CHECK: memref.store %[[V]], %[[Y]][%[[ROW]], %[[COLUMN]]]
func.func @transpose(%x: memref<8x?xf32>, %y: memref<?x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<8x?xf32>) outs(%y : memref<?x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// Dimensions that are one in memory are one loop.
// CHECK-LABEL: func.func @copy(
// CHECK: scf.forall (%[[I:.*]]) in (32) {
// CHECK-NOT: arith.remui
// CHECK: memref.load %{{.*}}[%[[I]]]
func.func @copy(%x: memref<4x8xi8>, %y: memref<4x8xi8>) {
  memref.copy %x, %y : memref<4x8xi8> to memref<4x8xi8>
  return
}

// What is no float reduction runs in order.
// CHECK-LABEL: func.func @sum(
// CHECK: scf.forall (%[[I:.*]]) in (4) {
// CHECK: %[[S:.*]] = scf.for %[[K:.*]] = %c0 to %c8 step %c1 iter_args(%[[ACC:.*]] = %{{.*}}) -> (i32)
// CHECK:   arith.addi
// CHECK: memref.store %[[S]], %{{.*}}[%[[I]]]
func.func @sum(%x: memref<4x8xi32>, %y: memref<4xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<4x8xi32>) outs(%y : memref<4xi32>) {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %b, %a : i32
    linalg.yield %s : i32
  }
  return
}

// A float reduction has the lanes of N8 in a warp: each folds every 32nd element from its own on, from the neutral
// element; the first one has the result of the tree, and combines it with the initial value.
// CHECK-LABEL: func.func @reduce(
// CHECK-SAME: %[[X:.*]]: memref<4x5x8xf32>, %[[Y:.*]]: memref<4xf32>)
// CHECK: scf.forall (%[[T:.*]]) in (128) {
// CHECK: %[[LANE:.*]] = arith.remui %[[T]], %c32
// CHECK: %[[ROW:.*]] = arith.divui %[[T]], %c32
// CHECK: %[[FOLD:.*]] = scf.for %[[K:.*]] = %[[LANE]] to %c40 step %c32 iter_args(%[[ACC:.*]] = %cst) -> (f32) {
// CHECK:   memref.load %{{.*}}[%[[ROW]], %[[K]]]
// CHECK:   arith.addf %[[ACC]], %{{.*}}
// CHECK: %[[BITS:.*]] = arith.bitcast %[[FOLD]] : f32 to i32
// CHECK: %[[OTHER:.*]] = nvvm.shfl.sync down %c-1_i32, %[[BITS]], %c16_i32, %c31_i32 : i32 -> i32
// CHECK: %[[O:.*]] = arith.bitcast %[[OTHER]] : i32 to f32
// CHECK: arith.addf %[[FOLD]], %[[O]]
// CHECK: nvvm.shfl.sync down {{.*}}%c8_i32
// CHECK: nvvm.shfl.sync down {{.*}}%c4_i32
// CHECK: nvvm.shfl.sync down {{.*}}%c2_i32
// CHECK: nvvm.shfl.sync down {{.*}}%c1_i32
// CHECK: %[[TOTAL:.*]] = arith.addf
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0
// CHECK: scf.if %[[FIRST]] {
// CHECK:   %[[INIT:.*]] = memref.load %[[Y]][%[[ROW]]]
// CHECK:   %[[R:.*]] = arith.addf %[[INIT]], %[[TOTAL]]
// CHECK:   memref.store %[[R]], %[[Y]][%[[ROW]]]
func.func @reduce(%x: memref<4x5x8xf32>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>], iterator_types = ["parallel", "reduction", "reduction"]}
    ins(%x : memref<4x5x8xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %b, %a {qcc.combine} : f32
    linalg.yield %s : f32
  }
  return
}

// Words of 64 bits are exchanged in halves, those of 16 in a word.
// CHECK-LABEL: func.func @widths(
// CHECK-COUNT-10: nvvm.shfl.sync
// CHECK-NOT: nvvm.shfl.sync
// CHECK-LABEL: func.func @half(
// CHECK: arith.extui %{{.*}} : i16 to i32
// CHECK-COUNT-5: nvvm.shfl.sync
// CHECK-NOT: nvvm.shfl.sync
func.func @widths(%x: memref<4x8xf64>, %y: memref<4xf64>) {
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<4x8xf64>) outs(%y : memref<4xf64>) {
  ^bb0(%a: f64, %b: f64):
    %s = arith.addf %b, %a {qcc.combine} : f64
    linalg.yield %s : f64
  }
  return
}
func.func @half(%x: memref<4x8xf16>, %y: memref<4xf16>) {
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<4x8xf16>) outs(%y : memref<4xf16>) {
  ^bb0(%a: f16, %b: f16):
    %s = arith.addf %b, %a {qcc.combine} : f16
    linalg.yield %s : f16
  }
  return
}
