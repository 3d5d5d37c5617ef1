// RUN: qcc-opt %s -convert-kernel-to-x86 -canonicalize -cse | FileCheck %s --implicit-check-not=kernel.

// Two rows and one column of registers of 12 rows. The first tile is multiplied alone. A step of the next stores the
// registers of the one before, each just before it starts over; its epilogue follows between products.
// CHECK-LABEL: func.func @overlapped(
// CHECK-SAME: %[[X:.*]]: memref<72x128xi8>, %[[W:.*]]: memref<1x32x16xi32>
// CHECK: %[[SCRATCH:.*]] = memref.alloca() {alignment = 64 : i64} : memref<24x16xi32>
// CHECK: scf.for {{.*}} -> (!amx.tile<12x16xi32>, !amx.tile<12x16xi32>)
// CHECK: amx.tile_load %[[X]][{{.*}}], %c128 : memref<72x128xi8> into !amx.tile<12x64xi8>
// CHECK: amx.tile_load %[[W]][{{.*}}], %c16 : memref<1x32x16xi32> into !amx.tile<16x64xi8>
// CHECK: amx.tile_muli %{{.*}}, %{{.*}} zext, %{{.*}}
// CHECK: amx.tile_muli
// CHECK-NOT: memref.prefetch
// CHECK: scf.for {{.*}} iter_args(%[[A0:[a-z0-9]+]] = %{{[a-z0-9#]+}}, %[[A1:[a-z0-9]+]] = %{{[a-z0-9#]+}}, {{.*}} -> (!amx.tile<12x16xi32>, !amx.tile<12x16xi32>, index, index)
// CHECK: amx.tile_store %[[SCRATCH]][%c0, %c0], %[[A0]]
// CHECK-NEXT: %[[Z0:.*]] = amx.tile_zero
// CHECK-NEXT: amx.tile_muli %{{.*}}, %{{.*}} zext, %[[Z0]]
// CHECK-NEXT: memref.prefetch %[[X]][%{{.*}}, %c0], read, locality<2>, data
// CHECK: amx.tile_store %[[SCRATCH]][%c12, %c0], %[[A1]]
// CHECK: amx.tile_zero
// CHECK: amx.tile_muli
// CHECK: amx.tile_muli
// CHECK: vector.load %[[SCRATCH]][%c0, %c0]
// CHECK: vector.load %[[SCRATCH]][%c23, %c0]
// CHECK: scf.yield
// The last tile has its epilogue to itself.
// CHECK: amx.tile_store
// CHECK: amx.tile_store
// CHECK: scf.for
// CHECK: vector.load %[[SCRATCH]]
func.func @overlapped(%x: memref<72x128xi8>, %w: memref<1x32x16xi32>, %s: memref<16xi32>, %y: memref<72x16xi32>) {
  kernel.contract lhs(%x : memref<72x128xi8>) rhs(%w : memref<1x32x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<72x16xi32>)
      {rhs_unsigned,
       lowering_config = #x86.config<amx_tiles, atom = "amx-int8", tile = [24, 16, 4], block = [72, 16], lhs = in_place,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// K is no multiple of 64: rows are copied to a panel. One of the 17 rows is left, which has a panel of its own; of its
// register one row is stored. Zero points and the initial value are added in the epilogue.
// CHECK-LABEL: func.func @edges(
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<16x16xi32>
// CHECK: memref.view %{{.*}} : memref<{{.*}}xi8> to memref<16x192xi8>
// CHECK: amx.tile_load %{{.*}} : memref<16x192xi8> into !amx.tile<16x64xi8>
// CHECK: vector.load {{.*}} : memref<16x16xi32>
// CHECK: arith.muli
// CHECK: arith.subi
// CHECK: arith.addi {{.*}} : vector<16xi32>
// CHECK: vector.transfer_write
func.func @edges(%x: memref<17x70xi8>, %w: memref<1x32x16xi32>, %s: memref<16xi32>, %b: memref<9xi32>, %z: memref<i32>,
                 %y: memref<17x9xi32>) {
  kernel.contract lhs(%x : memref<17x70xi8>) rhs(%w : memref<1x32x16xi32>) rhs_sums(%s : memref<16xi32>)
      init(%b : memref<9xi32>) lhs_zero_point(%z : memref<i32>) outs(%y : memref<17x9xi32>)
      {lhs_unsigned,
       lowering_config = #x86.config<amx_tiles, atom = "amx-int8", tile = [16, 16, 4], block = [16, 16], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// 29 rows, of which 5 are left after a tile of 24: one register of them for each of three columns of tiles, with the
// epilogue of these rows between the multiplications of the next.
// CHECK-LABEL: func.func @last_rows(
// CHECK: scf.for {{.*}} -> (!amx.tile<12x16xi32>, !amx.tile<12x16xi32>, index, index)
// CHECK: memref.prefetch
// CHECK: scf.for {{.*}} iter_args(%[[A:[a-z0-9]+]] = %{{[a-z0-9#]+}}, {{.*}} -> (!amx.tile<12x16xi32>, index, index)
// CHECK-NOT: memref.prefetch
// CHECK: amx.tile_store %[[S:.*]][%c0, %c0], %[[A]]
// CHECK: amx.tile_muli
// CHECK-COUNT-5: vector.load %[[S]][
// CHECK-NOT: vector.load %[[S]]
// CHECK: scf.yield
// CHECK: amx.tile_store
// CHECK: scf.for {{.*}} %c5
func.func @last_rows(%x: memref<29x64xi8>, %w: memref<3x16x16xi32>, %s: memref<48xi32>, %y: memref<29x48xi32>) {
  kernel.contract lhs(%x : memref<29x64xi8>) rhs(%w : memref<3x16x16xi32>) rhs_sums(%s : memref<48xi32>)
      outs(%y : memref<29x48xi32>)
      {
       lowering_config = #x86.config<amx_tiles, atom = "amx-int8", tile = [24, 16, 4], block = [24, 48], lhs = in_place,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}
