// RUN: split-file %s %t
// RUN: not qcc compile %t/expand.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=EXPAND
// EXPAND: error: 'tensor.expand_shape' op groups dimension 4294967296 where dimension 0 of 2 stands; list every dimension once, in order
// RUN: not qcc compile %t/collapse.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=COLLAPSE
// COLLAPSE: error: 'tensor.collapse_shape' op groups dimension 4294967297 where dimension 1 of 2 stands; list every dimension once, in order

//--- expand.mlir
func.func @f(%x: tensor<?xf32>, %m: index) -> tensor<?x1xf32> {
  %y = tensor.expand_shape %x [[4294967296, 1]] output_shape [%m, 1] : tensor<?xf32> into tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}
//--- collapse.mlir
func.func @f(%x: tensor<?x1xf32>) -> tensor<?xf32> {
  %y = tensor.collapse_shape %x [[0, 4294967297]] : tensor<?x1xf32> into tensor<?xf32>
  return %y : tensor<?xf32>
}
