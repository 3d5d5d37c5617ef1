// A layer whose name is markup.
!a = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32:0, {0.25, 0.125:3}>
func.func @main(%x: tensor<4x8x!a>) -> tensor<4x2xf32> {
  %w = arith.constant dense_resource<w> : tensor<2x8x!w>
  %y = qnn.linear %x, %w : tensor<4x8x!a>, tensor<2x8x!w> -> tensor<4x2xf32> loc("</script><script>alert(1)</script><img src=x>")
  return %y : tensor<4x2xf32>
}
