// A program for the tests of the Python package.
func.func @relu(%x: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %zero = arith.constant 0 : index
  %low = arith.constant 0.0 : f32
  %m = tensor.dim %x, %zero : tensor<?x512xf32>
  %e = tensor.empty(%m) : tensor<?x512xf32>
  %c = linalg.fill ins(%low : f32) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
  %y = linalg.max ins(%x, %c : tensor<?x512xf32>, tensor<?x512xf32>) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}
