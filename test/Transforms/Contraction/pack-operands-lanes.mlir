// RUN: qcc-opt %s -pack-operands=target=sapphirerapids | FileCheck %s

// Where lanes lie along K a column is a row of words, padded to a vector; nothing is packed that is read in place.
// CHECK-LABEL: func.func @lanes_along_k
// CHECK-DAG: arith.constant dense_resource<lanes_along_k_{{packed.*}}> : tensor<3x16x1xi32>
// CHECK-DAG: arith.constant dense_resource<lanes_along_k_{{sums.*}}> : tensor<3xi32>
// CHECK: rhs_sums(
// CHECK-NOT: rhs_sums(
// CHECK: return
func.func @lanes_along_k(%x: tensor<2x5xi8>, %v: tensor<3x5xi8>,
                         %o: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
  %w = arith.constant dense<[[1, 2, 3, 4, 5], [-1, -2, -3, -4, -5], [127, -128, 0, 0, 1]]> : tensor<3x5xi8>
  %y = kernel.contract lhs(%x : tensor<2x5xi8>) rhs(%w : tensor<3x5xi8>) outs(%o : tensor<2x3xi32>)
      {
       lowering_config = #x86.config<inner_product, atom = "avx512vnni", tile = [8, 1, 4], block = [16, 1], lhs = panel,
                                     source = model>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x3xi32>
  %z = kernel.contract lhs(%x : tensor<2x5xi8>) rhs(%v : tensor<3x5xi8>) outs(%o : tensor<2x3xi32>)
      {
       lowering_config = #x86.config<inner_product, atom = "avx512vnni", tile = [1, 8, 4], block = [1, 16], lhs = panel,
                                     rhs = in_place, source = model>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x3xi32>
  return %y, %z : tensor<2x3xi32>, tensor<2x3xi32>
}

// CHECK: lanes_along_k_packed: "0x400000000102030405{{0+}}FFFEFDFCFB{{0+}}7F80000001{{0+}}"
// CHECK: lanes_along_k_sums: "0x400000000F000000F1FFFFFF00000000"
