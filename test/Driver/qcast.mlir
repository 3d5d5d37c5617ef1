// quant.qcast truncates where qnn.quantize rounds: it is rejected with a pointer to that.
// RUN: rm -f %t.so && not qcc compile %s -o %t.so 2>&1 | FileCheck %s
// RUN: not test -e %t.so
// RUN: not qcc run %s --input=random --target=reference 2>&1 | FileCheck %s

!x = !quant.uniform<i8:f32, 5.000000e-02>
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8x!x> {
  // CHECK: qcast.mlir:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}quant.qcast{{.*}}qnn.quantize
  %y = quant.qcast %x : tensor<4x8xf32> to tensor<4x8x!x>
  return %y : tensor<4x8x!x>
}
