// Code uses what the artifact asks for and no more: neither the half-precision arithmetic of a processor nor its longer register file.
// RUN: qcc compile %s --mcpu=sapphirerapids --emit=asm -o - | FileCheck %s --implicit-check-not='{{v(add|sqrt|mul)(ph|sh)}}' --implicit-check-not=vpopcnt
// RUN: qcc compile %s --mcpu=znver4 --emit=asm -o - | FileCheck %s --implicit-check-not=vpopcnt
// RUN: qcc compile %s --mcpu=diamondrapids --emit=asm -o - | FileCheck %s --implicit-check-not='{{%r(1[6-9]|2[0-9]|3[01])}}' --implicit-check-not=push2

// CHECK: vcvtph2ps
func.func @main(%a: tensor<?x64xf16>, %b: tensor<?x64xf16>, %c: tensor<?x64xi8>) -> (tensor<?x64xf16>, tensor<?x64xi8>) {
  %0 = arith.addf %a, %b : tensor<?x64xf16>
  %1 = math.sqrt %0 : tensor<?x64xf16>
  %2 = arith.mulf %1, %b : tensor<?x64xf16>
  %3 = math.ctpop %c : tensor<?x64xi8>
  return %2, %3 : tensor<?x64xf16>, tensor<?x64xi8>
}
