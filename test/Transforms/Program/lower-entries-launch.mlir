// RUN: qcc-opt %s -lower-entries | FileCheck %s

// A launch has no function: parameters are [kind, value], of kind 0 the number of an input, 1 of an output, 2 a size.
// CHECK: module attributes {qcc.entries = [{
// CHECK-SAME: steps = [{bytes = 9 : i64, function = "", inputs = [{dims = array<i64: -1>, element = f32, index = 0 : i64, kind = 0 : i64}], kernel = {name = "f.step0"}
// CHECK-SAME: launch = {block = 256 : i64, grid = -3 : i64, kernel = "k", parameters = [array<i64: 0, 0>, array<i64: 2, -4>, array<i64: 1, 0>, array<i64: 2, 5>], shared = 16 : i64}
// CHECK-SAME: operations = 7 : i64, outputs = [{dims = array<i64: -2>, element = f32, index = 0 : i64, kind = 1 : i64, layer = "l"}], parallel = true
// CHECK-SAME: values = 4 : i64}]
// CHECK: func.func @f.plan(
// CHECK: arith.divui
// CHECK-NOT: kernel.launch
func.func @f(%x: memref<?xf32>, %y: memref<?xf32> {qcc.result}, %arena: memref<?xi8> {qcc.arena}) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c9 = arith.constant 9 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %grid = arith.divui %n, %c7 : index
  kernel.launch @kernels::@k grid %grid block 256 shared 16 work(%c7, %c9) writes [2] (%x, %n, %y, %c5)
    info {name = "f.step0"} values [{}, {}, {qcc.layer = "l"}, {}] : memref<?xf32>, index, memref<?xf32>, index
  return %n, %c0, %c0 : index, index, index
}
module @kernels {
  func.func private @k(%x: !llvm.ptr<1>, %n: i64, %y: !llvm.ptr<1>, %m: i64)
}
