// RUN: qcc-opt %s -split-input-file -outline-kernels -canonicalize -cse | FileCheck %s

// The entry computes the number of blocks, and hands over the sizes of its memrefs behind them.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: memref<?x4xf32>, %[[Y:.*]]: memref<?x4xf32>, %[[N:.*]]: index)
// CHECK: %[[D:.*]] = memref.dim %[[X]], %c0
// CHECK: %[[THREADS:.*]] = affine.apply
// CHECK: %[[AT_LEAST:.*]] = arith.maxui %[[THREADS]], %c1
// CHECK: %[[UP:.*]] = arith.addi %[[AT_LEAST]], %c127
// CHECK: %[[GRID:.*]] = arith.divui %[[UP]], %c128
// CHECK: %[[E:.*]] = memref.dim %[[Y]], %c0
// CHECK: kernel.launch @kernels::@f_step0 grid %[[GRID]] block 128 shared 0 work(%c7, %c9) writes [2](%[[X]], %[[D]], %[[Y]], %[[E]], %[[N]]) info {name = "f.step0"} values [{}, {}, {qcc.layer = "l"}, {}, {}]
// One thread runs scalar code.
// CHECK: kernel.launch @kernels::@f_step1 grid %c1 block 1 shared 0 {{.*}} writes [0](%[[X]], %[[D]])
// CHECK-NOT: func.func private @f.step
func.func @f(%x: memref<?x4xf32>, %y: memref<?x4xf32>, %n: index) {
  %ops = arith.constant 7 : index
  %bytes = arith.constant 9 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @f.step0(%x, %y, %n, %ops, %bytes, %c0, %c1) {arg_attrs = [{}, {qcc.layer = "l"}, {}, {}, {}, {}, {}], qcc.kernel = {name = "f.step0"}}
    : (memref<?x4xf32>, memref<?x4xf32>, index, index, index, index, index) -> ()
  call @f.step1(%x, %ops, %bytes, %c0, %c1) {qcc.kernel = {name = "f.step1"}} : (memref<?x4xf32>, index, index, index, index) -> ()
  call @f.step2(%x, %ops, %bytes, %c0, %c1) {qcc.kernel = {name = "f.step2"}} : (memref<?x4xf32>, index, index, index, index) -> ()
  return
}

// CHECK: kernel.launch @kernels::@f_step2 grid %c1 block 128
// CHECK: module @kernels {
// CHECK: func.func @f_step0(%[[PX:.*]]: !llvm.ptr<1>, %[[DX:.*]]: i64, %[[PY:.*]]: !llvm.ptr<1>, %[[DY:.*]]: i64, %[[PN:.*]]: i64) {
// CHECK: %[[GX:.*]] = llvm.addrspacecast %[[PX]] : !llvm.ptr<1> to !llvm.ptr
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK: nvvm.read.ptx.sreg.tid.x
// CHECK: %[[T:.*]] = arith.addi
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[T]], %{{.*}}
// CHECK: scf.if %[[EXISTS]] {
// CHECK: memref.store
func.func private @f.step0(%x: memref<?x4xf32>, %y: memref<?x4xf32>, %n: index, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %d = memref.dim %x, %c0 : memref<?x4xf32>
  %all = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%d]
  scf.forall (%i) in (%all) {
    %row = arith.divui %i, %c4 : index
    %column = arith.remui %i, %c4 : index
    %v = memref.load %x[%n, %column] : memref<?x4xf32>
    memref.store %v, %y[%row, %column] : memref<?x4xf32>
  }
  return
}

// CHECK: func.func @f_step1(
// CHECK-NOT: nvvm.read
// CHECK: memref.store
func.func private @f.step1(%x: memref<?x4xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  memref.store %one, %x[%c0, %c0] : memref<?x4xf32>
  return
}

// One thread does what is no loop in a step of ops that touch different memory. A bit is a part of a word.
// CHECK: func.func @f_step2(
// CHECK: scf.if
// CHECK: %[[WORD:.*]] = arith.fptoui %{{.*}} : f32 to i32
// CHECK: arith.trunci %[[WORD]] : i32 to i1
// CHECK: scf.if
// CHECK: memref.store
func.func private @f.step2(%x: memref<?x4xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.independent, qcc.step, qcc.writes = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  scf.forall (%i) in (4) {
    %v = memref.load %x[%c0, %i] : memref<?x4xf32>
    %b = arith.fptoui %v : f32 to i1
    %w = arith.select %b, %v, %one : f32
    memref.store %w, %x[%c0, %i] : memref<?x4xf32>
  }
  memref.store %one, %x[%c1, %c0] : memref<?x4xf32>
  return
}

// -----

// Tensor maps are the last parameters, behind sizes that they need. The launch has what they are made of.
// CHECK-LABEL: func.func @maps(
// CHECK-SAME: %[[X:.*]]: memref<?x8x64xi8>)
// CHECK: %[[N:.*]] = memref.dim %[[X]], %c0
// CHECK: %[[ROWS:.*]] = arith.muli %{{.*}}, %c8
// CHECK: kernel.launch @kernels::@maps_step0 {{.*}}(%[[X]], %{{.*}}, %[[ROWS]]) info {name = "maps.step0"} tensor_maps [#kernel.tensor_map<argument = 0, dims = [64, -3], strides = [64], box = [64, 16], swizzle = 64>, #kernel.tensor_map<argument = 0, offset = 512, dims = [64, 8], strides = [64], box = [64, 8], swizzle = 0>]
// CHECK: func.func @maps_step0(%{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: i64, %[[ALL:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>}, %[[SOME:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>})
// CHECK: llvm.inline_asm has_side_effects "prefetch.tensormap [$0]; prefetch.tensormap [$1];", "l,l" %[[ALL]], %[[SOME]]
func.func @maps(%x: memref<?x8x64xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @maps.step0(%x, %c1, %c1, %c0, %c1) {qcc.kernel = {name = "maps.step0"}} : (memref<?x8x64xi8>, index, index, index, index) -> ()
  return
}
func.func private @maps.step0(%x: memref<?x8x64xi8>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %x, %c0 : memref<?x8x64xi8>
  %rows = arith.muli %n, %c8 : index
  %all = nvptx.tensor_map %x dims [64, %rows] strides [64] box [64, 16] swizzle 64 : memref<?x8x64xi8> -> !llvm.ptr
  %second = memref.subview %x[1, 0, 0] [1, 8, 64] [1, 1, 1] : memref<?x8x64xi8> to memref<1x8x64xi8, strided<[512, 64, 1], offset: 512>>
  %some = nvptx.tensor_map %second dims [64, 8] strides [64] box [64, 8] swizzle 0 : memref<1x8x64xi8, strided<[512, 64, 1], offset: 512>> -> !llvm.ptr
  nvptx.blocks %c1 threads 32 shared 0 {
  ^bb0(%block: index, %thread: index, %shared: !llvm.ptr<3>):
    llvm.inline_asm has_side_effects "prefetch.tensormap [$0]; prefetch.tensormap [$1];", "l,l" %all, %some : (!llvm.ptr, !llvm.ptr) -> ()
  }
  return
}
