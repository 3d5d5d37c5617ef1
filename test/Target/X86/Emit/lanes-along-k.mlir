// RUN: qcc-opt %s -convert-kernel-to-x86 -canonicalize -cse | FileCheck %s --implicit-check-not=kernel.

#rows = #x86.config<inner_product, atom = "avx512vnni", tile = [2, 1, 4], block = [16, 1], lhs = in_place,
                    source = pinned>
#columns = #x86.config<inner_product, atom = "avx512vnni", tile = [1, 2, 4], block = [1, 16], lhs = in_place,
                       rhs = in_place, source = pinned>
#windows = #x86.config<inner_product, atom = "avx512vnni", tile = [2, 2, 4], block = [2, 16], lhs = in_place,
                       rhs = in_place, source = pinned>
#avx2 = #x86.config<inner_product, atom = "avx2", tile = [2, 1, 2], block = [8, 1], lhs = in_place, source = pinned>

// Results along rows: two rows at a time, each with an accumulator of its own, which are summed up by halves. A signed
// row is moved by 128 on its way, so that the sum of the column counts. The last tile ends where the rows do.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: memref<35x100xi8>, %[[W:.*]]: memref<1x32x1xi32>, %[[S:.*]]: memref<1xi32>, %[[Y:.*]]: memref<35x1xi32>)
// CHECK-DAG: %[[FLIP:.*]] = arith.constant dense<-128> : vector<64xi8>
// CHECK-DAG: %[[RESULTS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<3x48xi32>
// CHECK-DAG: %[[WORDS:.*]] = memref.collapse_shape %[[W]] {{.*}} into memref<1x32xi32>
// CHECK: scf.for
// CHECK: %[[FIRST:.*]] = arith.minsi %{{.*}}, %c33
// CHECK: vector.load %[[WORDS]][%{{.*}}, %c0]
// CHECK: %[[A:.*]] = vector.transfer_read %[[X]][%[[FIRST]], %c0], %{{.*}} {in_bounds = [true]} : memref<35x100xi8>, vector<64xi8>
// CHECK: arith.xori %[[A]], %[[FLIP]]
// CHECK-COUNT-2: vpdpbusd
// CHECK: vector.load %[[WORDS]][%{{.*}}, %c16]
// CHECK: vector.transfer_read %[[X]][%[[FIRST]], %c64], %{{[^:]*}} : memref<35x100xi8>, vector<64xi8>
// CHECK-COUNT-2: vpdpbusd
// CHECK: vector.shuffle {{.*}} [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29]
// CHECK: vector.shuffle {{.*}} [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31]
// CHECK: arith.addi
// CHECK: vector.store {{.*}}, %[[RESULTS]][{{.*}}] : memref<3x48xi32>, vector<2xi32>
// CHECK: scf.if
// CHECK: vector.load %[[RESULTS]]
// CHECK: memref.load %[[S]]
// CHECK: vector.transfer_write {{.*}}, %[[Y]]{{.*}} {in_bounds = [true]
// CHECK: } else {
// CHECK: vector.transfer_write {{.*}}, %[[Y]]
// CHECK-NOT: vpdpbusd
// CHECK: return
func.func @rows(%x: memref<35x100xi8>, %w: memref<1x32x1xi32>, %s: memref<1xi32>, %y: memref<35x1xi32>) {
  kernel.contract lhs(%x : memref<35x100xi8>) rhs(%w : memref<1x32x1xi32>) rhs_sums(%s : memref<1xi32>)
      outs(%y : memref<35x1xi32>) {lowering_config = #rows}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Results along columns, the right operand where it lies: it is moved, being read more, and the sum of the row counts.
// That is summed up first, as products with 1.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME: %[[X:.*]]: memref<1x64xi8>, %[[W:.*]]: memref<32x64xi8>, %[[Y:.*]]: memref<1x32xi32>)
// CHECK-DAG: %[[ONES:.*]] = arith.constant dense<1> : vector<64xi8>
// CHECK: %[[ROW:.*]] = vector.transfer_read %[[X]]
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.*}}, %[[ONES]], %[[ROW]])
// CHECK: vector.store {{.*}} vector<1xi32>
// CHECK: scf.for
// CHECK: vector.transfer_read %[[X]]
// CHECK: vector.transfer_read %[[W]]
// CHECK: arith.xori
// CHECK-COUNT-2: vpdpbusd
// CHECK: vector.transfer_write {{.*}}, %[[Y]]
// CHECK: return
func.func @columns(%x: memref<1x64xi8>, %w: memref<32x64xi8>, %y: memref<1x32xi32>) {
  kernel.contract lhs(%x : memref<1x64xi8>) rhs(%w : memref<32x64xi8>) outs(%y : memref<1x32xi32>)
      {lowering_config = #columns}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Operands of different signs are multiplied as they are, the unsigned one first.
// CHECK-LABEL: func.func @unsigned_weight(
// CHECK-NOT: arith.xori
// CHECK: return
func.func @unsigned_weight(%x: memref<1x64xi8>, %w: memref<32x64xi8>, %y: memref<1x32xi32>) {
  kernel.contract lhs(%x : memref<1x64xi8>) rhs(%w : memref<32x64xi8>) outs(%y : memref<1x32xi32>)
      {rhs_unsigned, lowering_config = #columns}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Without masked loads of bytes the rest of a row is the high end of its last vector. The number of rows is not known:
// the last one stands in for those that are not there.
// CHECK-LABEL: func.func @rest(
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %c1 : index
// CHECK: arith.minsi %{{.*}}, %[[LAST]] : index
// CHECK: arith.minsi %{{.*}}, %{{.*}} : index
// CHECK: vector.transfer_read {{.*}} vector<16xi8>
// CHECK: arith.extsi {{.*}} vector<16xi8> to vector<16xi16>
// CHECK: vector.transfer_read %{{.*}}[%{{.*}}, %c5], %{{.*}} {in_bounds = [true]} : memref<?x21xi8>, vector<16xi8>
// CHECK: vector.shuffle {{.*}} [11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26]
// CHECK: return
func.func @rest(%x: memref<?x21xi8>, %w: memref<1x16x1xi32>, %s: memref<1xi32>, %y: memref<?x1xi32>) {
  kernel.contract lhs(%x : memref<?x21xi8>) rhs(%w : memref<1x16x1xi32>) rhs_sums(%s : memref<1xi32>)
      outs(%y : memref<?x1xi32>) {lowering_config = #avx2}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// A zero point of the left operand needs the sums of the columns of a right operand that is not packed.
// CHECK-LABEL: func.func @zero_point(
// CHECK: scf.for
// CHECK: vpdpbusd
// CHECK: vector.store
// CHECK: scf.for
// CHECK: vpdpbusd
// CHECK: arith.muli
// CHECK: return
func.func @zero_point(%x: memref<1x64xi8>, %w: memref<32x64xi8>, %z: memref<i32>, %y: memref<1x32xi32>) {
  kernel.contract lhs(%x : memref<1x64xi8>) rhs(%w : memref<32x64xi8>) lhs_zero_point(%z : memref<i32>)
      outs(%y : memref<1x32xi32>) {lhs_unsigned, lowering_config = #columns}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Windows along a line: the line goes on behind a window of 16 bytes, so that the last vector is cut off there. Columns
// of K bytes need no cut, but their 0s behind K are moved with them.
// CHECK-LABEL: func.func @windows(
// CHECK-SAME: %[[X:.*]]: memref<4x24xi8>, %[[W:.*]]: memref<5x16xi8>
// CHECK: %[[A:.*]] = vector.transfer_read %[[X]]
// CHECK: %[[FIRST16:.*]] = vector.constant_mask [16] : vector<64xi1>
// CHECK: %[[KEPT:.*]] = arith.extsi %[[FIRST16]] : vector<64xi1> to vector<64xi8>
// CHECK: arith.andi %[[A]], %[[KEPT]]
// CHECK: %[[B:.*]] = vector.transfer_read %[[W]]
// CHECK: arith.xori %[[B]]
// CHECK: return
func.func @windows(%x: memref<4x24xi8>, %w: memref<5x16xi8>, %y: memref<4x2x5xi32>) {
  kernel.contract lhs(%x : memref<4x24xi8>) rhs(%w : memref<5x16xi8>) outs(%y : memref<4x2x5xi32>)
      {lowering_config = #windows, lhs_unsigned, rhs_unsigned, reduction_sizes = array<i64: 16>,
       indexing_maps = [affine_map<(h, v, n, k) -> (h, v * 8 + k)>, affine_map<(h, v, n, k) -> (n, k)>,
                        affine_map<(h, v, n, k) -> (h, v, n)>]}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}
