// RUN: qcc-opt %s -convert-kernel-to-x86 -canonicalize -cse | FileCheck %s --implicit-check-not=kernel.

#bytes = #x86.config<vector_tiles, atom = "avx2-bytes", tile = [1, 8, 4], block = [1, 8], lhs = panel, rhs = nibbles,
                     source = pinned>
#vnni = #x86.config<vector_tiles, atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16], lhs = panel, source = pinned>

// Sums of the rows of each group, since nibbles are stored plus 8; a loop over groups that carries totals; a loop over
// four pairs of words that carries sums. Products of eight words are added in i16.
// CHECK-LABEL: func.func @nibbles(
// CHECK-DAG: %[[MASK:.*]] = arith.constant dense<252645135> : vector<8xi32>
// CHECK-DAG: %[[FOUR:.*]] = arith.constant dense<4> : vector<8xi32>
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant dense<8> : vector<8xi32>
// CHECK-DAG: %[[SUMS:.*]] = memref.alloca() {{.*}} : memref<1x4xi32>
// CHECK: memref.store %{{.*}}, %[[SUMS]]
// CHECK: scf.for %[[G:[a-z0-9]+]] = {{.*}} iter_args(%[[TOTAL:.*]] = %{{.*}}) -> (vector<8xf32>)
// CHECK: memref.load %[[SUMS]]
// CHECK: arith.muli %{{.*}}, %[[EIGHT]]
// CHECK: %[[ACC:.*]] = scf.for {{.*}} -> (vector<8xi32>)
// CHECK: %[[W:.*]] = vector.load %arg1
// CHECK: %[[HIGH:.*]] = arith.shrui %[[W]], %[[FOUR]]
// CHECK-DAG: arith.andi %[[W]], %[[MASK]]
// CHECK-DAG: arith.andi %[[HIGH]], %[[MASK]]
// CHECK: %[[A:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// CHECK: %[[B:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// CHECK: arith.addi %[[A]], %[[B]] : vector<16xi16>
// CHECK-COUNT-6: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}} : vector<16xi16>
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%[[SUM]]
// CHECK: %[[V:.*]] = arith.sitofp %[[ACC]]
// CHECK: %[[NEXT:.*]] = math.fma %[[V]], %{{.*}}, %[[TOTAL]]
// CHECK: scf.yield %[[NEXT]]
func.func @nibbles(%x: memref<5x4x64xi8>, %w: memref<1x32x8xi32>, %t: memref<4x8xf32>, %y: memref<5x8xf32>) {
  kernel.contract lhs(%x : memref<5x4x64xi8>) rhs(%w : memref<1x32x8xi32>) group_ins(%t : memref<4x8xf32>)
      outs(%y : memref<5x8xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (g, n)>, affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>, rhs_packed, lowering_config = #bytes}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %u: f32):
        %v = arith.sitofp %acc : i32 to f32
        %next = math.fma %v, %u, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      }
  return
}

// Three pairs of words are one step. While a tile of columns is multiplied, the scales of the next one are prefetched.
// CHECK-LABEL: func.func @three_pairs(
// CHECK: scf.for %[[G:[a-z0-9]+]] = {{.*}} -> (vector<8xf32>)
// CHECK: memref.prefetch %arg2[%[[G]], %{{.*}}], read
// CHECK-COUNT-6: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// CHECK-NOT: pmadd.ub.sw
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// CHECK-NOT: pmadd
func.func @three_pairs(%x: memref<5x4x24xi8>, %w: memref<2x12x8xi32>, %t: memref<4x16xf32>, %y: memref<5x16xf32>) {
  kernel.contract lhs(%x : memref<5x4x24xi8>) rhs(%w : memref<2x12x8xi32>) group_ins(%t : memref<4x16xf32>)
      outs(%y : memref<5x16xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (g, n)>, affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>, rhs_packed, lowering_config = #bytes}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %u: f32):
        %v = arith.sitofp %acc : i32 to f32
        %next = math.fma %v, %u, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      }
  return
}

// Sums of the columns of each group, since the left operand is stored plus 128; zero points of groups.
// CHECK-LABEL: func.func @zero_points(
// CHECK-NOT: memref.prefetch
// CHECK: scf.for %[[G:[a-z0-9]+]] = {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK: vector.load %arg2[%[[G]], %{{.*}}]
// CHECK: vector.transfer_read %arg3[%[[G]], %{{.*}}]
// CHECK: memref.load %{{.*}}[%{{.*}}, %[[G]]] : memref<2x4xi32>
// CHECK: scf.for {{.*}} -> (vector<16xi32>, vector<16xi32>)
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK: vector.transfer_read %arg4[%[[G]], %{{.*}}]
func.func @zero_points(%x: memref<6x4x16xi8>, %w: memref<1x16x16xi32>, %s: memref<4x16xi32>, %z: memref<4x16xi32>,
                       %t: memref<4x16xf32>, %y: memref<6x16xf32>) {
  kernel.contract lhs(%x : memref<6x4x16xi8>) rhs(%w : memref<1x16x16xi32>) rhs_sums(%s : memref<4x16xi32>)
      rhs_zero_point(%z : memref<4x16xi32>) group_ins(%t : memref<4x16xf32>) outs(%y : memref<6x16xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (g, n)>,
                        affine_map<(m, n, g, k) -> (g, n)>, affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>, lowering_config = #vnni}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %u: f32):
        %v = arith.sitofp %acc : i32 to f32
        %next = math.fma %v, %u, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      }
  return
}
