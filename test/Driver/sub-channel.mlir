// Sub-channel quantization is no parameter form of qnn (C3).
// RUN: rm -f %t.so && not qcc compile %s -o %t.so 2>&1 | FileCheck %s
// RUN: not test -e %t.so

// CHECK: sub-channel.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}{{sub-channel|quantiz|channel}}
!x = !quant.uniform<i8:f32:{0:2,1:4}, {{1.0, 2.0}, {3.0, 4.0}}>
func.func @f(%x: tensor<4x8x!x>) -> tensor<4x8xf32> {
  %y = qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
