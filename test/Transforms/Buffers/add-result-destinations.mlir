// RUN: qcc-opt %s -add-result-destinations | FileCheck %s

// Arguments are read only; the dynamic sizes are returned in order; a value that is returned twice is copied
// from its first place.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32> {bufferization.writable = false},
// CHECK-SAME: %[[D0:.*]]: tensor<?x4xf32> {bufferization.writable = true, qcc.result, qcc.type = tensor<?x4xf32>},
// CHECK-SAME: %[[D1:.*]]: tensor<?x4xf32> {bufferization.writable = true, qcc.result},
// CHECK-SAME: %[[D2:.*]]: tensor<3xi8> {bufferization.writable = true, qcc.result})
// CHECK-SAME: -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<3xi8>, index, index)
// CHECK: %[[C:.*]] = arith.constant dense<1>
// CHECK: %[[Z:.*]] = arith.addf
// CHECK: %[[S0:.*]] = tensor.dim %[[Z]]
// CHECK: %[[R0:.*]] = bufferization.materialize_in_destination %[[Z]] in %[[D0]]
// CHECK: %[[S1:.*]] = tensor.dim %[[Z]]
// CHECK: %[[COPY:.*]] = linalg.copy ins(%[[R0]] : tensor<?x4xf32>) outs(%[[D1]] : tensor<?x4xf32>)
// CHECK: %[[R1:.*]] = bufferization.materialize_in_destination %[[COPY]] in %[[D1]]
// CHECK: %[[R2:.*]] = bufferization.materialize_in_destination %[[C]] in %[[D2]]
// CHECK: return %[[R0]], %[[R1]], %[[R2]], %[[S0]], %[[S1]]
func.func @f(%x: tensor<?x4xf32>) -> (tensor<?x4xf32> {qcc.type = tensor<?x4xf32>}, tensor<?x4xf32>, tensor<3xi8>) {
  %c = arith.constant dense<1> : tensor<3xi8>
  %z = arith.addf %x, %x : tensor<?x4xf32>
  return %z, %z, %c : tensor<?x4xf32>, tensor<?x4xf32>, tensor<3xi8>
}

// What is reshaped is computed in a destination that is reshaped the other way; sizes are those of arguments.
// CHECK-LABEL: func.func @reshaped(
// CHECK-SAME: %[[X:.*]]: tensor<?x4x2xf32> {{.*}}, %[[D0:.*]]: tensor<?x8xf32> {{.*}}, %[[D1:.*]]: tensor<?x2x2x2xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: %[[Z:.*]] = linalg.exp
// CHECK: %[[W:.*]] = linalg.abs
// CHECK: %[[E0:.*]] = tensor.expand_shape %[[D0]] {{\[\[}}0], [1, 2]] output_shape [%[[N]], 4, 2]
// CHECK: %[[M0:.*]] = bufferization.materialize_in_destination %[[Z]] in %[[E0]]
// CHECK: %[[R0:.*]] = tensor.collapse_shape %[[M0]] {{\[\[}}0], [1, 2]]
// CHECK: %[[E1:.*]] = tensor.collapse_shape %[[D1]] {{\[\[}}0], [1, 2], [3]] : tensor<?x2x2x2xf32> into tensor<?x4x2xf32>
// CHECK: %[[M1:.*]] = bufferization.materialize_in_destination %[[W]] in %[[E1]]
// CHECK: %[[R1:.*]] = tensor.expand_shape %[[M1]]
// CHECK: return %[[R0]], %[[R1]], %[[N]], %[[N]]
func.func @reshaped(%x: tensor<?x4x2xf32>) -> (tensor<?x8xf32>, tensor<?x2x2x2xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4x2xf32>
  %t = tensor.empty(%n) : tensor<?x4x2xf32>
  %z = linalg.exp ins(%x : tensor<?x4x2xf32>) outs(%t : tensor<?x4x2xf32>) -> tensor<?x4x2xf32>
  %w = linalg.abs ins(%x : tensor<?x4x2xf32>) outs(%t : tensor<?x4x2xf32>) -> tensor<?x4x2xf32>
  %c = tensor.collapse_shape %z [[0], [1, 2]] : tensor<?x4x2xf32> into tensor<?x8xf32>
  %e = tensor.expand_shape %w [[0], [1, 2], [3]] output_shape [%n, 2, 2, 2] : tensor<?x4x2xf32> into tensor<?x2x2x2xf32>
  return %c, %e : tensor<?x8xf32>, tensor<?x2x2x2xf32>
}

