// A step that agrees, and others that cannot be measured.
#id = affine_map<(d0) -> (d0)>

func.func @negate(%x: tensor<1003xf32>) -> tensor<1003xf32> {
  %empty = tensor.empty() : tensor<1003xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<1003xf32>) outs(%empty : tensor<1003xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  } -> tensor<1003xf32>
  return %y : tensor<1003xf32>
}

func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

func.func @invalid(%x: tensor<4xf32>) -> tensor<5xf32> {
  return %x : tensor<4xf32>
}
