// RUN: qcc-opt %s -clamp-indices -canonicalize -cse | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @element(
// CHECK-SAME: %[[T:.*]]: tensor<8xf32>, %[[I:.*]]: index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : index
// CHECK: %[[LOW:.*]] = arith.maxsi %[[I]], %[[C0]]
// CHECK: %[[AT:.*]] = arith.minsi %[[LOW]], %[[C7]]
// CHECK: tensor.extract %[[T]][%[[AT]]]
// CHECK: tensor.insert %{{.*}} into %[[T]][%[[AT]]]
func.func @element(%t: tensor<8xf32>, %i: index) -> tensor<8xf32> {
  %v = tensor.extract %t[%i] : tensor<8xf32>
  %n = arith.negf %v : f32
  %r = tensor.insert %n into %t[%i] : tensor<8xf32>
  return %r : tensor<8xf32>
}

// The last offset at which three elements at a distance of 2 fit.
// CHECK-LABEL: func.func @slice(
// CHECK: %[[C3:.*]] = arith.constant 3 : index
// CHECK: arith.minsi %{{.*}}, %[[C3]]
func.func @slice(%t: tensor<8xf32>, %i: index) -> tensor<3xf32> {
  %r = tensor.extract_slice %t[%i] [3] [2] : tensor<8xf32> to tensor<3xf32>
  return %r : tensor<3xf32>
}

