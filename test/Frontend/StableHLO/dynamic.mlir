// Sizes that are computed from sizes of arguments: what jax.export writes for symbolic ones.
// RUN: qcc run %s --dim=5 --check | FileCheck %s
// RUN: qcc run %s --dim=1 --check | FileCheck %s
// CHECK: elements, 0 differ
module {
  func.func public @main(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?xf32>, tensor<?x2xi32>) {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %four = stablehlo.constant dense<4> : tensor<1xi32>
    %c2 = stablehlo.constant dense<2> : tensor<1xi32>
    %m = stablehlo.multiply %n, %two : tensor<i32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
    %shape = stablehlo.concatenate %n1, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %one = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %ones = stablehlo.dynamic_broadcast_in_dim %one, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>
    %0 = stablehlo.add %x, %ones : tensor<?x4xf32>
    %rows = stablehlo.concatenate %m1, %c2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %1 = stablehlo.dynamic_reshape %0, %rows : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<?x2xf32>
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x2xf32>, tensor<f32>) -> tensor<?xf32>
    %places = stablehlo.concatenate %n1, %c2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %3 = stablehlo.dynamic_iota %places, dim = 0 : (tensor<2xi32>) -> tensor<?x2xi32>
    return %0, %2, %3 : tensor<?x4xf32>, tensor<?xf32>, tensor<?x2xi32>
  }
}
