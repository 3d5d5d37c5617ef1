// A constant has a static shape. One that meets tensors of dynamic shape is cast.
// RUN: not qcc compile %s --weights=random:1 --emit=import -o - 2>&1 | FileCheck %s

func.func @f() -> tensor<1x1x?x64xi8> {
  // CHECK: dynamic-weights.mlir:[[@LINE+1]]:{{[0-9]+}}: error: weight 'w' has type 'tensor<1x1x?x64xi8>'; weights are tensors of static shape and of elements of whole bytes up to 64 bits (give the sizes here, and use tensor.cast where a type with ? is wanted)
  %w = arith.constant dense_resource<w> : tensor<1x1x?x64xi8>
  return %w : tensor<1x1x?x64xi8>
}
