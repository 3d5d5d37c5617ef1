// RUN: qcc-opt %s -materialize-loop-results -bufferize-tensors -split-input-file -verify-diagnostics | FileCheck %s

// Arguments are compact, and temporaries lie at multiples of 64.

// CHECK-LABEL: func.func @add
// CHECK-SAME: %{{.*}}: memref<?x8xf32>
// CHECK: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?x8xf32>
func.func @add(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%d) : tensor<?x8xf32>
  %y = linalg.exp ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// Parts of a value have memory of their own, so that place-temporaries can let each be computed in its place.

// CHECK-LABEL: func.func @parts
// CHECK-COUNT-2: memref.alloc() {alignment = 64 : i64} : memref<4xf32>
func.func @parts(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %d = tensor.empty() : tensor<4x2xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %ea = tensor.expand_shape %a [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %0 = tensor.insert_slice %ea into %d[0, 0] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x2xf32>
  %b = linalg.exp ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %eb = tensor.expand_shape %b [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %1 = tensor.insert_slice %eb into %0[0, 1] [4, 1] [1, 1] : tensor<4x1xf32> into tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// -----

#i = affine_map<(i) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Two sums start from one tensor of zeros. Each gets its own, since a copy would read as well.
// CHECK-LABEL: func.func @fills
// CHECK-COUNT-2: linalg.yield %cst
// CHECK-NOT: memref.copy
// CHECK: return
func.func @fills(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<4xf32>
  %a = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %v, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %v, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// What cannot have one memory is said in words of the program.

func.func @shrink(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %d = tensor.dim %a, %c0 : tensor<?xf32>
    %less = arith.subi %d, %c1 : index
    // expected-error@+2 {{cannot avoid RaW conflict}}
    // expected-note@+1 {{a loop or a branch here needs elements of a tensor beside those that replace them; copy the tensor}}
    %b = tensor.extract_slice %a[0] [%less] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Concatenations are written where the result is. Copies to itself disappear later.
// CHECK-LABEL: func.func @concatenation
// CHECK-SAME: (%[[X:.*]]: memref<2x3xf32>, %[[Y:.*]]: memref<2x4xf32>, %[[D:.*]]: memref<2x7xf32>)
// CHECK-NOT: memref.alloc
// CHECK-DAG: %[[LEFT:.*]] = memref.subview %[[D]][0, 0] [2, 3]
// CHECK-DAG: memref.copy %[[X]], %[[LEFT]]
// CHECK-DAG: %[[RIGHT:.*]] = memref.subview %[[D]][0, 3] [2, 4]
// CHECK-DAG: memref.copy %[[Y]], %[[RIGHT]]
func.func @concatenation(%x: tensor<2x3xf32> {bufferization.writable = false}, %y: tensor<2x4xf32> {bufferization.writable = false},
                         %d: tensor<2x7xf32>) -> tensor<2x7xf32> {
  %c = tensor.concat dim(1) %x, %y : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  %m = bufferization.materialize_in_destination %c in %d : (tensor<2x7xf32>, tensor<2x7xf32>) -> tensor<2x7xf32>
  return %m : tensor<2x7xf32>
}

// -----

// The size of this one would be that of its own memory.
// CHECK-LABEL: func.func @dynamic_concatenation
// CHECK: memref.alloc
func.func @dynamic_concatenation(%x: tensor<?xf32> {bufferization.writable = false}, %y: tensor<4xf32> {bufferization.writable = false},
                                 %d: tensor<?xf32>) -> tensor<?xf32> {
  %c = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  %m = bufferization.materialize_in_destination %c in %d : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}
