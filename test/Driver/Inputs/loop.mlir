// Work on a tensor, as often as an argument says.
func.func @main(%x: tensor<16xf32>, %count: tensor<index>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.extract %count[] : tensor<index>
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<16xf32> {
    %b = arith.addf %a, %x : tensor<16xf32>
    scf.yield %b : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
