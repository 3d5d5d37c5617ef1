// RUN: qcc-opt %s -plan-memory -canonicalize -cse | FileCheck %s

func.func private @f(memref<100xi8>)
func.func private @g(memref<100xi8>, memref<100xi8>)
func.func private @d(memref<?x3xf32>)
func.func private @dd(memref<?x3xf32>, memref<?x3xf32>)
func.func private @v(memref<2xindex>)
func.func private @rows(memref<?x60xi8, strided<[64, 1]>>, memref<2x3x60xi8, strided<[192, 64, 1]>>)

// The first and the third buffer are never alive together: they share a slot of 128 bytes.
// CHECK-LABEL: func.func @share(
// CHECK-SAME: %[[ARENA:.*]]: memref<?xi8>) -> index
// CHECK-DAG: %[[V0:.*]] = memref.view %[[ARENA]][%c0]
// CHECK-DAG: %[[V1:.*]] = memref.view %[[ARENA]][%c128]
// CHECK: call @f(%[[V0]])
// CHECK: call @g(%[[V0]], %[[V1]])
// CHECK: call @g(%[[V1]], %[[V0]])
// CHECK: return %c256
func.func @share() {
  %a = memref.alloc() : memref<100xi8>
  call @f(%a) : (memref<100xi8>) -> ()
  %b = memref.alloc() : memref<100xi8>
  call @g(%a, %b) : (memref<100xi8>, memref<100xi8>) -> ()
  %c = memref.alloc() : memref<100xi8>
  call @g(%b, %c) : (memref<100xi8>, memref<100xi8>) -> ()
  return
}

// A slot of dynamic buffers is as large as the largest: bytes rounded up to 64.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>, %[[ARENA:.*]]: memref<?xi8>) -> (index, index)
// CHECK-DAG: %[[M:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG: %[[N:.*]] = memref.dim %[[X]], %c1
// CHECK: %[[B:.*]] = arith.muli %{{.*}}, %c12
// CHECK: arith.addi %[[B]], %c63
// CHECK: arith.divui
// CHECK: arith.muli %{{.*}}, %c64
// CHECK: %[[S:.*]] = arith.maxui
// CHECK: return %[[M]], %[[S]]
func.func @dynamic(%x: memref<?x?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %a = memref.alloc(%m) : memref<?x3xf32>
  call @d(%a) : (memref<?x3xf32>) -> ()
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %b = memref.alloc(%n) : memref<?x3xf32>
  call @d(%b) : (memref<?x3xf32>) -> ()
  return %m : index
}

// An index takes 8 bytes; two static buffers of different size that may share, do.
// CHECK-LABEL: func.func @sizes(
// CHECK: return %c128
func.func @sizes() {
  %a = memref.alloc() : memref<2xindex>
  call @v(%a) : (memref<2xindex>) -> ()
  %b = memref.alloc() : memref<100xi8>
  call @f(%b) : (memref<100xi8>) -> ()
  return
}

// Without temporaries the arena is empty.
// CHECK-LABEL: func.func @none(
// CHECK-SAME: %{{.*}}: memref<?xi8>) -> index
// CHECK: return %c0
func.func @none() {
  return
}

// Rows that are apart are a part of memory that is not.
// CHECK-LABEL: func.func @rows_apart(
// CHECK-SAME: %[[M:.*]]: index, %[[ARENA:.*]]: memref<?xi8>) -> index
// CHECK-DAG: %[[BYTES:.*]] = arith.muli %[[M]], %c64
// CHECK-DAG: %[[V0:.*]] = memref.view %[[ARENA]][%{{.*}}][%[[M]]] : memref<?xi8> to memref<?x64xi8>
// CHECK-DAG: %[[S0:.*]] = memref.subview %[[V0]][0, 0] [%[[M]], 60] [1, 1] : memref<?x64xi8> to memref<?x60xi8, strided<[64, 1]>>
// CHECK-DAG: %[[V1:.*]] = memref.view %[[ARENA]][%{{.*}}][] : memref<?xi8> to memref<2x3x64xi8>
// CHECK-DAG: %[[S1:.*]] = memref.subview %[[V1]][0, 0, 0] [2, 3, 60] [1, 1, 1] : memref<2x3x64xi8> to memref<2x3x60xi8, strided<[192, 64, 1]>>
// CHECK: call @rows(%[[S0]], %[[S1]])
func.func @rows_apart(%m: index) {
  %a = memref.alloc(%m) : memref<?x60xi8, strided<[64, 1]>>
  %b = memref.alloc() : memref<2x3x60xi8, strided<[192, 64, 1]>>
  call @rows(%a, %b) : (memref<?x60xi8, strided<[64, 1]>>, memref<2x3x60xi8, strided<[192, 64, 1]>>) -> ()
  return
}
