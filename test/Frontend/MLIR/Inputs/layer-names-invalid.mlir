func.func @f(%x: tensor<4x8xf32>, %w: tensor<3x7xf32>) -> tensor<4x3xf32> {
  %0 = qnn.linear %x, %w : tensor<4x8xf32>, tensor<3x7xf32> -> tensor<4x3xf32> loc("fc1")
  return %0 : tensor<4x3xf32>
}
