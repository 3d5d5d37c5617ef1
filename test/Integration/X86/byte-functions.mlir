// REQUIRES: x86-64-v3
// Functions of a byte are tables (pass fold-byte-functions), whose elements are what the operations of the program give: for
// each byte of either sign, with NaN, infinities, saturation and roundings to smaller floats on the way.
// RUN: qcc run %s --mcpu=x86-64-v3 --input=random:1 --dim=9933 --dim=9933 --check | FileCheck %s
// RUN: %if avx512 %{ qcc run %s --mcpu=skylake-avx512 --input=random:1 --dim=9933 --dim=9933 --check | FileCheck %s %}
// RUN: %if avx512vbmi %{ qcc run %s --mcpu=icelake-server --input=random:1 --dim=9933 --dim=9933 --check | FileCheck %s %}
// CHECK: 0 differ

// All but the result that a run-time scale decides are one lookup each.
// RUN: qcc compile %s --mcpu=icelake-server --emit=kernel -o - | FileCheck %s --check-prefix=TABLES
// TABLES-COUNT-16: kernel.lookup
// TABLES-NOT: kernel.lookup
// TABLES: linalg.generic
// TABLES-NOT: kernel.lookup

!s = !quant.uniform<i8:f32, 0.05:3>
!t = !quant.uniform<i8:f32, 0.04:-5>
!u = !quant.uniform<u8:f32, 0.04:128>
!v = !quant.uniform<u8:f32, 0.03:20>

