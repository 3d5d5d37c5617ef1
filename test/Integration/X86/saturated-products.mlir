// REQUIRES: x86-64-v3
// A clamp in front of products that are truncated, not rounded, to whole numbers: the bound times both factors is -128 to
// more digits than a float has, and rounds to a little more, so that packing would clamp to another byte. Likewise a clamp
// in front of a rounding that another clamp, at a fraction, follows.
// RUN: qcc run %s --mcpu=x86-64-v3 --input=random:1 --check | FileCheck %s
// RUN: qcc run %s --mcpu=native --input=random:1 --check | FileCheck %s
// CHECK: check: 2048 elements, 0 differ
#mn = affine_map<(m, n) -> (m, n)>
func.func @main(%x: tensor<16x64xi8>, %w: tensor<64x64xi8>, %v: tensor<64x64xi8>) -> (tensor<16x64xi8>, tensor<16x64xi8>) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16x64xi32>
  %o = tensor.empty() : tensor<16x64xi8>
  %i = linalg.fill ins(%zero : i32) outs(%e : tensor<16x64xi32>) -> tensor<16x64xi32>
  %a = linalg.matmul ins(%x, %w : tensor<16x64xi8>, tensor<64x64xi8>) outs(%i : tensor<16x64xi32>) -> tensor<16x64xi32>
  %y = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<16x64xi32>) outs(%o : tensor<16x64xi8>) {
  ^bb0(%in: i32, %out: i8):
    %scale = arith.constant 1.0e-02 : f32
    %low = arith.constant -146.0885772705078 : f32
    %high = arith.constant 100.0 : f32
    %f1 = arith.constant 0.4489935040473938 : f32
    %f2 = arith.constant 1.9514330625534058 : f32
    %f = arith.sitofp %in : i32 to f32
    %t = arith.mulf %f, %scale : f32
    %c = arith.maximumf %t, %low : f32
    %d = arith.minimumf %c, %high : f32
    %p = arith.mulf %d, %f1 : f32
    %q = arith.mulf %p, %f2 : f32
    %least = arith.constant -128.0 : f32
    %most = arith.constant 127.0 : f32
    %l = arith.maximumf %q, %least : f32
    %m = arith.minimumf %l, %most : f32
    %n = arith.fptosi %m : f32 to i32
    %b = arith.trunci %n : i32 to i8
    linalg.yield %b : i8
  } -> tensor<16x64xi8>
  %k = linalg.matmul ins(%x, %v : tensor<16x64xi8>, tensor<64x64xi8>) outs(%i : tensor<16x64xi32>) -> tensor<16x64xi32>
  %z = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%k : tensor<16x64xi32>) outs(%o : tensor<16x64xi8>) {
  ^bb0(%in: i32, %out: i8):
    %scale = arith.constant 1.0e-02 : f32
    %inner = arith.constant -127.45 : f32
    %outer = arith.constant -127.4 : f32
    %high = arith.constant 100.0 : f32
    %factor = arith.constant 1.003 : f32
    %f = arith.sitofp %in : i32 to f32
    %t = arith.mulf %f, %scale : f32
    %c = arith.maximumf %t, %inner : f32
    %d = arith.minimumf %c, %high : f32
    %p = math.roundeven %d : f32
    %q = arith.maximumf %p, %outer : f32
    %g = arith.mulf %q, %factor : f32
    %least = arith.constant -128.0 : f32
    %most = arith.constant 127.0 : f32
    %l = arith.maximumf %g, %least : f32
    %m = arith.minimumf %l, %most : f32
    %h = math.roundeven %m : f32
    %n = arith.fptosi %h : f32 to i32
    %b = arith.trunci %n : i32 to i8
    linalg.yield %b : i8
  } -> tensor<16x64xi8>
  return %y, %z : tensor<16x64xi8>, tensor<16x64xi8>
}
