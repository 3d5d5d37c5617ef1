// RUN: qcc-opt %s -materialize-loop-results | FileCheck %s

// Tensors that change places are copied before anything is written to them.

// CHECK-LABEL: func.func @swap
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK-DAG: %[[COPY_A:.*]] = linalg.copy ins(%[[A]] : tensor<4xf32>)
// CHECK-DAG: %[[COPY_B:.*]] = linalg.copy ins(%[[B]] : tensor<4xf32>)
// CHECK-DAG: %[[X:.*]] = bufferization.materialize_in_destination %[[COPY_B]] in %[[A]]
// CHECK-DAG: %[[Y:.*]] = bufferization.materialize_in_destination %[[COPY_A]] in %[[B]]
// CHECK: scf.yield %[[X]], %[[Y]]
func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @swap_while
// CHECK: ^bb0(%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>):
// CHECK-DAG: linalg.copy ins(%[[A]] : tensor<4xf32>)
// CHECK-DAG: linalg.copy ins(%[[B]] : tensor<4xf32>)
func.func @swap_while(%x: tensor<4xf32>, %y: tensor<4xf32>, %c: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = scf.while (%a = %x, %b = %y) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.condition(%c) %a, %b : tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// A view of a tensor is the tensor.

// CHECK-LABEL: func.func @view
// CHECK: %[[VIEW:.*]] = tensor.collapse_shape
// CHECK: linalg.copy ins(%[[VIEW]] : tensor<12xf32>)
func.func @view(%x: tensor<2x6xf32>, %y: tensor<12xf32>) -> (tensor<2x6xf32>, tensor<12xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<2x6xf32>, tensor<12xf32>) {
    %s = arith.addf %a, %a : tensor<2x6xf32>
    %v = tensor.collapse_shape %a [[0, 1]] : tensor<2x6xf32> into tensor<12xf32>
    scf.yield %s, %v : tensor<2x6xf32>, tensor<12xf32>
  }
  return %r#0, %r#1 : tensor<2x6xf32>, tensor<12xf32>
}
