// RUN: qcc-opt %s -distribute-steps -cse | FileCheck %s

// Thread t of T runs its share of the linearized iterations; lower bounds and steps are kept.
// CHECK-LABEL: func.func private @parallel(
// CHECK-SAME: %[[X:.*]]: memref<?x8xf32>, %[[N:.*]]: index, %{{.*}}: index, %{{.*}}: index, %[[T:.*]]: index, %[[TS:.*]]: index) attributes {qcc.parallel = array<i64: -9223372036854775808, 1>, qcc.step}
// CHECK: %[[ROWS:.*]] = arith.maxsi %[[N]], %c0
// CHECK: %[[COUNT:.*]] = arith.muli %[[ROWS]], %c2
// CHECK: %[[B:.*]] = arith.muli %[[COUNT]], %[[T]]
// CHECK: %[[BEGIN:.*]] = arith.divui %[[B]], %[[TS]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[T]], %c1
// CHECK: %[[E:.*]] = arith.muli %[[COUNT]], %[[NEXT]]
// CHECK: %[[END:.*]] = arith.divui %[[E]], %[[TS]]
// CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[R:.*]] = arith.remui %[[I]], %c2
// CHECK: %[[ROW:.*]] = arith.divui %[[I]], %c2
// CHECK: %[[S:.*]] = arith.muli %[[R]], %c3
// CHECK: %[[COLUMN:.*]] = arith.addi %[[S]], %c2
// CHECK: memref.store %{{.*}}, %[[X]][%[[ROW]], %[[COLUMN]]]
func.func private @parallel(%x: memref<?x8xf32>, %n: index, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step} {
  %c = arith.constant 1.0 : f32
  %a = memref.alloca() : memref<4xf32>
  scf.forall (%i, %j) = (0, 2) to (%n, 8) step (1, 3) {
    memref.store %c, %x[%i, %j] : memref<?x8xf32>
  }
  return
}

// A second loop would need the threads to meet in between.
// CHECK-LABEL: func.func private @two(
// CHECK-NOT: qcc.parallel
// CHECK-COUNT-2: scf.for
func.func private @two(%x: memref<8xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step} {
  %c = arith.constant 1.0 : f32
  scf.forall (%i) in (8) {
    memref.store %c, %x[%i] : memref<8xf32>
  }
  scf.forall (%i) in (8) {
    memref.store %c, %x[%i] : memref<8xf32>
  }
  return
}

// So would a store beside the loop.
// CHECK-LABEL: func.func private @effects(
// CHECK-NOT: qcc.parallel
// CHECK: scf.for
func.func private @effects(%x: memref<8xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step} {
  %c = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (8) {
    memref.store %c, %x[%i] : memref<8xf32>
  }
  memref.store %c, %x[%c0] : memref<8xf32>
  return
}

// Other functions are left alone.
// CHECK-LABEL: func.func @other(
// CHECK: scf.forall
func.func @other(%x: memref<8xf32>) {
  %c = arith.constant 1.0 : f32
  scf.forall (%i) in (8) {
    memref.store %c, %x[%i] : memref<8xf32>
  }
  return
}

// Loops that touch different memory need not: each is shared.
// The step has the size of the larger one.
// CHECK-LABEL: func.func private @independent(
// CHECK-SAME: qcc.parallel = array<i64: 9, 1>
// CHECK-COUNT-2: arith.divui %{{.*}}, %arg5
// CHECK: scf.for
// CHECK-COUNT-2: arith.divui %{{.*}}, %arg5
// CHECK: scf.for
func.func private @independent(%x: memref<8xf32>, %y: memref<9xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.independent, qcc.step} {
  %c = arith.constant 1.0 : f32
  scf.forall (%i) in (8) {
    memref.store %c, %x[%i] : memref<8xf32>
  }
  scf.forall (%i) in (9) {
    memref.store %c, %y[%i] : memref<9xf32>
  }
  return
}

// A loop over threads says what they share.
// CHECK-LABEL: func.func private @grid(
// CHECK-SAME: qcc.parallel = array<i64: 7, 3>
func.func private @grid(%x: memref<8xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step} {
  %c = arith.constant 1.0 : f32
  scf.forall (%i) in (%ts) {
    memref.store %c, %x[%i] : memref<8xf32>
  } {qcc.grid = array<i64: 7, 3>}
  return
}
