// RUN: qcc run %s --weights=random:7 --input=random:1 --dim=100 --check | FileCheck %s
// RUN: qcc diff %S/classifier_f32.mlir %s --unfused --tolerance=0.03 --weights=random:7 --input=random:1:-1:1 --dim=100 | FileCheck %s --check-prefix=DIFF
// CHECK: check: 1000 elements, 0 differ
// DIFF: fc1 {{.*}} 0 of 12800 f32 f32
// DIFF: relu1 {{.*}} 0 of 12800 f32 u8, scale 0.045, zero point 3
// DIFF: fc2 {{.*}} 0 of 6400 f32 f32
// DIFF: relu2 {{.*}} 0 of 6400 f32 u8, scale 0.22
// DIFF: fc3 {{.*}} 0 of 1000 f32 f32
// DIFF: no difference

// The quantized form of classifier_f32.mlir, with its weights: they are quantized while the program is compiled. The
// input is quantized by the caller. Three kernels come out of it, each with what follows its contraction.

#all = affine_map<(m, n) -> (m, n)>

!x = !quant.uniform<i8:f32, 7.874016e-03>
!r1 = !quant.uniform<u8:f32, 4.500000e-02:3>
!r2 = !quant.uniform<u8:f32, 2.200000e-01>
!w = !quant.uniform<i8:f32, 7.874016e-03>
!w3 = !quant.uniform<i8:f32:0, {7.874016e-03, 7.874016e-03, 7.8e-03, 7.874016e-03, 7.86e-03, 7.874016e-03, 7.84e-03, 7.874016e-03, 7.874016e-03, 7.874016e-03}>

func.func @classifier(%x: tensor<?x64x!x>) -> tensor<?x10xf32> {
  %w1 = arith.constant dense_resource<w1> : tensor<128x64xf32>
  %b1 = arith.constant dense_resource<b1> : tensor<128xf32>
  %w2 = arith.constant dense_resource<w2> : tensor<64x128xf32>
  %b2 = arith.constant dense_resource<b2> : tensor<64xf32>
  %w3 = arith.constant dense_resource<w3> : tensor<10x64xf32>
  %b3 = arith.constant dense_resource<b3> : tensor<10xf32>
  %w1q = qnn.quantize %w1 : tensor<128x64xf32> -> tensor<128x64x!w>
  %w1d = qnn.dequantize %w1q : tensor<128x64x!w> -> tensor<128x64xf32>
  %w2q = qnn.quantize %w2 : tensor<64x128xf32> -> tensor<64x128x!w>
  %w2d = qnn.dequantize %w2q : tensor<64x128x!w> -> tensor<64x128xf32>
  %w3q = qnn.quantize %w3 : tensor<10x64xf32> -> tensor<10x64x!w3>
  %w3d = qnn.dequantize %w3q : tensor<10x64x!w3> -> tensor<10x64xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64x!x>
  %e1 = tensor.empty(%m) : tensor<?x128xf32>
  %e2 = tensor.empty(%m) : tensor<?x64xf32>

  %xd = qnn.dequantize %x : tensor<?x64x!x> -> tensor<?x64xf32>
  %h1 = qnn.linear %xd, %w1d bias(%b1 : tensor<128xf32>)
    : tensor<?x64xf32>, tensor<128x64xf32> -> tensor<?x128xf32> loc("fc1")
  %r1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%h1 : tensor<?x128xf32>) outs(%e1 : tensor<?x128xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x128xf32> loc("relu1")
  %r1q = qnn.quantize %r1 : tensor<?x128xf32> -> tensor<?x128x!r1>
  %r1d = qnn.dequantize %r1q : tensor<?x128x!r1> -> tensor<?x128xf32>

  %h2 = qnn.linear %r1d, %w2d bias(%b2 : tensor<64xf32>)
    : tensor<?x128xf32>, tensor<64x128xf32> -> tensor<?x64xf32> loc("fc2")
  %r2 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%h2 : tensor<?x64xf32>) outs(%e2 : tensor<?x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x64xf32> loc("relu2")
  %r2q = qnn.quantize %r2 : tensor<?x64xf32> -> tensor<?x64x!r2>
  %r2d = qnn.dequantize %r2q : tensor<?x64x!r2> -> tensor<?x64xf32>

  %y = qnn.linear %r2d, %w3d bias(%b3 : tensor<10xf32>)
    : tensor<?x64xf32>, tensor<10x64xf32> -> tensor<?x10xf32> loc("fc3")
  return %y : tensor<?x10xf32>
}
