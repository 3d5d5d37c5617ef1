// What the artifacts of this folder were compiled from. It must not change: kept-artifacts.c knows what they compute.
// Version 4.0 had neither metadata nor names of dimensions.

#rows = affine_map<(m, n) -> (m, n)>
#columns = affine_map<(m, n) -> (n)>
module attributes {qcc.metadata = {author = "qcc", labels = "cat,dog"}} {
// A layer of bytes: weights, a dynamic batch, two steps.
func.func @layer(%x: tensor<?x4xi8> {qcc.dim_names = ["batch", ""]} loc("x")) -> tensor<?x3xi32> {
  %weights = arith.constant dense<[[1, -2, 3], [4, 5, -6], [-7, 8, 9], [10, -11, 12]]> : tensor<4x3xi8>
  %bias = arith.constant dense<[100, 200, 300]> : tensor<3xi32>
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x4xi8>
  %empty = tensor.empty(%m) : tensor<?x3xi32>
  %filled = linalg.fill ins(%zero : i32) outs(%empty : tensor<?x3xi32>) -> tensor<?x3xi32>
  %product = linalg.matmul ins(%x, %weights : tensor<?x4xi8>, tensor<4x3xi8>)
      outs(%filled : tensor<?x3xi32>) -> tensor<?x3xi32>
  %y = linalg.generic {indexing_maps = [#rows, #columns, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x3xi32>, tensor<3xi32>) outs(%empty : tensor<?x3xi32>) {
  ^bb0(%a: i32, %b: i32, %out: i32):
    %sum = arith.addi %a, %b : i32
    linalg.yield %sum : i32
  } -> tensor<?x3xi32>
  return %y : tensor<?x3xi32>
}

// Elementwise, of floats.
func.func @twice(%x: tensor<?xf32> loc("values")) -> tensor<?xf32> {
  %two = arith.constant 2.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %product = arith.mulf %a, %two : f32
    linalg.yield %product : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
}
