// RUN: qcc-opt %s -lower-entries | FileCheck %s

// Steps may share a function: each has a name and a function of the ABI of its own, and hands over its literals.
// CHECK: module attributes {qcc.entries = [{
// CHECK-SAME: function = "f.first.run"
// CHECK-SAME: kernel = {kind = "generic", layer = "one", name = "f.first"}
// CHECK-SAME: function = "f.second.run"
// CHECK-SAME: kernel = {kind = "generic", layer = "two", name = "f.second"}
// CHECK-SAME: outputs = [{byte_shift = 128 : i64, dims = array<i64: 4>
// CHECK: func.func @f.first.run(
// CHECK: %[[A:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[B:.*]] = arith.constant 3 : i8
// CHECK: call @shared(%{{[^,]*}}, %[[A]], %[[B]],
// CHECK: func.func @f.second.run(
// CHECK: %[[A:.*]] = arith.constant 2.500000e-01 : f32
// CHECK: %[[B:.*]] = arith.constant -7 : i8
// CHECK: call @shared(%{{[^,]*}}, %[[A]], %[[B]],
func.func private @shared(%y: memref<4xi8>, %s: f32, %z: i8, %ops: index, %bytes: index, %thread: index, %threads: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  return
}
func.func @f(%y: memref<4xi8> {qcc.result}, %arena: memref<?xi8>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %s0 = arith.constant 0.5 : f32
  %z0 = arith.constant 3 : i8
  %s1 = arith.constant 0.25 : f32
  %z1 = arith.constant -7 : i8
  call @shared(%y, %s0, %z0, %c0, %c0, %c0, %c0) {qcc.kernel = {kind = "generic", layer = "one", name = "f.first"}} : (memref<4xi8>, f32, i8, index, index, index, index) -> ()
  call @shared(%y, %s1, %z1, %c0, %c0, %c0, %c0) {arg_attrs = [{qcc.byte_shift = 128 : i64}, {}, {}, {}, {}, {}, {}], qcc.kernel = {kind = "generic", layer = "two", name = "f.second"}} : (memref<4xi8>, f32, i8, index, index, index, index) -> ()
  return %c0, %c0 : index, index
}
