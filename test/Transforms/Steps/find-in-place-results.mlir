// RUN: qcc-opt %s -find-in-place-results -split-input-file | FileCheck %s

func.func private @copy(%x: memref<8x64xf32>, %y: memref<8x64xf32>, %o: index, %b: index, %t: index, %n: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  memref.copy %x, %y : memref<8x64xf32> to memref<8x64xf32>
  return
}
func.func private @update(%u: memref<64xf32>, %y: memref<8x64xf32>, %o: index, %b: index, %t: index, %n: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  %row = memref.subview %y[3, 0] [1, 64] [1, 1] : memref<8x64xf32> to memref<64xf32, strided<[1], offset: 192>>
  memref.copy %u, %row : memref<64xf32> to memref<64xf32, strided<[1], offset: 192>>
  return
}
func.func private @read(%x: memref<8x64xf32>, %y: memref<8x64xf32>, %o: index, %b: index, %t: index, %n: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  linalg.exp ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
  return
}

// CHECK-LABEL: func.func @updated(
// CHECK-SAME: {qcc.in_place = 0 : index, qcc.result}
// CHECK: call @copy({{.*}}) {qcc.idle_in_place}
// CHECK: call @update({{.*}}) :
func.func @updated(%x: memref<8x64xf32>, %u: memref<64xf32>, %y: memref<8x64xf32> {qcc.result}) {
  %c = arith.constant 0 : index
  call @copy(%x, %y, %c, %c, %c, %c) : (memref<8x64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  call @update(%u, %y, %c, %c, %c, %c) : (memref<64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  return
}

// The argument may be read until the result changes.
// CHECK-LABEL: func.func @read_before(
// CHECK-SAME: {qcc.in_place = 0 : index, qcc.result}
func.func @read_before(%x: memref<8x64xf32>, %u: memref<64xf32>, %y: memref<8x64xf32> {qcc.result}, %z: memref<8x64xf32> {qcc.result}) {
  %c = arith.constant 0 : index
  call @copy(%x, %y, %c, %c, %c, %c) : (memref<8x64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  call @read(%x, %z, %c, %c, %c, %c) : (memref<8x64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  call @update(%u, %y, %c, %c, %c, %c) : (memref<64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  return
}

// CHECK-LABEL: func.func @read_after(
// CHECK-NOT: in_place
func.func @read_after(%x: memref<8x64xf32>, %u: memref<64xf32>, %y: memref<8x64xf32> {qcc.result}, %z: memref<8x64xf32> {qcc.result}) {
  %c = arith.constant 0 : index
  call @copy(%x, %y, %c, %c, %c, %c) : (memref<8x64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  call @update(%u, %y, %c, %c, %c, %c) : (memref<64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  call @read(%x, %z, %c, %c, %c, %c) : (memref<8x64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  return
}

// A step that reads the argument and changes the result at once might read what it wrote.
// CHECK-LABEL: func.func @updated_from_itself(
// CHECK-NOT: in_place
func.func @updated_from_itself(%x: memref<8x64xf32>, %y: memref<8x64xf32> {qcc.result}) {
  %c = arith.constant 0 : index
  call @copy(%x, %y, %c, %c, %c, %c) : (memref<8x64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  call @read(%x, %y, %c, %c, %c, %c) : (memref<8x64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  return
}

// Something else in the result before the copy would destroy the argument.
// CHECK-LABEL: func.func @written_before(
// CHECK-NOT: in_place
func.func @written_before(%x: memref<8x64xf32>, %u: memref<64xf32>, %y: memref<8x64xf32> {qcc.result}) {
  %c = arith.constant 0 : index
  call @update(%u, %y, %c, %c, %c, %c) : (memref<64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  call @copy(%x, %y, %c, %c, %c, %c) : (memref<8x64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  return
}

// One result at most lies in an argument.
// CHECK-LABEL: func.func @two_results(
// CHECK-SAME: {qcc.in_place = 0 : index, qcc.result}
// CHECK-SAME: %{{.*}}: memref<8x64xf32> {qcc.result})
// CHECK: call @copy({{.*}}) {qcc.idle_in_place}
// CHECK-NOT: idle_in_place
func.func @two_results(%x: memref<8x64xf32>, %y: memref<8x64xf32> {qcc.result}, %z: memref<8x64xf32> {qcc.result}) {
  %c = arith.constant 0 : index
  call @copy(%x, %y, %c, %c, %c, %c) : (memref<8x64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  call @copy(%x, %z, %c, %c, %c, %c) : (memref<8x64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  return
}

// Another result is no argument.
// CHECK-LABEL: func.func @copied_result(
// CHECK-NOT: in_place
func.func @copied_result(%x: memref<8x64xf32>, %y: memref<8x64xf32> {qcc.result}, %z: memref<8x64xf32> {qcc.result}) {
  %c = arith.constant 0 : index
  call @read(%x, %y, %c, %c, %c, %c) : (memref<8x64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  call @copy(%y, %z, %c, %c, %c, %c) : (memref<8x64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  return
}

// -----

// Rows behind those of the argument: there are none where the two share memory.
func.func private @fill(%y: memref<2x?x64xf32>, %m: index, %k: index, %o: index, %b: index, %t: index, %n: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  %f = arith.constant 0.0 : f32
  %v = memref.subview %y[0, %m, 0] [2, %k, 64] [1, 1, 1] : memref<2x?x64xf32> to memref<2x?x64xf32, strided<[?, 64, 1], offset: ?>>
  linalg.fill ins(%f : f32) outs(%v : memref<2x?x64xf32, strided<[?, 64, 1], offset: ?>>)
  return
}
func.func private @copy(%x: memref<2x?x64xf32>, %y: memref<2x?x64xf32>, %m: index, %o: index, %b: index, %t: index, %n: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  %v = memref.subview %y[0, 0, 0] [2, %m, 64] [1, 1, 1] : memref<2x?x64xf32> to memref<2x?x64xf32, strided<[?, 64, 1]>>
  memref.copy %x, %v : memref<2x?x64xf32> to memref<2x?x64xf32, strided<[?, 64, 1]>>
  return
}

// CHECK-LABEL: func.func @grown(
// CHECK-SAME: {qcc.in_place = 0 : index, qcc.result}
// CHECK: call @fill({{.*}}) :
// CHECK: call @copy({{.*}}) {qcc.idle_in_place}
func.func @grown(%x: memref<2x?x?xf32>, %e: memref<?xi8>, %y: memref<2x?x64xf32> {qcc.result}) {
  %c = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c1 : memref<2x?x?xf32>
  %k = memref.dim %e, %c : memref<?xi8>
  %s = memref.cast %x : memref<2x?x?xf32> to memref<2x?x64xf32>
  call @fill(%y, %m, %k, %c, %c, %c, %c) : (memref<2x?x64xf32>, index, index, index, index, index, index) -> ()
  call @copy(%s, %y, %m, %c, %c, %c, %c) : (memref<2x?x64xf32>, memref<2x?x64xf32>, index, index, index, index, index) -> ()
  return
}

// The rows that are filled start elsewhere.
// CHECK-LABEL: func.func @filled(
// CHECK-NOT: in_place
func.func @filled(%x: memref<2x?x64xf32>, %e: memref<?xi8>, %y: memref<2x?x64xf32> {qcc.result}) {
  %c = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c1 : memref<2x?x64xf32>
  %k = memref.dim %e, %c : memref<?xi8>
  call @fill(%y, %k, %k, %c, %c, %c, %c) : (memref<2x?x64xf32>, index, index, index, index, index, index) -> ()
  call @copy(%x, %y, %m, %c, %c, %c, %c) : (memref<2x?x64xf32>, memref<2x?x64xf32>, index, index, index, index, index) -> ()
  return
}

// -----

// A copy to another place of the result moves elements.
func.func private @move(%x: memref<4x64xf32>, %y: memref<8x64xf32>, %o: index, %b: index, %t: index, %n: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  %v = memref.subview %y[4, 0] [4, 64] [1, 1] : memref<8x64xf32> to memref<4x64xf32, strided<[64, 1], offset: 256>>
  memref.copy %x, %v : memref<4x64xf32> to memref<4x64xf32, strided<[64, 1], offset: 256>>
  return
}
// CHECK-LABEL: func.func @moved(
// CHECK-NOT: in_place
func.func @moved(%x: memref<4x64xf32>, %y: memref<8x64xf32> {qcc.result}) {
  %c = arith.constant 0 : index
  call @move(%x, %y, %c, %c, %c, %c) : (memref<4x64xf32>, memref<8x64xf32>, index, index, index, index) -> ()
  return
}
