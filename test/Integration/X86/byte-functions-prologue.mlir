// REQUIRES: x86-64-v3
// Tables in prologues after a float is quantized, whose bytes are packed before they are looked up: of a left operand; of a
// right one, along its rows and across its columns.
// RUN: qcc run %s --mcpu=x86-64-v3 --input=random:1:-6:6 --dim=43 --dim=43 --dim=43 --dim=43 --check | FileCheck %s
// RUN: %if avx512 %{ qcc run %s --mcpu=skylake-avx512 --input=random:1:-6:6 --dim=43 --dim=43 --dim=43 --dim=43 --check | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake --input=random:1:-6:6 --dim=43 --dim=43 --dim=43 --dim=43 --check | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake+emulated-amx --input=random:1:-6:6 --dim=43 --dim=43 --dim=43 --dim=43 --check | FileCheck %s %}
// RUN: %if avx512vbmi %{ qcc run %s --mcpu=icelake-server --input=random:1:-6:6 --dim=43 --dim=43 --dim=43 --dim=43 --check | FileCheck %s %}
// CHECK: 0 differ

// RUN: qcc explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN-COUNT-3: qnn.quantize, lookup of

!w = !quant.uniform<i8:f32, 0.003>
!q = !quant.uniform<u8:f32, 0.05:100>
!y = !quant.uniform<i8:f32, 0.04:-5>

func.func private @tanh(%x: tensor<?x117xf32>) -> tensor<?x117x!y> {
  %q = qnn.quantize %x : tensor<?x117xf32> -> tensor<?x117x!q>
  %d = qnn.dequantize %q : tensor<?x117x!q> -> tensor<?x117xf32>
  %t = math.tanh %d : tensor<?x117xf32>
  %y = qnn.quantize %t : tensor<?x117xf32> -> tensor<?x117x!y>
  return %y : tensor<?x117x!y>
}

func.func private @right(%x: tensor<117x?xf32>) -> tensor<117x?x!y> {
  %q = qnn.quantize %x : tensor<117x?xf32> -> tensor<117x?x!q>
  %d = qnn.dequantize %q : tensor<117x?x!q> -> tensor<117x?xf32>
  %t = math.tanh %d : tensor<117x?xf32>
  %y = qnn.quantize %t : tensor<117x?xf32> -> tensor<117x?x!y>
  return %y : tensor<117x?x!y>
}

func.func @main(%x: tensor<?x117xf32>, %a: tensor<?x117x!w>, %b: tensor<?x117xf32>, %c: tensor<117x?xf32>, %w: tensor<29x117x!w>) -> (
    tensor<?x29xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %l = call @tanh(%x) : (tensor<?x117xf32>) -> tensor<?x117x!y>
  %z0 = qnn.linear %l, %w : tensor<?x117x!y>, tensor<29x117x!w> -> tensor<?x29xf32>
  %r1 = call @tanh(%b) : (tensor<?x117xf32>) -> tensor<?x117x!y>
  %z1 = qnn.matmul %a, %r1 {transpose_rhs} : tensor<?x117x!w>, tensor<?x117x!y> -> tensor<?x?xf32>
  %r2 = call @right(%c) : (tensor<117x?xf32>) -> tensor<117x?x!y>
  %z2 = qnn.matmul %a, %r2 : tensor<?x117x!w>, tensor<117x?x!y> -> tensor<?x?xf32>
  return %z0, %z1, %z2 : tensor<?x29xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
