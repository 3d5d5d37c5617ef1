// RUN: qcc-opt %s -outline-steps -canonicalize -cse | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// Each piece of work is a function of the buffers and sizes that it uses, and of its operations and bytes, which
// follow from the sizes: 4 and 8 bytes an element here.
// CHECK: func.func private @two.step0(%{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index)
// CHECK-SAME: qcc.step, qcc.writes = array<i64: 1>
// CHECK: linalg.generic
// CHECK: func.func private @two.step1(
// CHECK-SAME: qcc.writes = array<i64: 1>
// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32> {qcc.result}) -> index
// CHECK: %[[N:.*]] = memref.dim %[[X]], %c0
// CHECK: %[[T:.*]] = memref.alloc(%[[N]])
// CHECK: call @two.step0(%[[X]], %[[T]], %[[N]], %{{.*}}, %c0, %c1)
// CHECK-SAME: {qcc.kernel = {fused = ["addf"], kind = "generic", location = "{{.*}}outline-steps.mlir:{{[0-9]+}}:{{[0-9]+}}", name = "two.step0", refused = "it is elementwise, and {{[^"]*}}", work = "elementwise"}}
// CHECK: call @two.step1(%[[T]], %[[Y]],
// CHECK-SAME: {qcc.kernel = {fused = ["linalg.exp"]{{.*}} name = "two.step1"
// CHECK: return %[[N]] : index
func.func @two(%x: memref<?xf32>, %y: memref<?xf32> {qcc.result}) -> (memref<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%t : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  linalg.exp ins(%t : memref<?xf32>) outs(%y : memref<?xf32>)
  return %y, %n : memref<?xf32>, index
}

// Views and scalars are computed again where they are used.
// CHECK: func.func private @cheap.step0(%[[A:.*]]: memref<8x8xf32>, %[[Y:.*]]: memref<4xf32>, %[[S:.*]]: memref<f32>,
// CHECK-DAG: memref.subview %[[A]]
// CHECK-DAG: memref.load %[[S]]
// CHECK: linalg.generic
// CHECK-LABEL: func.func @cheap
// CHECK-NOT: memref.subview
// CHECK: call @cheap.step0
func.func @cheap(%x: memref<8x8xf32>, %s: memref<f32>, %y: memref<4xf32> {qcc.result}) {
  %v = memref.subview %x[2, 0] [1, 4] [1, 1] : memref<8x8xf32> to memref<4xf32, strided<[1], offset: 16>>
  %scalar = memref.load %s[] : memref<f32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%v : memref<4xf32, strided<[1], offset: 16>>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %scalar : f32
    linalg.yield %m : f32
  }
  return
}

// A scalar that work computes goes through a buffer.
// CHECK: func.func private @spill.step0(%[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<f32>,
// CHECK: %[[R:.*]] = scf.for
// CHECK: memref.store %[[R]], %[[B]][]
// CHECK: func.func private @spill.step1(
// CHECK: memref.load
// CHECK: linalg.fill
// CHECK-LABEL: func.func @spill
// CHECK: %[[T:.*]] = memref.alloc() : memref<f32>
// CHECK: call @spill.step0(%{{.*}}, %[[T]],
// CHECK: call @spill.step1(
func.func @spill(%x: memref<4xf32>, %y: memref<4xf32> {qcc.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %zero) -> f32 {
    %v = memref.load %x[%i] : memref<4xf32>
    %s = arith.addf %a, %v : f32
    scf.yield %s : f32
  }
  linalg.fill ins(%r : f32) outs(%y : memref<4xf32>)
  return
}

// The sizes of views follow from those of what they view; shapes may be computed in integers.
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>) -> (index, index)
// CHECK-DAG: %[[M:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG: %[[N:.*]] = memref.dim %[[X]], %c1
// CHECK: %[[MN:.*]] = arith.muli %[[M]], %[[N]]
// CHECK: return %[[MN]], %{{.*}}
func.func @sizes(%x: memref<?x?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %v = memref.collapse_shape %x [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  %n = memref.dim %v, %c0 : memref<?xf32>
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %i = arith.index_cast %m : index to i32
  %j = arith.addi %i, %i : i32
  %k = arith.index_cast %j : i32 to index
  return %n, %k : index, index
}

// Of a table, a step counts the elements that it looks up: 2 x 64 of floats, as many that it writes, and two indices.
// CHECK-LABEL: func.func @lookup(
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 1040 : index
// CHECK: call @lookup.step0({{.*}}, %[[BYTES]], %{{.*}}, %{{.*}})
func.func @lookup(%i: memref<2xi64>, %y: memref<2x64xf32> {qcc.result}) {
  %table = memref.get_global @table : memref<1000x64xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%i : memref<2xi64>) outs(%y : memref<2x64xf32>) {
  ^bb0(%row: i64, %old: f32):
    %r = arith.index_cast %row : i64 to index
    %c = linalg.index 1 : index
    %v = memref.load %table[%r, %c] : memref<1000x64xf32>
    linalg.yield %v : f32
  }
  return
}
memref.global "private" constant @table : memref<1000x64xf32> = dense<1.0>
