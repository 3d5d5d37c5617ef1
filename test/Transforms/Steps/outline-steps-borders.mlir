// RUN: qcc-opt %s -outline-steps -canonicalize -cse | FileCheck %s

#id = affine_map<(a, b) -> (a, b)>

// A border is filled in the step that writes what it surrounds. Bytes that are stored shifted are noted.
// CHECK: func.func private @inside.step0(%[[X:[^:]*]]: memref<4x8xi8>, %[[B:[^:]*]]: memref<6x10xi8>
// CHECK-SAME: qcc.independent
// CHECK: linalg.generic
// CHECK: kernel.fill_border %{{.*}} : i8 outs(%[[B]] : memref<6x10xi8>)
// CHECK: func.func private @inside.step1(
// CHECK-NOT: qcc.independent
// CHECK: linalg.generic
// CHECK-LABEL: func.func @inside(
// CHECK: call @inside.step0({{.*}}) {arg_attrs = [{}, {qcc.byte_shift = 128 : i64}, {}, {}, {}, {}],
func.func @inside(%x: memref<4x8xi8>, %y: memref<6x10xi8> {qcc.result}) {
  %z = arith.constant 3 : i8
  %b = memref.alloc() : memref<6x10xi8>
  kernel.fill_border %z : i8 outs(%b : memref<6x10xi8>) low [1, 1] high [1, 1]
  %s = memref.subview %b[1, 1] [4, 8] [1, 1] : memref<6x10xi8> to memref<4x8xi8, strided<[10, 1], offset: 11>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"], qcc.values = [{byte_shift = 128 : i64}]} ins(%x : memref<4x8xi8>) outs(%s : memref<4x8xi8, strided<[10, 1], offset: 11>>) {
  ^bb0(%a: i8, %o: i8):
    %c = arith.addi %a, %a : i8
    linalg.yield %c : i8
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : memref<6x10xi8>) outs(%y : memref<6x10xi8>) {
  ^bb0(%a: i8, %o: i8):
    %c = arith.addi %a, %a : i8
    linalg.yield %c : i8
  }
  return
}

// Where nothing writes inside before the buffer is read, the border is a step of its own.
// CHECK: func.func private @alone.step0(
// CHECK: kernel.fill_border
// CHECK: func.func private @alone.step1(
// CHECK-NOT: qcc.independent
// CHECK: linalg.generic
// CHECK-LABEL: func.func @alone(
func.func @alone(%y: memref<6x10xi8> {qcc.result}) {
  %z = arith.constant 3 : i8
  %b = memref.alloc() : memref<6x10xi8>
  kernel.fill_border %z : i8 outs(%b : memref<6x10xi8>) low [3, 0] high [3, 0]
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : memref<6x10xi8>) outs(%y : memref<6x10xi8>) {
  ^bb0(%a: i8, %o: i8):
    %c = arith.addi %a, %a : i8
    linalg.yield %c : i8
  }
  return
}

// Nor is it filled with work that reads the buffer which it writes.
// CHECK: func.func private @reader.step0(
// CHECK: kernel.fill_border
// CHECK: func.func private @reader.step1(
// CHECK-NOT: qcc.independent
// CHECK: linalg.generic
// CHECK-LABEL: func.func @reader(
func.func @reader(%y: memref<6x10xi8> {qcc.result}) {
  %z = arith.constant 3 : i8
  kernel.fill_border %z : i8 outs(%y : memref<6x10xi8>) low [1, 1] high [1, 1]
  %s = memref.subview %y[1, 1] [4, 8] [1, 1] : memref<6x10xi8> to memref<4x8xi8, strided<[10, 1], offset: 11>>
  %t = memref.subview %y[0, 0] [4, 8] [1, 1] : memref<6x10xi8> to memref<4x8xi8, strided<[10, 1]>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%t : memref<4x8xi8, strided<[10, 1]>>) outs(%s : memref<4x8xi8, strided<[10, 1], offset: 11>>) {
  ^bb0(%a: i8, %o: i8):
    linalg.yield %a : i8
  }
  return
}
