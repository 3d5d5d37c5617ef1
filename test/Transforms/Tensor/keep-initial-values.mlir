// RUN: qcc-opt %s --keep-initial-values | FileCheck %s

#x = affine_map<(m, k) -> (m, k)>
#y = affine_map<(m, k) -> (m)>

// CHECK-LABEL: func.func @dynamic
// CHECK: ^bb0(%[[A:.*]]: f32, %[[ACC:.*]]: f32):
// CHECK: %[[K:.*]] = linalg.index 1
// CHECK: %[[INSIDE:.*]] = arith.cmpi sge, %[[K]]
// CHECK: %[[Y:.*]] = arith.select %[[INSIDE]], %[[A]], %[[ACC]] : f32
// CHECK: linalg.yield %[[Y]]
func.func @dynamic(%x: tensor<4x?xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#x, #y], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x?xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// There are iterations, or the accumulator is read.
// CHECK-LABEL: func.func @unchanged
// CHECK-NOT: arith.select
// CHECK: return
func.func @unchanged(%x: tensor<?x4xf32>, %y: tensor<4x?xf32>, %init: tensor<?xf32>, %start: tensor<4xf32>) -> (tensor<?xf32>, tensor<4xf32>) {
  %r = linalg.generic {indexing_maps = [#x, #y], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x4xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#x, #y], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<4x?xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %t = arith.addf %a, %acc : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %r, %s : tensor<?xf32>, tensor<4xf32>
}

// An initial value that is read without a reduction is an input.
// CHECK-LABEL: func.func @outer(
// CHECK-SAME: %[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<4xf32>, %[[INIT:.*]]: tensor<?x4xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty(%{{.*}}) : tensor<?x4xf32>
// CHECK: ins(%[[A]], %[[B]], %[[INIT]] : {{.*}}) outs(%[[EMPTY]] : tensor<?x4xf32>)
// CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[START:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[Y]]
// CHECK: arith.addf %[[START]], %[[P]]
func.func @outer(%a: tensor<?xf32>, %b: tensor<4xf32>, %init: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = linalg.generic {indexing_maps = [#y, affine_map<(d0, d1) -> (d1)>, #x], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<?xf32>, tensor<4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<4xf32>
// CHECK: ins(%[[A]], %[[B]], %[[C]] : {{.*}}) outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>)
// CHECK: ^bb0(%[[X:.*]]: f32, %[[S:.*]]: f32, %[[T:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: arith.addf %[[S]], %[[X]]
// CHECK: arith.mulf %[[T]], %[[X]]
func.func @two(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%b, %c : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%x: f32, %s: f32, %t: f32):
    %p = arith.addf %s, %x : f32
    %q = arith.mulf %t, %x : f32
    linalg.yield %p, %q : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
