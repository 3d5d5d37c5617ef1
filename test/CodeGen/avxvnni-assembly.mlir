// RUN: qcc compile %s --mcpu=alderlake --emit=asm -o - | FileCheck %s --implicit-check-not=zmm

// The 256-bit form of VNNI in its own encoding; a tile of 4 rows and 3 vectors keeps its accumulators in 12 of the 16
// registers over the loop, which LLVM unrolls once.

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: main.step1.run:
// CHECK-COUNT-24: {vex} vpdpbusd {{.*}}, %ymm{{[0-9]+}}, %ymm{{[0-9]+}}
// CHECK-NOT: rsp
// CHECK-NOT: vpdpbusd
// CHECK: jne
func.func @main(%x: tensor<64x512xi8>, %w: tensor<512x96xi8>) -> tensor<64x96xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<64x96xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<64x96xi32>) -> tensor<64x96xi32>
  %y = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x512xi8>, tensor<512x96xi8>) outs(%f : tensor<64x96xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %i = arith.extsi %a : i8 to i32
    %j = arith.extsi %b : i8 to i32
    %p = arith.muli %i, %j : i32
    %s = arith.addi %c, %p : i32
    linalg.yield %s : i32
  } -> tensor<64x96xi32>
  return %y : tensor<64x96xi32>
}
