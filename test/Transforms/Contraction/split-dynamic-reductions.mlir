// RUN: qcc-opt %s --split-dynamic-reductions | FileCheck %s

// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// The left operand is padded by its zero point, the right one by anything; sums begin with the initial value.
// CHECK-LABEL: func @split
// CHECK-SAME: %[[X:.*]]: tensor<?x?xi8>, %[[W:.*]]: tensor<?x32xi8>, %[[INIT:.*]]: tensor<?x32xi32>
// CHECK: tensor.pad %[[X]] low[0, 0] high[0,
// CHECK: tensor.yield %c5_i8
// CHECK: %[[A:.*]] = tensor.expand_shape {{.*}} {{\[\[}}0], [1, 2]] {{.*}} into tensor<?x?x64xi8>
// CHECK: tensor.pad %[[W]]
// CHECK: tensor.yield %c0_i8
// CHECK: %[[B:.*]] = tensor.expand_shape {{.*}} {{\[\[}}0, 1], [2]] {{.*}} into tensor<?x64x32xi8>
// CHECK: %[[PARTS:.*]] = linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[A]], %[[B]]
// CHECK: linalg.generic {{.*}}["reduction", "parallel", "parallel"]} ins(%[[PARTS]] : tensor<?x?x32xi32>) outs(%[[INIT]] {{.*}} "sum of parts of K"
func.func @split(%x: tensor<?x?xi8>, %w: tensor<?x32xi8>, %init: tensor<?x32xi32>) -> tensor<?x32xi32> {
  %zero = arith.constant 5 : i32
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?xi8>, tensor<?x32xi8>) outs(%init : tensor<?x32xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.subi %0, %zero : i32
    %2 = arith.extsi %b : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %acc, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// Eight columns are too few.
// CHECK-LABEL: func @few
// CHECK-NOT: tensor.pad
func.func @few(%x: tensor<?x?xi8>, %w: tensor<?x8xi8>, %init: tensor<?x8xi32>) -> tensor<?x8xi32> {
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?xi8>, tensor<?x8xi8>) outs(%init : tensor<?x8xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %acc, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<?x8xi32>
  return %y : tensor<?x8xi32>
}

// A zero point that is no byte cannot be an element of padding.
// CHECK-LABEL: func @wide_zero_points
// CHECK-NOT: tensor.pad
func.func @wide_zero_points(%x: tensor<?x?xi8>, %w: tensor<?x32xi8>, %init: tensor<?x32xi32>) -> tensor<?x32xi32> {
  %zero = arith.constant 300 : i32
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?xi8>, tensor<?x32xi8>) outs(%init : tensor<?x32xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.subi %0, %zero : i32
    %2 = arith.extsi %b : i8 to i32
    %3 = arith.subi %2, %zero : i32
    %4 = arith.muli %1, %3 : i32
    %5 = arith.addi %acc, %4 : i32
    linalg.yield %5 : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}
