// RUN: qcc-opt %s -convert-kernel-to-nvptx -canonicalize -cse -split-input-file -verify-diagnostics | FileCheck %s

// The left operand is rows of K; a map of five dimensions permutes the columns of the packed right operand, of which a thread
// gets 4 side by side.
// CHECK-LABEL: func.func @layer(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x192xi8>, %[[W:[a-z0-9]+]]: memref<320x48x1xi32>
// CHECK: %[[LHS:.*]] = nvptx.tensor_map %[[X]] dims [192, %{{.*}}] strides [192] box [128, 128] swizzle 128
// CHECK: %[[RHS:.*]] = nvptx.tensor_map %[[W]] dims [192, 2, 4, 2, 20] strides [192, 768, 384, 3072] box [128, 2, 4, 2, 8] swizzle 128
// CHECK: nvptx.blocks %[[BLOCKS:.*]] threads 384 shared 98352 {
// CHECK-NEXT: ^bb0(%[[BLOCK:.*]]: index, %[[THREAD:.*]]: index, %{{.*}}: !llvm.ptr<3>):
// A thread makes two barriers for each of three stages.
// CHECK: scf.if
// CHECK-COUNT-6: mbarrier.init.shared::cta.b64
// CHECK: fence.mbarrier_init.release.cluster
// CHECK: nvvm.barrier
// It loads slices of all tiles of the block.
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: scf.for %{{.*}} = %[[BLOCK]] to %{{.*}} step %[[BLOCKS]]
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK: mbarrier.try_wait.parity
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;{{.*}} %c32768_i32
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {$3, $4}], [$2];{{.*}} %[[LHS]]
// CHECK: cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {$3, $4, $5, $6, $7}], [$2];{{.*}} %[[RHS]]
// The others multiply: 64 rows by 128 columns.
// CHECK: } else {
// CHECK: nvvm.setmaxregister increase 232
// CHECK: scf.for %{{.*}} = %[[BLOCK]] to %{{.*}} step %[[BLOCKS]]
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK: mbarrier.try_wait.parity
// CHECK: wgmma.fence.sync.aligned;
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n128k32.s32.u8.s8
// CHECK-SAME: wgmma.commit_group.sync.aligned;
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK: mbarrier.arrive.shared::cta.b64 _, [$0];
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: vector.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : memref<?x320xi32>, vector<4xi32>
func.func @layer(%x: memref<?x192xi8>, %w: memref<320x48x1xi32>, %s: memref<320xi32>, %y: memref<?x320xi32>) {
  kernel.contract lhs(%x : memref<?x192xi8>) rhs(%w : memref<320x48x1xi32>) rhs_sums(%s : memref<320xi32>) outs(%y : memref<?x320xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 192>, lhs_unsigned,
     lowering_config = #nvptx.config<warpgroups, atom = "wgmma-m64k32", tile = [128, 128, 128], warp = [16, 128], stages = 3, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// -----

// A part of rows is read where it lies.
// CHECK-LABEL: func.func @part_of_rows(
// CHECK: nvptx.tensor_map %{{.*}} dims [128, 256] strides [512] box [128, 128] swizzle 128 : memref<256x128xi8, strided<[512, 1], offset: 1040>>
func.func @part_of_rows(%x: memref<256x128xi8, strided<[512, 1], offset: 1040>>, %w: memref<64x32x1xi32>, %s: memref<64xi32>, %y: memref<256x64xi32>) {
  kernel.contract lhs(%x : memref<256x128xi8, strided<[512, 1], offset: 1040>>) rhs(%w : memref<64x32x1xi32>) rhs_sums(%s : memref<64xi32>) outs(%y : memref<256x64xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 128>,
     lowering_config = #nvptx.config<warpgroups, atom = "wgmma-m64k32", tile = [128, 64, 128], warp = [16, 64], stages = 2, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// -----

// A part that starts at any byte is copied by threads.
// CHECK-LABEL: func.func @starts_anywhere(
// CHECK-NOT: nvptx.tensor_map
// CHECK: nvvm.cp.async.shared.global
func.func @starts_anywhere(%x: memref<256x128xi8, strided<[512, 1], offset: 8>>, %w: memref<64x32x1xi32>, %s: memref<64xi32>, %y: memref<256x64xi32>) {
  // expected-warning@+1 {{lowering_config has strategy warpgroups, which copies rows of the left operand that start at multiples of 16 bytes; use strategy multistage: #nvptx.config<multistage, }}
  kernel.contract lhs(%x : memref<256x128xi8, strided<[512, 1], offset: 8>>) rhs(%w : memref<64x32x1xi32>) rhs_sums(%s : memref<64xi32>) outs(%y : memref<256x64xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 128>,
     lowering_config = #nvptx.config<warpgroups, atom = "wgmma-m64k32", tile = [128, 64, 128], warp = [16, 64], stages = 2, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}
