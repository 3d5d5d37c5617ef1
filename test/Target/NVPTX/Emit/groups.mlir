// RUN: qcc-opt %s -convert-kernel-to-nvptx -canonicalize -cse | FileCheck %s

#lhs = affine_map<(m, n, g, k) -> (m, g, k)>
#rhs = affine_map<(m, n, g, k) -> (n, g, k)>
#scale = affine_map<(m, n, g, k) -> (g, n)>
#out = affine_map<(m, n, g, k) -> (m, n)>

// Two warps have two slices each, one behind the other, which are of one group: a sum of each. Only row 0 is stored, with the
// products in front of all branches. Behind the barrier a thread goes through the groups in order.
// CHECK-LABEL: func.func @decode(
// CHECK-COUNT-8: nvvm.mma.sync
// CHECK: llvm.inline_asm has_side_effects "@$0 st.shared.v4.b32
// CHECK-NOT: nvvm.mma.sync
// CHECK: nvvm.barrier
// CHECK: scf.if
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<1xi32>
// CHECK: %[[FIRST:.*]] = math.fma
// CHECK: math.fma %{{.*}}, %{{.*}}, %[[FIRST]]
func.func @decode(%x: memref<1x2x128xi8>, %w: memref<16x64x1xi32>, %s: memref<2x16xf32>, %y: memref<1x16xf32>) {
  kernel.contract lhs(%x : memref<1x2x128xi8>) rhs(%w : memref<16x64x1xi32>) group_ins(%s : memref<2x16xf32>) outs(%y : memref<1x16xf32>)
    {indexing_maps = [#lhs, #rhs, #scale, #out], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 2, 128>, rhs_packed,
     lowering_config = #nvptx.config<decode, atom = "mma-m16n8k32", tile = [16, 16, 128], warp = [16, 16], stages = 2, source = model>} group_epilogue {
  ^bb0(%acc: i32, %total: f32, %scale: f32):
    %f = arith.sitofp %acc : i32 to f32
    %v = math.fma %f, %scale, %total : f32
    kernel.yield %v : f32
  } epilogue {
  ^bb0(%total: f32):
    kernel.yield %total : f32
  }
  return
}

// A slice has two groups, of which the elements of a thread belong to one. A thread loads 8 bytes of nibbles and makes
// four words of them, 16 times as large.
// CHECK-LABEL: func.func @nibbles(
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK: arith.shli
// CHECK: arith.andi %{{.*}}, %c-252645136_i32
// CHECK: arith.cmpi eq
// CHECK-COUNT-4: arith.select
// CHECK-COUNT-4: nvvm.mma.sync
// CHECK: st.shared.v4.b32
// CHECK: nvvm.mma.sync
// CHECK: st.shared.v4.b32
// CHECK: nvvm.barrier
// CHECK: arith.shrsi %{{.*}}, %c4_i32
// CHECK: math.fma
func.func @nibbles(%x: memref<1x2x32xi8>, %w: memref<16x8x1xi32>, %s: memref<2x16xf32>, %y: memref<1x16xf32>) {
  kernel.contract lhs(%x : memref<1x2x32xi8>) rhs(%w : memref<16x8x1xi32>) group_ins(%s : memref<2x16xf32>) outs(%y : memref<1x16xf32>)
    {indexing_maps = [#lhs, #rhs, #scale, #out], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 2, 32>, rhs_packed,
     lowering_config = #nvptx.config<decode, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 1, rhs_bits = 4, source = model>} group_epilogue {
  ^bb0(%acc: i32, %total: f32, %scale: f32):
    %f = arith.sitofp %acc : i32 to f32
    %v = math.fma %f, %scale, %total : f32
    kernel.yield %v : f32
  } epilogue {
  ^bb0(%total: f32):
    kernel.yield %total : f32
  }
  return
}

// Totals are beside the sums, which begin at 0 again behind the last slice of a group.
// CHECK-LABEL: func.func @multistage(
// CHECK: nvvm.mma.sync
// CHECK: arith.remui
// CHECK: scf.if %{{.*}} -> (f32,
// CHECK: math.fma
func.func @multistage(%x: memref<70x4x128xi8>, %w: memref<16x128x1xi32>, %s: memref<4x16xf32>, %y: memref<70x16xf32>) {
  kernel.contract lhs(%x : memref<70x4x128xi8>) rhs(%w : memref<16x128x1xi32>) group_ins(%s : memref<4x16xf32>) outs(%y : memref<70x16xf32>)
    {indexing_maps = [#lhs, #rhs, #scale, #out], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 4, 128>, rhs_packed,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [32, 32, 64], warp = [16, 16], stages = 2, source = model>} group_epilogue {
  ^bb0(%acc: i32, %total: f32, %scale: f32):
    %f = arith.sitofp %acc : i32 to f32
    %v = math.fma %f, %scale, %total : f32
    kernel.yield %v : f32
  } epilogue {
  ^bb0(%total: f32):
    kernel.yield %total : f32
  }
  return
}

// Groups of 16 take one half of a fragment each; there is no branch.
// CHECK-LABEL: func.func @halves(
// CHECK: nvvm.mma.sync A[%{{.*}}, %{{.*}}, %c0_i32, %c0_i32]
// CHECK-NOT: scf.if %{{.*}} -> (f32,
// CHECK: math.fma
// CHECK: nvvm.mma.sync A[%c0_i32, %c0_i32, %{{.*}}, %{{.*}}]
// CHECK: math.fma
func.func @halves(%x: memref<70x8x16xi8>, %w: memref<16x32x1xi32>, %s: memref<8x16xf32>, %y: memref<70x16xf32>) {
  kernel.contract lhs(%x : memref<70x8x16xi8>) rhs(%w : memref<16x32x1xi32>) group_ins(%s : memref<8x16xf32>) outs(%y : memref<70x16xf32>)
    {indexing_maps = [#lhs, #rhs, #scale, #out], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 8, 16>, rhs_packed,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [32, 32, 64], warp = [16, 16], stages = 2, source = model>} group_epilogue {
  ^bb0(%acc: i32, %total: f32, %scale: f32):
    %f = arith.sitofp %acc : i32 to f32
    %v = math.fma %f, %scale, %total : f32
    kernel.yield %v : f32
  } epilogue {
  ^bb0(%total: f32):
    kernel.yield %total : f32
  }
  return
}

// A thread that computes a result alone has a loop over groups around the sum.
// CHECK-LABEL: func.func @threads(
// CHECK: scf.for {{.*}} -> (f32)
// CHECK: scf.for {{.*}} -> (i32)
// CHECK: math.fma
func.func @threads(%x: memref<1x2x128xi8>, %w: memref<16x2x128xi8>, %s: memref<2x16xf32>, %y: memref<1x16xf32>) {
  kernel.contract lhs(%x : memref<1x2x128xi8>) rhs(%w : memref<16x2x128xi8>) group_ins(%s : memref<2x16xf32>) outs(%y : memref<1x16xf32>)
    {indexing_maps = [#lhs, #rhs, #scale, #out], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 2, 128>,
     lowering_config = #nvptx.config<threads, atom = "mad", source = model>} group_epilogue {
  ^bb0(%acc: i32, %total: f32, %scale: f32):
    %f = arith.sitofp %acc : i32 to f32
    %v = math.fma %f, %scale, %total : f32
    kernel.yield %v : f32
  } epilogue {
  ^bb0(%total: f32):
    kernel.yield %total : f32
  }
  return
}
