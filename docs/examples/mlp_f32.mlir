// RUN: qcc run %s --weights=random:7 --input=random:1:-4:4 --dim=10240 --check | FileCheck %s
// CHECK: check: 5242880 elements, 0 differ

// A two-layer perceptron as quantizing exporters write it: floats everywhere, and a pair of
// quantize and dequantize (Q/DQ) around each operand of the linear layers. By rule N3 of
// docs/Numerics.md a linear layer of two dequantized values runs on integers.
//
// Two kernels come out of it. The first quantizes its f32 input while loading it; what lies
// between the two is int8.

#all = affine_map<(m, n) -> (m, n)>

func.func @mlp(%x: tensor<?x512xf32>) -> tensor<?x512xf32> {
  // Weights [N, K] in int8, one scale per output channel.
  %w1 = arith.constant dense_resource<w1> : tensor<2048x512xi8>
  %w1_scale = arith.constant dense_resource<w1_scale> : tensor<2048xf32>
  %b1 = arith.constant dense_resource<b1> : tensor<2048xf32>
  %w2 = arith.constant dense_resource<w2> : tensor<512x2048xi8>
  %w2_scale = arith.constant dense_resource<w2_scale> : tensor<512xf32>
  %b2 = arith.constant dense_resource<b2> : tensor<512xf32>
  %w1_real = qnn.dequantize %w1 scale(%w1_scale : tensor<2048xf32>) {axis = 0 : i64} : tensor<2048x512xi8> -> tensor<2048x512xf32>
  %w2_real = qnn.dequantize %w2 scale(%w2_scale : tensor<512xf32>) {axis = 0 : i64} : tensor<512x2048xi8> -> tensor<512x2048xf32>

  // Linear 512 -> 2048.
  %xq = qnn.quantize %x : tensor<?x512xf32> -> tensor<?x512x!quant.uniform<i8:f32, 3.125000e-02>>
  %xd = qnn.dequantize %xq : tensor<?x512x!quant.uniform<i8:f32, 3.125000e-02>> -> tensor<?x512xf32>
  %h = qnn.linear %xd, %w1_real bias(%b1 : tensor<2048xf32>) : tensor<?x512xf32>, tensor<2048x512xf32> -> tensor<?x2048xf32>

  // ReLU.
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x512xf32>
  %empty = tensor.empty(%m) : tensor<?x2048xf32>
  %relu = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<?x2048xf32>) outs(%empty : tensor<?x2048xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x2048xf32>

  // Linear 2048 -> 512.
  %hq = qnn.quantize %relu : tensor<?x2048xf32> -> tensor<?x2048x!quant.uniform<i8:f32, 3.300000e+01>>
  %hd = qnn.dequantize %hq : tensor<?x2048x!quant.uniform<i8:f32, 3.300000e+01>> -> tensor<?x2048xf32>
  %y = qnn.linear %hd, %w2_real bias(%b2 : tensor<512xf32>) : tensor<?x2048xf32>, tensor<512x2048xf32> -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}
