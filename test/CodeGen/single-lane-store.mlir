// A masked store of one lane of a truncated vector must write one byte, not four: with 33 columns the last vector has one lane.
// RUN: qcc compile %s --weights=random:1 --mcpu=skylake-avx512 --emit=asm -o - | FileCheck %s --implicit-check-not='{{vmov(d|ss).*%xmm[0-9]+, 32\(}}'
// RUN: qcc run %s --weights=random:1 --input=random --dim=39 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=EXACT

// CHECK: vpmovdb
// EXACT: check: 1287 elements, 0 differ
func.func @one_lane(%x: tensor<1x?x35x!quant.uniform<u8:f32, 1.4e-02>>) -> tensor<1x?x33x!quant.uniform<u8:f32, 1.4e-01>> {
  %w = arith.constant dense_resource<w> : tensor<1x33x35x!quant.uniform<i8:f32, 1.9e-02:-128>>
  %y = qnn.matmul %x, %w {clamp_max = 7.0 : f32, transpose_rhs} : tensor<1x?x35x!quant.uniform<u8:f32, 1.4e-02>>, tensor<1x33x35x!quant.uniform<i8:f32, 1.9e-02:-128>> -> tensor<1x?x33x!quant.uniform<u8:f32, 1.4e-01>>
  return %y : tensor<1x?x33x!quant.uniform<u8:f32, 1.4e-01>>
}
