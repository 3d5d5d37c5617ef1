// RUN: qcc-opt %s -outline-kernels -split-input-file -verify-diagnostics

func.func @in_loop(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  call @step(%x, %c0, %c0, %c0, %c0) {qcc.kernel = {name = "in_loop.step0"}} : (memref<8xf32>, index, index, index, index) -> ()
  return
}
func.func private @step(%x: memref<8xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  // expected-error@+1 {{'scf.for' is a loop or a branch of the program with work on tensors inside, which devices do not run; write the work without it, or compile for a processor of x86}}
  scf.for %i = %c0 to %c8 step %c1 {
    scf.forall (%j) in (8) {
      memref.store %one, %x[%j] : memref<8xf32>
    }
  }
  return
}

// -----

func.func @beside(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  call @step(%x, %c0, %c0, %c0, %c0) {qcc.kernel = {name = "beside.step0"}} : (memref<8xf32>, index, index, index, index) -> ()
  return
}
func.func private @step(%x: memref<8xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  // expected-error@+1 {{'memref.store' is in one step with a loop over threads, which all of them would repeat}}
  memref.store %one, %x[%c0] : memref<8xf32>
  scf.forall (%j) in (8) {
    memref.store %one, %x[%j] : memref<8xf32>
  }
  return
}

// -----

func.func @several(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  call @step(%x, %c0, %c0, %c0, %c0) {qcc.kernel = {name = "several.step0"}} : (memref<8xf32>, index, index, index, index) -> ()
  return
}
// expected-error@+1 {{has several loops over threads, which may depend on each other; make them steps of their own}}
func.func private @step(%x: memref<8xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  %one = arith.constant 1.0 : f32
  scf.forall (%j) in (8) {
    memref.store %one, %x[%j] : memref<8xf32>
  }
  scf.forall (%j) in (8) {
    memref.store %one, %x[%j] : memref<8xf32>
  }
  return
}

// -----

func.func @data(%x: memref<8xf32>, %n: memref<index>) {
  %c0 = arith.constant 0 : index
  call @step(%x, %n, %c0, %c0, %c0, %c0) {qcc.kernel = {name = "data.step0"}} : (memref<8xf32>, memref<index>, index, index, index, index) -> ()
  return
}
func.func private @step(%x: memref<8xf32>, %n: memref<index>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  %one = arith.constant 1.0 : f32
  // expected-error@+1 {{the number of threads of a step depends on 'memref.load', which is not computed from dimensions of arguments}}
  %count = memref.load %n[] : memref<index>
  scf.forall (%j) in (%count) {
    memref.store %one, %x[%j] : memref<8xf32>
  }
  return
}

// -----

func.func @threads(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  call @step(%x, %c0, %c0, %c0, %c0) {qcc.kernel = {name = "threads.step0"}} : (memref<8xf32>, index, index, index, index) -> ()
  return
}
func.func private @step(%x: memref<8xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.independent, qcc.step, qcc.writes = array<i64: 0>} {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  nvptx.blocks %c1 threads 32 shared 0 {
  ^bb0(%block: index, %thread: index, %shared: !llvm.ptr<3>):
    memref.store %one, %x[%block] : memref<8xf32>
  }
  // expected-error@+1 {{is in one step with blocks of another number of threads; make them steps of their own}}
  nvptx.blocks %c1 threads 64 shared 0 {
  ^bb0(%block: index, %thread: index, %shared: !llvm.ptr<3>):
    memref.store %one, %x[%thread] : memref<8xf32>
  }
  return
}
