// RUN: qcc run %s --weights=random:7 --input=random:1:-4:4 --dim=10240 --check | FileCheck %s
// CHECK: check: 5242880 elements, 0 differ

// mlp_f32.mlir with f16 at its boundary: the first kernel quantizes the f16 input, the
// second rounds its result to f16 once. Here each weight has one scale, in its type.

#all = affine_map<(m, n) -> (m, n)>

!w1 = !quant.uniform<i8:f32, 1.100000e-03>
!w2 = !quant.uniform<i8:f32, 7.000000e-04>
!x = !quant.uniform<i8:f32, 3.125000e-02>
!h = !quant.uniform<i8:f32, 4.000000e-02>

func.func @mlp(%x: tensor<?x512xf16>) -> tensor<?x512xf16> {
  %w1 = arith.constant dense_resource<w1> : tensor<2048x512x!w1>
  %b1 = arith.constant dense_resource<b1> : tensor<2048xf32>
  %w2 = arith.constant dense_resource<w2> : tensor<512x2048x!w2>
  %b2 = arith.constant dense_resource<b2> : tensor<512xf32>
  %w1_real = qnn.dequantize %w1 : tensor<2048x512x!w1> -> tensor<2048x512xf32>
  %w2_real = qnn.dequantize %w2 : tensor<512x2048x!w2> -> tensor<512x2048xf32>

  // Linear 512 -> 2048.
  %xq = qnn.quantize %x : tensor<?x512xf16> -> tensor<?x512x!x>
  %xd = qnn.dequantize %xq : tensor<?x512x!x> -> tensor<?x512xf32>
  %h = qnn.linear %xd, %w1_real bias(%b1 : tensor<2048xf32>) : tensor<?x512xf32>, tensor<2048x512xf32> -> tensor<?x2048xf32>

  // ReLU.
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x512xf16>
  %empty = tensor.empty(%m) : tensor<?x2048xf32>
  %relu = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<?x2048xf32>) outs(%empty : tensor<?x2048xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x2048xf32>

  // Linear 2048 -> 512.
  %hq = qnn.quantize %relu : tensor<?x2048xf32> -> tensor<?x2048x!h>
  %hd = qnn.dequantize %hq : tensor<?x2048x!h> -> tensor<?x2048xf32>
  %y = qnn.linear %hd, %w2_real bias(%b2 : tensor<512xf32>) : tensor<?x2048xf32>, tensor<512x2048xf32> -> tensor<?x512xf16>
  return %y : tensor<?x512xf16>
}
