// RUN: qcc-opt -pass-pipeline='builtin.module(func.func(fold-constant-prologues{target=x86-64-v3}))' %s | FileCheck %s

#packed = #x86.config<float_tiles, atom = "avx2-f32", tile = [2, 8, 1], block = [2, 8], lhs = in_place, source = model>
#narrow = #x86.config<float_tiles, atom = "avx2-f32", tile = [2, 8, 1], block = [2, 8], lhs = in_place, rhs = narrow,
                      source = model>

// CHECK-LABEL: func.func @widened(
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[}}5.000000e-01, -1.000000e+00], [-2.000000e+00, 0.000000e+00]]> : tensor<2x2xf32>
// CHECK: kernel.contract lhs(%arg0 : tensor<2x2xf32>) rhs(%[[W]] : tensor<2x2xf32>) outs(
// CHECK-NOT: rhs_prologue
func.func @widened(%x: tensor<2x2xf32>, %o: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %w = arith.constant dense<[[1, -2], [-1, 0]]> : tensor<2x2xi8>
  %s = arith.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %y = kernel.contract lhs(%x : tensor<2x2xf32>) rhs(%w : tensor<2x2xi8>) rhs_ins(%s : tensor<2xf32>) outs(%o : tensor<2x2xf32>)
      {lowering_config = #packed}
    rhs_prologue {
  ^bb0(%a: i8, %b: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    kernel.yield %1 : f32
  }
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// The kernel widens it.
// CHECK-LABEL: func.func @kept(
// CHECK: rhs(%{{.*}} : tensor<2x2xi8>) rhs_ins(
// CHECK: rhs_prologue
func.func @kept(%x: tensor<2x2xf32>, %o: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %w = arith.constant dense<[[1, -2], [-1, 0]]> : tensor<2x2xi8>
  %s = arith.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %y = kernel.contract lhs(%x : tensor<2x2xf32>) rhs(%w : tensor<2x2xi8>) rhs_ins(%s : tensor<2xf32>) outs(%o : tensor<2x2xf32>)
      {lowering_config = #narrow}
    rhs_prologue {
  ^bb0(%a: i8, %b: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    kernel.yield %1 : f32
  }
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// What became no prologue.
// CHECK-LABEL: func.func @outside(
// CHECK: %[[W:.*]] = arith.constant dense<[1.500000e+00, -3.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: return %[[W]]
func.func @outside() -> tensor<2xf32> {
  %w = arith.constant dense<[1, -2]> : tensor<2xi8>
  %s = arith.constant dense<1.5> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%w, %s : tensor<2xi8>, tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%a: i8, %b: f32, %out: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    linalg.yield %1 : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// A weight that is no constant keeps its prologue.
// CHECK-LABEL: func.func @argument(
// CHECK: rhs(%arg1 : tensor<2x2xi8>)
// CHECK: rhs_prologue
func.func @argument(%x: tensor<2x2xf32>, %w: tensor<2x2xi8>, %o: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %y = kernel.contract lhs(%x : tensor<2x2xf32>) rhs(%w : tensor<2x2xi8>) outs(%o : tensor<2x2xf32>)
      {lowering_config = #packed}
    rhs_prologue {
  ^bb0(%a: i8):
    %0 = arith.sitofp %a : i8 to f32
    kernel.yield %0 : f32
  }
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