// Only entries have destinations.
// CHECK-LABEL: func.func private @helper(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// The size of what a loop carries is asked of its initial value: the loop's result lies in the destination.
// CHECK-LABEL: func.func @loop(
// CHECK: %[[INIT:.*]] = arith.negf
// CHECK: scf.for
// CHECK: tensor.dim %[[INIT]]
func.func @loop(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = arith.negf %x : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init) -> tensor<?xf32> {
    %b = arith.addf %a, %x : tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// What is returned as well as overwritten is copied for what overwrites it.
// CHECK-LABEL: func.func @initial_value(
// CHECK: %[[FILL:.*]] = linalg.fill
// CHECK: %[[COPY:.*]] = linalg.copy ins(%[[FILL]] : tensor<?xf32>)
// CHECK: %[[SUM:.*]] = linalg.reduce {{.*}} outs(%[[COPY]] : tensor<?xf32>)
// CHECK: bufferization.materialize_in_destination %[[SUM]]
// CHECK: bufferization.materialize_in_destination %[[FILL]]
func.func @initial_value(%x: tensor<?x4xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<?x4xf32>) outs(%init : tensor<?xf32>) dimensions = [1]
  return %sum, %init : tensor<?xf32>, tensor<?xf32>
}

// The size of what scf.if and scf.while give is traced back to arguments, also behind ops that keep the memory.
// CHECK-LABEL: func.func @branch(
// CHECK: tensor.dim %arg0
// CHECK: %[[R:.*]] = scf.if
// CHECK-NOT: tensor.dim %[[R]]
// CHECK: return
func.func @branch(%x: tensor<?xf32>, %k: i1, %v: f32) -> (tensor<?xf32>, tensor<?x1xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = scf.if %k -> tensor<?xf32> {
    %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %a : tensor<?xf32>
  } else {
    %b = linalg.abs ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  %i = tensor.insert %v into %r[%c0] : tensor<?xf32>
  %w = scf.while (%a = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    scf.condition(%k) %a : tensor<?xf32>
  } do {
  ^bb0(%a: tensor<?xf32>):
    scf.yield %a : tensor<?xf32>
  }
  %c = tensor.expand_shape %w [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  return %i, %c : tensor<?xf32>, tensor<?x1xf32>
}

// Nor is what a loop carried asked once it was cast or written to.
// CHECK-LABEL: func.func @after_loop
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<?x9xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<?x9xf32>
// CHECK: return %{{.*}}, %{{.*}}, %[[N]], %{{.*}}, %[[N]]
func.func @after_loop(%x: tensor<?x9xf32>) -> (tensor<?x?xf32>, tensor<?x9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x, %b = %x) -> (tensor<?x9xf32>, tensor<?x9xf32>) {
    %s = arith.addf %a, %x : tensor<?x9xf32>
    scf.yield %s, %b : tensor<?x9xf32>, tensor<?x9xf32>
  }
  %c = tensor.cast %r#0 : tensor<?x9xf32> to tensor<?x?xf32>
  %w = linalg.exp ins(%x : tensor<?x9xf32>) outs(%r#1 : tensor<?x9xf32>) -> tensor<?x9xf32>
  return %c, %w : tensor<?x?xf32>, tensor<?x9xf32>
}

// Of elements that are returned in two shapes, the second are a copy: they cannot be computed in both places.
// CHECK-LABEL: func.func @two_shapes
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<2x3xf32> {{.*}}, %[[D:[a-z0-9]*]]: tensor<2x3xf32> {{.*}}, %[[E:[a-z0-9]*]]: tensor<6xf32>
// CHECK: %[[R:.*]] = linalg.exp
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[R]]
// CHECK: materialize_in_destination %[[R]] in %[[D]]
// CHECK: %[[COPY:.*]] = linalg.copy ins(%[[C]] : tensor<6xf32>) outs(%[[E]] : tensor<6xf32>)
func.func @two_shapes(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<6xf32>) {
  %e = tensor.empty() : tensor<2x3xf32>
  %r = linalg.exp ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = tensor.collapse_shape %r [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  return %r, %c : tensor<2x3xf32>, tensor<6xf32>
}

// A result that updates an argument starts as a copy of it in the destination.
// CHECK-LABEL: func.func @updated(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<8x?xf32> {{.*}}, %[[U:[a-z0-9]*]]: tensor<1x?xf32> {{.*}}, %[[D:[a-z0-9]*]]: tensor<8x?xf32>
// CHECK-SAME: qcc.result
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: %[[COPY:.*]] = bufferization.materialize_in_destination %[[X]] in %[[D]]
// CHECK: %[[R:.*]] = tensor.insert_slice %[[U]] into %[[COPY]]
// CHECK: bufferization.materialize_in_destination %[[R]] in %[[COPY]]
// CHECK: return %{{.*}}, %[[N]]
func.func @updated(%x: tensor<8x?xf32>, %u: tensor<1x?xf32>, %i: index) -> tensor<8x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<8x?xf32>
  %r = tensor.insert_slice %u into %x[%i, 0] [1, %n] [1, 1] : tensor<1x?xf32> into tensor<8x?xf32>
  return %r : tensor<8x?xf32>
}

// So does one that has more elements behind those of the argument. The rest is filled.
// CHECK-LABEL: func.func @grown(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<2x?x64xf32> {{.*}}, %[[D:[a-z0-9]*]]: tensor<2x?x64xf32> {bufferization.writable = true, qcc.result})
// CHECK: %[[REST:.*]] = tensor.extract_slice %[[D]][0, %[[M:.*]], 0] [2, %[[K:.*]], 64]
// CHECK: %[[F:.*]] = linalg.fill ins({{.*}}) outs(%[[REST]]
// CHECK: %[[P:.*]] = tensor.insert_slice %[[F]] into %[[D]][0, %[[M]], 0] [2, %[[K]], 64]
// CHECK: %[[COPY:.*]] = tensor.insert_slice %[[X]] into %[[P]][0, 0, 0] [2, %[[M]], 64]
// CHECK: %[[R:.*]] = tensor.insert_slice %{{.*}} into %[[COPY]]
// CHECK: bufferization.materialize_in_destination %[[R]] in %[[COPY]]
func.func @grown(%x: tensor<2x?x64xf32>, %u: tensor<2x1x64xf32>, %i: tensor<index>, %e: tensor<?xi8>) -> tensor<2x?x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %k = tensor.dim %e, %c0 : tensor<?xi8>
  %p = tensor.pad %x low[0, 0, 0] high[0, %k, 0] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<2x?x64xf32> to tensor<2x?x64xf32>
  %at = tensor.extract %i[] : tensor<index>
  %r = tensor.insert_slice %u into %p[0, %at, 0] [2, 1, 64] [1, 1, 1] : tensor<2x1x64xf32> into tensor<2x?x64xf32>
  return %r : tensor<2x?x64xf32>
}

