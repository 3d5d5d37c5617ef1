// A reduction whose sum could leave i32 (N2).
// RUN: rm -f %t.so && not qcc compile %s -o %t.so 2>&1 | FileCheck %s
// RUN: not test -e %t.so

!x = !quant.uniform<i8:f32, 5.000000e-02>
func.func @f(%x: tensor<1x131072x!x>, %w: tensor<1x131072x!x>) -> tensor<1x1xf32> {
  // CHECK: overflow.mlir:[[@LINE+1]]:{{[0-9]+}}: error: 'qnn.linear' op {{.*}}overflow
  %y = qnn.linear %x, %w : tensor<1x131072x!x>, tensor<1x131072x!x> -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}
