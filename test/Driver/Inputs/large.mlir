func.func @two_inputs(%x: tensor<?x16384xf32>, %y: tensor<?x16384xf32>) -> (tensor<1x16384xf32>, tensor<1x16384xf32>) {
  %0 = tensor.extract_slice %x[0, 0] [1, 16384] [1, 1] : tensor<?x16384xf32> to tensor<1x16384xf32>
  %1 = tensor.extract_slice %y[0, 0] [1, 16384] [1, 1] : tensor<?x16384xf32> to tensor<1x16384xf32>
  return %0, %1 : tensor<1x16384xf32>, tensor<1x16384xf32>
}

func.func @two_results(%x: tensor<?xf32>) -> (tensor<?x16384xf32>, tensor<?x16384xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?x16384xf32>
  %0 = linalg.broadcast ins(%x : tensor<?xf32>) outs(%e : tensor<?x16384xf32>) dimensions = [1]
  %1 = arith.negf %0 : tensor<?x16384xf32>
  return %0, %1 : tensor<?x16384xf32>, tensor<?x16384xf32>
}
