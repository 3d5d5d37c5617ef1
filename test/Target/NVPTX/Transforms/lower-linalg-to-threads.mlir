// RUN: qcc-opt %s -lower-linalg-to-threads -canonicalize -cse | FileCheck %s

// A thread for each result; the last dimension is the fastest. A dimension of four is transposed without shared memory.
// CHECK-LABEL: func.func @narrow_transpose(
// CHECK-SAME: %[[X:.*]]: memref<4x?xf32>, %[[Y:.*]]: memref<?x4xf32>)
// CHECK: scf.forall (%[[I:.*]]) in (%{{.*}}) {
// CHECK: %[[COLUMN:.*]] = arith.remui %[[I]], %c4
// CHECK: %[[ROW:.*]] = arith.divui %[[I]], %c4
// CHECK: %[[V:.*]] = memref.load %[[X]][%[[COLUMN]], %[[ROW]]]
// CHECK: memref.store %[[V]], %[[Y]][%[[ROW]], %[[COLUMN]]]
func.func @narrow_transpose(%x: memref<4x?xf32>, %y: memref<?x4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<4x?xf32>) outs(%y : memref<?x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// Dimensions that are one in memory are one loop; a thread copies 16 bytes.
// CHECK-LABEL: func.func @copy(
// CHECK: scf.forall (%[[I:.*]]) in (2) {
// CHECK-NOT: arith.remui
// CHECK: %[[AT:.*]] = affine.apply
// CHECK: vector.load %{{.*}}[%[[AT]]] {alignment = 16 : i64} : memref<32xi8>, vector<16xi8>
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<32xi8>, vector<16xi8>
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

// 16 bytes of the narrowest result, and single elements at the end where the size is not known; fewer bytes where rows are
// no multiples; single elements where rows start anywhere.
// CHECK-LABEL: func.func @narrow(
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<?x32xf32>, vector<16xf32>
// CHECK: memref.load
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<?x32xi8>, vector<16xi8>
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK: memref.load {{.*}} : memref<?xf32>
// CHECK: vector.load {{.*}} {alignment = 8 : i64} : memref<?x6xf32>, vector<2xf32>
// CHECK: memref.load {{.*}} : memref<?x16xf32, strided<[24, 1], offset: 1>>
// CHECK: memref.store {{.*}} : memref<?x16xf32>
#row = affine_map<(i, j) -> (i, j)>
func.func @narrow(%x: memref<?x32xf32>, %s: memref<?xf32>, %y: memref<?x32xi8>, %u: memref<?x6xf32>, %v: memref<?x6xf32>,
                  %t: memref<6xf32>, %a: memref<?x16xf32, strided<[24, 1], offset: 1>>, %b: memref<?x16xf32>) {
  linalg.generic {indexing_maps = [#row, affine_map<(i, j) -> (i)>, #row], iterator_types = ["parallel", "parallel"]}
    ins(%x, %s : memref<?x32xf32>, memref<?xf32>) outs(%y : memref<?x32xi8>) {
  ^bb0(%e: f32, %f: f32, %o: i8):
    %m = arith.mulf %e, %f : f32
    %q = arith.fptosi %m : f32 to i8
    linalg.yield %q : i8
  }
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%u : memref<?x6xf32>) outs(%v : memref<?x6xf32>) {
  ^bb0(%e: f32, %o: f32):
    %m = arith.negf %e : f32
    linalg.yield %m : f32
  }
  linalg.generic {indexing_maps = [#row, affine_map<(i, j) -> (j)>, #row], iterator_types = ["parallel", "parallel"]}
    ins(%u, %t : memref<?x6xf32>, memref<6xf32>) outs(%v : memref<?x6xf32>) {
  ^bb0(%e: f32, %f: f32, %o: f32):
    %m = arith.mulf %e, %f : f32
    linalg.yield %m : f32
  }
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<?x16xf32, strided<[24, 1], offset: 1>>) outs(%b : memref<?x16xf32>) {
  ^bb0(%e: f32, %o: f32):
    %m = arith.negf %e : f32
    linalg.yield %m : f32
  }
  return
}
