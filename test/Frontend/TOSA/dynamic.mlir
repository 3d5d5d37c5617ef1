// A dynamic batch: MLIR's lowering would choose between tensors where the batch is 1.
// RUN: qcc run %s --dim=5 --check | FileCheck %s
// RUN: qcc run %s --dim=1 --check | FileCheck %s
// CHECK: elements, 0 differ
func.func @main(%x: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %0 = tosa.reduce_max %x {axis = 1 : i32} : (tensor<?x6xf32>) -> tensor<?x1xf32>
  %1 = tosa.sub %x, %0 : (tensor<?x6xf32>, tensor<?x1xf32>) -> tensor<?x6xf32>
  %2 = tosa.exp %1 : (tensor<?x6xf32>) -> tensor<?x6xf32>
  %3 = tosa.reduce_sum %2 {axis = 1 : i32} : (tensor<?x6xf32>) -> tensor<?x1xf32>
  %4 = tosa.reciprocal %3 : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %5 = tosa.mul %2, %4, %s : (tensor<?x6xf32>, tensor<?x1xf32>, tensor<1xi8>) -> tensor<?x6xf32>
  return %5 : tensor<?x6xf32>
}
