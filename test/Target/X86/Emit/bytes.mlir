// RUN: qcc-opt %s -convert-kernel-to-x86 -canonicalize -cse | FileCheck %s --implicit-check-not=kernel.

#zmm = #x86.config<vector_tiles, atom = "avx512bw-bytes", tile = [1, 16, 4], block = [1, 16], lhs = panel,
                   source = pinned>
#ymm = #x86.config<vector_tiles, atom = "avx2-bytes", tile = [1, 8, 4], block = [1, 8], lhs = in_place, source = pinned>

// Products of bytes are added to i16, these with ones to i32. A signed activation is stored plus 128.
// CHECK-LABEL: func.func @signed(
// CHECK-DAG: %[[ONES:.*]] = arith.constant dense<1> : vector<32xi16>
// CHECK: arith.xori %{{.*}} : vector<64xi8>
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] =
// CHECK: %[[W:.*]] = vector.load %arg1
// CHECK-DAG: %[[A:.*]] = vector.bitcast %{{.*}} : vector<16xi32> to vector<64xi8>
// CHECK-DAG: %[[B:.*]] = vector.bitcast %[[W]] : vector<16xi32> to vector<64xi8>
// CHECK: %[[P:.*]] = llvm.call_intrinsic "llvm.x86.avx512.pmaddubs.w.512"(%[[A]], %[[B]]) : (vector<64xi8>, vector<64xi8>) -> vector<32xi16>
// CHECK: %[[Q:.*]] = llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"(%[[P]], %[[ONES]])
// CHECK: arith.addi %[[ACC]], %[[Q]]
func.func @signed(%x: memref<5x9xi8>, %w: memref<1x3x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x9xi8>) rhs(%w : memref<1x3x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<5x9xi32>) {lowering_config = #zmm}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Unsigned bytes are read in place.
// CHECK-LABEL: func.func @unsigned(
// CHECK-NOT: arith.xori
// CHECK: vector.load %arg0{{.*}} vector<4xi8>
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"({{.*}}) : (vector<32xi8>, vector<32xi8>) -> vector<16xi16>
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
func.func @unsigned(%x: memref<5x8xi8>, %w: memref<2x2x8xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x8xi8>) rhs(%w : memref<2x2x8xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<5x9xi32>) {lhs_unsigned, lowering_config = #ymm}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}
