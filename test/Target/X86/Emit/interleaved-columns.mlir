// RUN: qcc-opt %s -convert-kernel-to-x86 -canonicalize -cse | FileCheck %s --implicit-check-not=kernel.

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#s = affine_map<(m, n, k) -> ()>
#vnni = #x86.config<interleaved_columns, atom = "avx512vnni", tile = [1, 64, 4], block = [1, 64], lhs = panel,
                    source = pinned>
#avx2 = #x86.config<interleaved_columns, atom = "avx2", tile = [2, 16, 2], block = [2, 16], lhs = panel,
                    source = pinned>

// Four rows of 64 columns become four vectors of words, and groups of four columns are put in order at the end. The
// last word has a row of its own and zeros. The right operand is moved, and the sum of the row of the left one counts.
// CHECK-LABEL: func.func @word(
// CHECK-SAME: %[[X:.*]]: memref<1x9xi8>, %[[W:.*]]: memref<9x128xi8>, %[[Y:.*]]: memref<1x128xi32>)
// CHECK-DAG: %[[FLIP:.*]] = arith.constant dense<-128> : vector<64xi8>
// CHECK: vector.reduction <add>
// CHECK: %[[A:.*]]:4 = scf.for
// CHECK-COUNT-4: vector.transfer_read %[[W]][{{.*}} {in_bounds = [true]} : memref<9x128xi8>, vector<64xi8>
// CHECK-COUNT-4: vector.shuffle {{.*}} : vector<64xi8>, vector<64xi8>
// CHECK-COUNT-4: vector.shuffle {{.*}} : vector<64xi8>, vector<64xi8>
// CHECK: %[[LEFT:.*]] = vector.load %{{.*}} : memref<{{.*}}xi8>, vector<4xi8>
// CHECK-COUNT-4: vpdpbusd
// CHECK: scf.yield
// CHECK: %[[REST:.*]] = vector.transfer_read %[[W]][%c8
// CHECK: arith.xori %[[REST]], %[[FLIP]]
// CHECK-COUNT-4: vpdpbusd
// CHECK: vector.shuffle {{.*}} [0, 1, 2, 3, 16, 17, 18, 19, 0, 1, 2, 3, 0, 1, 2, 3] : vector<16xi32>
// CHECK: vector.store
// CHECK: vector.transfer_write {{.*}} %[[Y]]
// CHECK: return
func.func @word(%x: memref<1x9xi8>, %w: memref<9x128xi8>, %y: memref<1x128xi32>) {
  kernel.contract lhs(%x : memref<1x9xi8>) rhs(%w : memref<9x128xi8>) outs(%y : memref<1x128xi32>)
      {indexing_maps = [#mk, #kn, #mn], lowering_config = #vnni}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Words of two take pairs of rows, and nothing is moved. A zero point of the left operand needs the sums of the
// columns.
// CHECK-LABEL: func.func @zero_point(
// CHECK: arith.extsi {{.*}} : vector<16xi8> to vector<16xi16>
// CHECK: vector.shuffle {{.*}} [0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27] : vector<16xi16>, vector<16xi16>
// CHECK: vector.shuffle {{.*}} [4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31] : vector<16xi16>, vector<16xi16>
// CHECK-COUNT-2: pmadd
// CHECK: scf.for
// CHECK-COUNT-4: pmadd
// CHECK: arith.muli
// CHECK-NOT: pmadd
// CHECK: return
func.func @zero_point(%x: memref<2x8xi8>, %w: memref<8x16xi8>, %z: memref<i32>, %y: memref<2x16xi32>) {
  kernel.contract lhs(%x : memref<2x8xi8>) rhs(%w : memref<8x16xi8>) lhs_zero_point(%z : memref<i32>)
      outs(%y : memref<2x16xi32>) {indexing_maps = [#mk, #kn, #s, #mn], lowering_config = #avx2}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}
