// RUN: qcc run %s --weights=random:7 --input=random:1 --input=random:2:2000:8000 --input=random:3 --dim=257 --check | FileCheck %s
// CHECK: check: 526336 elements, 0 differ

// tf_linear.mlir with the weight as an argument. Packing can then not happen at compile
// time: `qcc explain` shows what it costs in every call.

#row = affine_map<(m, n) -> (n)>
#all = affine_map<(m, n) -> (m, n)>

func.func @tf_linear(%x: tensor<?x2048xi8>, %s: f32,
                       %w: tensor<2048x2048xi8>) -> tensor<?x2048xi8> {
  %bias = arith.constant dense_resource<bias> : tensor<2048xf32>
  %zero = arith.constant 0 : i32
  %zero_f32 = arith.constant 0.0 : f32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32

  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x2048xi8>
  %empty_i32 = tensor.empty(%m) : tensor<?x2048xi32>
  %empty_f32 = tensor.empty(%m) : tensor<?x2048xf32>
  %empty_i8 = tensor.empty(%m) : tensor<?x2048xi8>

  // matmul, i32
  %init = linalg.fill ins(%zero : i32) outs(%empty_i32 : tensor<?x2048xi32>) -> tensor<?x2048xi32>
  %acc = linalg.matmul ins(%x, %w : tensor<?x2048xi8>, tensor<2048x2048xi8>)
                       outs(%init : tensor<?x2048xi32>) -> tensor<?x2048xi32>

  // cast to f32
  %float = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<?x2048xi32>) outs(%empty_f32 : tensor<?x2048xf32>) {
  ^bb0(%a: i32, %out: f32):
    %f = arith.sitofp %a : i32 to f32
    linalg.yield %f : f32
  } -> tensor<?x2048xf32>

  // bias_add
  %biased = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%float, %bias : tensor<?x2048xf32>, tensor<2048xf32>) outs(%empty_f32 : tensor<?x2048xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<?x2048xf32>

  // relu
  %relu = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%biased : tensor<?x2048xf32>) outs(%empty_f32 : tensor<?x2048xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.maximumf %a, %zero_f32 : f32
    linalg.yield %r : f32
  } -> tensor<?x2048xf32>

  // round(y / s)
  %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%relu : tensor<?x2048xf32>) outs(%empty_f32 : tensor<?x2048xf32>) {
  ^bb0(%a: f32, %out: f32):
    %q = arith.divf %a, %s : f32
    %r = math.roundeven %q : f32
    linalg.yield %r : f32
  } -> tensor<?x2048xf32>

  // clip_by_value, cast to int8
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%rounded : tensor<?x2048xf32>) outs(%empty_i8 : tensor<?x2048xi8>) {
  ^bb0(%a: f32, %out: i8):
    %lower = arith.maximumf %a, %low : f32
    %clipped = arith.minimumf %lower, %high : f32
    %i = arith.fptosi %clipped : f32 to i8
    linalg.yield %i : i8
  } -> tensor<?x2048xi8>
  return %y : tensor<?x2048xi8>
}
