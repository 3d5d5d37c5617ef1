#map = affine_map<(i) -> (i)>
func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %count = tensor.dim %x, %c0 : tensor<?xi32>
  %empty = tensor.empty(%count) : tensor<?xi32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<?xi32>) outs(%empty : tensor<?xi32>) {
    ^bb0(%element: i32, %old: i32):
      %negated = arith.subi %zero, %element : i32
      linalg.yield %negated : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}
