// A masked store of one lane of a truncated vector must write one element, not a whole word: with 33 columns the last
// vector of a row has one lane.
// RUN: qcc compile %s --mcpu=skylake-avx512 --emit=asm -o - | FileCheck %s --implicit-check-not='{{vmov(d|ss).*%xmm[0-9]+, 64\(}}'
// RUN: qcc run %s --input=random --dim=39 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=EXACT

// CHECK: vpmovdw %zmm{{[0-9]+}}, (
// CHECK: vpextrw $0, %xmm{{[0-9]+}}, 64(
// EXACT: check: 1287 elements, 0 differ
#id = affine_map<(i, j) -> (i, j)>
func.func @one_lane(%x: tensor<?x35xi8>, %w: tensor<35x33xi8>) -> tensor<?x33xi16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %n = tensor.dim %x, %c0 : tensor<?x35xi8>
  %e = tensor.empty(%n) : tensor<?x33xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<?x33xi32>) -> tensor<?x33xi32>
  %y = linalg.matmul ins(%x, %w : tensor<?x35xi8>, tensor<35x33xi8>) outs(%f : tensor<?x33xi32>) -> tensor<?x33xi32>
  %o = tensor.empty(%n) : tensor<?x33xi16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x33xi32>) outs(%o : tensor<?x33xi16>) {
  ^bb0(%a: i32, %old: i16):
    %t = arith.trunci %a : i32 to i16
    linalg.yield %t : i16
  } -> tensor<?x33xi16>
  return %r : tensor<?x33xi16>
}
