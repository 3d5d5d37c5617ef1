// RUN: rm -f %t.so && not qcc compile %s -o %t.so 2>&1 | FileCheck %s
// RUN: not test -e %t.so

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: unknown-dialect.mlir:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}{{mhlo|unregistered dialect}}
  %y = "mhlo.abs"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
