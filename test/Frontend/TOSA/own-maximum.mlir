// A maximum of sizes that the program itself computes stays, beside those that MLIR's lowering of TOSA makes.
// RUN: qcc run %s --dim=3 --dim=5 --check | FileCheck %s
// RUN: qcc run %s --dim=5 --dim=3 --check | FileCheck %s
// CHECK: elements, 0 differ
// RUN: qcc compile %s --emit=import -o - | FileCheck %s --check-prefix=IMPORT
// IMPORT: arith.maxui
// IMPORT-NOT: qcc.own
func.func @main(%x: tensor<?x6xf32>, %y: tensor<?x6xf32>) -> (tensor<?x6xf32>, tensor<?x6xf32>, tensor<1xi64>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x6xf32>
  %n = tensor.dim %y, %c0 : tensor<?x6xf32>
  %most = arith.maxui %m, %n : index
  %i = arith.index_cast %most : index to i64
  %r = tensor.from_elements %i : tensor<1xi64>
  %0 = tosa.add %x, %x : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %1 = tosa.add %y, %y : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  return %0, %1, %r : tensor<?x6xf32>, tensor<?x6xf32>, tensor<1xi64>
}
