// RUN: qcc-opt -pass-pipeline='builtin.module(func.func(expose-narrow-weights))' %s | FileCheck %s

#id3 = affine_map<(n, g, k) -> (n, g, k)>
#scale = affine_map<(n, g, k) -> (n, g, 0)>
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1)>

// The loop over K becomes one over blocks and one inside of them.
// CHECK-LABEL: func.func @blocks(
// CHECK: %[[F:.*]] = linalg.generic {{.*}} tensor<6x2x4xi8>, tensor<6x2x1xf32>
// CHECK: %[[E:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [3, 2, 4]
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
// CHECK-SAME: ins(%[[E]], %[[F]] : tensor<3x2x4xf32>, tensor<6x2x4xf32>)
// CHECK-SAME: qcc.origin = "MatMul"
func.func @blocks(%x: tensor<3x8xf32>, %o: tensor<3x6xf32>) -> tensor<3x6xf32> {
  %q = arith.constant dense<1> : tensor<6x2x4xi8>
  %s = arith.constant dense<0.5> : tensor<6x2x1xf32>
  %e = tensor.empty() : tensor<6x2x4xf32>
  %f = linalg.generic {indexing_maps = [#id3, #scale, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q, %s : tensor<6x2x4xi8>, tensor<6x2x1xf32>) outs(%e : tensor<6x2x4xf32>) {
  ^bb0(%a: i8, %b: f32, %out: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<6x2x4xf32>
  %c = tensor.collapse_shape %f [[0], [1, 2]] : tensor<6x2x4xf32> into tensor<6x8xf32>
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %c : tensor<3x8xf32>, tensor<6x8xf32>) outs(%o : tensor<3x6xf32>) attrs = {qcc.origin = "MatMul"} {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x6xf32>
  return %y : tensor<3x6xf32>
}

// A transpose between the two goes into the map, whichever operand the weight is.
// CHECK-LABEL: func.func @transposed(
// CHECK-NOT: tensor.collapse_shape
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<6x2x4xf32>, tensor<3x2x4xf32>)
// CHECK-NOT: linalg.generic
func.func @transposed(%x: tensor<3x8xf32>, %o: tensor<3x6xf32>) -> tensor<3x6xf32> {
  %q = arith.constant dense<1> : tensor<6x2x4xi8>
  %s = arith.constant dense<0.5> : tensor<6x2x1xf32>
  %e = tensor.empty() : tensor<6x2x4xf32>
  %f = linalg.generic {indexing_maps = [#id3, #scale, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q, %s : tensor<6x2x4xi8>, tensor<6x2x1xf32>) outs(%e : tensor<6x2x4xf32>) {
  ^bb0(%a: i8, %b: f32, %out: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<6x2x4xf32>
  %c = tensor.collapse_shape %f [[0], [1, 2]] : tensor<6x2x4xf32> into tensor<6x8xf32>
  %te = tensor.empty() : tensor<8x6xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<6x8xf32>) outs(%te : tensor<8x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<8x6xf32>
  %y = linalg.generic {indexing_maps = [#kn, #x, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%t, %x : tensor<8x6xf32>, tensor<3x8xf32>) outs(%o : tensor<3x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x6xf32>
  return %y : tensor<3x6xf32>
}

// Blocks of columns are no loop of the contraction that can be divided here.
// CHECK-LABEL: func.func @columns(
// CHECK: %[[F:.*]] = arith.constant dense_resource<columns_widened> : tensor<6x2x4xf32>
// CHECK: tensor.collapse_shape %[[F]]
func.func @columns(%x: tensor<3x4xf32>, %o: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %q = arith.constant dense<1> : tensor<6x2x4xi8>
  %s = arith.constant dense<0.5> : tensor<6x2x1xf32>
  %e = tensor.empty() : tensor<6x2x4xf32>
  %f = linalg.generic {indexing_maps = [#id3, #scale, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q, %s : tensor<6x2x4xi8>, tensor<6x2x1xf32>) outs(%e : tensor<6x2x4xf32>) {
  ^bb0(%a: i8, %b: f32, %out: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<6x2x4xf32>
  %c = tensor.collapse_shape %f [[0, 1], [2]] : tensor<6x2x4xf32> into tensor<12x4xf32>
  %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %c : tensor<3x4xf32>, tensor<12x4xf32>) outs(%o : tensor<3x12xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x12xf32>
  return %y : tensor<3x12xf32>
}