// CHECK-LABEL: func.func @dynamic(
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: %[[LAST:.*]] = affine.apply #{{.*}}()[%[[N]]]
// CHECK: %[[LOW:.*]] = arith.maxsi %arg2, %c0
// CHECK: %[[AT:.*]] = arith.minsi %[[LOW]], %[[LAST]]
// CHECK: tensor.insert_slice %arg1 into %arg0[%[[AT]]]
func.func @dynamic(%t: tensor<?xf32>, %s: tensor<2xf32>, %i: index) -> tensor<?xf32> {
  %r = tensor.insert_slice %s into %t[%i] [2] [1] : tensor<2xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// The same offset is the same value again, so that the slice is updated in place.
// CHECK-LABEL: func.func @update(
// CHECK: %[[AT:.*]] = arith.minsi
// CHECK-NOT: arith.minsi
// CHECK: tensor.extract_slice %arg0[%[[AT]]]
// CHECK: tensor.insert_slice %{{.*}} into %arg0[%[[AT]]]
func.func @update(%t: tensor<8xf32>, %i: index) -> tensor<8xf32> {
  %s = tensor.extract_slice %t[%i] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %n = arith.negf %s : tensor<2xf32>
  %r = tensor.insert_slice %n into %t[%i] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// Data in a body: the id is clamped, the index of the loop over the same size is not. An unsigned id is not negative.
// CHECK-LABEL: func.func @embedding(
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0(%[[ID:.*]]: i32, %{{.*}}: f32):
// CHECK-NEXT: %[[K:.*]] = arith.index_castui %[[ID]]
// CHECK-NEXT: %[[J:.*]] = linalg.index 1
// CHECK-NEXT: %[[AT:.*]] = arith.minsi %[[K]], %{{.*}}
// CHECK-NEXT: tensor.extract %arg1[%[[AT]], %[[J]]]
func.func @embedding(%ids: tensor<?xi32>, %t: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %ids, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %r = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<?xi32>) outs(%e : tensor<?x16xf32>) {
    ^bb0(%id: i32, %o: f32):
      %k = arith.index_castui %id : i32 to index
      %j = linalg.index 1 : index
      %v = tensor.extract %t[%k, %j] : tensor<?x16xf32>
      linalg.yield %v : f32
  } -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// In range by type, by arithmetic, and by loops.
// CHECK-LABEL: func.func @inside(
// CHECK-NOT: arith.maxsi
// CHECK-NOT: arith.minsi
// CHECK: return
func.func @inside(%t: tensor<256xf32>, %x: tensor<?x4xf32>, %b: i8, %i: index) -> (f32, f32, tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %byte = arith.index_cast %b : i8 to index
  %shifted = arith.addi %byte, %c128 : index
  %0 = tensor.extract %t[%shifted] : tensor<256xf32>
  %remainder = arith.remui %i, %c128 : index
  %1 = tensor.extract %t[%remainder] : tensor<256xf32>
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %2 = tensor.generate %n {
    ^bb0(%r: index, %c: index):
      %v = tensor.extract %x[%r, %c] : tensor<?x4xf32>
      tensor.yield %v : f32
  } : tensor<?x4xf32>
  %3 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %2) -> tensor<?x4xf32> {
    %row = tensor.extract_slice %x[%k, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<1x4xf32>
    %u = tensor.insert_slice %row into %acc[%k, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
    scf.yield %u : tensor<?x4xf32>
  }
  return %0, %1, %2, %3 : f32, f32, tensor<?x4xf32>, tensor<?x4xf32>
}

// A promise not to overflow is not believed.
// CHECK-LABEL: func.func @promise(
// CHECK: arith.maxsi
func.func @promise(%t: tensor<8xf32>, %b: i32) -> f32 {
  %c1 = arith.constant 1 : i32
  %0 = arith.andi %b, %c1 : i32
  %1 = arith.addi %0, %0 overflow<nsw> : i32
  %k = arith.index_cast %1 : i32 to index
  %r = tensor.extract %t[%k] : tensor<8xf32>
  return %r : f32
}

// CHECK-LABEL: func.func @dimension(
// CHECK: %[[C1:.*]] = arith.constant 1 : index
// CHECK: %[[AT:.*]] = arith.minsi %{{.*}}, %[[C1]]
// CHECK: tensor.dim %arg0, %[[AT]]
func.func @dimension(%t: tensor<?x?xf32>, %i: index) -> index {
  %r = tensor.dim %t, %i : tensor<?x?xf32>
  return %r : index
}

// Indices from a table are inside if all of its elements are; those of another are clamped where they are not.
// CHECK-LABEL: func.func @table(
// CHECK: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32, %{{.*}}: f32):
// CHECK-DAG: %[[I:.*]] = arith.index_cast %[[A]] : i32 to index
// CHECK-DAG: %[[J:.*]] = arith.index_cast %[[B]] : i32 to index
// CHECK-DAG: %[[LOW:.*]] = arith.maxsi %[[J]], %c0
// CHECK-DAG: %[[AT:.*]] = arith.minsi %[[LOW]], %c3
// CHECK: tensor.extract %arg0[%[[I]], %[[AT]]]
func.func @table(%t: tensor<8x4xf32>) -> tensor<3xf32> {
  %rows = arith.constant dense<[7, 0, 2]> : tensor<3xi32>
  %columns = arith.constant dense<[3, -1, 4]> : tensor<3xi32>
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%rows, %columns : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xf32>) {
  ^bb0(%a: i32, %b: i32, %o: f32):
    %i = arith.index_cast %a : i32 to index
    %j = arith.index_cast %b : i32 to index
    %v = tensor.extract %t[%i, %j] : tensor<8x4xf32>
    linalg.yield %v : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// What a reduction has so far is no element of the constant that it begins with.
// CHECK-LABEL: func.func @accumulated(
// CHECK: %[[I:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[LOW:.*]] = arith.maxsi %[[I]], %c0
// CHECK: %[[AT:.*]] = arith.minsi %[[LOW]], %c7
// CHECK: tensor.extract %arg0[%[[AT]]]
func.func @accumulated(%t: tensor<8xi32>, %x: tensor<3x5xi32>) -> tensor<3xi32> {
  %init = arith.constant dense<[7, 0, 2]> : tensor<3xi32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x5xi32>) outs(%init : tensor<3xi32>) {
  ^bb0(%a: i32, %o: i32):
    %i = arith.index_cast %o : i32 to index
    %v = tensor.extract %t[%i] : tensor<8xi32>
    %s = arith.addi %a, %v : i32
    linalg.yield %s : i32
  } -> tensor<3xi32>
  return %r : tensor<3xi32>
}

// Elements of a table that are all in range need no clamps, others do; and so do those that a double does not have
// exactly.
// CHECK-LABEL: func.func @tables(
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : index
// CHECK: %[[A:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK-NEXT: tensor.extract %{{.*}}[%[[A]]]
// CHECK: %[[B:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK-NEXT: %[[BELOW:.*]] = arith.minsi %[[B]], %[[C7]]
// CHECK-NEXT: tensor.extract %{{.*}}[%[[BELOW]]]
// CHECK: arith.maxsi
// CHECK-NEXT: arith.minsi
func.func @tables(%t: tensor<8xf32>) -> tensor<2xf32> {
  %in = arith.constant dense<[0, 7]> : tensor<2xi64>
  %over = arith.constant dense<[0, 8]> : tensor<2xi64>
  %huge = arith.constant dense<[0, 9007199254740993]> : tensor<2xi64>
  %e = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<2xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %a = tensor.extract %in[%i] : tensor<2xi64>
    %ai = arith.index_cast %a : i64 to index
    %av = tensor.extract %t[%ai] : tensor<8xf32>
    %b = tensor.extract %over[%i] : tensor<2xi64>
    %bi = arith.index_cast %b : i64 to index
    %bv = tensor.extract %t[%bi] : tensor<8xf32>
    %c = tensor.extract %huge[%i] : tensor<2xi64>
    %ci = arith.index_cast %c : i64 to index
    %cv = tensor.extract %t[%ci] : tensor<8xf32>
    %s = arith.addf %av, %bv : f32
    %u = arith.addf %s, %cv : f32
    linalg.yield %u : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}
