// RUN: qcc-opt %s -outline-kernels=programmatic -split-input-file | FileCheck %s
// RUN: qcc-opt %s -outline-kernels -split-input-file | FileCheck %s --check-prefix=OFF
// OFF-NOT: griddepcontrol
// OFF-NOT: programmatic

// Weights are loaded early; threads wait before they read what may come from the kernel before.
memref.global "private" constant @w : memref<128x16xi8> = dense<1>
// CHECK-LABEL: func.func @constant
// CHECK: kernel.launch @kernels::@constant_step0 grid %{{.*}} block 64 shared 0 programmatic work
// CHECK-LABEL: func.func @constant_step0(
// CHECK: scf.for
// CHECK: llvm.load {{.*}} -> i8
// CHECK: nvvm.griddepcontrol wait
// CHECK: llvm.load {{.*}} -> i32
// CHECK-NOT: griddepcontrol
func.func @constant(%x: memref<128xi32>, %y: memref<128xi32>) {
  %c0 = arith.constant 0 : index
  %w = memref.get_global @w : memref<128x16xi8>
  call @constant.step0(%x, %w, %y, %c0, %c0, %c0, %c0) {qcc.kernel = {name = "constant.step0"}} : (memref<128xi32>, memref<128x16xi8>, memref<128xi32>, index, index, index, index) -> ()
  return
}
func.func private @constant.step0(%x: memref<128xi32>, %w: memref<128x16xi8>, %y: memref<128xi32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  nvptx.blocks %c2 threads 64 shared 0 {
  ^bb0(%block: index, %thread: index, %memory: !llvm.ptr<3>):
    %at = memref.extract_aligned_pointer_as_index %w : memref<128x16xi8> -> index
    %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%all = %zero) -> i32 {
      %here = arith.addi %at, %i : index
      %bits = arith.index_cast %here : index to i64
      %pointer = llvm.inttoptr %bits : i64 to !llvm.ptr
      %byte = llvm.load %pointer : !llvm.ptr -> i8
      %wide = arith.extsi %byte : i8 to i32
      %next = arith.addi %all, %wide : i32
      scf.yield %next : i32
    }
    %from = memref.extract_aligned_pointer_as_index %x : memref<128xi32> -> index
    %frombits = arith.index_cast %from : index to i64
    %frompointer = llvm.inttoptr %frombits : i64 to !llvm.ptr
    %value = llvm.load %frompointer : !llvm.ptr -> i32
    %result = arith.addi %sum, %value : i32
    memref.store %result, %y[%thread] : memref<128xi32>
  }
  return
}

// -----

// The right operand comes from a caller: nothing may be loaded early.
// CHECK-LABEL: func.func @argument_step0(
// CHECK-NOT: llvm.load
// CHECK: nvvm.griddepcontrol wait
// CHECK: llvm.load
memref.global "private" constant @w : memref<128xi32> = dense<1>
func.func @argument(%x: memref<128xi32>, %y: memref<128xi32>) {
  %c0 = arith.constant 0 : index
  %w = memref.get_global @w : memref<128xi32>
  call @argument.step0(%w, %y, %c0, %c0, %c0, %c0) {qcc.kernel = {name = "argument.step0"}} : (memref<128xi32>, memref<128xi32>, index, index, index, index) -> ()
  call @argument.step0(%x, %y, %c0, %c0, %c0, %c0) {qcc.kernel = {name = "argument.step1"}} : (memref<128xi32>, memref<128xi32>, index, index, index, index) -> ()
  return
}
func.func private @argument.step0(%x: memref<128xi32>, %y: memref<128xi32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  %c2 = arith.constant 2 : index
  nvptx.blocks %c2 threads 64 shared 0 {
  ^bb0(%block: index, %thread: index, %memory: !llvm.ptr<3>):
    %from = memref.extract_aligned_pointer_as_index %x : memref<128xi32> -> index
    %bits = arith.index_cast %from : index to i64
    %pointer = llvm.inttoptr %bits : i64 to !llvm.ptr
    %value = llvm.load %pointer : !llvm.ptr -> i32
    memref.store %value, %y[%thread] : memref<128xi32>
  }
  return
}

// -----

// Of several loops, each thread of the grid waits, whether or not it has work in one of them.
// CHECK-LABEL: func.func @loops_step0(
// CHECK: nvvm.griddepcontrol wait
// CHECK: scf.if
// CHECK: scf.if
func.func @loops(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  call @loops.step0(%x, %y, %c0, %c0, %c0, %c0) {qcc.kernel = {name = "loops.step0"}} : (memref<8xf32>, memref<8xf32>, index, index, index, index) -> ()
  return
}
func.func private @loops.step0(%x: memref<8xf32>, %y: memref<8xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.independent, qcc.writes = array<i64: 0, 1>} {
  %one = arith.constant 1.0 : f32
  scf.forall (%j) in (8) {
    memref.store %one, %x[%j] : memref<8xf32>
  }
  scf.forall (%j) in (8) {
    memref.store %one, %y[%j] : memref<8xf32>
  }
  return
}
