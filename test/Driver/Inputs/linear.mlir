!x = !quant.uniform<i8:f32, 5.000000e-02>
!w = !quant.uniform<i8:f32, 1.000000e-02>
func.func @linear(%x: tensor<?x8x!x>) -> tensor<?x4xf32> {
  %w = arith.constant dense_resource<w> : tensor<4x8x!w>
  %b = arith.constant dense_resource<b> : tensor<4xf32>
  %y = qnn.linear %x, %w bias(%b : tensor<4xf32>) : tensor<?x8x!x>, tensor<4x8x!w> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
