// RUN: qcc-opt %s --legalize-float | FileCheck %s

// CHECK-LABEL: func @matmul
// CHECK: linalg.generic
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[ACC:.*]]: f32):
// CHECK-NEXT: %[[R:.*]] = math.fma %[[A]], %[[B]], %[[ACC]] : f32
// CHECK-NEXT: linalg.yield %[[R]]
func.func @matmul(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>, %init: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x5xf32>) outs(%init : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// Widened to the accumulator.
// CHECK-LABEL: func @mixed
// CHECK: %[[A:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: %[[B:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: math.fma %[[A]], %[[B]], %{{.*}} : f32
func.func @mixed(%x: tensor<4x8xf16>, %w: tensor<8x5xf16>, %init: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<4x8xf16>, tensor<8x5xf16>) outs(%init : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// Each fma in f32, then rounded.
// CHECK-LABEL: func @half
// CHECK: %[[R:.*]] = math.fma %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: arith.truncf %[[R]] : f32 to f16
func.func @half(%x: tensor<4x8xf16>, %w: tensor<8x5xf16>, %init: tensor<4x5xf16>) -> tensor<4x5xf16> {
  %r = linalg.matmul ins(%x, %w : tensor<4x8xf16>, tensor<8x5xf16>) outs(%init : tensor<4x5xf16>) -> tensor<4x5xf16>
  return %r : tensor<4x5xf16>
}

// A sum of squares has one input: a reduction, not a contraction.
// CHECK-LABEL: func @squares
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NOT: math.fma
func.func @squares(%x: tensor<?xf32>, %init: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<?xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %e = arith.mulf %a, %a : f32
    %s = arith.addf %acc, %e : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// Integers and fills stay named.
// CHECK-LABEL: func @untouched
// CHECK: linalg.fill
// CHECK: linalg.matmul
func.func @untouched(%x: tensor<4x8xi32>, %w: tensor<8x5xi32>, %init: tensor<4x5xi32>, %o: tensor<2xf32>) -> (tensor<4x5xi32>, tensor<2xf32>) {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.matmul ins(%x, %w : tensor<4x8xi32>, tensor<8x5xi32>) outs(%init : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %r, %f : tensor<4x5xi32>, tensor<2xf32>
}
