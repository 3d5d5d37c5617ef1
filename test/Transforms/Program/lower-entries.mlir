// RUN: qcc-opt %s -lower-entries | FileCheck %s

// The table: sizes are literals, or -1 - i for value i; kinds are those of qcc_operand_kind.
// CHECK: module attributes {qcc.entries = [{
// CHECK-SAME: arguments = [{dims = array<i64: -1, 4>, element = f32}], in_place = array<i32: -1>, name = "f", plan = "f.plan"
// CHECK-SAME: results = [{dims = array<i64: -1, 4>, element = !quant.uniform<i8:f32, 5.000000e-01>}]
// CHECK-SAME: steps = [{bytes = 8 : i64, function = "f.step0.run", inputs = [
// CHECK-SAME: {dims = array<i64: -1, 4>, element = f32, index = 0 : i64, kind = 0 : i64},
// CHECK-SAME: {dims = array<i64: 3>, element = i8, index = 0 : i64, kind = 3 : i64},
// CHECK-SAME: {dims = array<i64: 9>, element = i1, index = 64 : i64, kind = 3 : i64},
// CHECK-SAME: {dims = array<i64: 2>, element = i32, index = 128 : i64, kind = 3 : i64}]
// CHECK-SAME: operations = -3 : i64, outputs = [{dims = array<i64: -4, 2>, element = f32, index = 0 : i64, kind = 2 : i64}]
// CHECK-SAME: parallel = true, scratch = 128 : i64}
// CHECK-SAME: function = "f.step1.run"
// CHECK-SAME: outputs = [{dims = array<i64: -2, 4>, element = !quant.uniform<i8:f32, 5.000000e-01>, index = 0 : i64, kind = 1 : i64, layer = "fc1"}]
// CHECK-SAME: symbols = 1 : i64, values = 5 : i64}]
// CHECK-SAME: qcc.weights = [{offset = 0 : i64, value = dense<[1, 2, 3]> : tensor<3xi8>},
// CHECK-SAME: {offset = 64 : i64, value = dense<true> : tensor<9xi1>},
// CHECK-SAME: {offset = 128 : i64, value = dense_resource<blob> : tensor<2xi32>}]

// The plan reads what the caller knows and stores the rest, first the dimensions of results; it returns the size
// of the arena. A division by 0 must not end the process.
// CHECK: func.func @f.plan(%[[V:.*]]: !llvm.ptr) -> i64 {
// CHECK: %[[P0:.*]] = llvm.getelementptr %[[V]][0]
// CHECK: %[[L:.*]] = llvm.load %[[P0]] : !llvm.ptr -> i64
// CHECK: %[[N:.*]] = arith.index_cast %[[L]] : i64 to index
// CHECK: %[[P1:.*]] = llvm.getelementptr %[[V]][1]
// CHECK: llvm.store %{{.*}}, %[[P1]]
// CHECK: %[[SIZE:.*]] = arith.muli %[[N]], %c8
// CHECK: %[[D:.*]] = arith.maxui %[[N]], %c1
// CHECK: arith.divui %[[SIZE]], %[[D]]
// CHECK: %[[ARENA:.*]] = arith.index_cast %[[SIZE]]
// CHECK: return %[[ARENA]] : i64

// A step of the ABI: frame, thread, threads. Scratch memory is that of the thread.
// CHECK: func.func @f.step0.run(%[[F:.*]]: !llvm.ptr, %[[T:.*]]: i32, %[[TS:.*]]: i32) {
// CHECK: %[[S:.*]] = llvm.getelementptr %[[F]][32]
// CHECK: %[[BASE:.*]] = llvm.load %[[S]]
// CHECK: %[[SS:.*]] = llvm.getelementptr %[[F]][40]
// CHECK: %[[STRIDE:.*]] = llvm.load %[[SS]]
// CHECK: %[[I:.*]] = llvm.sext %[[T]]
// CHECK: %[[O:.*]] = llvm.mul %[[I]], %[[STRIDE]]
// CHECK: llvm.getelementptr %[[BASE]][%[[O]]]
// CHECK: call @f.step0(
// CHECK: func.func @f.step1.run(
// CHECK-NOT: func.func @f(
// CHECK-NOT: memref.global

memref.global "private" constant @w : memref<3xi8> = dense<[1, 2, 3]> {alignment = 64 : i64}
memref.global "private" constant @b : memref<9xi1> = dense<true> {alignment = 64 : i64}
memref.global "private" constant @r : memref<2xi32> = dense_resource<blob> {alignment = 64 : i64}
func.func private @f.step0(%scratch: memref<?xi8>, %x: memref<?x4xf32>, %w: memref<3xi8>, %b: memref<9xi1>, %r: memref<2xi32>, %t: memref<?x2xf32>, %n: index, %ops: index, %bytes: index, %thread: index, %threads: index) attributes {qcc.step, qcc.scratch = 128 : i64, qcc.parallel, qcc.writes = array<i64: 5>} {
  return
}
func.func private @f.step1(%t: memref<?x2xf32>, %y: memref<?x4xi8>, %ops: index, %bytes: index, %thread: index, %threads: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  return
}
func.func @f(%x: memref<?x4xf32>, %y: memref<?x4xi8> {qcc.result, qcc.type = tensor<?x4x!quant.uniform<i8:f32, 0.5>>}, %arena: memref<?xi8>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  %m = memref.dim %y, %c0 : memref<?x4xi8>
  %size = arith.muli %n, %c8 : index
  %d = arith.divui %size, %m : index
  %w = memref.get_global @w : memref<3xi8>
  %b = memref.get_global @b : memref<9xi1>
  %r = memref.get_global @r : memref<2xi32>
  %t = memref.view %arena[%c0][%n] : memref<?xi8> to memref<?x2xf32>
  call @f.step0(%arena, %x, %w, %b, %r, %t, %d, %size, %c8, %c0, %c1) {qcc.kernel = {kind = "generic", name = "f.step0"}} : (memref<?xi8>, memref<?x4xf32>, memref<3xi8>, memref<9xi1>, memref<2xi32>, memref<?x2xf32>, index, index, index, index, index) -> ()
  call @f.step1(%t, %y, %c8, %c8, %c0, %c1) {arg_attrs = [{}, {qcc.layer = "fc1", qcc.type = !quant.uniform<i8:f32, 0.5>}, {}, {}, {}, {}], qcc.kernel = {kind = "generic", name = "f.step1"}} : (memref<?x2xf32>, memref<?x4xi8>, index, index, index, index) -> ()
  return %n, %c8, %size : index, index, index
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000100000002000000"
    }
  }
#-}
