// RUN: qcc-opt %s -lower-linalg-to-vector-loops=vector-bits=128 -split-input-file | FileCheck %s

// Tiles of 4 x 4 are read along the rows of the result, and turned. A line of a cache has four of them.
// CHECK-LABEL: func.func @whole_tiles
// CHECK: scf.for %[[R:.*]] = {{.*}} step %c16
// CHECK: scf.for %[[C:.*]] = {{.*}} step %c4
// CHECK: %[[A:.*]] = vector.load %arg0[%[[C]], %[[R]]] : memref<20x32xf32>, vector<4xf32>
// CHECK: %[[B:.*]] = vector.load %arg0
// CHECK: %[[X:.*]] = vector.load %arg0
// CHECK: %[[Y:.*]] = vector.load %arg0
// CHECK: %[[L0:.*]] = vector.shuffle %[[A]], %[[B]] [0, 4, 1, 5]
// CHECK: %[[H0:.*]] = vector.shuffle %[[A]], %[[B]] [2, 6, 3, 7]
// CHECK: %[[L1:.*]] = vector.shuffle %[[X]], %[[Y]] [0, 4, 1, 5]
// CHECK: %[[H1:.*]] = vector.shuffle %[[X]], %[[Y]] [2, 6, 3, 7]
// CHECK: %[[R0:.*]] = vector.shuffle %[[L0]], %[[L1]] [0, 1, 4, 5]
// CHECK: %[[R1:.*]] = vector.shuffle %[[L0]], %[[L1]] [2, 3, 6, 7]
// CHECK: %[[R2:.*]] = vector.shuffle %[[H0]], %[[H1]] [0, 1, 4, 5]
// CHECK: %[[R3:.*]] = vector.shuffle %[[H0]], %[[H1]] [2, 3, 6, 7]
// CHECK: vector.store %[[R0]], %arg1[%[[R]], %[[C]]]
// CHECK: vector.store %[[R1]], %arg1
// CHECK: vector.store %[[R2]], %arg1
// CHECK: vector.store %[[R3]], %arg1
// CHECK-COUNT-12: vector.store
// CHECK-NOT: memref.load
#rc = affine_map<(r, c) -> (r, c)>
#cr = affine_map<(r, c) -> (c, r)>
func.func @whole_tiles(%x: memref<20x32xf32>, %y: memref<32x20xf32>) {
  linalg.generic {indexing_maps = [#cr, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<20x32xf32>) outs(%y : memref<32x20xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// Columns and rows that are left over are computed one by one, also if nobody knows how many there are.
// CHECK-LABEL: func.func @dynamic
// CHECK-COUNT-16: vector.store
// CHECK: scf.for {{.*}} step %c1
// CHECK-COUNT-16: memref.store
// CHECK: scf.for {{.*}} step %c1
// CHECK: vector.from_elements
// CHECK: vector.store
// CHECK: memref.store
#rc = affine_map<(r, c) -> (r, c)>
#cr = affine_map<(r, c) -> (c, r)>
func.func @dynamic(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#cr, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// No tile fits three rows, and nothing is contiguous along any dimension of the second op.
// CHECK-LABEL: func.func @no_tiles
// CHECK-NOT: vector.shuffle
// CHECK: return
#rc = affine_map<(r, c) -> (r, c)>
#cr = affine_map<(r, c) -> (c, r)>
#far = affine_map<(r, c) -> (c, r * 2)>
func.func @no_tiles(%x: memref<20x3xf32>, %y: memref<3x20xf32>, %z: memref<20x40xf32>, %v: memref<20x20xf32>) {
  linalg.generic {indexing_maps = [#cr, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<20x3xf32>) outs(%y : memref<3x20xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#far, #rc], iterator_types = ["parallel", "parallel"]}
      ins(%z : memref<20x40xf32>) outs(%v : memref<20x20xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}
