// A float function without a fixed sequence of operations (N8).
// RUN: rm -f %t.so && not qcc compile %s -o %t.so 2>&1 | FileCheck %s
// RUN: not test -e %t.so

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: math-function.mlir:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}math.cbrt
  %y = math.cbrt %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
