// RUN: qcc-opt %s -outline-kernels -canonicalize -cse | FileCheck %s

// Blocks say how many threads and how much shared memory they have, which is a global of the module that has no size. A
// loop over threads beside them has threads of the same blocks.
// CHECK-LABEL: func.func @g(
// CHECK: %[[LOOP:.*]] = arith.divui %{{.*}}, %c64
// CHECK: %[[GRID:.*]] = arith.maxui %[[LOOP]], %{{.*}}
// CHECK: kernel.launch @kernels::@g_step0 grid %[[GRID]] block 64 shared 4096
// CHECK: llvm.mlir.global external @shared_memory() {addr_space = 3 : i32, alignment = 1024 : i64{{.*}}} : !llvm.array<0 x i8>
// CHECK: func.func @g_step0(
// CHECK-DAG: %[[SHARED:.*]] = llvm.mlir.addressof @shared_memory : !llvm.ptr<3>
// CHECK: %[[BLOCK:.*]] = arith.index_castui
// CHECK: %[[THREAD:.*]] = arith.index_castui
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[BLOCK]], %{{.*}}
// CHECK: scf.if %[[EXISTS]] {
// CHECK-NEXT: nvvm.barrier
// CHECK-NEXT: llvm.store %{{.*}}, %[[SHARED]]
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[BLOCK]], %[[THREAD]]]
func.func @g(%x: memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  call @g.step0(%x, %c0, %c0, %c0, %c0) {qcc.kernel = {name = "g.step0"}} : (memref<?x4xf32>, index, index, index, index) -> ()
  return
}
func.func private @g.step0(%x: memref<?x4xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.independent, qcc.step, qcc.writes = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %d = memref.dim %x, %c0 : memref<?x4xf32>
  scf.forall (%i) in (%d) {
    memref.store %one, %x[%i, %c0] : memref<?x4xf32>
  }
  nvptx.blocks %d threads 64 shared 4096 {
  ^bb0(%block: index, %thread: index, %shared: !llvm.ptr<3>):
    nvvm.barrier
    llvm.store %one, %shared : f32, !llvm.ptr<3>
    memref.store %one, %x[%block, %thread] : memref<?x4xf32>
  }
  return
}
