// What jax.export writes for x[1:] and jnp.cumsum(x, axis=0) of a symbolic size, windows and padding of computed sizes,
// and shapes without elements.
// RUN: qcc compile %s --emit=import -o - | FileCheck %s --check-prefix=IMPORT
// RUN: qcc run %s --dim=5 --check | FileCheck %s
// RUN: qcc run %s --dim=1 --check | FileCheck %s
// CHECK: elements, 0 differ
// IMPORT-LABEL: func.func @main
// A window from a known position is a slice.
// IMPORT: tensor.extract_slice %{{.*}}[1, 0]
// A cumulative sum is one pass.
// IMPORT: scf.for
module {
  func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %a, %b : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func public @main(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x0xf32>) {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
    %minus = stablehlo.constant dense<-1> : tensor<i32>
    %m = stablehlo.add %n, %minus : tensor<i32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
    %zero = stablehlo.constant dense<0> : tensor<1xi32>
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %two = stablehlo.constant dense<2> : tensor<1xi32>
    %three = stablehlo.constant dense<3> : tensor<1xi32>

    %sizes = stablehlo.concatenate %m1, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %0 = "stablehlo.dynamic_gather"(%x, %one, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0]>, indices_are_sorted = true}> : (tensor<?x3xf32>, tensor<1xi32>, tensor<2xi32>) -> tensor<?x3xf32>

    %start = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %low = stablehlo.concatenate %m1, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %low2 = stablehlo.reshape %low : (tensor<2xi32>) -> tensor<1x2xi32>
    %none = stablehlo.constant dense<0> : tensor<1x2xi32>
    %padding = stablehlo.concatenate %low2, %none, dim = 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
    %window = stablehlo.concatenate %n1, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %ones = stablehlo.constant dense<1> : tensor<2xi32>
    %1 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %start, %window, %ones, %ones, %ones, %padding) {called_computations = [@sum]} : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x3xf32>

    // One window of all rows.
    %no = stablehlo.constant dense<0> : tensor<2x2xi32>
    %2 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %start, %window, %ones, %ones, %ones, %no) {called_computations = [@sum]} : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x3xf32>

    %before = stablehlo.concatenate %m1, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %after = stablehlo.constant dense<0> : tensor<2xi32>
    %3 = stablehlo.dynamic_pad %x, %start, %before, %after, %after : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xf32>

    %empty = stablehlo.concatenate %n1, %zero, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %4 = stablehlo.dynamic_broadcast_in_dim %start, %empty, dims = [] : (tensor<f32>, tensor<3xi32>) -> tensor<?x0x2xf32>
    %flat = stablehlo.concatenate %n1, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %5 = stablehlo.dynamic_reshape %4, %flat : (tensor<?x0x2xf32>, tensor<2xi32>) -> tensor<?x0xf32>
    return %0, %1, %2, %3, %5 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x0xf32>
  }
}
