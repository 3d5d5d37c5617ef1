// Contractions of f32 are formed where they are asked for.
// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(form-contractions{floats=true},collapse-reductions))' | FileCheck %s
// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(form-contractions))' | FileCheck %s --check-prefix=INT
// INT-NOT: kernel.contract

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>

// What follows becomes the epilogue; a fill with +0.0 is no initial value.
// CHECK-LABEL: func.func @relu(
// CHECK: kernel.contract lhs(%arg0 : tensor<4x8xf32>) rhs(%arg1 : tensor<8x16xf32>) outs(
// CHECK: ^bb0(%[[ACC:.*]]: f32):
// CHECK: arith.maximumf %[[ACC]]
func.func @relu(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %0 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%f : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %1 = math.fma %a, %b, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<4x16xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %3 = arith.maximumf %a, %zero : f32
    linalg.yield %3 : f32
  } -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// A chain that starts from -0.0 may end in -0.0.
// CHECK-LABEL: func.func @minus_zero(
// CHECK: kernel.contract lhs({{.*}}) rhs({{.*}}) init(
func.func @minus_zero(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant -0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %0 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%f : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %1 = math.fma %a, %b, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// What widens a factor is a pass of its own, which becomes a prologue.
// CHECK-LABEL: func.func @widened(
// CHECK: kernel.contract lhs(%arg0 : tensor<4x8xf16>) rhs(%arg1 : tensor<8x16xi8>) init(%arg2 : tensor<4x16xf32>)
// CHECK: lhs_prologue {
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: rhs_prologue {
// CHECK: arith.sitofp %{{.*}} : i8 to f32
// CHECK: arith.mulf
func.func @widened(%x: tensor<4x8xf16>, %w: tensor<8x16xi8>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %scale = arith.constant 0.5 : f32
  %0 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf16>, tensor<8x16xi8>) outs(%y : tensor<4x16xf32>) {
  ^bb0(%a: f16, %b: i8, %acc: f32):
    %1 = arith.extf %a : f16 to f32
    %2 = arith.sitofp %b : i8 to f32
    %3 = arith.mulf %2, %scale : f32
    %4 = math.fma %1, %3, %acc : f32
    linalg.yield %4 : f32
  } -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// A constant factor is computed at once.
// CHECK-LABEL: func.func @constant(
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00], [
// CHECK-SAME: tensor<2x5xf32>
// CHECK: kernel.contract lhs(%arg0 : tensor<4x2xf32>) rhs(%[[W]] : tensor<2x5xf32>)
func.func @constant(%x: tensor<4x2xf32>, %y: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [0.5, 1.5, 2.5, 3.5, 4.5]]> : tensor<2x5xf16>
  %0 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x2xf32>, tensor<2x5xf16>) outs(%y : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f16, %acc: f32):
    %1 = arith.extf %b : f16 to f32
    %2 = math.fma %a, %1, %acc : f32
    linalg.yield %2 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// Dimensions of K keep their order, and those that are neighbours become one.
// CHECK-LABEL: func.func @order(
// CHECK: kernel.contract
// CHECK-SAME: reduction_dims = array<i64: 3, 4, 5>, reduction_sizes = array<i64: 2, 3, 3>
func.func @order(%x: tensor<1x6x6x2xf32>, %w: tensor<16x2x3x3xf32>, %y: tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(b, h, w, f, c, kh, kw) -> (b, h + kh, w + kw, c)>,
                                        affine_map<(b, h, w, f, c, kh, kw) -> (f, c, kh, kw)>,
                                        affine_map<(b, h, w, f, c, kh, kw) -> (b, h, w, f)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x6x6x2xf32>, tensor<16x2x3x3xf32>) outs(%y : tensor<1x4x4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %1 = math.fma %a, %b, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<1x4x4x16xf32>
  return %0 : tensor<1x4x4x16xf32>
}

// CHECK-LABEL: func.func @neighbours(
// CHECK: kernel.contract
// CHECK-SAME: reduction_sizes = array<i64: 3, 15>
func.func @neighbours(%x: tensor<6x6x5xf32>, %w: tensor<3x3x5x16xf32>, %y: tensor<4x4x16xf32>) -> tensor<4x4x16xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(h, w, f, kh, kw, c) -> (h + kh, w + kw, c)>,
                                        affine_map<(h, w, f, kh, kw, c) -> (kh, kw, c, f)>,
                                        affine_map<(h, w, f, kh, kw, c) -> (h, w, f)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<6x6x5xf32>, tensor<3x3x5x16xf32>) outs(%y : tensor<4x4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %1 = math.fma %a, %b, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<4x4x16xf32>
  return %0 : tensor<4x4x16xf32>
}

// Two inputs in one factor, the accumulator in a factor, another order of the sum, and wide accumulators.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: kernel.contract
func.func @others(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %y: tensor<4x16xf32>, %z: tensor<4x16xf64>) -> (tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf64>) {
  %0 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%y : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %3 = arith.addf %a, %b : f32
    %4 = math.fma %3, %b, %acc : f32
    linalg.yield %4 : f32
  } -> tensor<4x16xf32>
  %1 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%y : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %3 = arith.maximumf %a, %acc : f32
    %4 = math.fma %3, %b, %acc : f32
    linalg.yield %4 : f32
  } -> tensor<4x16xf32>
  %2 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%z : tensor<4x16xf64>) {
  ^bb0(%a: f32, %b: f32, %acc: f64):
    %3 = arith.extf %a : f32 to f64
    %4 = arith.extf %b : f32 to f64
    %5 = math.fma %3, %4, %acc : f64
    linalg.yield %5 : f64
  } -> tensor<4x16xf64>
  return %0, %1, %2 : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf64>
}

// CHECK-LABEL: func.func @few_columns(
// CHECK: linalg.generic {{.*}}qcc.refused = "it has few columns: computed by generic loops, which have other dimensions in their lanes"
func.func @few_columns(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%y : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %1 = math.fma %a, %b, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
