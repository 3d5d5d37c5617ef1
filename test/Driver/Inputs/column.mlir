!x = !quant.uniform<i8:f32, 5.0e-02>
!y = !quant.uniform<i8:f32, 2.0e+00>
!w = !quant.uniform<i8:f32, 7.8e-03>

// One column of results, of weights over the whole range of i8 where these are random.
func.func @main(%x: tensor<128x256x!x>) -> tensor<128x1x!y> {
  %w = arith.constant dense_resource<w> : tensor<1x256xf32>
  %wq = qnn.quantize %w : tensor<1x256xf32> -> tensor<1x256x!w>
  %y = qnn.linear %x, %wq : tensor<128x256x!x>, tensor<1x256x!w> -> tensor<128x1x!y> loc("fc")
  return %y : tensor<128x1x!y>
}
