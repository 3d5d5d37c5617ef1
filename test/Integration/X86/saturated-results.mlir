// REQUIRES: x86-64-v3
// A value that is quantized, and stored by packing that saturates, is the same where it is read again: by another
// result, by a residual addition, by a dequantize.
// RUN: qcc run %s --mcpu=x86-64-v3 --input=random:1 --dim=40 --dim=40 --check | FileCheck %s
// RUN: %if avx512 %{ qcc run %s --mcpu=skylake-avx512 --input=random:1 --dim=40 --dim=40 --check | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake --input=random:1 --dim=40 --dim=40 --check | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake+emulated-amx --input=random:1 --dim=40 --dim=40 --check | FileCheck %s %}
// CHECK: 0 differ
!x = !quant.uniform<i8:f32, 0.04>
!w = !quant.uniform<i8:f32, 0.01>
!h = !quant.uniform<i8:f32, 0.05>
!u = !quant.uniform<u8:f32, 0.06:77>
!y = !quant.uniform<i8:f32, 0.1:-5>
#all = affine_map<(m, n) -> (m, n)>

func.func @main(%a: tensor<?x64x!x>, %r: tensor<?x48x!u>, %w: tensor<48x64x!w>, %v: tensor<48x48x!w>) -> (
    tensor<?x48x!h>, tensor<?x48x!y>, tensor<?x48x!u>, tensor<?x48xf32>, tensor<?x48x!u>, tensor<?x48xf32>,
    tensor<?x48x!h>, tensor<?x48x!u>, tensor<?x48xf32>, tensor<?x48x!h>, tensor<?x48xi8>, tensor<?x48xi32>, tensor<?x48xi8>) {
  // A residual addition of a value that is stored as well.
  %h = qnn.linear %a, %w : tensor<?x64x!x>, tensor<48x64x!w> -> tensor<?x48x!h>
  %sum = qnn.add %h, %r : tensor<?x48x!h>, tensor<?x48x!u> -> tensor<?x48x!y>

  // Quantized, stored, and real again.
  %ad = qnn.dequantize %a : tensor<?x64x!x> -> tensor<?x64xf32>
  %wd = qnn.dequantize %w : tensor<48x64x!w> -> tensor<48x64xf32>
  %l = qnn.linear %ad, %wd {clamp_min = -20.0 : f32} : tensor<?x64xf32>, tensor<48x64xf32> -> tensor<?x48xf32>
  %q = qnn.quantize %l : tensor<?x48xf32> -> tensor<?x48x!u>
  %d = qnn.dequantize %q : tensor<?x48x!u> -> tensor<?x48xf32>

  // One clamped value: real, and as bytes of both signs.
  %l2 = qnn.linear %ad, %wd {clamp_min = -7.0 : f32, clamp_max = 11.0 : f32} : tensor<?x64xf32>, tensor<48x64xf32> -> tensor<?x48xf32>
  %q2 = qnn.quantize %l2 : tensor<?x48xf32> -> tensor<?x48x!h>
  %q3 = qnn.quantize %l2 : tensor<?x48xf32> -> tensor<?x48x!u>

  // A chain in which each value is an operand of the next product and of an addition.
  %c1 = qnn.linear %a, %w {clamp_min = 0.0 : f32} : tensor<?x64x!x>, tensor<48x64x!w> -> tensor<?x48x!h>
  %c2 = qnn.linear %c1, %v : tensor<?x48x!h>, tensor<48x48x!w> -> tensor<?x48x!h>
  %c3 = qnn.add %c2, %c1 : tensor<?x48x!h>, tensor<?x48x!h> -> tensor<?x48x!u>
  %c4 = qnn.dequantize %c3 : tensor<?x48x!u> -> tensor<?x48xf32>
  %c5 = math.tanh %c4 : tensor<?x48xf32>
  %c6 = qnn.linear %c3, %v : tensor<?x48x!u>, tensor<48x48x!w> -> tensor<?x48x!h>

  // The i32, its truncation, and another byte of it.
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x64x!x>
  %s = qnn.linear %a, %w : tensor<?x64x!x>, tensor<48x64x!w> -> tensor<?x48xi32>
  %e0 = tensor.empty(%m) : tensor<?x48xi8>
  %e1 = tensor.empty(%m) : tensor<?x48xi32>
  %i:3 = linalg.generic {indexing_maps = [#all, #all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<?x48xi32>) outs(%e0, %e1, %e0 : tensor<?x48xi8>, tensor<?x48xi32>, tensor<?x48xi8>) {
  ^bb0(%in: i32, %o0: i8, %o1: i32, %o2: i8):
    %low = arith.constant -128.0 : f32
    %high = arith.constant 127.0 : f32
    %scale = arith.constant 0.01 : f32
    %f = arith.sitofp %in : i32 to f32
    %g = arith.mulf %f, %scale : f32
    %g0 = arith.maximumf %g, %low : f32
    %g1 = arith.minimumf %g0, %high : f32
    %n = math.roundeven %g1 : f32
    %t = arith.fptosi %n : f32 to i32
    %b = arith.trunci %t : i32 to i8
    %wide = arith.extsi %b : i8 to i32
    %three = arith.constant 3 : i32
    %scaled = arith.muli %wide, %three : i32
    %other = arith.trunci %scaled : i32 to i8
    linalg.yield %b, %scaled, %other : i8, i32, i8
  } -> (tensor<?x48xi8>, tensor<?x48xi32>, tensor<?x48xi8>)
  return %h, %sum, %q, %d, %q3, %l2, %q2, %c3, %c5, %c6, %i#0, %i#1, %i#2 : tensor<?x48x!h>, tensor<?x48x!y>, tensor<?x48x!u>, tensor<?x48xf32>,
    tensor<?x48x!u>, tensor<?x48xf32>, tensor<?x48x!h>, tensor<?x48x!u>, tensor<?x48xf32>, tensor<?x48x!h>, tensor<?x48xi8>, tensor<?x48xi32>, tensor<?x48xi8>
}
