!x = !quant.uniform<i8:f32, 5.000000e-02>
func.func @first(%x: tensor<?x8x!x>) -> tensor<?x8xf32> {
  %y = qnn.dequantize %x : tensor<?x8x!x> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
func.func @second(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %a = arith.addf %x, %y : tensor<?x8xf32>
  %b = arith.mulf %x, %y : tensor<?x8xf32>
  return %a, %b : tensor<?x8xf32>, tensor<?x8xf32>
}
