// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(lower-linalg-to-vector-loops{vector-bits=256},canonicalize,cse))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
#map = affine_map<(d0) -> (d0)>

// Elements two steps apart: two loads, the second of which ends with the last element.
// CHECK-LABEL: func @strided
func.func @strided(%x: memref<15xf32>, %o: memref<8xf32>) {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C7:.*]] = arith.constant 7 : index
  // CHECK: %[[A:.*]] = vector.load %arg0[%[[C0]]] : memref<15xf32>, vector<8xf32>
  // CHECK: %[[B:.*]] = vector.load %arg0[%[[C7]]] : memref<15xf32>, vector<8xf32>
  // CHECK: %[[R:.*]] = vector.shuffle %[[A]], %[[B]] [0, 2, 4, 6, 9, 11, 13, 15]
  // CHECK: vector.store %[[R]], %arg1
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 * 2)>, #map], iterator_types = ["parallel"]}
      ins(%x : memref<15xf32>) outs(%o : memref<8xf32>) {
  ^bb0(%a: f32, %e: f32):
    linalg.yield %a : f32
  }
  return
}

// Three steps apart: a shuffle more.
// CHECK-LABEL: func @strided3
func.func @strided3(%x: memref<22xf32>, %o: memref<8xf32>) {
  // CHECK-DAG: %[[A:.*]] = vector.load %arg0[%c0]
  // CHECK-DAG: %[[B:.*]] = vector.load %arg0[%c8]
  // CHECK: %[[AB:.*]] = vector.shuffle %[[A]], %[[B]] [0, 3, 6, 9, 12, 15, 7, 7]
  // CHECK: %[[C:.*]] = vector.load %arg0[%c14]
  // CHECK: vector.shuffle %[[AB]], %[[C]] [0, 1, 2, 3, 4, 5, 12, 15]
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 * 3)>, #map], iterator_types = ["parallel"]}
      ins(%x : memref<22xf32>) outs(%o : memref<8xf32>) {
  ^bb0(%a: f32, %e: f32):
    linalg.yield %a : f32
  }
  return
}

// Rows by a table: the index is loaded once for a row, whose elements are vectors.
// CHECK-LABEL: func @rows
func.func @rows(%x: memref<9x64xi8>, %table: memref<5xindex>, %o: memref<5x64xi8>) {
  // CHECK: scf.forall (%[[I:.*]]) in (5)
  // CHECK-NEXT: %[[ROW:.*]] = memref.load %arg1[%[[I]]]
  // CHECK: scf.for %[[J:.*]] =
  // CHECK-NEXT: %[[V:.*]] = vector.load %arg0[%[[ROW]], %[[J]]] : memref<9x64xi8>, vector<32xi8>
  // CHECK-NEXT: vector.store %[[V]], %arg2[%[[I]], %[[J]]]
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%o : memref<5x64xi8>) {
  ^bb0(%e: i8):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = memref.load %table[%i] : memref<5xindex>
    %v = memref.load %x[%row, %j] : memref<9x64xi8>
    linalg.yield %v : i8
  }
  return
}

// Columns by a table: one element at a time, with an index that four rows share.
// CHECK-LABEL: func @columns
func.func @columns(%x: memref<8x9xf32>, %table: memref<8xindex>, %o: memref<8x8xf32>) {
  // CHECK-COUNT-8: memref.load %arg1
  // CHECK-NOT: memref.load %arg1
  // CHECK-COUNT-4: vector.from_elements
  // CHECK-COUNT-4: vector.store
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%o : memref<8x8xf32>) {
  ^bb0(%e: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %column = memref.load %table[%j] : memref<8xindex>
    %v = memref.load %x[%i, %column] : memref<8x9xf32>
    linalg.yield %v : f32
  }
  return
}

// What an op writes is loaded where the body loads it.
// CHECK-LABEL: func @written
func.func @written(%o: memref<4x16xi32>) {
  // CHECK: scf.forall
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: memref.load %arg0
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%o : memref<4x16xi32>) {
  ^bb0(%e: i32):
    %i = linalg.index 0 : index
    %c0 = arith.constant 0 : index
    %v = memref.load %o[%i, %c0] : memref<4x16xi32>
    linalg.yield %v : i32
  }
  return
}

// An index that depends on what the output has: scalars.
// CHECK-LABEL: func @chain
func.func @chain(%table: memref<256xindex>, %x: memref<9x8xindex>, %o: memref<8xindex>) {
  // CHECK-NOT: vector<
  // CHECK: return
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<9x8xindex>) outs(%o : memref<8xindex>) {
  ^bb0(%a: index, %e: index):
    %v = memref.load %table[%e] : memref<256xindex>
    linalg.yield %v : index
  }
  return
}

// An operand that is only there for its sizes does not make vectors shorter.
// CHECK-LABEL: func @window
func.func @window(%x: memref<66xi8>, %window: memref<3xf64>, %o: memref<64xi8>) {
  // CHECK: vector.load %arg0[{{.*}}] : memref<66xi8>, vector<64xi8>
  // CHECK-NOT: %arg1
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x, %window : memref<66xi8>, memref<3xf64>) outs(%o : memref<64xi8>) {
  ^bb0(%a: i8, %w: f64, %e: i8):
    %m = arith.maxui %a, %e : i8
    linalg.yield %m : i8
  }
  return
}
