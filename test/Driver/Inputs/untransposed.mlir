// transposed.mlir, but none of its values is transposed.
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = arith.addf %x, %x : tensor<4x8xf32> loc("a")
  %1 = math.absf %0 : tensor<4x8xf32> loc("b")
  %2 = math.ceil %x : tensor<4x8xf32>
  return %1, %0, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
