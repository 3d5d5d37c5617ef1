// RUN: qcc-opt %s -lower-entries | FileCheck %s

// Rows that are apart, bytes that are shifted, dimensions in another order: the table says so, for those who look at the
// values of steps. Sizes of an output are those of the value.
// CHECK: module attributes {qcc.entries
// CHECK-SAME: outputs = [{byte_shift = 128 : i64, dims = array<i64: 4, -3>, element = i8, index = 0 : i64, kind = 2 : i64, order = array<i64: 1, 0>, row_pitch = 64 : i64}]
// CHECK-SAME: inputs = [{dims = array<i64: -3, 4>, element = i8, index = 0 : i64, kind = 2 : i64, row_pitch = 64 : i64}]

// The memref of a step has the strides of its type.
// CHECK: func.func @f.step1.run(
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
// CHECK: llvm.insertvalue %[[ONE]], %{{.*}}[4, 1]
// CHECK: %[[PITCH:.*]] = llvm.mlir.constant(64 : i64)
// CHECK: %[[STRIDE:.*]] = llvm.mul %[[ONE]], %[[PITCH]]
// CHECK: %[[ALL:.*]] = llvm.insertvalue %[[STRIDE]], %{{.*}}[4, 0]
// CHECK: builtin.unrealized_conversion_cast %[[ALL]] {{.*}} to memref<?x4xi8, strided<[64, 1]>>

func.func private @f.step0(%x: memref<?x4xf32>, %t: memref<?x4xi8, strided<[64, 1]>>, %ops: index, %bytes: index, %thread: index, %threads: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  return
}
func.func private @f.step1(%t: memref<?x4xi8, strided<[64, 1]>>, %y: memref<?x4xi8>, %ops: index, %bytes: index, %thread: index, %threads: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  return
}
func.func @f(%x: memref<?x4xf32>, %y: memref<?x4xi8> {qcc.result}, %arena: memref<?xi8>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  %v = memref.view %arena[%c0][%n] : memref<?xi8> to memref<?x64xi8>
  %t = memref.subview %v[0, 0] [%n, 4] [1, 1] : memref<?x64xi8> to memref<?x4xi8, strided<[64, 1]>>
  call @f.step0(%x, %t, %c0, %c0, %c0, %c1) {arg_attrs = [{}, {qcc.byte_shift = 128 : i64, qcc.order = array<i64: 1, 0>}, {}, {}, {}, {}], qcc.kernel = {kind = "generic", name = "f.step0"}} : (memref<?x4xf32>, memref<?x4xi8, strided<[64, 1]>>, index, index, index, index) -> ()
  call @f.step1(%t, %y, %c0, %c0, %c0, %c1) {qcc.kernel = {kind = "generic", name = "f.step1"}} : (memref<?x4xi8, strided<[64, 1]>>, memref<?x4xi8>, index, index, index, index) -> ()
  return %n, %c0, %c0 : index, index, index
}
