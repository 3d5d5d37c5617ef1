// What main of program.c computes, compiled.
#rows = affine_map<(m, n) -> (m, n)>
#columns = affine_map<(m, n) -> (n)>
func.func @main(%x: tensor<?x4xf32>, %bias: tensor<4xf32>) -> tensor<?x4xf32> {
  %two = arith.constant 2.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x4xf32>
  %empty = tensor.empty(%m) : tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#rows, #columns, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %bias : tensor<?x4xf32>, tensor<4xf32>) outs(%empty : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %twice = arith.mulf %a, %two : f32
    %sum = arith.addf %twice, %b : f32
    linalg.yield %sum : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
