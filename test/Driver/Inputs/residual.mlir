!x = !quant.uniform<i8:f32, 5.000000e-02>
!w = !quant.uniform<i8:f32, 1.000000e-02>
func.func @residual(%x: tensor<?x8x!x>, %r: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %w = arith.constant dense_resource<w> : tensor<4x8x!w>
  %y = qnn.linear %x, %w : tensor<?x8x!x>, tensor<4x8x!w> -> tensor<?x4xf32>
  %z = arith.addf %r, %y : tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}
