// untransposed.mlir, but two of its values are transposed.
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %e = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  %0 = arith.addf %t, %t : tensor<8x4xf32> loc("a")
  %f = tensor.empty() : tensor<4x8xf32>
  %u = linalg.transpose ins(%0 : tensor<8x4xf32>) outs(%f : tensor<4x8xf32>) permutation = [1, 0]
  %1 = math.absf %u : tensor<4x8xf32> loc("b")
  %2 = math.ceil %t : tensor<8x4xf32>
  return %1, %0, %2 : tensor<4x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
