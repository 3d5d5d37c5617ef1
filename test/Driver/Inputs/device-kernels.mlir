!x = !quant.uniform<i8:f32, 2.0e-02>
!w = !quant.uniform<i8:f32, 1.0e-02>
!y = !quant.uniform<i8:f32, 1.5e+00>

// Rows that are not known.
func.func @rows(%x: tensor<?x1024x!x>) -> tensor<?x512x!y> {
  %w = arith.constant dense_resource<w> : tensor<512x1024x!w>
  %y = qnn.linear %x, %w : tensor<?x1024x!x>, tensor<512x1024x!w> -> tensor<?x512x!y>
  return %y : tensor<?x512x!y>
}

// Few tiles and a long K.
func.func @deep(%x: tensor<128x16384x!x>) -> tensor<128x128x!y> {
  %w = arith.constant dense_resource<v> : tensor<128x16384x!w>
  %y = qnn.linear %x, %w : tensor<128x16384x!x>, tensor<128x16384x!w> -> tensor<128x128x!y>
  return %y : tensor<128x128x!y>
}
