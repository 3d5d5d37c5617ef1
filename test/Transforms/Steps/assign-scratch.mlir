// RUN: qcc-opt %s -assign-scratch | FileCheck %s

// Each buffer starts at a multiple of 64 bytes; elements may be vectors. What the step writes moves by one.
// CHECK-LABEL: func.func private @step(
// CHECK-SAME: %[[SCRATCH:.*]]: memref<?xi8>, %{{.*}}: memref<8xf32>, {{.*}}) attributes {qcc.scratch = 256 : i64, qcc.step, qcc.writes = array<i64: 1>}
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: memref.view %[[SCRATCH]][%[[C0]]][] : memref<?xi8> to memref<5xi8>
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: memref.view %[[SCRATCH]][%[[C64]]][] : memref<?xi8> to memref<3x2xvector<8xf32>>
// CHECK-NOT: memref.alloca
func.func private @step(%x: memref<8xf32>, %n: index, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  %a = memref.alloca() : memref<5xi8>
  %b = memref.alloca() {alignment = 64 : i64} : memref<3x2xvector<8xf32>>
  %c0 = arith.constant 0 : index
  %v = memref.load %a[%c0] : memref<5xi8>
  %w = memref.load %b[%c0, %c0] : memref<3x2xvector<8xf32>>
  return
}

// Without buffers nothing changes.
// CHECK-LABEL: func.func private @none(%{{.*}}: memref<8xf32>
// CHECK-NOT: qcc.scratch
func.func private @none(%x: memref<8xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  return
}

// The operand only stands for the scratch memory; what the call says of its operands moves with them.
// CHECK-LABEL: func.func @entry(
// CHECK-SAME: %[[X:.*]]: memref<8xf32>, %[[ARENA:.*]]: memref<?xi8>)
// CHECK: call @step(%[[ARENA]], %[[X]],
// CHECK-SAME: {arg_attrs = [{}, {qcc.layer = "x"}, {}, {}, {}, {}, {}]}
// CHECK: call @none(%[[X]],
func.func @entry(%x: memref<8xf32>, %arena: memref<?xi8>) -> index {
  %c0 = arith.constant 0 : index
  call @step(%x, %c0, %c0, %c0, %c0, %c0) {arg_attrs = [{qcc.layer = "x"}, {}, {}, {}, {}, {}]} : (memref<8xf32>, index, index, index, index, index) -> ()
  call @none(%x, %c0, %c0, %c0, %c0) : (memref<8xf32>, index, index, index, index) -> ()
  return %c0 : index
}
