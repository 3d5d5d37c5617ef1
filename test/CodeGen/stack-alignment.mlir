// RUN: qcc compile %s --mcpu=cascadelake --weights=random:3 --emit=asm -o - | FileCheck %s

// A kernel that spills vectors aligns its stack to them, whatever frame its caller has.

// CHECK-LABEL: main.step0.run:
// CHECK: andq $-64, %rsp
// CHECK: vmovdqa64 %zmm{{[0-9]+}}, {{[0-9]+}}(%rsp)
// CHECK-NOT: vmovdqu64 %zmm{{[0-9]+}}, {{[0-9]+}}(%rsp)
// CHECK: .size main.step0.run
!x = !quant.uniform<i8:f32, 0.05>
!w = !quant.uniform<i8:f32, 0.01>
!y = !quant.uniform<i8:f32, 0.3:5>
func.func @main(%x: tensor<1x112x112x64x!x>) -> tensor<1x56x56x64x!y> {
  %w = arith.constant dense_resource<w> : tensor<64x3x3x1x!w>
  %y = qnn.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, groups = 64 : i64} : tensor<1x112x112x64x!x>, tensor<64x3x3x1x!w> -> tensor<1x56x56x64x!y>
  return %y : tensor<1x56x56x64x!y>
}
