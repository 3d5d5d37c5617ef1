// REQUIRES: x86-64-v3
// A function of a value that turns out to be the value itself: both are returned, and have memory of their own.
// RUN: qcc run %s --mcpu=x86-64-v3 --input=random:1 --check | FileCheck %s
// CHECK: 0 differ
func.func @f(%x: tensor<8x16xf16>) -> (tensor<8x16xf16>, tensor<8x16xf16>) {
  %a = math.tanh %x : tensor<8x16xf16>
  %b = arith.minnumf %a, %a : tensor<8x16xf16>
  return %a, %b : tensor<8x16xf16>, tensor<8x16xf16>
}
