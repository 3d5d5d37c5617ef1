// RUN: qcc-opt %s -materialize-loop-results | FileCheck %s

// Only a tensor that changes.
// CHECK-LABEL: func.func @f
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[K:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK: %[[B:.*]] = arith.addf
// CHECK: %[[L:.*]] = arith.addi
// CHECK: %[[R:.*]] = bufferization.materialize_in_destination %[[B]] in %[[A]]
// CHECK-NOT: materialize_in_destination
// CHECK: scf.yield %[[R]], %[[K]], %[[L]]
func.func @f(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %k = %x, %j = %c0) -> (tensor<4xf32>, tensor<4xf32>, index) {
    %b = arith.addf %a, %a : tensor<4xf32>
    %l = arith.addi %j, %i : index
    scf.yield %b, %k, %l : tensor<4xf32>, tensor<4xf32>, index
  }
  return %r#0 : tensor<4xf32>
}

// The body's argument is the place of what the condition hands over.
// CHECK-LABEL: func.func @while
// CHECK: scf.condition
// CHECK: ^bb0(%[[A:.*]]: tensor<4xf32>, %{{.*}}: i32)
// CHECK: %[[B:.*]] = arith.addf
// CHECK: %[[R:.*]] = bufferization.materialize_in_destination %[[B]] in %[[A]]
// CHECK: scf.yield %{{.*}}, %[[R]]
func.func @while(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.while (%k = %n, %a = %x) : (i32, tensor<4xf32>) -> (tensor<4xf32>, i32) {
    %c = arith.cmpi sgt, %k, %c0 : i32
    scf.condition(%c) %a, %k : tensor<4xf32>, i32
  } do {
  ^bb0(%a: tensor<4xf32>, %k: i32):
    %b = arith.addf %a, %a : tensor<4xf32>
    %l = arith.subi %k, %c1 : i32
    scf.yield %l, %b : i32, tensor<4xf32>
  }
  return %r#0 : tensor<4xf32>
}

// A value that goes to two places is copied from the first one.

// CHECK-LABEL: func.func @two_places
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK: %[[FIRST:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[A]]
// CHECK: %[[SECOND:.*]] = linalg.copy ins(%[[FIRST]] : tensor<6xf32>) outs(%[[B]] : tensor<6xf32>)
// CHECK: scf.yield %[[FIRST]], %[[SECOND]]
func.func @two_places(%x: tensor<6xf32>, %y: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<6xf32>, tensor<6xf32>) {
    %s = arith.addf %a, %b : tensor<6xf32>
    scf.yield %s, %s : tensor<6xf32>, tensor<6xf32>
  }
  return %r#0, %r#1 : tensor<6xf32>, tensor<6xf32>
}
