// The form that StableHLO prints and MLIR's generic form are one program, and both compute what the reference computes.
// RUN: qcc-opt %s --mlir-print-op-generic > %t.generic.mlir
// RUN: qcc compile %s --emit=import -o %t.pretty
// RUN: qcc compile %t.generic.mlir --emit=import -o %t.generic
// RUN: diff %t.pretty %t.generic
// RUN: FileCheck %s < %t.generic.mlir
// RUN: qcc run %s --check | FileCheck %s --check-prefix=RUNS
// RUN: qcc run %s --device=emulator --check | FileCheck %s --check-prefix=RUNS
// RUNS: elements, 0 differ

// CHECK-DAG: "stablehlo.convolution"(%{{.*}}, %{{.*}}) {{.*}}dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>
// CHECK-DAG: padding = dense<{{\[\[}}1, 1], [0, 2]]> : tensor<2x2xi64>
// CHECK-DAG: "stablehlo.dot_general"(%{{.*}}) {{.*}}dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>
// CHECK-DAG: "stablehlo.pad"({{.*}}edge_padding_high = array<i64: 0, 1>, edge_padding_low = array<i64: 1, 0>, interior_padding = array<i64: 0, 1>
// CHECK-DAG: "stablehlo.compare"({{.*}}compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>
// CHECK-DAG: "stablehlo.reduce_precision"({{.*}}exponent_bits = 5 : i32, mantissa_bits = 10 : i32
module @forms attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%x: tensor<1x4x4x2xi8>, %w: tensor<3x3x2x4xi8>, %a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %i: tensor<i32>)
      -> (tensor<1x4x4x4xi32>, tensor<2x3x5xf32>, tensor<4x5xf32>, tensor<2x3xf32>, tensor<3xi32>, tensor<6x4xf32>, tensor<2xf32>, tensor<2x2xi32>) {
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x2xi8>, tensor<3x3x2x4xi8>) -> tensor<1x4x4x4xi32>
    %1 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %2 = stablehlo.slice %b [1:2, 0:4, 0:5:2] : (tensor<2x4x5xf32>) -> tensor<1x4x3xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x4x3xf32>) -> tensor<4x3xf32>
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.pad %3, %zero, low = [1, 0], high = [0, 1], interior = [0, 1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<5x6xf32>
    %5 = stablehlo.dynamic_slice %4, %i, %i, sizes = [4, 5] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>
    %6 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3xf32>
    %7 = stablehlo.reduce_precision %6, format = e5m10 : tensor<2x3xf32>
    %8 = stablehlo.logistic %7 : tensor<2x3xf32>
    %9 = stablehlo.iota dim = 0 : tensor<3xi32>
    %10 = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %11 = stablehlo.compare LT, %9, %10, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %12 = stablehlo.select %11, %9, %10 : tensor<3xi1>, tensor<3xi32>
    %13 = stablehlo.transpose %a, dims = [1, 0, 2] : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
    %14 = stablehlo.reshape %13 : (tensor<3x2x4xf32>) -> tensor<6x4xf32>
    %15 = stablehlo.reverse %14, dims = [0] : tensor<6x4xf32>
    %16 = stablehlo.clamp %zero, %15, %zero : (tensor<f32>, tensor<6x4xf32>, tensor<f32>) -> tensor<6x4xf32>
    %17 = stablehlo.maximum %16, %15 : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    %18 = stablehlo.optimization_barrier %17 : tensor<6x4xf32>
    %19 = chlo.erf %18 : tensor<6x4xf32> -> tensor<6x4xf32>
    %20:2 = stablehlo.reduce(%6 init: %zero), (%8 init: %zero) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
      reducer(%c: tensor<f32>, %d: tensor<f32>) (%e: tensor<f32>, %f: tensor<f32>) {
        %p = stablehlo.compare GE, %c, %d, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %q = stablehlo.select %p, %c, %d : tensor<i1>, tensor<f32>
        %r = stablehlo.select %p, %e, %f : tensor<i1>, tensor<f32>
        stablehlo.return %q, %r : tensor<f32>, tensor<f32>
      }
    %21:2 = chlo.top_k(%6, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
    %22 = stablehlo.concatenate %21#1, %21#1, dim = 0 : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<4x2xi32>
    %23 = stablehlo.slice %22 [1:3, 0:2] : (tensor<4x2xi32>) -> tensor<2x2xi32>
    %24 = call @twice(%23) : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %true = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.custom_call @shape_assertion(%true) {error_message = "no"} : (tensor<i1>) -> ()
    %25 = stablehlo.custom_call @Sharding(%24) {backend_config = ""} : (tensor<2x2xi32>) -> tensor<2x2xi32>
    return %0, %1, %5, %8, %12, %19, %20#1, %25 : tensor<1x4x4x4xi32>, tensor<2x3x5xf32>, tensor<4x5xf32>, tensor<2x3xf32>, tensor<3xi32>, tensor<6x4xf32>, tensor<2xf32>, tensor<2x2xi32>
  }
  func.func private @twice(%x: tensor<2x2xi32>) -> tensor<2x2xi32> {
    %0 = stablehlo.add %x, %x : tensor<2x2xi32>
    return %0 : tensor<2x2xi32>
  }
}
