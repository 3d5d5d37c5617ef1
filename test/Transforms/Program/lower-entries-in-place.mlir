// RUN: qcc-opt %s -lower-entries | FileCheck %s

// A copy that is idle where its argument and its result share memory does not run there.
// CHECK: qcc.entries = [{{.*}}in_place = array<i32: -1, 0>
// CHECK-LABEL: func.func @f.step0.run(
// CHECK: %[[TENSORS:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: %[[X:.*]] = llvm.load
// CHECK: %[[DIFFER:.*]] = llvm.icmp "ne" %[[FROM:.*]], %[[TO:.*]] : !llvm.ptr
// CHECK-NEXT: scf.if %[[DIFFER]] {
// CHECK-NEXT:   func.call @f.step0(
// CHECK-NEXT: }
// CHECK-NEXT: return
// CHECK-LABEL: func.func @f.step1.run(
// CHECK-NOT: llvm.icmp
// CHECK: call @f.step1(
func.func private @f.step0(%x: memref<4xf32>, %y: memref<4xf32>, %ops: index, %bytes: index, %thread: index, %threads: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  return
}
func.func private @f.step1(%y: memref<4xf32>, %z: memref<4xf32>, %ops: index, %bytes: index, %thread: index, %threads: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  return
}
func.func @f(%x: memref<4xf32>, %z: memref<4xf32> {qcc.result}, %y: memref<4xf32> {qcc.in_place = 0 : index, qcc.result}, %arena: memref<?xi8>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @f.step0(%x, %y, %c0, %c0, %c0, %c1) {qcc.idle_in_place, qcc.kernel = {kind = "generic", name = "f.step0"}} : (memref<4xf32>, memref<4xf32>, index, index, index, index) -> ()
  call @f.step1(%y, %z, %c0, %c0, %c0, %c1) {qcc.kernel = {kind = "generic", name = "f.step1"}} : (memref<4xf32>, memref<4xf32>, index, index, index, index) -> ()
  return %c0, %c0 : index, index
}
