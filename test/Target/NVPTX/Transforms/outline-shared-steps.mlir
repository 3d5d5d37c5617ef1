// RUN: qcc-opt %s -outline-kernels -canonicalize -cse | FileCheck %s

// Calls of one step are launches of one kernel; literals are passed as the bits of sizes, of 32 each.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>)
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1065353216 : index
// CHECK-DAG: %[[MINUS:.*]] = arith.constant 3212836864 : index
// CHECK-DAG: %[[BYTE:.*]] = arith.constant 254 : index
// CHECK-DAG: %[[ALL:.*]] = arith.constant 4294967295 : index
// CHECK: kernel.launch @kernels::@f_step0 {{.*}} writes [0](%[[X]], %[[ONE]], %c3, %c5, %c0) info {name = "f.step0"}
// CHECK: kernel.launch @kernels::@f_step0 {{.*}} writes [0](%[[Y]], %[[MINUS]], %[[BYTE]], %[[ALL]], %[[ALL]]) info {name = "f.step1"}
func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %minus = arith.constant -1.0 : f32
  %byte = arith.constant 3 : i8
  %other = arith.constant -2 : i8
  %wide = arith.constant 5 : i64
  %all = arith.constant -1 : i64
  call @f.step0(%x, %one, %byte, %wide, %c0, %c0, %c0, %c0) {qcc.kernel = {name = "f.step0"}} : (memref<4xf32>, f32, i8, i64, index, index, index, index) -> ()
  call @f.step0(%y, %minus, %other, %all, %c0, %c0, %c0, %c0) {qcc.kernel = {name = "f.step1"}} : (memref<4xf32>, f32, i8, i64, index, index, index, index) -> ()
  return
}

// CHECK: func.func @f_step0(%{{.*}}: !llvm.ptr<1>, %[[F:.*]]: i64, %[[B:.*]]: i64, %[[LOW:.*]]: i64, %[[HIGH:.*]]: i64) {
// CHECK-DAG: %[[FW:.*]] = arith.trunci %[[F]] : i64 to i32
// CHECK-DAG: arith.bitcast %[[FW]] : i32 to f32
// CHECK-DAG: arith.trunci %[[B]] : i64 to i8
// CHECK-DAG: %[[UP:.*]] = arith.shli %[[HIGH]], %c32_i64
// CHECK-DAG: arith.ori %[[LOW]], %[[UP]] : i64
// CHECK-NOT: func.func @f_step1
func.func private @f.step0(%x: memref<4xf32>, %f: f32, %b: i8, %w: i64, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  %bw = arith.extsi %b : i8 to i64
  %sum = arith.addi %bw, %w : i64
  %s = arith.sitofp %sum : i64 to f32
  %v = arith.addf %f, %s : f32
  scf.forall (%i) in (4) {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  return
}
