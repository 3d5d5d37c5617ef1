// RUN: rm -f %t.so && not qcc compile %s -o %t.so 2>&1 | FileCheck %s
// RUN: not test -e %t.so

!x = !quant.uniform<i8:f32, 5.000000e-02>
func.func @f(%x: tensor<4x8x!x>, %w: tensor<3x8xf64>) -> tensor<4x3xf32> {
  // CHECK: wrong-type.mlir:[[@LINE+1]]:{{[0-9]+}}: error: 'qnn.linear' op
  %y = qnn.linear %x, %w : tensor<4x8x!x>, tensor<3x8xf64> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
