// Each op says in which order it stores its value; what has the order of the program says nothing.
// RUN: qcc-opt %s -generalize-linalg -channels-last -canonicalize -cse -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>

// CHECK-LABEL: func.func @layers
// CHECK: -> tensor<1x4x4x8xi32> loc(fused<{order = array<i64: 0, 2, 3, 1>}>["conv"])
// CHECK: linalg.generic {{.*}} -> (d0, d2, d3, d1)>{{.*}} outs(%{{.*}} : tensor<1x8x4x4xi32>) attrs = {qcc.origin = "change of layout"} {
// CHECK: -> tensor<1x8x4x4xi32> loc("conv")
// Of several results each has its own.
// CHECK: qcc.values = [{layer = "two", order = array<i64: 0, 2, 3, 1>}, {layer = "same", order = array<i64: 0, 2, 3, 1>}]
// CHECK: -> (tensor<1x4x4x8xi8>, tensor<1x4x4x8xi32>) loc("two")
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x8x4x4xi32>) attrs = {qcc.origin = "change of layout", qcc.values = [{layer = "same"}]} {
// CHECK: -> tensor<1x8x4x4xi32> loc("two")
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x8x4x4xi8>) attrs = {qcc.origin = "change of layout"} {
// CHECK: -> tensor<1x8x4x4xi8> loc("two")
func.func @layers(%x: tensor<1x8x6x6xi8>, %w: tensor<8x8x3x3xi8>) -> (tensor<1x8x4x4xi32>, tensor<1x8x4x4xi8>, tensor<1x8x4x4xi32>) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x8x4x4xi32>
  %e8 = tensor.empty() : tensor<1x8x4x4xi8>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x8x4x4xi32>) -> tensor<1x8x4x4xi32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x8x6x6xi8>, tensor<8x8x3x3xi8>) outs(%f : tensor<1x8x4x4xi32>) -> tensor<1x8x4x4xi32> loc("conv")
  %t:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<1x8x4x4xi32>) outs(%e8, %e : tensor<1x8x4x4xi8>, tensor<1x8x4x4xi32>) attrs = {qcc.values = [{layer = "two"}, {layer = "same"}]} {
  ^bb0(%a: i32, %p: i8, %q: i32):
    %v = arith.trunci %a : i32 to i8
    linalg.yield %v, %a : i8, i32
  } -> (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi32>) loc("two")
  return %y, %t#0, %t#1 : tensor<1x8x4x4xi32>, tensor<1x8x4x4xi8>, tensor<1x8x4x4xi32>
}
