// A contraction of sums of groups of K takes in the chain over the groups, where that is asked for.
// RUN: qcc-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(form-contractions{groups=true},collapse-reductions))' | FileCheck %s
// RUN: qcc-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(form-contractions))' | FileCheck %s --check-prefix=APART
// APART-NOT: group_epilogue

#mgk = affine_map<(m, n, g, k) -> (m, g, k)>
#ngk = affine_map<(m, n, g, k) -> (n, g, k)>
#gmn = affine_map<(m, n, g, k) -> (g, m, n)>
#sums = affine_map<(m, n, g) -> (g, m, n)>
#rows = affine_map<(m, n, g) -> (m, 0)>
#scales = affine_map<(m, n, g) -> (g, n)>
#mn = affine_map<(m, n, g) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>

// The bias is the initial total; what follows becomes the epilogue. K is not collapsed.
// CHECK-LABEL: func.func @chain(
// CHECK: %[[W:.*]] = arith.constant dense<3> : tensor<24x4x16xi8>
// CHECK: kernel.contract lhs(%arg0 : tensor<5x4x16xi8>) rhs(%[[W]] : tensor<24x4x16xi8>) init(%arg3 : tensor<5x24xf32>) group_ins(%arg1, %arg2 : tensor<5x1xf32>, tensor<4x24xf32>)
// CHECK-SAME: reduction_dims = array<i64: 2, 3>
// CHECK: group_epilogue {
// CHECK: ^bb0(%[[ACC:.*]]: i32, %[[TOTAL:.*]]: f32, %[[SX:.*]]: f32, %[[SW:.*]]: f32):
// CHECK: %[[V:.*]] = arith.sitofp %[[ACC]]
// CHECK: %[[S:.*]] = arith.mulf %[[SX]], %[[SW]]
// CHECK: %[[NEXT:.*]] = math.fma %[[V]], %[[S]], %[[TOTAL]]
// CHECK: kernel.yield %[[NEXT]]
// CHECK: epilogue {
// CHECK: ^bb0(%[[T:.*]]: f32):
// CHECK: arith.maximumf %[[T]]
func.func @chain(%x: tensor<5x4x16xi8>, %sx: tensor<5x1xf32>, %sw: tensor<4x24xf32>, %b: tensor<5x24xf32>) -> tensor<5x24xf32> {
  %w = arith.constant dense<3> : tensor<24x4x16xi8>
  %zero = arith.constant 0 : i32
  %low = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x5x24xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4x5x24xi32>) -> tensor<4x5x24xi32>
  %0 = linalg.generic {indexing_maps = [#mgk, #ngk, #gmn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x4x16xi8>, tensor<24x4x16xi8>) outs(%f : tensor<4x5x24xi32>) {
  ^bb0(%a: i8, %c: i8, %acc: i32):
    %l = arith.extsi %a : i8 to i32
    %r = arith.extsi %c : i8 to i32
    %p = arith.muli %l, %r : i32
    %s = arith.addi %acc, %p : i32
    linalg.yield %s : i32
  } -> tensor<4x5x24xi32>
  %1 = linalg.generic {indexing_maps = [#sums, #rows, #scales, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%0, %sx, %sw : tensor<4x5x24xi32>, tensor<5x1xf32>, tensor<4x24xf32>) outs(%b : tensor<5x24xf32>) {
  ^bb0(%sum: i32, %s: f32, %t: f32, %total: f32):
    %v = arith.sitofp %sum : i32 to f32
    %p = arith.mulf %s, %t : f32
    %n = math.fma %v, %p, %total : f32
    linalg.yield %n : f32
  } -> tensor<5x24xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<5x24xf32>) outs(%b : tensor<5x24xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.maximumf %a, %low : f32
    linalg.yield %m : f32
  } -> tensor<5x24xf32>
  return %2 : tensor<5x24xf32>
}

// -----

#mgk = affine_map<(m, n, g, k) -> (m, g, k)>
#ngk = affine_map<(m, n, g, k) -> (n, g, k)>
#gmn = affine_map<(m, n, g, k) -> (g, m, n)>
#sums = affine_map<(m, n, g) -> (g, m, n)>
#mn = affine_map<(m, n, g) -> (m, n)>

// Weights that are no constants are packed when the program runs, without groups.
// CHECK-LABEL: func.func @argument(
// CHECK: kernel.contract
// CHECK-NOT: group_epilogue
// CHECK: linalg.generic
// CHECK-SAME: qcc.refused = "the right operand of groups of K is not a constant"
func.func @argument(%x: tensor<5x4x16xi8>, %w: tensor<24x4x16xi8>, %b: tensor<5x24xf32>) -> tensor<5x24xf32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4x5x24xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4x5x24xi32>) -> tensor<4x5x24xi32>
  %0 = linalg.generic {indexing_maps = [#mgk, #ngk, #gmn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x4x16xi8>, tensor<24x4x16xi8>) outs(%f : tensor<4x5x24xi32>) {
  ^bb0(%a: i8, %c: i8, %acc: i32):
    %l = arith.extsi %a : i8 to i32
    %r = arith.extsi %c : i8 to i32
    %p = arith.muli %l, %r : i32
    %s = arith.addi %acc, %p : i32
    linalg.yield %s : i32
  } -> tensor<4x5x24xi32>
  %1 = linalg.generic {indexing_maps = [#sums, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%0 : tensor<4x5x24xi32>) outs(%b : tensor<5x24xf32>) {
  ^bb0(%sum: i32, %total: f32):
    %v = arith.sitofp %sum : i32 to f32
    %n = arith.addf %v, %total : f32
    linalg.yield %n : f32
  } -> tensor<5x24xf32>
  return %1 : tensor<5x24xf32>
}

// -----

#mgk = affine_map<(m, n, g, k) -> (m, g, k)>
#ngk = affine_map<(m, n, g, k) -> (n, g, k)>
#gmn = affine_map<(m, n, g, k) -> (g, m, n)>
#sums = affine_map<(m, n, g) -> (g, m, n)>
#mn = affine_map<(m, n, g) -> (m, n)>

// Words have 4 elements.
// CHECK-LABEL: func.func @narrow(
// CHECK-NOT: group_epilogue
// CHECK: qcc.refused = "groups of K are not several of whole words of 4 elements"
func.func @narrow(%x: tensor<5x4x6xi8>, %b: tensor<5x24xf32>) -> tensor<5x24xf32> {
  %w = arith.constant dense<3> : tensor<24x4x6xi8>
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4x5x24xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4x5x24xi32>) -> tensor<4x5x24xi32>
  %0 = linalg.generic {indexing_maps = [#mgk, #ngk, #gmn], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x4x6xi8>, tensor<24x4x6xi8>) outs(%f : tensor<4x5x24xi32>) {
  ^bb0(%a: i8, %c: i8, %acc: i32):
    %l = arith.extsi %a : i8 to i32
    %r = arith.extsi %c : i8 to i32
    %p = arith.muli %l, %r : i32
    %s = arith.addi %acc, %p : i32
    linalg.yield %s : i32
  } -> tensor<4x5x24xi32>
  %1 = linalg.generic {indexing_maps = [#sums, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%0 : tensor<4x5x24xi32>) outs(%b : tensor<5x24xf32>) {
  ^bb0(%sum: i32, %total: f32):
    %v = arith.sitofp %sum : i32 to f32
    %n = arith.addf %v, %total : f32
    linalg.yield %n : f32
  } -> tensor<5x24xf32>
  return %1 : tensor<5x24xf32>
}
