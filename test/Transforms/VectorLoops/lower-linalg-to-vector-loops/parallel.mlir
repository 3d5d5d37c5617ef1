// RUN: qcc-opt %s --lower-linalg-to-vector-loops -canonicalize -cse | FileCheck %s --check-prefixes=CHECK,ZMM
// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(lower-linalg-to-vector-loops{vector-bits=256},canonicalize,cse))' | FileCheck %s --check-prefixes=CHECK,YMM

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// Rows and blocks of a row share one counter; what does not move along the row comes before it; vectors, then what is
// left under a mask.
// CHECK-LABEL: func @bias
func.func @bias(%x: memref<?x?xf32>, %s: memref<?xf32>, %b: memref<?xf32>, %o: memref<?x?xf32>) {
  // CHECK: scf.forall (%{{.*}}) in (%{{.*}}) {
  // CHECK: %[[S:.*]] = memref.load %arg1[%[[I:.*]]]
  // CHECK: %[[K:.*]] = arith.addf %[[S]], %[[S]] : f32
  // ZMM: scf.for %[[J:.*]] = {{.*}} step %c16
  // ZMM: vector.load %arg0[%[[I]], %[[J]]] : memref<?x?xf32>, vector<16xf32>
  // ZMM: vector.load %arg2[%[[J]]]
  // ZMM: vector.broadcast %[[K]] : f32 to vector<16xf32>
  // ZMM: arith.mulf %{{.*}} : vector<16xf32>
  // ZMM: vector.store
  // YMM: scf.for %{{.*}} = {{.*}} step %c8
  // YMM: vector.store %{{.*}} vector<8xf32>
  // CHECK: scf.if
  // CHECK: %[[MASK:.*]] = vector.create_mask
  // CHECK: vector.maskedload %arg0[%[[I]], %[[L:.*]]], %[[MASK]]
  // CHECK: vector.maskedload %arg2[%[[L]]], %[[MASK]]
  // CHECK: vector.maskedstore %arg3[%[[I]], %[[L]]], %[[MASK]]
  linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %b : memref<?x?xf32>, memref<?xf32>, memref<?xf32>) outs(%o : memref<?x?xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32, %e: f32):
    %k = arith.addf %c, %c : f32
    %0 = arith.mulf %a, %k : f32
    %1 = arith.addf %0, %d : f32
    linalg.yield %1 : f32
  }
  return
}

// Nothing is left, a part of a vector is left, and there is only that.
// CHECK-LABEL: func @sizes
func.func @sizes(%a: memref<4x64xf32>, %b: memref<4x19xf32, strided<[32, 1]>>, %c: memref<4x7xf32, strided<[32, 1]>>, %s: memref<4xf32>) {
  // CHECK: scf.for
  // CHECK-NOT: scf.if
  // CHECK-NOT: vector.create_mask
  // CHECK: scf.forall
  // CHECK: vector.store %{{.*}} vector<{{16|8}}xf32>
  // CHECK: vector.constant_mask [3] : vector<{{16|8}}xi1>
  // CHECK: scf.forall
  // CHECK-NOT: vector.store
  // CHECK: %[[MASK:.*]] = vector.constant_mask [7] : vector<8xi1>
  // CHECK: vector.maskedstore %{{.*}}, %[[MASK]]
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%s : memref<4xf32>) outs(%a : memref<4x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%s : memref<4xf32>) outs(%b : memref<4x19xf32, strided<[32, 1]>>) {
  ^bb0(%x: f32, %y: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%s : memref<4xf32>) outs(%c : memref<4x7xf32, strided<[32, 1]>>) {
  ^bb0(%x: f32, %y: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  }
  return
}

// Masks of bytes are instructions where vectors have 512 bits; what must not be computed outside has scalars.
// CHECK-LABEL: func @bytes
func.func @bytes(%x: memref<?xi8>, %y: memref<?xi32>) {
  // ZMM: vector.maskedstore %{{.*}} : memref<?xi8>, vector<64xi1>
  // YMM-NOT: vector.create_mask
  // YMM: scf.for {{.*}} step %c1 {
  // YMM: memref.store %{{.*}} : memref<?xi8>
  // CHECK: scf.forall
  // CHECK: scf.for {{.*}} step %c1 {
  // CHECK: memref.store %{{.*}} : memref<?xi32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : memref<?xi8>) {
  ^bb0(%a: i8):
    %0 = arith.addi %a, %a : i8
    linalg.yield %0 : i8
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<?xi32>) {
  ^bb0(%a: i32):
    %c7 = arith.constant 7 : i32
    %0 = arith.divsi %c7, %a : i32
    linalg.yield %0 : i32
  }
  return
}

// What is written along the row is read along it.
// CHECK-LABEL: func @in_place
func.func @in_place(%x: memref<4x64xf32>) {
  // CHECK: scf.for
  // CHECK: memref.load
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x64xf32>) outs(%x : memref<4x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
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

// The output is contiguous, the input along no dimension: its lanes are loaded one by one.
// CHECK-LABEL: func @transpose
func.func @transpose(%x: memref<20x64xf32, strided<[128, 2]>>, %o: memref<64x20xf32>) {
  // CHECK: scf.forall (%[[I:.*]]) in (64)
  // CHECK-COUNT-8: memref.load %arg0[%{{.*}}, %[[I]]]
  // ZMM: vector.from_elements {{.*}} : vector<16xf32>
  // YMM: vector.from_elements {{.*}} : vector<8xf32>
  // CHECK: vector.store %{{.*}}, %arg1[%[[I]], %{{.*}}]
  linalg.transpose ins(%x : memref<20x64xf32, strided<[128, 2]>>) outs(%o : memref<64x20xf32>) permutation = [1, 0]
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

// Single bits: scalars.
// CHECK-LABEL: func @scalars
func.func @scalars(%f: memref<?xf32>, %p: memref<?xi1>) {
  // CHECK-NOT: vector<
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

// Four vectors at once of what is narrowed to bytes.
// CHECK-LABEL: func @narrow
func.func @narrow(%x: memref<?xf32>, %o: memref<?xi8>) {
  // ZMM: vector.store %{{.*}} vector<64xi8>
  // YMM: vector.store %{{.*}} vector<32xi8>
  // YMM: vector.store %{{.*}} vector<8xi8>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%o : memref<?xi8>) {
  ^bb0(%a: f32, %e: i8):
    %i = arith.fptosi %a : f32 to i32
    %b = arith.trunci %i : i32 to i8
    linalg.yield %b : i8
  }
  return
}
