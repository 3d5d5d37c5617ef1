// RUN: qcc run %s --weights=random:7 --input=random:1:-4:4 --dim=130 --check | FileCheck %s
// CHECK: check: 99840 elements, 0 differ

// Dynamic quantization per row (per token): each row of the activation is scaled by its own
// largest magnitude, found at run time, so no calibration is needed. The scales are operands
// of the quantized ops, [M, 1]; the weight has one scale per output channel.

#all = affine_map<(m, k) -> (m, k)>
#row = affine_map<(m, k) -> (m)>
#one = affine_map<(m) -> (m)>

func.func @dynamic_quant(%x: tensor<?x1024xf32>) -> tensor<?x768xf32> {
  %w = arith.constant dense_resource<w> : tensor<768x1024xi8>
  %w_scale = arith.constant dense_resource<w_scale> : tensor<768xf32>
  %bias = arith.constant dense_resource<bias> : tensor<768xf32>
  %zero = arith.constant 0.0 : f32
  %tiny = arith.constant 1.000000e-06 : f32
  %limit = arith.constant 127.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x1024xf32>
  %empty = tensor.empty(%m) : tensor<?xf32>

  // The largest magnitude of each row.
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %largest = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x1024xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %magnitude = math.absf %a : f32
    %max = arith.maximumf %acc, %magnitude : f32
    linalg.yield %max : f32
  } -> tensor<?xf32>

  // scale = max(largest, 1e-6) / 127
  %scales = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%largest : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %bounded = arith.maximumf %a, %tiny : f32
    %s = arith.divf %bounded, %limit : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %s = tensor.expand_shape %scales [[0, 1]] output_shape [%m, 1] : tensor<?xf32> into tensor<?x1xf32>

  %q = qnn.quantize %x scale(%s : tensor<?x1xf32>) : tensor<?x1024xf32> -> tensor<?x1024xi8>
  %y = qnn.linear %q, %w bias(%bias : tensor<768xf32>) input_scale(%s : tensor<?x1xf32>) weight_scale(%w_scale : tensor<768xf32>)
    : tensor<?x1024xi8>, tensor<768x1024xi8> -> tensor<?x768xf32>
  return %y : tensor<?x768xf32>
}
