// RUN: qcc-opt %s -lower-entries | FileCheck %s

// Of the tensors, the table has the names. A dimension of a result is the same size as the argument's whose dimension it
// is, and as the earlier result's that has it; others are sizes of their own.
// CHECK: arguments = [{dims = array<i64: -1, -2>, element = f32, name = "images"}, {dims = array<i64: -3>, element = f32}]
// CHECK-SAME: results = [{dims = array<i64: -2, 4>, element = f32, name = "logits"},
// CHECK-SAME: {dims = array<i64: -5, -1>, element = f32}, {dims = array<i64: -5>, element = f32}]
// CHECK-SAME: symbols = 3 : i64, values = 7 : i64

// Each is stored in its own place all the same.
// CHECK: func.func @f.plan(%[[V:.*]]: !llvm.ptr)
// CHECK: %[[P3:.*]] = llvm.getelementptr %[[V]][3]
// CHECK: llvm.store %{{.*}}, %[[P3]]
// CHECK: %[[P6:.*]] = llvm.getelementptr %[[V]][6]
// CHECK: llvm.store %{{.*}}, %[[P6]]
func.func @f(%x: memref<?x?xf32> {qcc.name = "images"}, %b: memref<?xf32>,
             %y0: memref<?x4xf32> {qcc.name = "logits", qcc.result}, %y1: memref<?x?xf32> {qcc.result},
             %y2: memref<?xf32> {qcc.result}, %arena: memref<?xi8>) -> (index, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %twice = arith.addi %n, %n : index
  return %m, %twice, %n, %twice, %c0, %c0 : index, index, index, index, index, index
}
