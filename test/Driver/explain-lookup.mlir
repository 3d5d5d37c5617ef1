// What became a table is said by what it was, at the end of a contraction and in a step of its own.
// RUN: qcc explain %s --mcpu=x86-64-v3 | FileCheck %s
// CHECK: main.step1.contract {{.*}} qnn.linear, lookup of {{.*}}
// CHECK-NEXT: qnn.dequantize + tanh + {{.*}}
// CHECK-NEXT: qnn.quantize
// CHECK: main.step2.generic {{.*}} lookup of qnn.dequantize {{.*}}generic loops
// CHECK-NEXT: + exp + qnn.quantize
// CHECK: why: it is elementwise

!s = !quant.uniform<i8:f32, 0.05:3>
!w = !quant.uniform<i8:f32, 0.01>

func.func @main(%x: tensor<64x64x!s>, %w: tensor<64x64x!w>) -> (tensor<64x64x!s>, tensor<64x64x!s>) {
  %0 = qnn.linear %x, %w : tensor<64x64x!s>, tensor<64x64x!w> -> tensor<64x64x!s>
  %1 = qnn.dequantize %0 : tensor<64x64x!s> -> tensor<64x64xf32>
  %2 = math.tanh %1 : tensor<64x64xf32>
  %3 = qnn.quantize %2 : tensor<64x64xf32> -> tensor<64x64x!s>
  %4 = qnn.dequantize %x : tensor<64x64x!s> -> tensor<64x64xf32>
  %5 = math.exp %4 : tensor<64x64xf32>
  %6 = qnn.quantize %5 : tensor<64x64xf32> -> tensor<64x64x!s>
  return %3, %6 : tensor<64x64x!s>, tensor<64x64x!s>
}
