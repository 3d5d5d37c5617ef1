// RUN: qcc-opt %s | qcc-opt | FileCheck %s

// CHECK: #nvptx.config<threads, atom = "mad", source = model>
func.func private @threads() attributes {config = #nvptx.config<threads, atom = "mad", source = model>}

// CHECK: #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [128, 256, 64], warp = [64, 64], stages = 4, source = pinned>
func.func private @multistage() attributes {config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [128, 256, 64], warp = [64, 64], stages = 4, source = pinned>}

// CHECK: #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [32, 32, 64], warp = [16, 16], stages = 2, parts = 3, source = tuned>
func.func private @parts() attributes {config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [32, 32, 64], warp = [16, 16], stages = 2, parts = 3, source = tuned>}

// CHECK: rows_above = 16, few_rows = [#nvptx.config<decode, atom = "mma-m16n8k32", tile = [16, 8, 512], warp = [16, 8], stages = 4, rows_up_to = 16, source = model>], source = model>
func.func private @rows() attributes {config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [32, 32, 64], warp = [16, 16], stages = 2, rows_above = 16,
  few_rows = [#nvptx.config<decode, atom = "mma-m16n8k32", tile = [16, 8, 512], warp = [16, 8], stages = 4, rows_up_to = 16, source = model>], source = model>}

// CHECK: #nvptx.config<decode, atom = "mma-m16n8k32", tile = [16, 16, 512], warp = [16, 16], stages = 4, sums = 2, rhs_bits = 4, source = model>
func.func private @groups() attributes {config = #nvptx.config<decode, atom = "mma-m16n8k32", tile = [16, 16, 512], warp = [16, 16], stages = 4, sums = 2, rhs_bits = 4, source = model>}

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

// CHECK: #nvptx.config<warpgroups, atom = "wgmma-m64k32", tile = [128, 256, 128], warp = [16, 256], stages = 4, source = pinned>
func.func private @warpgroups() attributes {config = #nvptx.config<warpgroups, atom = "wgmma-m64k32", tile = [128, 256, 128], warp = [16, 256], stages = 4, source = pinned>}

// CHECK-LABEL: func.func @map(
// CHECK: nvptx.tensor_map %{{.*}} dims [512, %{{.*}}] strides [512] box [128, 64] swizzle 128 : memref<?x512xi8> -> !llvm.ptr
func.func @map(%x: memref<?x512xi8>, %rows: index) -> !llvm.ptr {
  %map = nvptx.tensor_map %x dims [512, %rows] strides [512] box [128, 64] swizzle 128 : memref<?x512xi8> -> !llvm.ptr
  return %map : !llvm.ptr
}
