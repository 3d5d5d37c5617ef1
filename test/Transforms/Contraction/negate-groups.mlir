// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(negate-groups,canonicalize))' | FileCheck %s

#lhs = affine_map<(m, n, g, k) -> (m, g, k)>
#rhs = affine_map<(m, n, g, k) -> (n, g, k)>
#columns = affine_map<(m, n, g, k) -> (n)>
#row_groups = affine_map<(m, n, g, k) -> (m, g)>
#column_groups = affine_map<(m, n, g, k) -> (g, n)>
#out = affine_map<(m, n, g, k) -> (m, n)>

// The second group of the first column and the first one of the second column have an 8.
// CHECK-LABEL: func.func @negated
// CHECK-DAG: arith.constant dense<{{\[}}{{\[}}[-8, 7, 0, 1], [-8, 7, 1, 1]], {{\[}}[-8, -1, -2, -3], [7, 6, 5, 4]]]> : tensor<2x2x4xi8>
// CHECK-DAG: arith.constant dense<{{\[}}[5.000000e-01, -2.500000e-01], [-1.250000e-01, 6.250000e-02]]> : tensor<2x2xf32>
func.func @negated(%x: tensor<3x2x4xi8>, %t: tensor<3x2xf32>, %o: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense<[[[-8, 7, 0, 1], [8, -7, -1, -1]], [[8, 1, 2, 3], [7, 6, 5, 4]]]> : tensor<2x2x4xi8>
  %s = arith.constant dense<[[0.5, 0.25], [0.125, 0.0625]]> : tensor<2x2xf32>
  %y = kernel.contract lhs(%x : tensor<3x2x4xi8>) rhs(%w : tensor<2x2x4xi8>)
      group_ins(%t, %s : tensor<3x2xf32>, tensor<2x2xf32>) outs(%o : tensor<3x2xf32>)
      {indexing_maps = [#lhs, #rhs, #row_groups, #column_groups, #out], reduction_dims = array<i64: 2, 3>}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %u: f32, %v: f32):
        %f = arith.sitofp %acc : i32 to f32
        %p = arith.mulf %u, %v : f32
        %next = math.fma %f, %p, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      } -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// An initial value without -0 does not matter.
// CHECK-LABEL: func.func @initial_value
// CHECK-DAG: arith.constant dense<{{\[}}{{\[}}[-8, 7, 0, 1], [0, 0, 0, 0]]]> : tensor<1x2x4xi8>
// CHECK-DAG: arith.constant dense<{{\[}}[-5.000000e-01], [2.500000e-01]]> : tensor<2x1xf32>
func.func @initial_value(%x: tensor<3x2x4xi8>, %t: tensor<3x2xf32>, %o: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %w = arith.constant dense<[[[8, -7, 0, -1], [0, 0, 0, 0]]]> : tensor<1x2x4xi8>
  %s = arith.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
  %b = arith.constant dense<0.0> : tensor<1xf32>
  %y = kernel.contract lhs(%x : tensor<3x2x4xi8>) rhs(%w : tensor<1x2x4xi8>) init(%b : tensor<1xf32>)
      group_ins(%t, %s : tensor<3x2xf32>, tensor<2x1xf32>) outs(%o : tensor<3x1xf32>)
      {indexing_maps = [#lhs, #rhs, #columns, #row_groups, #column_groups, #out], reduction_dims = array<i64: 2, 3>}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %u: f32, %v: f32):
        %f = arith.sitofp %acc : i32 to f32
        %p = arith.mulf %v, %u : f32
        %next = math.fma %p, %f, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      } -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

// -0 + 0 is not -0 - 0.
// CHECK-LABEL: func.func @initial_value_with_negative_zero
// CHECK: arith.constant dense<{{\[}}{{\[}}[8, -7, 0, -1], [0, 0, 0, 0]]]> : tensor<1x2x4xi8>
func.func @initial_value_with_negative_zero(%x: tensor<3x2x4xi8>, %t: tensor<3x2xf32>, %o: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %w = arith.constant dense<[[[8, -7, 0, -1], [0, 0, 0, 0]]]> : tensor<1x2x4xi8>
  %s = arith.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
  %b = arith.constant dense<-0.0> : tensor<1xf32>
  %y = kernel.contract lhs(%x : tensor<3x2x4xi8>) rhs(%w : tensor<1x2x4xi8>) init(%b : tensor<1xf32>)
      group_ins(%t, %s : tensor<3x2xf32>, tensor<2x1xf32>) outs(%o : tensor<3x1xf32>)
      {indexing_maps = [#lhs, #rhs, #columns, #row_groups, #column_groups, #out], reduction_dims = array<i64: 2, 3>}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %u: f32, %v: f32):
        %f = arith.sitofp %acc : i32 to f32
        %p = arith.mulf %v, %u : f32
        %next = math.fma %p, %f, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      } -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

// A group has -8 and 8.
// CHECK-LABEL: func.func @too_wide
// CHECK-DAG: arith.constant dense<{{\[}}{{\[}}[8, -8, 0, -1], [0, 0, 0, 0]]]> : tensor<1x2x4xi8>
// CHECK-DAG: arith.constant dense<{{\[}}[5.000000e-01], [2.500000e-01]]> : tensor<2x1xf32>
func.func @too_wide(%x: tensor<3x2x4xi8>, %t: tensor<3x2xf32>, %o: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %w = arith.constant dense<[[[8, -8, 0, -1], [0, 0, 0, 0]]]> : tensor<1x2x4xi8>
  %s = arith.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
  %y = kernel.contract lhs(%x : tensor<3x2x4xi8>) rhs(%w : tensor<1x2x4xi8>)
      group_ins(%t, %s : tensor<3x2xf32>, tensor<2x1xf32>) outs(%o : tensor<3x1xf32>)
      {indexing_maps = [#lhs, #rhs, #row_groups, #column_groups, #out], reduction_dims = array<i64: 2, 3>}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %u: f32, %v: f32):
        %f = arith.sitofp %acc : i32 to f32
        %p = arith.mulf %u, %v : f32
        %next = math.fma %f, %p, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      } -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

// The scale is a term, not a factor.
// CHECK-LABEL: func.func @term
// CHECK: arith.constant dense<{{\[}}{{\[}}[8, -7, 0, -1], [0, 0, 0, 0]]]> : tensor<1x2x4xi8>
func.func @term(%x: tensor<3x2x4xi8>, %t: tensor<3x2xf32>, %o: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %w = arith.constant dense<[[[8, -7, 0, -1], [0, 0, 0, 0]]]> : tensor<1x2x4xi8>
  %s = arith.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
  %y = kernel.contract lhs(%x : tensor<3x2x4xi8>) rhs(%w : tensor<1x2x4xi8>)
      group_ins(%t, %s : tensor<3x2xf32>, tensor<2x1xf32>) outs(%o : tensor<3x1xf32>)
      {indexing_maps = [#lhs, #rhs, #row_groups, #column_groups, #out], reduction_dims = array<i64: 2, 3>}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %u: f32, %v: f32):
        %f = arith.sitofp %acc : i32 to f32
        %p = arith.addf %u, %v : f32
        %next = math.fma %f, %p, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      } -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}
