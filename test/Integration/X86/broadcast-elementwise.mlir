// REQUIRES: x86-64-v3
// Quantized sums and products of operands that have one element along a dimension.
// RUN: qcc run %s --entry=squeeze --input=random:1 --dim=2 --dim=2 --dim=5 --dim=7 --check | FileCheck %s --check-prefix=SQUEEZE
// SQUEEZE: check: 1330 elements, 0 differ
// RUN: qcc run %s --entry=squeeze --input=random:2 --dim=1 --dim=1 --dim=1 --dim=1 --check | FileCheck %s --check-prefix=ONE
// ONE: check: 19 elements, 0 differ
// RUN: qcc run %s --entry=both --input=random:1 --dim=33 --dim=9 --dim=9 --dim=9 --check | FileCheck %s --check-prefix=BOTH
// BOTH: check: 594 elements, 0 differ
// RUN: qcc run %s --entry=columns --input=random:1 --check | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: check: 65 elements, 0 differ
// RUN: qcc run %s --entry=after_linear --input=random:1 --dim=11 --dim=11 --check | FileCheck %s --check-prefix=LINEAR
// LINEAR: check: 187 elements, 0 differ
// RUN: not qcc run %s --entry=agree --input=random:1 --dim=4 --dim=1 2>&1 | FileCheck %s --check-prefix=AGREE
// AGREE: dimension 0 of argument 1 must be equal to dimension 0 of argument 0, by 'qnn.add'

!s = !quant.uniform<i8:f32, 5.0e-02:3>
!u = !quant.uniform<u8:f32, 4.0e-03:7>
!y = !quant.uniform<u8:f32, 2.0e-02:100>

// Squeeze and excitation.
func.func @squeeze(%a: tensor<?x1x1x19x!u>, %b: tensor<?x?x?x19x!s>) -> tensor<?x?x?x19x!y> {
  %0 = qnn.mul %a, %b : tensor<?x1x1x19x!u>, tensor<?x?x?x19x!s> -> tensor<?x?x?x19x!y>
  return %0 : tensor<?x?x?x19x!y>
}

// Each operand lacks what the other has; their parameters are per row.
func.func @both(%a: tensor<2x1x?xi8>, %b: tensor<1x?x1xui8>, %sa: tensor<2x1x1xf32>, %sb: tensor<1x?x1xf32>, %zb: tensor<1x?x1xui8>) -> tensor<2x?x?x!y> {
  %0 = qnn.add %a, %b lhs_scale(%sa : tensor<2x1x1xf32>) rhs_scale(%sb : tensor<1x?x1xf32>) rhs_zero_point(%zb : tensor<1x?x1xui8>) : tensor<2x1x?xi8>, tensor<1x?x1xui8> -> tensor<2x?x?x!y>
  return %0 : tensor<2x?x?x!y>
}

// One column and one element, a constant among them.
func.func @columns(%a: tensor<5x13x!s>, %b: tensor<5x1x!u>) -> tensor<5x13x!y> {
  %c = arith.constant dense<9> : tensor<1x1xi8>
  %d = quant.scast %c : tensor<1x1xi8> to tensor<1x1x!s>
  %0 = qnn.mul %a, %b : tensor<5x13x!s>, tensor<5x1x!u> -> tensor<5x13x!y>
  %1 = qnn.add %0, %d : tensor<5x13x!y>, tensor<1x1x!s> -> tensor<5x13x!y>
  return %1 : tensor<5x13x!y>
}

// In the epilogue of a contraction.
func.func @after_linear(%x: tensor<?x32x!s>, %w: tensor<17x32x!s>, %b: tensor<1x17x!u>, %c: tensor<?x1x!u>) -> tensor<?x17x!y> {
  %0 = qnn.linear %x, %w : tensor<?x32x!s>, tensor<17x32x!s> -> tensor<?x17x!s>
  %1 = qnn.mul %0, %b : tensor<?x17x!s>, tensor<1x17x!u> -> tensor<?x17x!y>
  %2 = qnn.add %c, %1 : tensor<?x1x!u>, tensor<?x17x!y> -> tensor<?x17x!y>
  return %2 : tensor<?x17x!y>
}

func.func @agree(%a: tensor<?x3x!s>, %b: tensor<?x3x!s>) -> tensor<?x3x!y> {
  %0 = qnn.add %a, %b : tensor<?x3x!s>, tensor<?x3x!s> -> tensor<?x3x!y>
  return %0 : tensor<?x3x!y>
}
