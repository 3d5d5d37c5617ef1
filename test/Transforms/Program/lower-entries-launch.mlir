// RUN: qcc-opt %s -split-input-file -lower-entries | FileCheck %s

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

// -----

// A tensor map is a parameter of kind 3, a number among the maps; its operand is as a parameter, and its sizes are those of the
// ABI.
// CHECK: module attributes {qcc.entries = [{
// CHECK-SAME: parameters = [array<i64: 0, 0>, array<i64: 2, -2>, array<i64: 3, 0>], shared = 0 : i64, tensor_maps = [{box = array<i64: 128, 64>, dims = array<i64: 512, -2>, offset = 64 : i64, operand = array<i64: 0, 0>, strides = array<i64: 512>, swizzle = 128 : i64}]}
func.func @f(%x: memref<?x512xi8>, %arena: memref<?xi8> {qcc.arena}) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x512xi8>
  kernel.launch @kernels::@k grid %c1 block 256 shared 0 work(%c1, %c1) writes [] (%x, %n) info {name = "f.step0"}
    tensor_maps [#kernel.tensor_map<argument = 0, offset = 64, dims = [512, -2], strides = [512], box = [128, 64], swizzle = 128>] : memref<?x512xi8>, index
  return %c0, %c0 : index, index
}
module @kernels {
  func.func private @k(%x: !llvm.ptr<1>, %n: i64, %map: !llvm.ptr)
}
