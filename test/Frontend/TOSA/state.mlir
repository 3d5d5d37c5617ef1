// Variables are arguments and results behind the others, with their names.
// RUN: qcc compile %s --emit=import -o - | FileCheck %s
// RUN: qcc run %s --check | FileCheck %s --check-prefix=RUNS
// RUNS: check: 8 elements, 0 differ
// CHECK: func.func @main(%{{.*}}: tensor<4xi32>, %[[S:.*]]: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32> {qcc.name = "sum"})
module {
  tosa.variable @sum = dense<0> : tensor<4xi32>
  func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
    %0 = tosa.variable_read @sum : tensor<4xi32>
    %1 = tosa.add %0, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    tosa.variable_write @sum, %1 : tensor<4xi32>
    %2 = tosa.variable_read @sum : tensor<4xi32>
    %3 = tosa.maximum %2, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    return %3 : tensor<4xi32>
  }
}
