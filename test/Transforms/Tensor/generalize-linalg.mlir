// RUN: qcc-opt %s -generalize-linalg | FileCheck %s

// Named ops keep their name and what was said about them; generic ones are named by their bodies.
// CHECK-LABEL: func.func @f
// CHECK: linalg.generic {{.*}} attrs = {qcc.origin = "linalg.matmul", qcc.refused = "because"}
// CHECK: linalg.generic {{.*}} attrs = {qcc.origin = "sitofp+mulf"}
func.func @f(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %o: tensor<5x9xi32>) -> tensor<5x9xf32> {
  %y = linalg.matmul {qcc.refused = "because"} ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%o : tensor<5x9xi32>) -> tensor<5x9xi32>
  %e = tensor.empty() : tensor<5x9xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<5x9xi32>) outs(%e : tensor<5x9xf32>) {
  ^bb0(%a: i32, %b: f32):
    %c = arith.constant 2.0 : f32
    %f = arith.sitofp %a : i32 to f32
    %s = arith.mulf %f, %c : f32
    linalg.yield %s : f32
  } -> tensor<5x9xf32>
  return %g : tensor<5x9xf32>
}

// At most four ops of a body are named; one that only moves data is a generic.
// CHECK-LABEL: func.func @long
// CHECK: qcc.origin = "addi+muli+subi+xori+..."
// CHECK: qcc.origin = "linalg.generic"
func.func @long(%x: tensor<4xi32>) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %g = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: i32, %b: i32):
    %0 = arith.addi %a, %a : i32
    %1 = arith.muli %0, %a : i32
    %2 = arith.subi %1, %a : i32
    %3 = arith.xori %2, %a : i32
    %4 = arith.andi %3, %a : i32
    linalg.yield %4 : i32
  } -> tensor<4xi32>
  %h = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]} ins(%g : tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: i32, %b: i32):
    linalg.yield %a : i32
  } -> tensor<4xi32>
  return %h : tensor<4xi32>
}
