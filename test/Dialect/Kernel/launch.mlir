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

// -----

// Tensor maps are parameters behind the arguments.
// CHECK-LABEL: func.func @maps(
// CHECK: kernel.launch @k {{.*}} info {} tensor_maps [#kernel.tensor_map<argument = 0, dims = [512, -2], strides = [512], box = [128, 64], swizzle = 128>] : memref<?x512xi8>, index
func.func @maps(%x: memref<?x512xi8>, %n: index) {
  kernel.launch @k grid %n block 1 shared 0 work(%n, %n) writes [] (%x, %n) info {}
    tensor_maps [#kernel.tensor_map<argument = 0, dims = [512, -2], strides = [512], box = [128, 64], swizzle = 128>] : memref<?x512xi8>, index
  return
}
func.func private @k(!llvm.ptr<1>, i64, !llvm.ptr)

// -----

func.func @f(%x: memref<?x512xi8>, %n: index) {
  // expected-error@+1 {{which is of an argument that is no memref of the launch}}
  kernel.launch @k grid %n block 1 shared 0 work(%n, %n) writes [] (%x, %n) info {}
    tensor_maps [#kernel.tensor_map<argument = 1, dims = [512, 8], strides = [512], box = [128, 64], swizzle = 128>] : memref<?x512xi8>, index
  return
}
func.func private @k(!llvm.ptr<1>, i64, !llvm.ptr)

// -----

func.func @f(%x: memref<?x512xi8>, %n: index) {
  // expected-error@+1 {{which has not from 2 to 5 dimensions, a stride for all but the innermost one, and a size of the box for each}}
  kernel.launch @k grid %n block 1 shared 0 work(%n, %n) writes [] (%x, %n) info {}
    tensor_maps [#kernel.tensor_map<argument = 0, dims = [512, 8], strides = [512], box = [128], swizzle = 128>] : memref<?x512xi8>, index
  return
}
func.func private @k(!llvm.ptr<1>, i64, !llvm.ptr)

// -----

func.func @f(%x: memref<?x512xi8>, %n: index) {
  // expected-error@+1 {{which has a size that is neither a number from 1 on nor an index of the launch}}
  kernel.launch @k grid %n block 1 shared 0 work(%n, %n) writes [] (%x, %n) info {}
    tensor_maps [#kernel.tensor_map<argument = 0, dims = [512, -1], strides = [512], box = [128, 64], swizzle = 128>] : memref<?x512xi8>, index
  return
}
func.func private @k(!llvm.ptr<1>, i64, !llvm.ptr)

// -----

func.func @f(%x: memref<?x512xi8>, %n: index) {
  // expected-error@+1 {{launches @k, which has 2 parameters, with 3 arguments}}
  kernel.launch @k grid %n block 1 shared 0 work(%n, %n) writes [] (%x, %n) info {}
    tensor_maps [#kernel.tensor_map<argument = 0, dims = [512, -2], strides = [512], box = [128, 64], swizzle = 128>] : memref<?x512xi8>, index
  return
}
func.func private @k(!llvm.ptr<1>, i64)
