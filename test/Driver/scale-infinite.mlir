// An infinite scale (N9).
// RUN: rm -f %t.so && not qcc compile %s -o %t.so 2>&1 | FileCheck %s
// RUN: not test -e %t.so

// CHECK: scale-infinite.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}scale
!x = !quant.uniform<i8:f32, 0x7FF0000000000000>
func.func @f(%x: tensor<4x8x!x>) -> tensor<4x8xf32> {
  %y = qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
