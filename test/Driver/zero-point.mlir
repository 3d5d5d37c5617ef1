// A zero point outside the storage range, which the type's own parser accepts.
// RUN: rm -f %t.so && not qcc compile %s -o %t.so 2>&1 | FileCheck %s
// RUN: not test -e %t.so

// CHECK: zero-point.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}zero point
!x = !quant.uniform<i8:f32, 1.000000e-01:128>
func.func @f(%x: tensor<4x8x!x>) -> tensor<4x8xf32> {
  %y = qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
