// RUN: qcc-opt %s --legalize-float | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The combine of a reduction stays what it is, and is marked, so that the 32
// lanes can be formed later; the element is legalized.
// CHECK-LABEL: func @combine
func.func @combine(%x: tensor<4x?xf16>, %init: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK: linalg.generic
  // CHECK: ^bb0(%[[X:.*]]: f16, %[[ACC:.*]]: f16):
  // CHECK: %[[E:.*]] = arith.truncf %{{.*}} : f32 to f16
  // CHECK: arith.addf %[[ACC]], %[[E]] {qcc.combine} : f16
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x?xf16>) outs(%init : tensor<4xf16>) {
  ^bb0(%a: f16, %acc: f16):
    %e = arith.mulf %a, %a : f16
    %s = arith.addf %acc, %e fastmath<reassoc> : f16
    linalg.yield %s : f16
  } -> tensor<4xf16>
  return %r : tensor<4xf16>
}

// CHECK-LABEL: func @maxnum
func.func @maxnum(%x: tensor<4x?xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: arith.maxnumf %{{.*}}, %{{.*}} {qcc.combine} : f32
  %r = linalg.reduce ins(%x : tensor<4x?xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
    (%a: f32, %acc: f32) {
      %m = arith.maxnumf %a, %acc : f32
      linalg.yield %m : f32
    }
  return %r : tensor<4xf32>
}

// Not a combine: the accumulator is used twice. Literal, so rewritten.
// CHECK-LABEL: func @literal
func.func @literal(%x: tensor<4x?xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: arith.maximumf
  // CHECK: arith.cmpf uno
  // CHECK-NOT: arith.maxnumf
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x?xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %e = arith.mulf %a, %acc : f32
    %s = arith.maxnumf %acc, %e : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// maxnum orders the zeros as maximum does and drops NaNs.
// CHECK-LABEL: func @elementwise
func.func @elementwise(%a: f32, %b: f32) -> f32 {
  // CHECK: %[[M:.*]] = arith.minimumf %[[A:.*]], %[[B:.*]] : f32
  // CHECK-DAG: %[[NA:.*]] = arith.cmpf uno, %[[A]], %[[A]]
  // CHECK-DAG: %[[NB:.*]] = arith.cmpf uno, %[[B]], %[[B]]
  // CHECK: %[[S:.*]] = arith.select %[[NB]], %[[A]], %[[M]]
  // CHECK: arith.select %[[NA]], %[[B]], %[[S]]
  %r = arith.minnumf %a, %b : f32
  return %r : f32
}

// One output that is not combined: the whole op runs in order, and nothing is
// marked. A mark of the program counts for nothing.
// CHECK-LABEL: func @mixed
// CHECK-NOT: qcc.combine
// CHECK: return
func.func @mixed(%x: tensor<4x?xf32>, %init: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x?xf32>) outs(%init, %init : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %acc: f32, %other: f32):
    %s = arith.addf %acc, %a {qcc.combine} : f32
    %t = arith.subf %other, %a : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
