// RUN: qcc-opt %s -convert-kernel-to-nvptx | FileCheck %s

// A thread computes a result: prologue, zero point and epilogue on scalars, operands where they lie.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[X:.*]]: memref<?x64xf32>, %[[W:.*]]: memref<32x64xi8>, %[[B:.*]]: memref<32xi32>, %[[Z:.*]]: memref<i32>, %[[S:.*]]: memref<f32>, %[[Y:.*]]: memref<?x32xf32>)
// CHECK: %[[THREADS:.*]] = affine.apply
// CHECK: scf.forall (%[[I:.*]]) in (%[[THREADS]]) {
// CHECK: %[[N:.*]] = arith.remui %[[I]], %c32
// CHECK: %[[M:.*]] = arith.divui %[[I]], %c32
// CHECK: %[[ZERO:.*]] = memref.load %[[Z]][]
// CHECK: %[[INIT:.*]] = memref.load %[[B]][%[[N]]]
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %c0{{.*}} to %c64 step %c1{{.*}} iter_args(%[[ACC:.*]] = %[[INIT]]) -> (i32) {
// CHECK:   %[[REAL:.*]] = memref.load %[[X]][%[[M]], %[[K]]]
// CHECK:   %[[BYTE:.*]] = arith.fptosi %[[REAL]] : f32 to i8
// CHECK:   %[[L:.*]] = arith.extui %[[BYTE]] : i8 to i32
// CHECK:   %[[LZ:.*]] = arith.subi %[[L]], %[[ZERO]]
// CHECK:   %[[WEIGHT:.*]] = memref.load %[[W]][%[[N]], %[[K]]]
// CHECK:   %[[R:.*]] = arith.extsi %[[WEIGHT]] : i8 to i32
// CHECK:   %[[P:.*]] = arith.muli %[[LZ]], %[[R]]
// CHECK:   %[[NEXT:.*]] = arith.addi %[[ACC]], %[[P]]
// CHECK:   scf.yield %[[NEXT]]
// CHECK: %[[SCALE:.*]] = memref.load %[[S]][]
// CHECK: %[[F:.*]] = arith.sitofp %[[SUM]]
// CHECK: %[[V:.*]] = arith.mulf %[[F]], %[[SCALE]]
// CHECK: memref.store %[[V]], %[[Y]][%[[M]], %[[N]]]
func.func @matmul(%x: memref<?x64xf32>, %w: memref<32x64xi8>, %b: memref<32xi32>, %z: memref<i32>, %s: memref<f32>, %y: memref<?x32xf32>) {
  kernel.contract lhs(%x : memref<?x64xf32>) rhs(%w : memref<32x64xi8>) init(%b : memref<32xi32>)
    lhs_zero_point(%z : memref<i32>) epilogue_ins(%s : memref<f32>) outs(%y : memref<?x32xf32>)
    {lhs_unsigned, lowering_config = #nvptx.config<threads, atom = "mad", source = model>}
    lhs_prologue {
    ^bb0(%v: f32):
      %q = arith.fptosi %v : f32 to i8
      kernel.yield %q : i8
    } epilogue {
    ^bb0(%acc: i32, %scale: f32):
      %f = arith.sitofp %acc : i32 to f32
      %r = arith.mulf %f, %scale : f32
      kernel.yield %r : f32
    }
  return
}
