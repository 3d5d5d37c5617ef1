// RUN: qcc-opt %s -form-contractions | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>

// An elementwise op that reads the result of the contraction as its output, not as an input.
// CHECK-LABEL: func.func @in_place
// CHECK: kernel.contract
// CHECK: arith.maxsi
// CHECK-NOT: linalg.generic
func.func @in_place(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>) -> tensor<5x9xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<5x9xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%f : tensor<5x9xi32>) {
  ^bb0(%a: i8, %b: i8, %s: i32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %s, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<5x9xi32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%acc : tensor<5x9xi32>) {
  ^bb0(%a: i32):
    %0 = arith.maxsi %a, %zero : i32
    linalg.yield %0 : i32
  } -> tensor<5x9xi32>
  return %r : tensor<5x9xi32>
}
