// RUN: qcc-opt %s -convert-kernel-to-x86 -canonicalize -cse | FileCheck %s --implicit-check-not=kernel.

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#m = affine_map<(m, n, k) -> (m)>
#n = affine_map<(m, n, k) -> (n)>
#vnni = #x86.config<vector_tiles, atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16], lhs = panel, source = pinned>
#bw = #x86.config<vector_tiles, atom = "avx512bw", tile = [2, 16, 2], block = [2, 16], lhs = panel, source = pinned>
#in_place = #x86.config<vector_tiles, atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16], lhs = in_place,
                        source = pinned>
#avxvnni = #x86.config<vector_tiles, atom = "avxvnni", tile = [1, 8, 4], block = [1, 8], lhs = panel, source = pinned>
#avx2 = #x86.config<vector_tiles, atom = "avx2", tile = [1, 8, 2], block = [1, 8], lhs = panel, source = pinned>

// VNNI multiplies unsigned by signed bytes: the activation is stored plus 128 (its highest bit flipped), so that
// its zero point is 128, times the sums of the columns of the weight. The accumulators start from that. The fifth row is a
// tile of its own.
// CHECK-LABEL: func.func @signed(
// CHECK-SAME: %[[X:.*]]: memref<5x7xi8>, %[[W:.*]]: memref<1x2x16xi32>, %[[S:.*]]: memref<16xi32>, %[[Y:.*]]: memref<5x9xi32>)
// CHECK-DAG: %[[C128:.*]] = arith.constant dense<128> : vector<16xi32>
// CHECK-DAG: %[[FLIP:.*]] = arith.constant dense<-128> : vector<64xi8>
// CHECK-DAG: %[[PANEL:.*]] = memref.alloca() {alignment = 64 : i64} : memref<384xi8>
// CHECK: scf.for %[[BLOCK:.*]] = %c0 to %c5 step %c2
// CHECK: scf.for
// CHECK: %[[V:.*]] = vector.transfer_read %[[X]]
// CHECK: %[[U:.*]] = arith.xori %[[V]], %[[FLIP]]
// CHECK: vector.store %[[U]]
// CHECK: scf.for
// CHECK: %[[SUMS:.*]] = vector.load %[[S]]
// CHECK: %[[Z:.*]] = arith.muli %[[SUMS]], %[[C128]]
// CHECK: %[[I:.*]] = arith.subi %{{.*}}, %[[Z]]
// CHECK: %[[A:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[I]], %{{.*}} = %[[I]])
// CHECK: vector.load %[[W]]
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK: scf.yield
// CHECK: vector.transfer_write %[[A]]#0, %[[Y]]
// CHECK: vector.transfer_write %[[A]]#1, %[[Y]]
// CHECK: scf.if
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK-NOT: vpdpbusd
func.func @signed(%x: memref<5x7xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<5x9xi32>) {lowering_config = #vnni}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// An unsigned activation is stored as it is, and has no zero point to move.
// CHECK-LABEL: func.func @unsigned(
// CHECK-NOT: arith.xori
// CHECK-NOT: arith.subi %{{.*}} : vector<16xi32>
// CHECK: vpdpbusd
// CHECK: return
func.func @unsigned(%x: memref<5x7xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<5x9xi32>) {lhs_unsigned, lowering_config = #vnni}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// An unsigned weight was packed minus 128: the sums of the rows of the panel count, too.
// CHECK-LABEL: func.func @unsigned_weight(
// CHECK-DAG: %[[ROWS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2xi32>
// CHECK-DAG: %[[ONES:.*]] = arith.constant dense<16843009> : vector<16xi32>
// CHECK-DAG: %[[SHIFT:.*]] = arith.constant dense<-128> : vector<16xi32>
// CHECK: %[[MASK:.*]] = vector.constant_mask [7] : vector<64xi1>
// CHECK: %[[KEPT:.*]] = arith.extsi %[[MASK]]
// CHECK: %[[P:.*]] = arith.andi %{{.*}}, %[[KEPT]]
// CHECK: vector.store %[[P]]
// CHECK: %[[B:.*]] = vector.bitcast %[[ONES]]
// CHECK: %[[D:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.*}}, %[[P]], %[[B]])
// CHECK: %[[SUM:.*]] = vector.reduction <add>, %[[D]]
// CHECK: memref.store %[[SUM]], %[[ROWS]]
// CHECK: memref.load %[[ROWS]]
// CHECK: %[[ROW:.*]] = vector.broadcast
// CHECK: arith.muli %[[ROW]], %[[SHIFT]]
// CHECK: vpdpbusd
func.func @unsigned_weight(%x: memref<5x7xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<5x9xi32>) {lhs_unsigned, rhs_unsigned, lowering_config = #vnni}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Without VNNI, words of two i16: nothing is moved.
// CHECK-LABEL: func.func @words_of_two(
// CHECK-NOT: arith.xori
// CHECK: arith.extsi %{{.*}} : vector<32xi8> to vector<32xi16>
// CHECK: %[[P:.*]] = llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
// CHECK: arith.addi %{{.*}}, %[[P]] : vector<16xi32>
// CHECK-NOT: arith.muli %{{.*}} : vector<16xi32>
// CHECK: return
func.func @words_of_two(%x: memref<5x7xi8>, %w: memref<1x4x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x4x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<5x9xi32>) {lowering_config = #bw}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// AVX2, and an unsigned activation.
// CHECK-LABEL: func.func @avx2(
// CHECK: arith.extui %{{.*}} : vector<16xi8> to vector<16xi16>
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
func.func @avx2(%x: memref<5x7xi8>, %w: memref<2x4x8xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<2x4x8xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<5x9xi32>) {lhs_unsigned, lowering_config = #avx2}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// The 256-bit form of VNNI.
// CHECK-LABEL: func.func @avxvnni(
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"{{.*}} : (vector<8xi32>, vector<32xi8>, vector<32xi8>) -> vector<8xi32>
func.func @avxvnni(%x: memref<5x7xi8>, %w: memref<2x2x8xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<2x2x8xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<5x9xi32>) {lhs_unsigned, lowering_config = #avxvnni}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Zero points of rows and columns, with their product K times, and the initial value: what the accumulators start from.
// CHECK-LABEL: func.func @zero_points(
// CHECK-DAG: %[[K:.*]] = arith.constant dense<7> : vector<16xi32>
// CHECK: %[[INIT:.*]] = vector.transfer_read %arg6
// CHECK: memref.load %arg4[%{{.*}}] : memref<5xi32>
// CHECK: %[[L:.*]] = vector.broadcast
// CHECK: %[[SUMS:.*]] = vector.load %arg2
// CHECK: arith.muli %[[L]], %[[SUMS]]
// CHECK: %[[R:.*]] = vector.transfer_read %arg5
// CHECK: %[[ROW:.*]] = vector.broadcast
// CHECK: arith.muli %[[R]], %[[ROW]]
// CHECK: %[[LR:.*]] = arith.muli %[[L]], %[[R]]
// CHECK: arith.muli %[[LR]], %[[K]]
// CHECK: %[[START:.*]] = arith.addi %[[INIT]],
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[START]]
// CHECK: pmaddw.d
func.func @zero_points(%x: memref<5x7xi8>, %w: memref<1x4x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>,
                       %zx: memref<5xi32>, %zw: memref<9xi32>, %b: memref<9xi32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x4x16xi32>) rhs_sums(%s : memref<16xi32>)
      init(%b : memref<9xi32>) lhs_zero_point(%zx : memref<5xi32>) rhs_zero_point(%zw : memref<9xi32>)
      outs(%y : memref<5x9xi32>) {lowering_config = #bw}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// The prologue runs on vectors while the panel is filled; constants are splat.
// CHECK-LABEL: func.func @prologue(
// CHECK: %[[V:.*]] = vector.transfer_read %arg0{{.*}} vector<16xf32>
// CHECK: %[[S:.*]] = memref.load %arg4
// CHECK: %[[B:.*]] = vector.broadcast %[[S]]
// CHECK: arith.divf %[[V]], %[[B]] : vector<16xf32>
// CHECK: arith.addf %{{.*}} : vector<16xf32>
// CHECK: arith.fptosi %{{.*}} : vector<16xf32> to vector<16xi8>
func.func @prologue(%x: memref<5x7xf32>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>,
                    %scale: memref<5xf32>) {
  kernel.contract lhs(%x : memref<5x7xf32>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>)
      lhs_ins(%scale : memref<5xf32>) outs(%y : memref<5x9xi32>) {lowering_config = #vnni}
      lhs_prologue {
      ^bb0(%a: f32, %b: f32):
        %one = arith.constant 1.0 : f32
        %d = arith.divf %a, %b : f32
        %e = arith.addf %d, %one : f32
        %q = arith.fptosi %e : f32 to i8
        kernel.yield %q : i8
      }
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// So does the epilogue, on the accumulators: a value for each column, one for each row, and a residual.
// CHECK-LABEL: func.func @epilogue(
// CHECK: vpdpbusd
// CHECK: %[[C:.*]] = vector.transfer_read %arg4
// CHECK: memref.load %arg5
// CHECK: %[[M:.*]] = vector.broadcast
// CHECK: %[[R:.*]] = vector.transfer_read %arg6
// CHECK: %[[F:.*]] = arith.sitofp
// CHECK: %[[G:.*]] = arith.addf %[[F]], %[[C]]
// CHECK: %[[H:.*]] = arith.mulf %[[G]], %[[M]]
// CHECK: %[[I:.*]] = arith.addf %[[H]], %[[R]]
// CHECK: vector.transfer_write %[[I]], %arg3
func.func @epilogue(%x: memref<5x7xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<5x9xf32>,
                    %c: memref<9xf32>, %r: memref<5xf32>, %res: memref<5x9xf32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>)
      epilogue_ins(%c, %r, %res : memref<9xf32>, memref<5xf32>, memref<5x9xf32>) outs(%y : memref<5x9xf32>)
      {indexing_maps = [#mk, #nk, #n, #m, #mn, #mn], lowering_config = #vnni}
      epilogue {
      ^bb0(%acc: i32, %a: f32, %b: f32, %d: f32):
        %f = arith.sitofp %acc : i32 to f32
        %g = arith.addf %f, %a : f32
        %h = arith.mulf %g, %b : f32
        %i = arith.addf %h, %d : f32
        kernel.yield %i : f32
      }
  return
}

// Where the number of columns is not known, whole tiles and the last one are told apart.
// CHECK-LABEL: func.func @columns(
// CHECK: vpdpbusd
// CHECK: vector.transfer_write %{{.*}} {in_bounds = [true]}
// CHECK: arith.cmpi slt
// CHECK: scf.if
// CHECK: vpdpbusd
// CHECK: vector.transfer_write %{{[^{]*}} : vector<16xi32>
func.func @columns(%x: memref<5x7xi8>, %w: memref<?x2x16xi32>, %s: memref<?xi32>, %y: memref<5x?xi32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<?x2x16xi32>) rhs_sums(%s : memref<?xi32>)
      outs(%y : memref<5x?xi32>) {lowering_config = #vnni}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Batch dimensions lead the packed weight; rows of tiles run through them.
// CHECK-LABEL: func.func @batch(
// CHECK: scf.for %[[B:.*]] = %c0 to %c3
// CHECK: vector.load %arg2[%[[B]],
// CHECK: vector.load %arg1[%[[B]],
func.func @batch(%x: memref<3x5x7xi8>, %w: memref<3x1x2x16xi32>, %s: memref<3x16xi32>, %y: memref<3x5x9xi32>) {
  kernel.contract lhs(%x : memref<3x5x7xi8>) rhs(%w : memref<3x1x2x16xi32>) rhs_sums(%s : memref<3x16xi32>)
      outs(%y : memref<3x5x9xi32>) {lowering_config = #vnni}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Several reduction dimensions: a loop over all but the last.
// CHECK-LABEL: func.func @two_reductions(
// CHECK: scf.for %{{.*}} = %c0 to %c3
// CHECK: vector.transfer_read %arg0
// CHECK: vector.store
func.func @two_reductions(%x: memref<5x3x7xi8>, %w: memref<1x6x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x3x7xi8>) rhs(%w : memref<1x6x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<5x9xi32>)
      {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (n, k, l)>,
                        affine_map<(m, n, k, l) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>, lowering_config = #vnni}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// A vector times a matrix has one row.
// CHECK-LABEL: func.func @vector(
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<192xi8>
// CHECK: vpdpbusd
func.func @vector(%x: memref<7xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<9xi32>) {
  kernel.contract lhs(%x : memref<7xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<9xi32>)
      {
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 16, 4], block = [1, 16], lhs = panel,
                                     source = model>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Unsigned bytes are read where they lie; the last three of seven are the high end of the last four.
// CHECK-LABEL: func.func @in_place(
// CHECK-NOT: memref.alloca
// CHECK: %[[A:.*]]:2 = scf.for
// CHECK: vector.load %arg0[%{{.*}}, %{{.*}}] : memref<5x11xi8>, vector<4xi8>
// CHECK-COUNT-2: vpdpbusd
// CHECK: vector.load %arg0[%{{.*}}, %c7] : memref<5x11xi8>, vector<4xi8>
// CHECK: arith.shrui %{{.*}}, %c8_i32
// CHECK: vpdpbusd
func.func @in_place(%x: memref<5x11xi8>, %w: memref<1x3x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x11xi8>) rhs(%w : memref<1x3x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<5x9xi32>) {lhs_unsigned, lowering_config = #in_place}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Row sums are computed for a block of rows before its tiles.
// CHECK-LABEL: func.func @in_place_sums(
// CHECK: %[[ROWS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2xi32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.transfer_read %arg0[%{{.*}}, %{{.*}}], %{{.*}} {in_bounds = [true]} : memref<5x130xi8>, vector<64xi8>
// CHECK: vector.transfer_read %arg0[%{{.*}}, %c128], %{{[^{]*}} : memref<5x130xi8>, vector<64xi8>
// CHECK: vector.reduction <add>
// CHECK: memref.store %{{.*}}, %[[ROWS]]
// CHECK: memref.load %[[ROWS]]
func.func @in_place_sums(%x: memref<5x130xi8>, %w: memref<1x33x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x130xi8>) rhs(%w : memref<1x33x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<5x9xi32>) {lhs_unsigned, rhs_unsigned, lowering_config = #in_place}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Where the number of rows is not known, what is left of them are tiles of powers of 2.
// CHECK-LABEL: func.func @rows(
// CHECK: scf.for {{.*}} step %c7
// CHECK-COUNT-7: vpdpbusd
// CHECK: arith.andi %{{.*}}, %c4
// CHECK: scf.if
// CHECK-COUNT-4: vpdpbusd
// CHECK: arith.andi %{{.*}}, %c2
// CHECK: scf.if
// CHECK-COUNT-2: vpdpbusd
// CHECK: arith.andi %{{.*}}, %c1
// CHECK: scf.if
// CHECK: vpdpbusd
// CHECK-NOT: vpdpbusd
func.func @rows(%x: memref<?x8xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<?x16xi32>) {
  kernel.contract lhs(%x : memref<?x8xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<?x16xi32>)
      {lhs_unsigned,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [7, 16, 4], block = [21, 16],
                                     lhs = in_place, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Blocks: for 4 rows, for 32 columns, tiles of 2 by 16. The 17 columns of the last tile but one take a vector.
// CHECK-LABEL: func.func @blocks(
// CHECK: scf.for %[[R:.*]] = %c0 to %c8 step %c4
// CHECK: scf.for %[[C:.*]] = %c0 to %c3 step %c2
// CHECK: scf.for %{{.*}} = %[[R]] to %{{.*}} step %c2
// CHECK: scf.for %{{.*}} = %[[C]] to %{{.*}} step %c1
// CHECK-COUNT-2: vpdpbusd
// CHECK: scf.for %{{.*}} = %[[R]] to %{{.*}} step %c2
// CHECK-COUNT-2: vpdpbusd
func.func @blocks(%x: memref<8x8xi8>, %w: memref<4x2x16xi32>, %s: memref<64xi32>, %y: memref<8x50xi32>) {
  kernel.contract lhs(%x : memref<8x8xi8>) rhs(%w : memref<4x2x16xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y : memref<8x50xi32>)
      {lhs_unsigned,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [2, 16, 4], block = [4, 32],
                                     lhs = in_place, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// A clamp and a rounding: no -0 counts, the conversion rounds, and four vectors saturate into one of bytes. What is left of
// the columns is stored by vectors, the last one by its lanes.
// CHECK-LABEL: func.func @bytes(
// CHECK-DAG: %[[LOW:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: arith.maximumf %{{.*}}, %[[LOW]] fastmath<nsz>
// CHECK: arith.minimumf %{{.*}} fastmath<nsz>
// CHECK-NOT: math.roundeven
// CHECK: llvm.intr.lrint
// CHECK: %[[P:.*]] = llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"
// CHECK: %[[Q:.*]] = llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.packuswb.512"(%[[P]], %[[Q]])
// CHECK: vector.shuffle {{.*}} [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]
// CHECK: vector.transfer_write {{.*}} : vector<64xi8>
// CHECK: vector.shuffle {{.*}} [0, 4, 8, 12, 1, 5, 9, 13]
// CHECK: vector.transfer_write {{.*}} {in_bounds = [true]} : vector<32xi8>
// CHECK: arith.trunci {{.*}} : vector<16xi32> to vector<16xi8>
// CHECK: vector.transfer_write %{{[^{]*}} : vector<16xi8>
func.func @bytes(%x: memref<1x8xi8>, %w: memref<2x2x64xi32>, %s: memref<128xi32>, %y: memref<1x100xi8>) {
  kernel.contract lhs(%x : memref<1x8xi8>) rhs(%w : memref<2x2x64xi32>) rhs_sums(%s : memref<128xi32>)
      outs(%y : memref<1x100xi8>)
      {lhs_unsigned,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 64, 4], block = [1, 64],
                                     lhs = in_place, source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        %low = arith.constant 0.0 : f32
        %high = arith.constant 255.0 : f32
        %f = arith.sitofp %acc : i32 to f32
        %a = arith.maximumf %f, %low : f32
        %b = arith.minimumf %a, %high : f32
        %r = math.roundeven %b : f32
        %i = arith.fptosi %r : f32 to i32
        %q = arith.trunci %i : i32 to i8
        kernel.yield %q : i8
      }
  return
}

// A select that replaces NaN does not depend on the rounding either. Signed bytes of AVX2.
// CHECK-LABEL: func.func @signed_bytes(
// CHECK: %[[V:.*]] = arith.minimumf
// CHECK: %[[ORD:.*]] = arith.cmpf ord, %[[V]], %[[V]]
// CHECK: %[[N:.*]] = arith.select %[[ORD]], %[[V]]
// CHECK: llvm.intr.lrint(%[[N]])
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.packssdw"
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.packsswb"
// CHECK: vector.shuffle {{.*}} [0, 4, 1, 5]
// CHECK: vector.transfer_write {{.*}} : vector<16xi8>
func.func @signed_bytes(%x: memref<1x8xi8>, %w: memref<1x4x16xi32>, %s: memref<16xi32>, %y: memref<1x16xi8>,
                        %f: memref<16xf32>) {
  kernel.contract lhs(%x : memref<1x8xi8>) rhs(%w : memref<1x4x16xi32>) rhs_sums(%s : memref<16xi32>)
      epilogue_ins(%f : memref<16xf32>) outs(%y : memref<1x16xi8>)
      {
       lowering_config = #x86.config<vector_tiles, atom = "avx2", tile = [1, 16, 2], block = [1, 16], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32, %v: f32):
        %low = arith.constant -127.5 : f32
        %high = arith.constant 127.0 : f32
        %zero = arith.constant 0.0 : f32
        %a = arith.maximumf %v, %low : f32
        %b = arith.minimumf %a, %high : f32
        %r = math.roundeven %b : f32
        %nan = arith.cmpf uno, %r, %r : f32
        %n = arith.select %nan, %zero, %r : f32
        %i = arith.fptosi %n : f32 to i32
        %q = arith.trunci %i : i32 to i8
        kernel.yield %q : i8
      }
  return
}

// What constants are says that a sum, scaled, fits an i32 and is no NaN: then the clamps are those of the packing, and
// no NaN is asked for. 7 is the zero point. A vector alone is packed by a clamp of integers.
// CHECK-LABEL: func.func @saturated(
// CHECK: arith.mulf
// CHECK-NOT: arith.maximumf
// CHECK-NOT: arith.minimumf
// CHECK-NOT: arith.select
// CHECK: llvm.intr.lrint
// CHECK: arith.addi
// CHECK: packssdw
// CHECK: packsswb
// CHECK-NOT: arith.maximumf
// CHECK: arith.maxsi %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK: arith.minsi %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK: arith.trunci
func.func @saturated(%x: memref<1x8xi8>, %w: memref<2x2x32xi32>, %s: memref<64xi32>, %y: memref<1x48xi8>,
                     %f: memref<48xf32>) {
  kernel.contract lhs(%x : memref<1x8xi8>) rhs(%w : memref<2x2x32xi32>) rhs_sums(%s : memref<64xi32>)
      epilogue_ins(%f : memref<48xf32>) outs(%y : memref<1x48xi8>)
      {facts = #kernel.facts<epilogue_ranges = array<f64: 0.125, 0.5>>,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 32, 4], block = [1, 32], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32, %v: f32):
        %low = arith.constant -135.0 : f32
        %high = arith.constant 120.0 : f32
        %zero = arith.constant 0.0 : f32
        %c7 = arith.constant 7 : i32
        %g = arith.sitofp %acc : i32 to f32
        %m = arith.mulf %g, %v : f32
        %a = arith.maximumf %m, %low : f32
        %b = arith.minimumf %a, %high : f32
        %ordered = arith.cmpf ord, %b, %b : f32
        %n = arith.select %ordered, %b, %zero : f32
        %r = math.roundeven %n : f32
        %i = arith.fptosi %r : f32 to i32
        %z = arith.addi %i, %c7 : i32
        %q = arith.trunci %z : i32 to i8
        kernel.yield %q : i8
      }
  return
}

// The same through a quotient by product and FMA (expand-divisions), whose dividend is clamped.
// CHECK-LABEL: func.func @quotient(
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0> : vector<64xi8>
// CHECK: math.fma
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: math.fma
// CHECK-NEXT: llvm.intr.lrint
// CHECK: arith.maxsi %{{.*}}, %[[ZERO]]
func.func @quotient(%x: memref<1x8xi8>, %w: memref<1x2x32xi32>, %s: memref<32xi32>, %y: memref<1x32xi8>,
                    %f: memref<32xf32>) {
  kernel.contract lhs(%x : memref<1x8xi8>) rhs(%w : memref<1x2x32xi32>) rhs_sums(%s : memref<32xi32>)
      epilogue_ins(%f : memref<32xf32>) outs(%y : memref<1x32xi8>)
      {facts = #kernel.facts<epilogue_ranges = array<f64: 0.125, 0.5>>,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 32, 4], block = [1, 32], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32, %v: f32):
        %relu = arith.constant 0.0 : f32
        %low = arith.constant -422.8125 : f32
        %high = arith.constant 419.509277 : f32
        %t = arith.constant -4.65233674E-9 : f32
        %r = arith.constant 0.303030312 : f32
        %g = arith.sitofp %acc : i32 to f32
        %m = math.fma %g, %v, %v : f32
        %a0 = arith.maximumf %m, %relu : f32
        %a = arith.maximumf %a0, %low : f32
        %b = arith.minimumf %a, %high : f32
        %p = arith.mulf %b, %t : f32
        %q = math.fma %b, %r, %p : f32
        %ordered = arith.cmpf ord, %q, %q : f32
        %n = arith.select %ordered, %q, %relu : f32
        %e = math.roundeven %n : f32
        %i = arith.fptosi %e : f32 to i32
        %z = arith.trunci %i : i32 to i8
        kernel.yield %z : i8
      }
  return
}

// A clamp from below by more than the least byte becomes one of the packed bytes; the other one goes.
// CHECK-LABEL: func.func @relu(
// CHECK-DAG: %[[THREE:.*]] = arith.constant dense<3> : vector<64xi8>
// CHECK-NOT: arith.maximumf
// CHECK-NOT: arith.minimumf
// CHECK: packsswb
// CHECK-NEXT: arith.maxsi %{{.*}}, %[[THREE]] : vector<64xi8>
func.func @relu(%x: memref<1x8xi8>, %w: memref<1x2x32xi32>, %s: memref<32xi32>, %y: memref<1x32xi8>,
                %f: memref<32xf32>) {
  kernel.contract lhs(%x : memref<1x8xi8>) rhs(%w : memref<1x2x32xi32>) rhs_sums(%s : memref<32xi32>)
      epilogue_ins(%f : memref<32xf32>) outs(%y : memref<1x32xi8>)
      {facts = #kernel.facts<epilogue_ranges = array<f64: 0.125, 0.5>>,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 32, 4], block = [1, 32], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32, %v: f32):
        %low = arith.constant 3.0 : f32
        %high = arith.constant 127.0 : f32
        %g = arith.sitofp %acc : i32 to f32
        %m = arith.mulf %g, %v : f32
        %a = arith.maximumf %m, %low : f32
        %b = arith.minimumf %a, %high : f32
        %r = math.roundeven %b : f32
        %i = arith.fptosi %r : f32 to i32
        %q = arith.trunci %i : i32 to i8
        kernel.yield %q : i8
      }
  return
}

// A bound in front of a product is followed to its byte: 6 times 35.3 is 211.8, which is rounded to 212 (-44 as i8).
// CHECK-LABEL: func.func @relu6(
// CHECK-DAG: %[[MOST:.*]] = arith.constant dense<-44> : vector<64xi8>
// CHECK-NOT: arith.maximumf
// CHECK-NOT: arith.minimumf
// CHECK: packuswb
// CHECK-NEXT: arith.minui %{{.*}}, %[[MOST]] : vector<64xi8>
func.func @relu6(%x: memref<1x8xi8>, %w: memref<1x2x32xi32>, %s: memref<32xi32>, %y: memref<1x32xi8>,
                 %f: memref<32xf32>) {
  kernel.contract lhs(%x : memref<1x8xi8>) rhs(%w : memref<1x2x32xi32>) rhs_sums(%s : memref<32xi32>)
      epilogue_ins(%f : memref<32xf32>) outs(%y : memref<1x32xi8>)
      {facts = #kernel.facts<epilogue_ranges = array<f64: 0.0125, 0.015>>,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 32, 4], block = [1, 32], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32, %v: f32):
        %zero = arith.constant 0.0 : f32
        %six = arith.constant 6.0 : f32
        %scale = arith.constant 35.3 : f32
        %low = arith.constant 0.0 : f32
        %high = arith.constant 255.0 : f32
        %g = arith.sitofp %acc : i32 to f32
        %m = arith.mulf %g, %v : f32
        %relu = arith.maximumf %m, %zero : f32
        %relu6 = arith.minimumf %relu, %six : f32
        %d = arith.mulf %relu6, %scale : f32
        %a = arith.maximumf %d, %low : f32
        %b = arith.minimumf %a, %high : f32
        %r = math.roundeven %b : f32
        %i = arith.fptosi %r : f32 to i32
        %q = arith.trunci %i : i32 to i8
        kernel.yield %q : i8
      }
  return
}

// The clamps stay where the number might not fit an i32: it may be infinite here.
// CHECK-LABEL: func.func @too_large(
// CHECK: arith.maximumf
// CHECK: arith.minimumf
// CHECK: packsswb
func.func @too_large(%x: memref<1x8xi8>, %w: memref<1x2x32xi32>, %s: memref<32xi32>, %y: memref<1x32xi8>,
                     %f: memref<32xf32>) {
  kernel.contract lhs(%x : memref<1x8xi8>) rhs(%w : memref<1x2x32xi32>) rhs_sums(%s : memref<32xi32>)
      epilogue_ins(%f : memref<32xf32>) outs(%y : memref<1x32xi8>)
      {facts = #kernel.facts<epilogue_ranges = array<f64: 0.125, 1.0e38>>,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 32, 4], block = [1, 32], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32, %v: f32):
        %low = arith.constant -128.0 : f32
        %high = arith.constant 127.0 : f32
        %g = arith.sitofp %acc : i32 to f32
        %m = arith.mulf %g, %v : f32
        %a = arith.maximumf %m, %low : f32
        %b = arith.minimumf %a, %high : f32
        %r = math.roundeven %b : f32
        %i = arith.fptosi %r : f32 to i32
        %q = arith.trunci %i : i32 to i8
        kernel.yield %q : i8
      }
  return
}

// They stay where a result is what they give, too.
// CHECK-LABEL: func.func @clamped_result(
// CHECK: arith.maximumf
// CHECK: arith.minimumf
func.func @clamped_result(%x: memref<1x8xi8>, %w: memref<1x2x32xi32>, %s: memref<32xi32>, %y: memref<1x32xi8>,
                          %z: memref<1x32xf32>, %f: memref<32xf32>) {
  kernel.contract lhs(%x : memref<1x8xi8>) rhs(%w : memref<1x2x32xi32>) rhs_sums(%s : memref<32xi32>)
      epilogue_ins(%f : memref<32xf32>) outs(%y, %z : memref<1x32xi8>, memref<1x32xf32>)
      {facts = #kernel.facts<epilogue_ranges = array<f64: 0.125, 0.5>>,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 32, 4], block = [1, 32], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32, %v: f32):
        %low = arith.constant -128.0 : f32
        %high = arith.constant 127.0 : f32
        %g = arith.sitofp %acc : i32 to f32
        %m = arith.mulf %g, %v : f32
        %a = arith.maximumf %m, %low : f32
        %b = arith.minimumf %a, %high : f32
        %r = math.roundeven %b : f32
        %i = arith.fptosi %r : f32 to i32
        %q = arith.trunci %i : i32 to i8
        kernel.yield %q, %b : i8, f32
      }
  return
}

// Bytes of any i32: their low ends. And a result that is kept has its -0.
// CHECK-LABEL: func.func @low_bytes(
// CHECK: arith.maximumf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK: arith.andi
// CHECK: arith.andi
// CHECK: packssdw
// CHECK: packuswb
func.func @low_bytes(%x: memref<1x8xi8>, %w: memref<1x2x32xi32>, %s: memref<32xi32>, %y: memref<1x32xi8>,
                     %z: memref<1x32xf32>) {
  kernel.contract lhs(%x : memref<1x8xi8>) rhs(%w : memref<1x2x32xi32>) rhs_sums(%s : memref<32xi32>)
      outs(%y, %z : memref<1x32xi8>, memref<1x32xf32>)
      {lhs_unsigned,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 32, 4], block = [1, 32], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        %low = arith.constant 0.0 : f32
        %f = arith.sitofp %acc : i32 to f32
        %a = arith.maximumf %f, %low : f32
        %q = arith.trunci %acc : i32 to i8
        kernel.yield %q, %a : i8, f32
      }
  return
}

// The rows of a transposed result are a loop, for each store of them is one.
// CHECK-LABEL: func.func @transposed(
// CHECK: %[[ACC:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2x16xi32>
// CHECK: vpdpbusd
// CHECK: vector.store %{{.*}}, %[[ACC]]
// CHECK: vector.store %{{.*}}, %[[ACC]]
// CHECK: scf.for
// CHECK: vector.load %[[ACC]]
// CHECK: vector.transfer_write
func.func @transposed(%x: memref<4x8xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<16x4xi32>) {
  kernel.contract lhs(%x : memref<4x8xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%y : memref<16x4xi32>)
      {indexing_maps = [#mk, #nk, affine_map<(m, n, k) -> (n, m)>], lhs_unsigned, lowering_config = #vnni}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// A step shares its tiles among threads: those of rows by T / C, those of columns by C, the number that leaves the largest
// share smallest.
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[THREAD:[a-z0-9]*]]: index, %[[THREADS:[a-z0-9]*]]: index)
// CHECK: scf.forall (%[[T:.*]]) in (%[[THREADS]])
// CHECK: %[[R1:.*]] = arith.ceildivui %c3, %[[THREADS]]
// CHECK: %[[S1:.*]] = arith.muli %[[R1]], %c2
// CHECK: %[[R2:.*]] = arith.ceildivui %c3, %{{.*}}
// CHECK: arith.cmpi slt, %[[R2]], %[[S1]]
// CHECK: %[[COLUMNS:.*]] = arith.select %{{.*}}, %[[THREADS]],
// CHECK: %[[ROWS:.*]] = arith.divui %[[THREADS]], %[[COLUMNS]]
// CHECK: %[[ROW:.*]] = arith.divui %[[T]], %[[COLUMNS]]
// CHECK: %[[COLUMN:.*]] = arith.remui %[[T]], %[[COLUMNS]]
// CHECK: %[[B:.*]] = arith.muli %[[ROW]], %c3
// CHECK: arith.divui %[[B]], %[[ROWS]]
func.func @step(%x: memref<6x8xi8>, %w: memref<2x2x16xi32>, %s: memref<32xi32>, %y: memref<6x32xi32>, %ops: index,
                %bytes: index, %thread: index, %threads: index) attributes {qcc.step} {
  kernel.contract lhs(%x : memref<6x8xi8>) rhs(%w : memref<2x2x16xi32>) rhs_sums(%s : memref<32xi32>)
      outs(%y : memref<6x32xi32>) {lhs_unsigned, lowering_config = #vnni}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Without an atom, elements are packed one by one, zeros past the ends of K and of the columns; their sum beside them.
// CHECK-LABEL: func.func @pack(
// CHECK: scf.for %[[LANE:.*]] = %c0 to %c16
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %c9
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: %[[INK:.*]] = arith.cmpi slt, %{{.*}}, %c7
// CHECK: %[[VALID:.*]] = arith.andi %[[INSIDE]], %[[INK]]
// CHECK: scf.if %[[VALID]] -> (i32)
// CHECK: memref.load %arg0
// CHECK: arith.fptosi
// CHECK: arith.extsi
// CHECK: memref.store %{{.*}}, %arg1
// CHECK: memref.store %[[SUM]], %arg2
func.func @pack(%w: memref<9x7xf32>, %p: memref<1x2x16xi32>, %s: memref<16xi32>) {
  kernel.pack %w : memref<9x7xf32> outs(%p, %s : memref<1x2x16xi32>, memref<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>}
      prologue {
      ^bb0(%a: f32):
        %q = arith.fptosi %a : f32 to i8
        kernel.yield %q : i8
      }
  return
}

// The offset is added to elements, not to what lies outside.
// CHECK-LABEL: func.func @pack_offset(
// CHECK: scf.if
// CHECK: arith.extui
// CHECK: arith.addi %{{.*}}, %c-128_i32
// CHECK: else
// CHECK: scf.yield %c0_i32
// CHECK: memref.store %{{.*}}, %arg1
// CHECK: arith.extui
// CHECK-NOT: %c-128_i32
// CHECK: return
func.func @pack_offset(%w: memref<9x8xi8>, %p: memref<1x2x16xi32>, %s: memref<16xi32>, %p2: memref<1x4x16xi32>) {
  kernel.pack %w : memref<9x8xi8> outs(%p, %s : memref<1x2x16xi32>, memref<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 8>,
       offset = -128 : i64, tile = array<i64: 16, 4>, unsigned_source}
  kernel.pack %w : memref<9x8xi8> outs(%p2, %s : memref<1x4x16xi32>, memref<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 8>,
       tile = array<i64: 16, 2>, unsigned_source}
  return
}

// The words of 5 elements, padded to a step of 64.
// CHECK-LABEL: func.func @pack_padded(
// CHECK: scf.for %[[W:.*]] = %{{.*}} to %c16{{.*}} iter_args(
// CHECK: %[[K:.*]] = arith.muli %[[W]], %c4
// CHECK: arith.cmpi slt, %[[K]], %c5
// CHECK: return
func.func @pack_padded(%w: memref<9x5xi8>, %p: memref<1x16x16xi32>, %s: memref<16xi32>) {
  kernel.pack %w : memref<9x5xi8> outs(%p, %s : memref<1x16x16xi32>, memref<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 5>,
       tile = array<i64: 16, 4>, k_step = 64 : i64}
  return
}
