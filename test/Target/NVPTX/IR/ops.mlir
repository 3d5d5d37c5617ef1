// RUN: qcc-opt %s | qcc-opt | FileCheck %s

// CHECK: #nvptx.config<threads, atom = "mad", source = model>
func.func private @threads() attributes {config = #nvptx.config<threads, atom = "mad", source = model>}

// CHECK: #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [128, 256, 64], warp = [64, 64], stages = 4, source = pinned>
func.func private @multistage() attributes {config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [128, 256, 64], warp = [64, 64], stages = 4, source = pinned>}

// CHECK-LABEL: func.func @blocks(
func.func @blocks(%count: index, %m: memref<?xindex>) {
  // CHECK: nvptx.blocks %{{.*}} threads 64 shared 4096 {
  // CHECK-NEXT: ^bb0(%[[BLOCK:.*]]: index, %[[THREAD:.*]]: index, %{{.*}}: !llvm.ptr<3>):
  // CHECK-NEXT:   memref.store %[[THREAD]], %{{.*}}[%[[BLOCK]]]
  // CHECK-NEXT: }
  nvptx.blocks %count threads 64 shared 4096 {
  ^bb0(%block: index, %thread: index, %shared: !llvm.ptr<3>):
    memref.store %thread, %m[%block] : memref<?xindex>
  }
  return
}
