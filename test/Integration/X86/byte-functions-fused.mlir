// REQUIRES: x86-64-v3
// Tables at the end of epilogues, whose bytes are packed, with rows and columns left over; beside the byte that is looked up;
// before another product, which reads bytes stored plus 128; among the operations of a residual addition; in prologues of
// either operand; on columns, which are stored one by one.
// RUN: qcc run %s --mcpu=x86-64-v3 --input=random:1 --dim=43 --dim=43 --check | FileCheck %s
// RUN: %if avx512 %{ qcc run %s --mcpu=skylake-avx512 --input=random:1 --dim=43 --dim=43 --check | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake --input=random:1 --dim=43 --dim=43 --check | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake+emulated-amx --input=random:1 --dim=43 --dim=43 --check | FileCheck %s %}
// RUN: %if avx512vbmi %{ qcc run %s --mcpu=icelake-server --input=random:1 --dim=43 --dim=43 --check | FileCheck %s %}
// CHECK: 0 differ

// RUN: qcc compile %s --mcpu=icelake-server --emit=kernel -o - | FileCheck %s --check-prefix=KERNEL
// KERNEL: kernel.contract
// KERNEL-COUNT-3: kernel.lookup
// KERNEL: kernel.yield %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i8, i8, i8, i8
// KERNEL-COUNT-3: kernel.lookup
// KERNEL-NOT: math.fma

!x = !quant.uniform<i8:f32, 0.04>
!w = !quant.uniform<i8:f32, 0.003>
!h = !quant.uniform<i8:f32, 0.05:7>
!u = !quant.uniform<u8:f32, 0.03:40>
!y = !quant.uniform<i8:f32, 0.04:-5>

func.func private @silu(%q: tensor<?x117x!h>, %x: tensor<?x117xf32>) -> tensor<?x117x!y> {
  %d = qnn.dequantize %q : tensor<?x117x!h> -> tensor<?x117xf32>
  %n = arith.negf %d : tensor<?x117xf32>
  %e = math.exp %n : tensor<?x117xf32>
  %c = arith.constant 1.0 : f32
  %one = linalg.fill ins(%c : f32) outs(%x : tensor<?x117xf32>) -> tensor<?x117xf32>
  %s = arith.addf %e, %one : tensor<?x117xf32>
  %v = arith.divf %d, %s : tensor<?x117xf32>
  %r = qnn.quantize %v : tensor<?x117xf32> -> tensor<?x117x!y>
  return %r : tensor<?x117x!y>
}

func.func @main(%x: tensor<?x64x!x>, %r: tensor<?x117x!u>, %w: tensor<117x64x!w>, %v: tensor<29x117x!w>) -> (
    tensor<?x117x!h>, tensor<?x117x!y>, tensor<?x29x!h>, tensor<?x117x!y>, tensor<?x117x!h>, tensor<?x?x!h>, tensor<117x?x!u>,
    tensor<?x29x!h>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64x!x>
  %empty = tensor.empty(%m) : tensor<?x117xf32>

  // The byte and its function.
  %q0 = qnn.linear %x, %w : tensor<?x64x!x>, tensor<117x64x!w> -> tensor<?x117x!h>
  %y0 = call @silu(%q0, %empty) : (tensor<?x117x!h>, tensor<?x117xf32>) -> tensor<?x117x!y>

  // The function alone, and a product of it.
  %q1 = qnn.linear %x, %w {clamp_max = 3.0 : f32} : tensor<?x64x!x>, tensor<117x64x!w> -> tensor<?x117x!h>
  %y1 = call @silu(%q1, %empty) : (tensor<?x117x!h>, tensor<?x117xf32>) -> tensor<?x117x!y>
  %z1 = qnn.linear %y1, %v : tensor<?x117x!y>, tensor<29x117x!w> -> tensor<?x29x!h>

  // A residual addition of it.
  %q2 = qnn.linear %x, %w {clamp_min = -2.0 : f32} : tensor<?x64x!x>, tensor<117x64x!w> -> tensor<?x117x!h>
  %y2 = call @silu(%q2, %empty) : (tensor<?x117x!h>, tensor<?x117xf32>) -> tensor<?x117x!y>
  %z2 = qnn.add %y2, %r : tensor<?x117x!y>, tensor<?x117x!u> -> tensor<?x117x!y>

  // Of an argument, for a product with it on either side.
  %d3 = qnn.dequantize %r : tensor<?x117x!u> -> tensor<?x117xf32>
  %t3 = math.tanh %d3 : tensor<?x117xf32>
  %q3 = qnn.quantize %t3 : tensor<?x117xf32> -> tensor<?x117x!h>
  %z3 = qnn.matmul %q3, %q3 {transpose_rhs} : tensor<?x117x!h>, tensor<?x117x!h> -> tensor<?x?x!h>
  %d4 = qnn.dequantize %r : tensor<?x117x!u> -> tensor<?x117xf32>
  %t4 = math.erf %d4 : tensor<?x117xf32>
  %q4 = qnn.quantize %t4 : tensor<?x117xf32> -> tensor<?x117x!h>
  %z4 = qnn.linear %q4, %v : tensor<?x117x!h>, tensor<29x117x!w> -> tensor<?x29x!h>

  // Transposed.
  %d5 = qnn.dequantize %r : tensor<?x117x!u> -> tensor<?x117xf32>
  %t5 = math.exp %d5 : tensor<?x117xf32>
  %e5 = tensor.empty(%m) : tensor<117x?xf32>
  %p5 = linalg.transpose ins(%t5 : tensor<?x117xf32>) outs(%e5 : tensor<117x?xf32>) permutation = [1, 0]
  %z5 = qnn.quantize %p5 : tensor<117x?xf32> -> tensor<117x?x!u>
  return %q0, %y0, %z1, %z2, %q3, %z3, %z5, %z4 : tensor<?x117x!h>, tensor<?x117x!y>, tensor<?x29x!h>, tensor<?x117x!y>,
    tensor<?x117x!h>, tensor<?x?x!h>, tensor<117x?x!u>, tensor<?x29x!h>
}