func.func @main(%s: tensor<?x!s>, %u: tensor<?x!u>, %scale: f32) -> (
    tensor<?x!t>, tensor<?x!v>, tensor<?x!t>, tensor<?x!t>, tensor<?x!v>, tensor<?x!t>, tensor<?x!t>, tensor<?x!v>,
    tensor<?x!t>, tensor<?x!v>, tensor<?x!t>, tensor<?x!v>, tensor<?x!t>, tensor<?x!t>, tensor<?x!t>, tensor<?x!u>,
    tensor<?xi8>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %s, %c0 : tensor<?x!s>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zero_s = arith.constant 0.0 : f32
  %half_s = arith.constant 0.5 : f32
  %one_s = arith.constant 1.0 : f32
  %sixth_s = arith.constant 0.16666667 : f32
  %tenth_s = arith.constant 0.1 : f32
  %root_s = arith.constant 0.70710677 : f32
  %zero = linalg.fill ins(%zero_s : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %half = linalg.fill ins(%half_s : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %one = linalg.fill ins(%one_s : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %sixth = linalg.fill ins(%sixth_s : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %tenth = linalg.fill ins(%tenth_s : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %root = linalg.fill ins(%root_s : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %x = qnn.dequantize %s : tensor<?x!s> -> tensor<?xf32>
  %y = qnn.dequantize %u : tensor<?x!u> -> tensor<?xf32>

  // SiLU by a quotient, of both signs.
  %n0 = arith.negf %x : tensor<?xf32>
  %e0 = math.exp %n0 : tensor<?xf32>
  %d0 = arith.addf %e0, %one : tensor<?xf32>
  %f0 = arith.divf %x, %d0 : tensor<?xf32>
  %r0 = qnn.quantize %f0 : tensor<?xf32> -> tensor<?x!t>
  %n1 = arith.negf %y : tensor<?xf32>
  %e1 = math.exp %n1 : tensor<?xf32>
  %d1 = arith.addf %e1, %one : tensor<?xf32>
  %f1 = arith.divf %y, %d1 : tensor<?xf32>
  %r1 = qnn.quantize %f1 : tensor<?xf32> -> tensor<?x!v>

  // x * sigmoid(x), the sigmoid being quantized in between.
  %g2 = arith.divf %one, %d0 : tensor<?xf32>
  %q2 = qnn.quantize %g2 : tensor<?xf32> -> tensor<?x!quant.uniform<u8:f32, 3.906250e-03>>
  %h2 = qnn.dequantize %q2 : tensor<?x!quant.uniform<u8:f32, 3.906250e-03>> -> tensor<?xf32>
  %f2 = arith.mulf %x, %h2 : tensor<?xf32>
  %r2 = qnn.quantize %f2 : tensor<?xf32> -> tensor<?x!t>

  // Hard swish.
  %a3 = arith.mulf %x, %sixth : tensor<?xf32>
  %b3 = arith.addf %a3, %half : tensor<?xf32>
  %c3 = arith.maximumf %b3, %zero : tensor<?xf32>
  %d3 = arith.minimumf %c3, %one : tensor<?xf32>
  %f3 = arith.mulf %x, %d3 : tensor<?xf32>
  %r3 = qnn.quantize %f3 : tensor<?xf32> -> tensor<?x!t>

  // GELU by erf and by tanh.
  %a4 = arith.mulf %y, %root : tensor<?xf32>
  %b4 = math.erf %a4 : tensor<?xf32>
  %c4 = arith.addf %b4, %one : tensor<?xf32>
  %d4 = arith.mulf %y, %half : tensor<?xf32>
  %f4 = arith.mulf %c4, %d4 : tensor<?xf32>
  %r4 = qnn.quantize %f4 : tensor<?xf32> -> tensor<?x!v>
  %a5 = math.tanh %x : tensor<?xf32>
  %b5 = arith.addf %a5, %one : tensor<?xf32>
  %c5 = arith.mulf %b5, %x : tensor<?xf32>
  %r5 = qnn.quantize %c5 : tensor<?xf32> -> tensor<?x!t>

  // Leaky relu.
  %a6 = arith.cmpf olt, %x, %zero : tensor<?xf32>
  %b6 = arith.mulf %x, %tenth : tensor<?xf32>
  %c6 = math.exp %b6 : tensor<?xf32>
  %f6 = arith.select %a6, %c6, %x : tensor<?xi1>, tensor<?xf32>
  %r6 = qnn.quantize %f6 : tensor<?xf32> -> tensor<?x!t>

  // Results that saturate, that are infinite and that are NaN.
  %f7 = math.exp %x : tensor<?xf32>
  %r7 = qnn.quantize %f7 : tensor<?xf32> -> tensor<?x!v>
  %f8 = math.log %x : tensor<?xf32>
  %r8 = qnn.quantize %f8 : tensor<?xf32> -> tensor<?x!t>
  %f9 = math.rsqrt %y : tensor<?xf32>
  %r9 = qnn.quantize %f9 : tensor<?xf32> -> tensor<?x!v>
  %f10 = arith.divf %one, %x : tensor<?xf32>
  %r10 = qnn.quantize %f10 {zero_point_before_rounding} : tensor<?xf32> -> tensor<?x!t>
  %f11 = math.sqrt %y : tensor<?xf32>
  %r11 = qnn.quantize %f11 : tensor<?xf32> -> tensor<?x!v>

  // Rounding functions, minima of numbers, signs.
  %a12 = math.floor %x : tensor<?xf32>
  %b12 = math.ceil %f8 : tensor<?xf32>
  %c12 = arith.minnumf %a12, %b12 : tensor<?xf32>
  %d12 = math.copysign %c12, %x : tensor<?xf32>
  %e12 = math.round %d12 : tensor<?xf32>
  %f12 = arith.maxnumf %e12, %a12 : tensor<?xf32>
  %r12 = qnn.quantize %f12 : tensor<?xf32> -> tensor<?x!t>

  // Through smaller floats.
  %a13 = arith.truncf %x : tensor<?xf32> to tensor<?xbf16>
  %b13 = math.tanh %a13 : tensor<?xbf16>
  %c13 = arith.mulf %a13, %b13 : tensor<?xbf16>
  %f13 = arith.extf %c13 : tensor<?xbf16> to tensor<?xf32>
  %r13 = qnn.quantize %f13 : tensor<?xf32> -> tensor<?x!t>
  %a14 = arith.truncf %y : tensor<?xf32> to tensor<?xf16>
  %b14 = math.exp %a14 : tensor<?xf16>
  %c14 = arith.divf %a14, %b14 : tensor<?xf16>
  %f14 = arith.extf %c14 : tensor<?xf16> to tensor<?xf32>
  %r14 = qnn.quantize %f14 : tensor<?xf32> -> tensor<?x!t>

  // A table of the program, after a sum with itself.
  %a15 = qnn.add %s, %s : tensor<?x!s>, tensor<?x!s> -> tensor<?x!u>
  %table = arith.constant dense<"0x7942BDF22106F0847762F0F3CB4D764DC7072051159A0F89F2C6DACAE344BB311245FD6F84DF9AD7C5B3D076AC0E8F53A7356C88913F20F6F72DB022D24D0A96DAD43C1617C1A98E78129E0327371065D095864F15ADA0B846C1C0EBC5348ADC799ADF849BAD05D4A10AC0441EAAEEB4B48EFA0B1F0ABD80E998A35ABA5EA0BD8799C1350D439E71897AA75FDE3134A4AA72E05628AC6FE68A733D1161A15D8EAE2BB042D7958AEDB1D594D6D112D34F6602F4DE7110E993AE7422923D7D171165DC1906F63D57997A0AD31B3AAE4081F41FB471653E3D577A8C4103F9CC198A7F89D81AF2A5001C40173F1923F7102CFAA150A124B3C5C79BB88761A8DB3F41"> : tensor<256xui8>
  %r15 = qnn.lookup %a15, %table : tensor<?x!u>, tensor<256xui8> -> tensor<?x!u>

  // No constant decides this one.
  %r16 = qnn.quantize %f0 scale(%scale : f32) : tensor<?xf32> -> tensor<?xi8>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16
    : tensor<?x!t>, tensor<?x!v>, tensor<?x!t>, tensor<?x!t>, tensor<?x!v>, tensor<?x!t>, tensor<?x!t>, tensor<?x!v>,
    tensor<?x!t>, tensor<?x!v>, tensor<?x!t>, tensor<?x!v>, tensor<?x!t>, tensor<?x!t>, tensor<?x!t>, tensor<?x!u>,
    tensor<?xi8>
}
