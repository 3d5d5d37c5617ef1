// RUN: qcc-opt %s -outline-steps -plan-memory -lower-entries -split-input-file | FileCheck %s

// What is asserted of dimensions becomes the requirements of the plan, which returns -1 - i for the first that fails.
// CHECK: qcc.entries = [{{.*}}requirements = ["a must be b", "not too many"]
// CHECK-LABEL: func.func @main.plan(
// CHECK: %[[EQ:.*]] = arith.cmpi eq
// CHECK: %[[FEW:.*]] = arith.cmpi sle
// CHECK: %[[ARENA:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: %[[SECOND:.*]] = llvm.mlir.constant(-2 : i64)
// CHECK: %[[R1:.*]] = arith.select %[[FEW]], %[[ARENA]], %[[SECOND]]
// CHECK: %[[FIRST:.*]] = llvm.mlir.constant(-1 : i64)
// CHECK: %[[R0:.*]] = arith.select %[[EQ]], %[[R1]], %[[FIRST]]
// CHECK: return %[[R0]]
func.func @main(%a: memref<?xf32>, %b: memref<?xf32>, %y: memref<?xf32> {qcc.result}) -> index {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %m = memref.dim %b, %c0 : memref<?xf32>
  %same = arith.cmpi eq, %n, %m : index
  cf.assert %same, "a must be b"
  %few = arith.cmpi sle, %n, %c9 : index
  cf.assert %few, "not too many"
  linalg.copy ins(%b : memref<?xf32>) outs(%y : memref<?xf32>)
  return %n : index
}

// -----

// What is asserted of data cannot be checked before anything runs.
// CHECK: qcc.entries = [{{.*}}requirements = []
// CHECK-LABEL: func.func @main.plan(
// CHECK-NOT: arith.select
// CHECK: return
func.func @main(%a: memref<1xi32>, %y: memref<1xi32> {qcc.result}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %x = memref.load %a[%c0] : memref<1xi32>
  %positive = arith.cmpi sgt, %x, %zero : i32
  cf.assert %positive, "data"
  linalg.copy ins(%a : memref<1xi32>) outs(%y : memref<1xi32>)
  return
}
