// RUN: rm -f %t.so && not qcc compile %s -o %t.so 2>&1 | FileCheck %s
// RUN: not test -e %t.so
// RUN: not qcc run %s --input=random --target=reference 2>&1 | FileCheck %s

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: unknown-op.mlir:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}qnn.convolve
  %y = qnn.convolve %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
