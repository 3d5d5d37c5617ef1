// Instructions that permute bytes are used by functions that look something up, and by no others: LLVM would use them for
// shuffles of any function.
// RUN: qcc compile %s --mcpu=znver4 --emit=asm -o - | FileCheck %s
// RUN: qcc compile %S/../../docs/examples/dynamic_quant.mlir --weights=random:7 --mcpu=znver4 --emit=asm -o - | FileCheck %s --check-prefix=NONE
// NONE: vpdpbusd
// NONE-NOT: {{vperm([it]2)?b}}

!s = !quant.uniform<i8:f32, 0.05:3>

// Two permutations of registers, and a choice by the highest bit, for 64 bytes.
// CHECK: vmovdqu64 (%{{.*}}), %[[X:zmm[0-9]+]]
// CHECK: vpmovb2m %[[X]], %[[K:k[0-7]]]
// CHECK-COUNT-2: {{vperm[it]2b}} %zmm{{[0-9]+}}, %zmm{{[0-9]+}}, %zmm{{[0-9]+}}
// CHECK: vmovdqu8 %zmm{{[0-9]+}}, %zmm{{[0-9]+}} {%[[K]]}
func.func @table(%x: tensor<?x!s>) -> tensor<?x!s> {
  %0 = qnn.dequantize %x : tensor<?x!s> -> tensor<?xf32>
  %1 = math.tanh %0 : tensor<?xf32>
  %2 = qnn.quantize %1 : tensor<?xf32> -> tensor<?x!s>
  return %2 : tensor<?x!s>
}
