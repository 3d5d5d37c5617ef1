// A program asserts conditions on dimensions of its arguments.
// RUN: rm -rf %t && split-file %s %t
// RUN: qcc run %t/even.mlir --dim=4 --check | FileCheck %s --check-prefix=RUNS
// RUN: not qcc run %t/even.mlir --dim=3 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not qcc run %t/even.mlir --dim=3 --check 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: not qcc explain %t/even.mlir --dim=3 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: not qcc compile %t/other.mlir -o %t/other.so 2>&1 | FileCheck %t/other.mlir
// RUNS: 4 elements, 0 differ
// ODD: the program cannot run with these shapes: the size is even
// REFERENCE: even.mlir:7:3: 'cf.assert': the size is even
// EXPLAIN: entry 'main' cannot run with these dimensions: the size is even

//--- even.mlir
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %c2 = arith.constant 2 : index
  %rest = arith.remsi %n, %c2 : index
  %even = arith.cmpi eq, %rest, %c0 : index
  cf.assert %even, "the size is even"
  %y = arith.addf %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
//--- other.mlir
// CHECK: other.mlir:3:3: error: 'cf.br' op is not accepted; of cf, only assert is: write branches and loops with scf
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}
