// RUN: qcc-opt %s -lower-entries -split-input-file | FileCheck %s

// Dimensions of arguments have names, and results have those of the sizes that are theirs as well.
// CHECK: module attributes {qcc.entries = [{arguments = [
// CHECK-SAME: {dim_names = ["batch", ""], dims = array<i64: -1, -2>, element = f32}, {dims = array<i64: -3>, element = f32}]
// CHECK-SAME: results = [{dim_names = ["", "batch"], dims = array<i64: 4, -1>, element = f32},
// CHECK-SAME: {dims = array<i64: -2>, element = f32}]
// CHECK-SAME: qcc.metadata = {author = "me", labels = ""}
module attributes {qcc.metadata = {author = "me", labels = ""}} {
  func.func @f(%x: memref<?x?xf32> {qcc.dim_names = ["batch", ""]}, %b: memref<?xf32>,
               %y0: memref<4x?xf32> {qcc.result}, %y1: memref<?xf32> {qcc.result},
               %arena: memref<?xi8>) -> (index, index, index, index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c0 : memref<?x?xf32>
    %m = memref.dim %x, %c1 : memref<?x?xf32>
    return %n, %m, %c0, %c0 : index, index, index, index
  }
}
