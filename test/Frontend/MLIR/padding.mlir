// The smallest i64 is no amount of padding: ops use it as the mark of an operand.
// RUN: not qcc compile %s --emit=import -o - 2>&1 | FileCheck %s

func.func @f(%x: tensor<4xf32>) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  // CHECK: padding.mlir:[[@LINE+1]]:{{[0-9]+}}: error: 'tensor.pad' op pads by -9223372036854775808, which is not possible; amounts are 0 and more
  %p = tensor.pad %x low[-9223372036854775808] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %p : tensor<6xf32>
}
