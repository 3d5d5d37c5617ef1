// RUN: qcc-opt %s -promote-scalar-arguments | FileCheck %s

// CHECK-LABEL: func.func @scalars(
// CHECK-SAME: %[[S:.*]]: tensor<f32>, %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<index>) -> (tensor<f32>, tensor<4xf32>, tensor<i1>)
// CHECK: %[[SV:.*]] = tensor.extract %[[S]][] : tensor<f32>
// CHECK: %[[IV:.*]] = tensor.extract %[[I]][] : tensor<index>
// CHECK: %[[V:.*]] = tensor.extract %[[X]][%[[IV]]]
// CHECK: %[[M:.*]] = arith.mulf %[[V]], %[[SV]]
// CHECK: %[[C:.*]] = arith.cmpf
// CHECK: %[[R0:.*]] = tensor.from_elements %[[M]] : tensor<f32>
// CHECK: %[[R1:.*]] = tensor.from_elements %[[C]] : tensor<i1>
// CHECK: return %[[R0]], %[[X]], %[[R1]]
func.func @scalars(%s: f32, %x: tensor<4xf32>, %i: index) -> (f32, tensor<4xf32>, i1) {
  %v = tensor.extract %x[%i] : tensor<4xf32>
  %m = arith.mulf %v, %s : f32
  %c = arith.cmpf olt, %m, %s : f32
  return %m, %x, %c : f32, tensor<4xf32>, i1
}

// A private function keeps the types that its callers expect.
// CHECK-LABEL: func.func private @helper(%{{.*}}: f32) -> f32
func.func private @helper(%s: f32) -> f32 {
  return %s : f32
}
