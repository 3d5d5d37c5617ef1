// RUN: qcc-opt %s -lower-linalg-to-vector-loops=vector-bits=256 -split-input-file | FileCheck %s

// Lines are loaded as vectors and stored element beside element; the rest in vectors of fewer lanes, down to one.
// CHECK-LABEL: func.func @two_lines
// CHECK: scf.for
// CHECK: %[[A:.*]] = vector.load %{{.*}} : memref<3x2x13xf32>, vector<8xf32>
// CHECK: %[[B:.*]] = vector.load %{{.*}} : memref<3x2x13xf32>, vector<8xf32>
// CHECK: %[[AB:.*]] = vector.shuffle %[[A]], %[[B]] [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]
// CHECK: vector.store %[[AB]], %{{.*}} : memref<3x13x2xf32>, vector<16xf32>
// CHECK: vector.load {{.*}} vector<4xf32>
// CHECK: memref.load
// CHECK: memref.store
#id = affine_map<(c, v, q) -> (c, v, q)>
#line = affine_map<(c, v, q) -> (c, q, v)>
func.func @two_lines(%x: memref<3x2x13xf32>, %y: memref<3x13x2xf32>) {
  linalg.generic {indexing_maps = [#line, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<3x2x13xf32>) outs(%y : memref<3x13x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// What lies as the result does is taken apart by shuffles; the body is computed for each line.
// CHECK-LABEL: func.func @three_lines_and_a_residual
// CHECK: %[[W:.*]] = vector.load %{{.*}} : memref<8x3xf32>, vector<24xf32>
// CHECK: %[[W0:.*]] = vector.shuffle %[[W]], %[[W]] [0, 3, 6, 9, 12, 15, 18, 21]
// CHECK: %[[A:.*]] = vector.load %{{.*}} : memref<3x8xf32>, vector<8xf32>
// CHECK: %[[R0:.*]] = arith.addf %[[A]], %[[W0]]
// CHECK: vector.shuffle %[[W]], %[[W]] [1, 4, 7, 10, 13, 16, 19, 22]
// CHECK: %[[R1:.*]] = arith.addf
// CHECK: vector.shuffle %[[W]], %[[W]] [2, 5, 8, 11, 14, 17, 20, 23]
// CHECK: arith.addf
// CHECK: %[[LONG:.*]] = vector.shuffle %[[R1]], %[[R1]]
// CHECK: vector.shuffle %[[R0]]
// CHECK: vector.store {{.*}} vector<24xf32>
#id = affine_map<(v, q) -> (v, q)>
#line = affine_map<(v, q) -> (q, v)>
func.func @three_lines_and_a_residual(%x: memref<3x8xf32>, %w: memref<8x3xf32>, %y: memref<8x3xf32>) {
  linalg.generic {indexing_maps = [#line, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : memref<3x8xf32>, memref<8x3xf32>) outs(%y : memref<8x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Tiles of longer lines are turned instead, and what reads its own result is not interleaved.
// CHECK-LABEL: func.func @many_lines
// CHECK: vector.shuffle %{{.*}} [0, 8, 1, 9, 4, 12, 5, 13] : vector<8xf32>, vector<8xf32>
// CHECK-LABEL: func.func @in_place
// CHECK-NOT: vector.shuffle
#id = affine_map<(v, q) -> (v, q)>
#line = affine_map<(v, q) -> (q, v)>
func.func @many_lines(%x: memref<17x8xf32>, %y: memref<8x17xf32>) {
  linalg.generic {indexing_maps = [#line, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<17x8xf32>) outs(%y : memref<8x17xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

func.func @in_place(%x: memref<2x8xf32>, %y: memref<8x2xf32>) {
  linalg.generic {indexing_maps = [#line, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<2x8xf32>) outs(%y : memref<8x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Elements that are repeated a few times are stored as vectors of all repetitions.
// CHECK-LABEL: func.func @repeated
// CHECK: %[[A:.*]] = vector.load %{{.*}} : memref<16xf32>, vector<8xf32>
// CHECK: %[[B:.*]] = vector.load %{{.*}} : memref<16xf32>, vector<8xf32>
// CHECK: %[[AA:.*]] = vector.shuffle %[[A]], %[[B]] [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]
// CHECK: vector.store %[[AA]], %{{.*}} : memref<16x2xf32>, vector<16xf32>
func.func @repeated(%x: memref<16xf32>, %y: memref<16x2xf32>) {
  linalg.generic {indexing_maps = [affine_map<(v, q) -> (v)>, affine_map<(v, q) -> (v, q)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<16xf32>) outs(%y : memref<16x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// Rows of 8 are vectors of one element each.
// CHECK-LABEL: func.func @long_repetitions
// CHECK: memref.load
// CHECK: vector.broadcast %{{.*}} : f32 to vector<8xf32>
// CHECK-NOT: vector.shuffle
func.func @long_repetitions(%x: memref<16xf32>, %y: memref<16x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(v, q) -> (v)>, affine_map<(v, q) -> (v, q)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<16xf32>) outs(%y : memref<16x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}
