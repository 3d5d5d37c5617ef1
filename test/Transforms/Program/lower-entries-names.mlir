// RUN: qcc-opt %s -lower-entries | FileCheck %s

// Functions of the program may have the names that the pass would like.
// CHECK: name = "f", plan = "f.plan_0"
// CHECK-SAME: function = "f.step0.run_{{[0-9]+}}"
// CHECK-DAG: func.func @f.plan_0(
// CHECK-DAG: func.func @f.plan.plan(
func.func private @f.step0(%y: memref<4xi8>, %ops: index, %bytes: index, %thread: index, %threads: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  return
}
func.func @f(%y: memref<4xi8> {qcc.result}, %arena: memref<?xi8>) -> (index, index) {
  %c0 = arith.constant 0 : index
  call @f.step0(%y, %c0, %c0, %c0, %c0) {qcc.kernel = {kind = "generic", name = "f.step0"}} : (memref<4xi8>, index, index, index, index) -> ()
  return %c0, %c0 : index, index
}
func.func @f.plan(%arena: memref<?xi8>) -> (index, index) {
  %c0 = arith.constant 0 : index
  return %c0, %c0 : index, index
}
func.func @f.step0.run(%arena: memref<?xi8>) -> (index, index) {
  %c0 = arith.constant 0 : index
  return %c0, %c0 : index, index
}
