// Loops and scattered elements, as TFLite's rolled LSTM and ONE_HOT have them.
// RUN: qcc compile %s --emit=import -o - | FileCheck %s
// RUN: qcc run %s --check | FileCheck %s --check-prefix=RUNS
// RUNS: check: 10 elements, 0 differ
// CHECK: scf.while
// CHECK: tensor.insert_slice
// CHECK-NOT: tosa
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<1x4x2xf32>) {
  %zero = "tosa.const"() <{values = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %one = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %three = "tosa.const"() <{values = dense<3> : tensor<i32>}> : () -> tensor<i32>
  %0:2 = tosa.while_loop (%i = %zero, %a = %x) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>) {
    %more = tosa.greater %three, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<2xf32>):
    %next = tosa.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %sum = tosa.add %a, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    tosa.yield %next, %sum : tensor<i32>, tensor<2xf32>
  }
  %values = "tosa.const"() <{values = dense<0.0> : tensor<1x4x2xf32>}> : () -> tensor<1x4x2xf32>
  %indices = "tosa.const"() <{values = dense<2> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
  %shape = tosa.const_shape {values = dense<[1, 1, 2]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %line = tosa.reshape %0#1, %shape : (tensor<2xf32>, !tosa.shape<3>) -> tensor<1x1x2xf32>
  %1 = tosa.scatter %values, %indices, %line : (tensor<1x4x2xf32>, tensor<1x1xi32>, tensor<1x1x2xf32>) -> tensor<1x4x2xf32>
  return %0#1, %1 : tensor<2xf32>, tensor<1x4x2xf32>
}
