// RUN: qcc-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK: kernel.launch @kernels::@k grid %{{.*}} block 256 shared 16 work(%{{.*}}, %{{.*}}) writes [0](%{{.*}}, %{{.*}}) info {name = "f.step0"} values [{qcc.layer = "l"}, {}] : memref<?xf32>, index
func.func @f(%x: memref<?xf32>, %n: index) {
  kernel.launch @kernels::@k grid %n block 256 shared 16 work(%n, %n) writes [0] (%x, %n)
    info {name = "f.step0"} values [{qcc.layer = "l"}, {}] : memref<?xf32>, index
  return
}
module @kernels {
  func.func private @k(%x: !llvm.ptr<1>, %n: i64)
}

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{must have blocks of 1 to 1024 threads, not 1025}}
  kernel.launch @k grid %n block 1025 shared 0 work(%n, %n) writes [] (%n) info {} : index
  return
}
func.func private @k(i64)

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{must not have -1 bytes of shared memory}}
  kernel.launch @k grid %n block 1 shared -1 work(%n, %n) writes [] (%n) info {} : index
  return
}
func.func private @k(i64)

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{writes argument 0, which is no memref of the launch}}
  kernel.launch @k grid %n block 1 shared 0 work(%n, %n) writes [0] (%n) info {} : index
  return
}
func.func private @k(i64)

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{has values of 2 arguments, but 1 arguments}}
  kernel.launch @k grid %n block 1 shared 0 work(%n, %n) writes [] (%n) info {} values [{}, {}] : index
  return
}
func.func private @k(i64)

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{launches @k, which is no function}}
  kernel.launch @k grid %n block 1 shared 0 work(%n, %n) writes [] (%n) info {} : index
  return
}

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{launches @k, which has 2 parameters, with 1 arguments}}
  kernel.launch @k grid %n block 1 shared 0 work(%n, %n) writes [] (%n) info {} : index
  return
}
func.func private @k(i64, i64)
