// REQUIRES: x86-64-v3
// Quotients that are clamped and rounded, and stay real: zeros of either sign, denormals, infinities, NaN, ties, and ends of
// the clamps, for divisors whose reciprocal is above and below its nearest float.
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy; n = numpy.array([0.0, 1e-45, 1e-38, 1e-20, 1e-6, 0.05, 0.15, 0.35, 1.65, 4.95, 12.7, 12.8, 419.1, 422.4, 1e30, numpy.inf], 'float32'); numpy.save('%t/x', numpy.concatenate([n, -n, n[:1] * numpy.nan]))"
// RUN: qcc run %s --mcpu=x86-64-v3 --input=%t/x.npy --check | FileCheck %s
// RUN: qcc run %s --mcpu=native --input=%t/x.npy --check | FileCheck %s
// CHECK: check: 198 elements, 0 differ
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<33xf32>) -> (tensor<33xf32>, tensor<33xf32>, tensor<33xf32>, tensor<33xf32>, tensor<33xf32>, tensor<33xf32>) {
  %e = tensor.empty() : tensor<33xf32>
  %y0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<33xf32>) outs(%e : tensor<33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.constant 0.1 : f32
    %low = arith.constant -128.0 : f32
    %high = arith.constant 127.0 : f32
    %q = arith.divf %a, %s : f32
    %c = arith.maximumf %q, %low : f32
    %d = arith.minimumf %c, %high : f32
    %r = math.roundeven %d : f32
    linalg.yield %r : f32
  } -> tensor<33xf32>
  %y1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<33xf32>) outs(%e : tensor<33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.constant 3.3 : f32
    %low = arith.constant -128.0 : f32
    %high = arith.constant 127.0 : f32
    %q = arith.divf %a, %s : f32
    %c = arith.maximumf %q, %low : f32
    %d = arith.minimumf %c, %high : f32
    %r = math.roundeven %d : f32
    linalg.yield %r : f32
  } -> tensor<33xf32>
  %y2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<33xf32>) outs(%e : tensor<33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.constant 0.05 : f32
    %low = arith.constant -128.0 : f32
    %high = arith.constant -0.0 : f32
    %q = arith.divf %a, %s : f32
    %c = arith.maximumf %q, %low : f32
    %d = arith.minimumf %c, %high : f32
    %r = math.roundeven %d : f32
    linalg.yield %r : f32
  } -> tensor<33xf32>
  %y3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<33xf32>) outs(%e : tensor<33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.constant 0.007 : f32
    %low = arith.constant 0.0 : f32
    %high = arith.constant 255.0 : f32
    %q = arith.divf %a, %s : f32
    %c = arith.maximumf %q, %low : f32
    %d = arith.minimumf %c, %high : f32
    %r = math.roundeven %d : f32
    linalg.yield %r : f32
  } -> tensor<33xf32>
  %y4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<33xf32>) outs(%e : tensor<33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.constant 0.03125 : f32
    %low = arith.constant -0.0 : f32
    %high = arith.constant 127.0 : f32
    %q = arith.divf %a, %s : f32
    %c = arith.maximumf %q, %low : f32
    %d = arith.minimumf %c, %high : f32
    %r = math.roundeven %d : f32
    linalg.yield %r : f32
  } -> tensor<33xf32>
  %y5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<33xf32>) outs(%e : tensor<33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.constant 0.3 : f32
    %low = arith.constant -5.0 : f32
    %high = arith.constant -0.0 : f32
    %q = arith.divf %a, %s : f32
    %c = arith.maximumf %q, %low : f32
    %d = arith.minimumf %c, %high : f32
    %r = math.roundeven %d : f32
    linalg.yield %r : f32
  } -> tensor<33xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5 : tensor<33xf32>, tensor<33xf32>, tensor<33xf32>, tensor<33xf32>, tensor<33xf32>, tensor<33xf32>
}
