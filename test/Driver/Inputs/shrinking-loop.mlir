func.func @shrink(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %d = tensor.dim %a, %c0 : tensor<?xf32>
    %less = arith.subi %d, %c1 : index
    %b = tensor.extract_slice %a[0] [%less] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
