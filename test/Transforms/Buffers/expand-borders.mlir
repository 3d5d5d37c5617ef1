// RUN: qcc-opt %s -expand-borders | FileCheck %s

// Each side once: those of a dimension between those of the dimensions before it.
// CHECK-LABEL: func.func @sides(
// CHECK-SAME: %[[V:.*]]: i8, %[[B:.*]]: memref<7x10xi8>)
// CHECK: %[[TOP:.*]] = memref.subview %[[B]][0, 0] [1, 10] [1, 1]
// CHECK: linalg.fill ins(%[[V]] : i8) outs(%[[TOP]] :
// CHECK: %[[BOTTOM:.*]] = memref.subview %[[B]][5, 0] [2, 10] [1, 1]
// CHECK: linalg.fill ins(%[[V]] : i8) outs(%[[BOTTOM]] :
// CHECK: %[[RIGHT:.*]] = memref.subview %[[B]][1, 7] [4, 3] [1, 1]
// CHECK: linalg.fill ins(%[[V]] : i8) outs(%[[RIGHT]] :
// CHECK-NOT: linalg.fill
func.func @sides(%v: i8, %b: memref<7x10xi8>) {
  kernel.fill_border %v : i8 outs(%b : memref<7x10xi8>) low [1, 0] high [2, 3]
  return
}

// CHECK-LABEL: func.func @dynamic(
// CHECK: memref.subview %{{.*}}[0, 0] [1, 8] [1, 1]
// CHECK: %[[LAST:.*]] = affine.apply #{{.*}}()[%{{.*}}]
// CHECK: memref.subview %{{.*}}[%[[LAST]], 0] [1, 8] [1, 1]
func.func @dynamic(%v: i8, %b: memref<?x8xi8>) {
  kernel.fill_border %v : i8 outs(%b : memref<?x8xi8>) low [1, 0] high [1, 0]
  return
}
