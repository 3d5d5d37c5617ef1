// Rows of a table of four.
func.func @rows(%table: tensor<4x8xi8>, %rows: tensor<?xi64>) -> tensor<?x8xi8> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %rows, %c0 : tensor<?xi64>
  %empty = tensor.empty(%n) : tensor<?x8xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<?xi64>) outs(%empty : tensor<?x8xi8>) {
  ^bb0(%row: i64, %old: i8):
    %r = arith.index_cast %row : i64 to index
    %j = linalg.index 1 : index
    %value = tensor.extract %table[%r, %j] : tensor<4x8xi8>
    linalg.yield %value : i8
  } -> tensor<?x8xi8>
  return %y : tensor<?x8xi8>
}
