// RUN: rm -f %t.so && not qcc compile %s -o %t.so 2>&1 | FileCheck %s
// RUN: not test -e %t.so

!x = !quant.uniform<i8:f32, 5.000000e-02>
func.func @f(%x: tensor<4x8x!x>) -> tensor<4x8xf32> {
  // CHECK: dcast.mlir:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}quant.dcast{{.*}}qnn.dequantize
  %y = quant.dcast %x : tensor<4x8x!x> to tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
