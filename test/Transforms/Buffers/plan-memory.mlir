// RUN: qcc-opt %s -plan-memory -canonicalize -cse | FileCheck %s

func.func private @f(memref<100xi8>)
func.func private @g(memref<100xi8>, memref<100xi8>)
func.func private @h(memref<256xi8>, memref<64xi8>)
func.func private @k(memref<100xi8>, memref<100xi8>, memref<64xi8>)
func.func private @ds(memref<?x3xf32>, memref<100xi8>)
func.func private @dd(memref<?x3xf32>, memref<?x3xf32>)
func.func private @v(memref<2xindex>)
func.func private @rows(memref<?x60xi8, strided<[64, 1]>>, memref<2x3x60xi8, strided<[192, 64, 1]>>)

// The first and the third buffer are never alive together: they have the same memory. What is alive at most at a step
// is returned before the size of the arena.
// CHECK-LABEL: func.func @share(
// CHECK-SAME: %[[ARENA:.*]]: memref<?xi8> {qcc.arena}) -> (index, index)
// CHECK-DAG: %[[V0:.*]] = memref.view %[[ARENA]][%c0]
// CHECK-DAG: %[[V1:.*]] = memref.view %[[ARENA]][%c128]
// CHECK: call @f(%[[V0]])
// CHECK: call @g(%[[V0]], %[[V1]])
// CHECK: call @g(%[[V1]], %[[V0]])
// CHECK: return %c256, %c256
func.func @share() {
  %a = memref.alloc() : memref<100xi8>
  call @f(%a) : (memref<100xi8>) -> ()
  %b = memref.alloc() : memref<100xi8>
  call @g(%a, %b) : (memref<100xi8>, memref<100xi8>) -> ()
  %c = memref.alloc() : memref<100xi8>
  call @g(%b, %c) : (memref<100xi8>, memref<100xi8>) -> ()
  return
}

// A large buffer has the memory of two small ones that are no longer alive, not one more slot.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME: %[[ARENA:.*]]: memref<?xi8> {qcc.arena})
// CHECK-DAG: %[[KEPT:.*]] = memref.view %[[ARENA]][%c256][] : memref<?xi8> to memref<64xi8>
// CHECK-DAG: memref.view %[[ARENA]][%c128][] : memref<?xi8> to memref<100xi8>
// CHECK-DAG: memref.view %[[ARENA]][%c0][] : memref<?xi8> to memref<100xi8>
// CHECK-DAG: %[[LARGE:.*]] = memref.view %[[ARENA]][%c0][] : memref<?xi8> to memref<256xi8>
// CHECK: call @h(%[[LARGE]], %[[KEPT]])
// CHECK: return %c320, %c320
func.func @parts() {
  %a = memref.alloc() : memref<100xi8>
  %b = memref.alloc() : memref<100xi8>
  %k = memref.alloc() : memref<64xi8>
  call @g(%a, %b) : (memref<100xi8>, memref<100xi8>) -> ()
  call @k(%a, %b, %k) : (memref<100xi8>, memref<100xi8>, memref<64xi8>) -> ()
  %l = memref.alloc() : memref<256xi8>
  call @h(%l, %k) : (memref<256xi8>, memref<64xi8>) -> ()
  return
}

// Offsets behind dynamic sizes are computed: bytes are rounded up to 64. Two dynamic buffers that are not alive at once
// begin at the same offset, behind the static one that is alive with both.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>, %[[ARENA:.*]]: memref<?xi8> {qcc.arena}) -> (index, index, index)
// CHECK-DAG: %[[M:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG: %[[N:.*]] = memref.dim %[[X]], %c1
// CHECK-DAG: %[[BM:.*]] = arith.muli %[[M]], %c12
// CHECK-DAG: %[[UM:.*]] = arith.addi %[[BM]], %c63
// CHECK-DAG: %[[DM:.*]] = arith.divui %[[UM]], %c64
// CHECK-DAG: %[[SM:.*]] = arith.muli %[[DM]], %c64
// CHECK-DAG: %[[BN:.*]] = arith.muli %[[N]], %c12
// CHECK-DAG: %[[UN:.*]] = arith.addi %[[BN]], %c63
// CHECK-DAG: %[[DN:.*]] = arith.divui %[[UN]], %c64
// CHECK-DAG: %[[SN:.*]] = arith.muli %[[DN]], %c64
// CHECK-DAG: %[[S:.*]] = memref.view %[[ARENA]][%c0][] : memref<?xi8> to memref<100xi8>
// CHECK-DAG: %[[A:.*]] = memref.view %[[ARENA]][%c128][%[[M]]] : memref<?xi8> to memref<?x3xf32>
// CHECK-DAG: %[[B:.*]] = memref.view %[[ARENA]][%c128][%[[N]]] : memref<?xi8> to memref<?x3xf32>
// CHECK-DAG: %[[LM:.*]] = arith.addi %[[SM]], %c128
// CHECK-DAG: %[[LN:.*]] = arith.addi %[[SN]], %c128
// CHECK-DAG: %[[L:.*]] = arith.maxui %[[LM]], %[[LN]]
// CHECK: call @ds(%[[A]], %[[S]])
// CHECK: call @ds(%[[B]], %[[S]])
// CHECK: return %[[M]], %[[L]], %[[L]]
func.func @dynamic(%x: memref<?x?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %s = memref.alloc() : memref<100xi8>
  %a = memref.alloc(%m) : memref<?x3xf32>
  call @ds(%a, %s) : (memref<?x3xf32>, memref<100xi8>) -> ()
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %b = memref.alloc(%n) : memref<?x3xf32>
  call @ds(%b, %s) : (memref<?x3xf32>, memref<100xi8>) -> ()
  return %m : index
}

// Buffers of one step are apart, whatever their sizes will be.
// CHECK-LABEL: func.func @one_step(
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c64
// CHECK-DAG: memref.view %{{.*}}[%c0][%{{.*}}]
// CHECK-DAG: memref.view %{{.*}}[%[[FIRST]]][%{{.*}}]
func.func @one_step(%m: index) {
  %a = memref.alloc(%m) : memref<?x3xf32>
  %b = memref.alloc(%m) : memref<?x3xf32>
  call @dd(%a, %b) : (memref<?x3xf32>, memref<?x3xf32>) -> ()
  return
}

// An index takes 8 bytes; two static buffers of different size that may share, do.
// CHECK-LABEL: func.func @sizes(
// CHECK: return %c128, %c128
func.func @sizes() {
  %a = memref.alloc() : memref<2xindex>
  call @v(%a) : (memref<2xindex>) -> ()
  %b = memref.alloc() : memref<100xi8>
  call @f(%b) : (memref<100xi8>) -> ()
  return
}

// Without temporaries the arena is empty; one that no step uses takes no memory.
// CHECK-LABEL: func.func @none(
// CHECK-SAME: %{{.*}}: memref<?xi8> {qcc.arena}) -> (index, index)
// CHECK: return %c0, %c0
func.func @none() {
  %a = memref.alloc() : memref<100xi8>
  return
}

// Rows that are apart are a part of memory that is not.
// CHECK-LABEL: func.func @rows_apart(
// CHECK-SAME: %[[M:.*]]: index, %[[ARENA:.*]]: memref<?xi8> {qcc.arena}) -> (index, index)
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
