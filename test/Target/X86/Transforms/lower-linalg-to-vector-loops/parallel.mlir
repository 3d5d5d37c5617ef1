// RUN: qcc-opt %s --lower-linalg-to-vector-loops -canonicalize -cse | FileCheck %s --check-prefixes=CHECK,ZMM
// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(lower-linalg-to-vector-loops{vector-bits=256},canonicalize,cse))' | FileCheck %s --check-prefixes=CHECK,YMM

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// Rows and blocks of a row share one counter; vectors, then what is left.
// CHECK-LABEL: func @bias
func.func @bias(%x: memref<?x?xf32>, %s: memref<?xf32>, %b: memref<?xf32>, %o: memref<?x?xf32>) {
  // CHECK: scf.forall (%{{.*}}) in (%{{.*}}) {
  // ZMM: scf.for %[[J:.*]] = {{.*}} step %c16
  // ZMM: vector.load %arg0[%[[I:.*]], %[[J]]] : memref<?x?xf32>, vector<16xf32>
  // ZMM: memref.load %arg1[%[[I]]]
  // ZMM: vector.load %arg2[%[[J]]]
  // ZMM: vector.broadcast %{{.*}} : f32 to vector<16xf32>
  // ZMM: arith.mulf %{{.*}} : vector<16xf32>
  // ZMM: vector.store
  // YMM: scf.for %{{.*}} = {{.*}} step %c8
  // YMM: vector.store %{{.*}} vector<8xf32>
  // CHECK: scf.for %{{.*}} = {{.*}} step %c1
  // CHECK: arith.addf %{{.*}} : f32
  // CHECK: memref.store
  linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %b : memref<?x?xf32>, memref<?xf32>, memref<?xf32>) outs(%o : memref<?x?xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32, %e: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %0, %d : f32
    linalg.yield %1 : f32
  }
  return
}

// Dimensions that all operands keep together become one.
// CHECK-LABEL: func @collapsed
func.func @collapsed(%x: memref<6x5x64xi8>, %o: memref<6x5x64xi8>) {
  // CHECK: memref.collapse_shape %{{.*}} {{\[}}[0, 1, 2]] : memref<6x5x64xi8> into memref<1920xi8>
  // ZMM: vector.load %{{.*}} vector<64xi8>
  // YMM: vector.load %{{.*}} vector<32xi8>
  // CHECK-NOT: memref.load
  memref.copy %x, %o : memref<6x5x64xi8> to memref<6x5x64xi8>
  return
}

// The output is contiguous; the input's lanes are loaded one by one.
// CHECK-LABEL: func @transpose
func.func @transpose(%x: memref<4x64xf32>, %o: memref<64x4xf32>) {
  // CHECK: scf.forall (%[[I:.*]]) in (64)
  // CHECK-COUNT-4: memref.load %arg0[%{{.*}}, %[[I]]]
  // CHECK: vector.from_elements {{.*}} : vector<4xf32>
  // CHECK: vector.store %{{.*}}, %arg1[%[[I]], %c0]
  linalg.transpose ins(%x : memref<4x64xf32>) outs(%o : memref<64x4xf32>) permutation = [1, 0]
  return
}

// CHECK-LABEL: func @fill
func.func @fill(%o: memref<?xi32>, %v: i32) {
  // ZMM: vector.broadcast %{{.*}} : i32 to vector<16xi32>
  // ZMM: vector.store
  linalg.fill ins(%v : i32) outs(%o : memref<?xi32>)
  return
}

// CHECK-LABEL: func @index
func.func @index(%o: memref<?xindex>) {
  // CHECK: arith.addi
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%o : memref<?xindex>) {
  ^bb0(%e: index):
    %i = linalg.index 0 : index
    %s = arith.addi %i, %i : index
    linalg.yield %s : index
  }
  return
}

// A table and single bits: scalars.
// CHECK-LABEL: func @scalars
func.func @scalars(%x: memref<?xi8>, %table: memref<256xi8>, %o: memref<?xi8>, %f: memref<?xf32>, %p: memref<?xi1>) {
  // CHECK-NOT: vector<
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xi8>) outs(%o : memref<?xi8>) {
  ^bb0(%a: i8, %e: i8):
    %i = arith.index_castui %a : i8 to index
    %v = memref.load %table[%i] : memref<256xi8>
    linalg.yield %v : i8
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%f : memref<?xf32>) outs(%p : memref<?xi1>) {
  ^bb0(%a: f32, %e: i1):
    %c = arith.cmpf olt, %a, %a : f32
    linalg.yield %c : i1
  }
  return
}

// CHECK-LABEL: func @rank0
func.func @rank0(%x: memref<f32>, %o: memref<f32>) {
  // CHECK: %[[V:.*]] = memref.load %arg0[]
  // CHECK: memref.store %[[V]], %arg1[]
  memref.copy %x, %o : memref<f32> to memref<f32>
  return
}