// The second of two results that update one value is copied.
// CHECK-LABEL: func.func @shared_updates(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<8xf32> {{.*}}, %[[D0:[a-z0-9]*]]: tensor<8xf32> {{.*}}, %[[D1:[a-z0-9]*]]: tensor<8xf32>
// CHECK: %[[COPY:.*]] = bufferization.materialize_in_destination %[[X]] in %[[D0]]
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %{{.*}} into %[[COPY]]
// CHECK: %[[OLD:.*]] = linalg.copy ins(%[[FIRST]]
// CHECK: %[[SECOND:.*]] = tensor.insert_slice %{{.*}} into %[[OLD]]
// CHECK: materialize_in_destination %[[FIRST]] in %[[COPY]]
// CHECK: materialize_in_destination %[[SECOND]] in %[[D1]]
func.func @shared_updates(%x: tensor<8xf32>, %u: tensor<2xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = tensor.insert_slice %u into %x[0] [2] [1] : tensor<2xf32> into tensor<8xf32>
  %b = tensor.insert_slice %u into %a[4] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// Nothing is copied for an op that replaces all elements.
// CHECK-LABEL: func.func @replaced(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<8xf32>
// CHECK-NOT: materialize_in_destination %[[X]]
// CHECK: %[[R:.*]] = linalg.exp {{.*}} outs(%[[X]]
// CHECK: materialize_in_destination %[[R]]
func.func @replaced(%x: tensor<8xf32>, %u: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.exp ins(%u : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// A value that a branch hands on stays apart: its destination cannot be copied there.
// CHECK-LABEL: func.func @branched_updates(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<8xf32>
// CHECK-NOT: materialize_in_destination %[[X]]
// CHECK: tensor.insert_slice %{{.*}} into %[[X]]
func.func @branched_updates(%x: tensor<8xf32>, %u: tensor<2xf32>, %k: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = tensor.insert_slice %u into %x[0] [2] [1] : tensor<2xf32> into tensor<8xf32>
  %b = tensor.insert_slice %u into %a[4] [2] [1] : tensor<2xf32> into tensor<8xf32>
  %c = scf.if %k -> (tensor<8xf32>) {
    %d = tensor.insert_slice %u into %b[6] [2] [1] : tensor<2xf32> into tensor<8xf32>
    scf.yield %d : tensor<8xf32>
  } else {
    scf.yield %a : tensor<8xf32>
  }
  return %b, %c : tensor<8xf32>, tensor<8xf32>
}
