// REQUIRES: x86-64-v3
// Lines that are put element beside element give the bits of the reference: two to sixteen of them, of any length, of
// bytes, halves and floats, with a residual in the order of the result.
// RUN: qcc run %s --mcpu=x86-64-v3 --input=random:1 --dim=37 --dim=37 --check | FileCheck %s
// RUN: qcc run %s --mcpu=x86-64-v3 --input=random:2 --dim=8 --dim=8 --check | FileCheck %s
// RUN: qcc run %s --mcpu=x86-64-v3 --input=random:3 --dim=1 --dim=1 --check | FileCheck %s
// RUN: %if avx512 %{ qcc run %s --mcpu=skylake-avx512 --input=random:4 --dim=83 --dim=83 --check | FileCheck %s %}
// CHECK: 0 differ

#id3 = affine_map<(c, v, q) -> (c, v, q)>
#line3 = affine_map<(c, v, q) -> (q, c, v)>
#id = affine_map<(v, q) -> (v, q)>
#line = affine_map<(v, q) -> (q, v)>

func.func @lines(%x: tensor<2x3x?xf32>, %r: tensor<3x?x2xf32>, %b: tensor<3x100xi8>, %h: tensor<5x41xf16>, %f: tensor<16x19xf32>, %g: tensor<4x9xf64>)
    -> (tensor<3x?x2xf32>, tensor<100x3xi8>, tensor<41x5xf16>, tensor<19x16xf32>, tensor<9x4xf64>) {
  %0 = linalg.generic {indexing_maps = [#line3, #id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %r : tensor<2x3x?xf32>, tensor<3x?x2xf32>) outs(%r : tensor<3x?x2xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<3x?x2xf32>
  %e1 = tensor.empty() : tensor<100x3xi8>
  %1 = linalg.generic {indexing_maps = [#line, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<3x100xi8>) outs(%e1 : tensor<100x3xi8>) {
  ^bb0(%a: i8, %o: i8):
    linalg.yield %a : i8
  } -> tensor<100x3xi8>
  %e2 = tensor.empty() : tensor<41x5xf16>
  %2 = linalg.generic {indexing_maps = [#line, #id], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<5x41xf16>) outs(%e2 : tensor<41x5xf16>) {
  ^bb0(%a: f16, %o: f16):
    linalg.yield %a : f16
  } -> tensor<41x5xf16>
  %e3 = tensor.empty() : tensor<19x16xf32>
  %3 = linalg.generic {indexing_maps = [#line, #id], iterator_types = ["parallel", "parallel"]} ins(%f : tensor<16x19xf32>) outs(%e3 : tensor<19x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 1 : index
    %n = arith.addi %i, %k : index
    %w = arith.index_cast %n : index to i32
    %m = arith.sitofp %w : i32 to f32
    %s = arith.mulf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<19x16xf32>
  %e4 = tensor.empty() : tensor<9x4xf64>
  %4 = linalg.generic {indexing_maps = [#line, #id], iterator_types = ["parallel", "parallel"]} ins(%g : tensor<4x9xf64>) outs(%e4 : tensor<9x4xf64>) {
  ^bb0(%a: f64, %o: f64):
    linalg.yield %a : f64
  } -> tensor<9x4xf64>
  return %0, %1, %2, %3, %4 : tensor<3x?x2xf32>, tensor<100x3xi8>, tensor<41x5xf16>, tensor<19x16xf32>, tensor<9x4xf64>
}
