!x = !quant.uniform<u8:f32, 5.000000e-02>
!w = !quant.uniform<i8:f32, 1.000000e-02>
func.func @layers(%x: tensor<?x4x!x>) -> tensor<?x2xf32> {
  %w1 = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [-1, -2, -3, -4], [4, 3, 2, 1]]> : tensor<4x4xi8>
  %w2 = arith.constant dense<[[4, 3, 2, 1], [1, 2, 3, 4], [-4, -3, -2, -1], [5, 6, 7, 8]]> : tensor<4x4xi8>
  %w3 = arith.constant dense<[[1, 1, 2, 2], [3, 3, 4, 4]]> : tensor<2x4xi8>
  %q1 = quant.scast %w1 : tensor<4x4xi8> to tensor<4x4x!w>
  %q2 = quant.scast %w2 : tensor<4x4xi8> to tensor<4x4x!w>
  %q3 = quant.scast %w3 : tensor<2x4xi8> to tensor<2x4x!w>
  %a = qnn.linear %x, %q1 : tensor<?x4x!x>, tensor<4x4x!w> -> tensor<?x4x!x> loc("fc1")
  %b = qnn.linear %a, %q2 : tensor<?x4x!x>, tensor<4x4x!w> -> tensor<?x4x!x> loc("fc2")
  %c = qnn.linear %b, %q3 : tensor<?x4x!x>, tensor<2x4x!w> -> tensor<?x2xf32> loc("fc3")
  return %c : tensor<?x2xf32>
}
