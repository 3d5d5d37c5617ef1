// RUN: qcc-opt %s -convert-kernel-to-x86 -canonicalize -cse | FileCheck %s --implicit-check-not=kernel.

#pairs = #x86.config<vector_tiles, atom = "avx512bw-pairs", tile = [2, 16, 2], block = [2, 32], lhs = panel,
                     source = pinned>
#ymm = #x86.config<vector_tiles, atom = "avx2-pairs", tile = [1, 8, 2], block = [1, 8], lhs = panel, source = pinned>

// Sums of two words of each operand, crosswise, are multiplied: four products for one multiplication. What words of a
// row have multiplied among themselves is summed up when the row is copied; of the 16 words of a vector 4 are in use.
// Likewise for columns, once for each block. Accumulators start from both, negative.
// CHECK-LABEL: func.func @pairs(
// CHECK-SAME: %[[X:.*]]: memref<5x7xi8>, %[[W:.*]]: memref<1x4x16xi32>, %[[S:.*]]: memref<16xi32>, %[[Y:.*]]: memref<5x9xi32>)
// CHECK-DAG: %[[ROWS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2xi32>
// CHECK-DAG: %[[COLUMNS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<32xi32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.extsi %{{.*}} : vector<32xi8> to vector<32xi16>
// CHECK: vector.store
// CHECK: %[[LOADED:.*]] = vector.load %[[PANEL:.*]][%{{.*}}, %c0]
// CHECK: %[[MASK:.*]] = vector.constant_mask [4] : vector<16xi1>
// CHECK: %[[KEPT:.*]] = arith.extsi %[[MASK]]
// CHECK: %[[EVEN:.*]] = arith.andi %[[LOADED]], %[[KEPT]]
// CHECK: %[[BITS:.*]] = vector.bitcast %[[EVEN]] : vector<16xi32> to vector<8xi64>
// CHECK: %[[ODD:.*]] = arith.shrui %[[BITS]]
// CHECK: pmaddw.d
// CHECK: %[[SUM:.*]] = vector.reduction <add>
// CHECK: %[[NEGATIVE:.*]] = arith.subi %{{.*}}, %[[SUM]] : i32
// CHECK: memref.store %[[NEGATIVE]], %[[ROWS]]
// CHECK: scf.for
// CHECK-DAG: vector.load %[[W]]
// CHECK-DAG: vector.load %[[W]]
// CHECK: pmaddw.d
// CHECK: scf.yield
// CHECK: arith.subi
// CHECK: vector.store %{{.*}}, %[[COLUMNS]]
// CHECK: %[[C:.*]] = vector.load %[[COLUMNS]]
// CHECK: %[[R:.*]] = memref.load %[[ROWS]]
// CHECK: %[[B:.*]] = vector.broadcast %[[R]]
// CHECK: %[[START:.*]] = arith.addi %[[C]], %[[B]]
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 iter_args(%{{.*}} = %[[START]]
// CHECK: %[[WORD:.*]] = arith.muli %{{.*}}, %c2
// CHECK: %[[W0:.*]] = vector.load %[[W]][%{{.*}}, %[[WORD]], %c0]
// CHECK: %[[NEXT:.*]] = arith.addi %[[WORD]], %c1
// CHECK: %[[W1:.*]] = vector.load %[[W]][%{{.*}}, %[[NEXT]], %c0]
// CHECK: %[[A0:.*]] = vector.broadcast
// CHECK: %[[A1:.*]] = vector.broadcast
// CHECK-DAG: %[[U0:.*]] = vector.bitcast %[[A0]]
// CHECK-DAG: %[[U1:.*]] = vector.bitcast %[[A1]]
// CHECK-DAG: %[[V0:.*]] = vector.bitcast %[[W0]]
// CHECK-DAG: %[[V1:.*]] = vector.bitcast %[[W1]]
// CHECK-DAG: %[[P:.*]] = arith.addi %[[U0]], %[[V1]] : vector<32xi16>
// CHECK-DAG: %[[Q:.*]] = arith.addi %[[U1]], %[[V0]] : vector<32xi16>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"(%[[P]], %[[Q]])
func.func @pairs(%x: memref<5x7xi8>, %w: memref<1x4x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x4x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<5x9xi32>) {lowering_config = #pairs}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// 5 elements are 3 words, and 4 in steps of two.
// CHECK-LABEL: func.func @odd_words(
// CHECK: vector.constant_mask [4] : vector<8xi1>
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 iter_args
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 iter_args
// CHECK: llvm.x86.avx2.pmadd.wd
func.func @odd_words(%x: memref<5x5xi8>, %w: memref<1x4x8xi32>, %s: memref<8xi32>, %y: memref<5x8xi32>) {
  kernel.contract lhs(%x : memref<5x5xi8>) rhs(%w : memref<1x4x8xi32>) rhs_sums(%s : memref<8xi32>)
      outs(%y : memref<5x8xi32>) {lowering_config = #ymm}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}
