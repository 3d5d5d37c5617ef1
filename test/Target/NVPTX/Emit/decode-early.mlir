// RUN: qcc compile %s --weights=random:1 --target=cuda --mcpu=sm_90 --emit=ptx -o - | FileCheck %s
// RUN: qcc compile %s --weights=random:1 --target=cuda --mcpu=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=OLD

// A kernel of one tile of rows lets the next one start, and loads weights before it waits for the kernel before.
// CHECK: griddepcontrol.launch_dependents
// CHECK: ld.global.v4.b32
// CHECK: griddepcontrol.wait
// CHECK: ld.global.v4.b32
// CHECK: mma.sync
// CHECK-NOT: griddepcontrol
// OLD-NOT: griddepcontrol
func.func @one_tile(%x: tensor<1x1024xi8>) -> tensor<1x1024xi32> {
  %w = arith.constant dense_resource<w> : tensor<1024x1024xi8>
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<1x1024xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<1x1024xi32>) -> tensor<1x1024xi32>
  %sums = linalg.matmul ins(%x, %w : tensor<1x1024xi8>, tensor<1024x1024xi8>) outs(%init : tensor<1x1024xi32>) -> tensor<1x1024xi32>
  return %sums : tensor<1x1024xi32>
}
