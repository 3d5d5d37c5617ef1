// REQUIRES: avx512vnni
// RUN: rm -rf %t && mkdir %t
// RUN: qcc run %s --mcpu=sapphirerapids+emulated-amx --weights=random:3 --input=random:1 --dim=37 --check --dump-steps=%t/amx | FileCheck %s
// RUN: qcc run %s --mcpu=x86-64-v3 --weights=random:3 --input=random:1 --dim=37 --dump-steps=%t/v3
// RUN: cmp %t/amx/main.step0.contract.0.npy %t/v3/main.step0.contract.0.npy
// RUN: qcc diff %s %s --mcpu=x86-64-v3 --mcpu-b=sapphirerapids+emulated-amx --weights=random:3 --input=random:1 --dim=37 | FileCheck %s --check-prefix=DIFF
// RUN: qcc compile %s --mcpu=sapphirerapids+emulated-amx --weights=random:3 --emit=buffer -o - | FileCheck %s --check-prefix=BUFFER
// RUN: qcc compile %s --mcpu=x86-64-v3 --weights=random:3 --emit=buffer -o - | FileCheck %s --check-prefix=COMPACT

// The hidden layer lies in the arena with its rows 1088 bytes apart, where tiles read them in place; whoever looks at it
// sees 37x1024 elements.

// CHECK: check: 1776 elements, 0 differ
// DIFF: no difference
// BUFFER: memref<?x1024xi8, strided<[1088, 1]>>
// COMPACT-NOT: strided

!x = !quant.uniform<i8:f32, 5.0e-02:3>
!h = !quant.uniform<u8:f32, 1.0e-01:7>
!y = !quant.uniform<i8:f32, 2.0e+00>
!w = !quant.uniform<i8:f32, 2.0e-02>

func.func @main(%x: tensor<?x256x!x>) -> tensor<?x48x!y> {
  %w1 = arith.constant dense_resource<w1> : tensor<1024x256xf32>
  %w2 = arith.constant dense_resource<w2> : tensor<48x1024xf32>
  %w1q = qnn.quantize %w1 : tensor<1024x256xf32> -> tensor<1024x256x!w>
  %w2q = qnn.quantize %w2 : tensor<48x1024xf32> -> tensor<48x1024x!w>
  %h = qnn.linear %x, %w1q : tensor<?x256x!x>, tensor<1024x256x!w> -> tensor<?x1024x!h> loc("fc1")
  %y = qnn.linear %h, %w2q : tensor<?x1024x!h>, tensor<48x1024x!w> -> tensor<?x48x!y> loc("fc2")
  return %y : tensor<?x48x!y>
}
