// Constant scales in operands are checked like those of types (N9).
// RUN: rm -f %t.so && not qcc compile %s -o %t.so 2>&1 | FileCheck %s
// RUN: not test -e %t.so

func.func @f(%x: tensor<4x2xi8>) -> tensor<4x2xf32> {
  %s = arith.constant dense<[1.0, 0.0]> : tensor<2xf32>
  // CHECK: operand-scale-zero.mlir:[[@LINE+1]]:{{[0-9]+}}: error: 'qnn.dequantize' op {{.*}}scale
  %y = qnn.dequantize %x scale(%s : tensor<2xf32>) : tensor<4x2xi8> -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
