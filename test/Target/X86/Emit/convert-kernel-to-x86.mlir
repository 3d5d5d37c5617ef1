// RUN: qcc-opt %s -convert-kernel-to-x86 -canonicalize -cse | FileCheck %s --implicit-check-not=kernel.

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#m = affine_map<(m, n, k) -> (m)>
#n = affine_map<(m, n, k) -> (n)>
#s = affine_map<(m, n, k) -> ()>
#vnni = #kernel.lowering_config<atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16], source = "pinned">
#bw = #kernel.lowering_config<atom = "avx512bw", tile = [2, 16, 2], block = [2, 16], source = "pinned">
#avx2 = #kernel.lowering_config<atom = "avx2", tile = [1, 8, 2], block = [1, 8], source = "pinned">

// VNNI multiplies unsigned by signed bytes: the activation is stored plus 128 (its highest bit flipped), so that
// its zero point is 128, times the sums of the columns of the weight.
// CHECK-LABEL: func.func @signed(
// CHECK-SAME: %[[X:.*]]: memref<5x7xi8>, %[[W:.*]]: memref<1x2x16xi32>, %[[S:.*]]: memref<16xi32>, %[[Y:.*]]: memref<5x9xi32>)
// CHECK-DAG: %[[C128:.*]] = arith.constant dense<128> : vector<16xi32>
// CHECK-DAG: %[[FLIP:.*]] = arith.constant dense<-128> : vector<16xi8>
// CHECK-DAG: %[[ACC:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2x16xi32>
// CHECK-DAG: %[[PANEL:.*]] = memref.alloca() {alignment = 64 : i64} : memref<128xi8>
// CHECK: scf.forall (%{{.*}}) in (3)
// CHECK: %[[V:.*]] = vector.transfer_read %[[X]]
// CHECK: %[[U:.*]] = arith.xori %[[V]], %[[FLIP]]
// CHECK: %[[MASK:.*]] = vector.constant_mask [7] : vector<16xi1>
// CHECK: %[[P:.*]] = arith.select %[[MASK]], %[[U]]
// CHECK: vector.store %[[P]]
// CHECK: scf.for {{.*}} -> (vector<16xi32>, vector<16xi32>)
// CHECK: vector.load %[[W]]
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK: scf.yield
// CHECK: %[[SUMS:.*]] = vector.load %[[S]]
// CHECK: %[[Z:.*]] = arith.muli %[[SUMS]], %[[C128]]
// CHECK: %[[R:.*]] = arith.subi %{{.*}}, %[[Z]]
// CHECK: vector.transfer_write %[[R]], %[[Y]]
func.func @signed(%x: memref<5x7xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<5x9xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>, lowering_config = #vnni}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// An unsigned activation is stored as it is, and has no zero point to move.
// CHECK-LABEL: func.func @unsigned(
// CHECK-NOT: arith.xori
// CHECK: vpdpbusd
// CHECK-NOT: arith.subi %{{.*}} : vector<16xi32>
// CHECK: return
func.func @unsigned(%x: memref<5x7xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<5x9xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>, lhs_unsigned, lowering_config = #vnni}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// An unsigned weight was packed minus 128: the sums of the rows of the panel count, too.
// CHECK-LABEL: func.func @unsigned_weight(
// CHECK: %[[ROWS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2xi32>
// CHECK: vector.reduction <add>
// CHECK: memref.store %{{.*}}, %[[ROWS]]
// CHECK: vpdpbusd
// CHECK: memref.load %[[ROWS]]
func.func @unsigned_weight(%x: memref<5x7xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<5x9xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>, lhs_unsigned, rhs_unsigned, lowering_config = #vnni}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Without VNNI, words of two i16: nothing is moved.
// CHECK-LABEL: func.func @words_of_two(
// CHECK-NOT: arith.xori
// CHECK: arith.extsi %{{.*}} : vector<16xi8> to vector<16xi16>
// CHECK: %[[P:.*]] = llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
// CHECK: arith.addi %{{.*}}, %[[P]] : vector<16xi32>
// CHECK-NOT: arith.muli %{{.*}} : vector<16xi32>
// CHECK: return
func.func @words_of_two(%x: memref<5x7xi8>, %w: memref<1x4x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x4x16xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<5x9xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>, lowering_config = #bw}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// AVX2, and an unsigned activation.
// CHECK-LABEL: func.func @avx2(
// CHECK: arith.extui %{{.*}} : vector<8xi8> to vector<8xi16>
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
func.func @avx2(%x: memref<5x7xi8>, %w: memref<2x4x8xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<2x4x8xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<5x9xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>, lhs_unsigned, lowering_config = #avx2}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Zero points of rows and columns, with their product K times; then the initial value.
// CHECK-LABEL: func.func @zero_points(
// CHECK-DAG: %[[K:.*]] = arith.constant dense<7> : vector<16xi32>
// CHECK: pmaddw.d
// CHECK: memref.load %arg4[%{{.*}}] : memref<5xi32>
// CHECK: %[[L:.*]] = vector.broadcast
// CHECK: %[[R:.*]] = vector.transfer_read %arg5
// CHECK: %[[SUMS:.*]] = vector.load %arg2
// CHECK: arith.muli %[[L]], %[[SUMS]]
// CHECK: %[[ROW:.*]] = vector.broadcast
// CHECK: arith.muli %[[R]], %[[ROW]]
// CHECK: %[[LR:.*]] = arith.muli %[[L]], %[[R]]
// CHECK: arith.muli %[[LR]], %[[K]]
// CHECK: vector.transfer_read %arg6
func.func @zero_points(%x: memref<5x7xi8>, %w: memref<1x4x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>, %zx: memref<5xi32>, %zw: memref<9xi32>, %b: memref<9xi32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x4x16xi32>) rhs_sums(%s : memref<16xi32>)
      init(%b : memref<9xi32>) lhs_zero_point(%zx : memref<5xi32>) rhs_zero_point(%zw : memref<9xi32>) outs(%y : memref<5x9xi32>)
      {indexing_maps = [#mk, #nk, #n, #m, #n, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>, lowering_config = #bw}
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
func.func @prologue(%x: memref<5x7xf32>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<5x9xi32>, %scale: memref<5xf32>) {
  kernel.contract lhs(%x : memref<5x7xf32>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>) lhs_ins(%scale : memref<5xf32>) outs(%y : memref<5x9xi32>)
      {indexing_maps = [#mk, #nk, #m, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>, lowering_config = #vnni}
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
func.func @epilogue(%x: memref<5x7xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<5x9xf32>, %c: memref<9xf32>, %r: memref<5xf32>, %res: memref<5x9xf32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>)
      epilogue_ins(%c, %r, %res : memref<9xf32>, memref<5xf32>, memref<5x9xf32>) outs(%y : memref<5x9xf32>)
      {indexing_maps = [#mk, #nk, #n, #m, #mn, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>, lowering_config = #vnni}
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
// CHECK: arith.cmpi ule
// CHECK: scf.if
// CHECK: vector.transfer_write %{{.*}} {in_bounds = [true]}
// CHECK: } else {
// CHECK: vector.transfer_write
func.func @columns(%x: memref<5x7xi8>, %w: memref<?x2x16xi32>, %s: memref<?xi32>, %y: memref<5x?xi32>) {
  kernel.contract lhs(%x : memref<5x7xi8>) rhs(%w : memref<?x2x16xi32>) rhs_sums(%s : memref<?xi32>) outs(%y : memref<5x?xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>, lowering_config = #vnni}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Batch dimensions lead the packed weight; they are iterations of the parallel loop.
// CHECK-LABEL: func.func @batch(
// CHECK: scf.forall (%[[B:.*]], %{{.*}}) in (3, 3)
// CHECK: vector.load %arg1[%[[B]],
// CHECK: vector.load %arg2[%[[B]],
func.func @batch(%x: memref<3x5x7xi8>, %w: memref<3x1x2x16xi32>, %s: memref<3x16xi32>, %y: memref<3x5x9xi32>) {
  kernel.contract lhs(%x : memref<3x5x7xi8>) rhs(%w : memref<3x1x2x16xi32>) rhs_sums(%s : memref<3x16xi32>) outs(%y : memref<3x5x9xi32>)
      {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 7>, lowering_config = #vnni}
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
  kernel.contract lhs(%x : memref<5x3x7xi8>) rhs(%w : memref<1x6x16xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<5x9xi32>)
      {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (n, k, l)>, affine_map<(m, n, k, l) -> (m, n)>], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 7>, lowering_config = #vnni}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// A vector times a matrix has one row.
// CHECK-LABEL: func.func @vector(
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<1x16xi32>
// CHECK: vpdpbusd
func.func @vector(%x: memref<7xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<9xi32>) {
  kernel.contract lhs(%x : memref<7xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<9xi32>)
      {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>], reduction_dims = array<i64: 1>, reduction_sizes = array<i64: 7>, lowering_config = #kernel.lowering_config<atom = "avx512vnni", tile = [1, 16, 4], block = [1, 16], source = "model">}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Elements are packed one by one, zeros past the ends of K and of the columns; their sum beside them.
// CHECK-LABEL: func.func @pack(
// CHECK: scf.for %[[LANE:.*]] = %c0 to %c16
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %c9
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: %[[INK:.*]] = arith.cmpi ult, %{{.*}}, %c7
// CHECK: %[[VALID:.*]] = arith.andi %[[INSIDE]], %[[INK]]
// CHECK: scf.if %[[VALID]] -> (i32)
// CHECK: memref.load %arg0
// CHECK: arith.fptosi
// CHECK: arith.extsi
// CHECK: memref.store %{{.*}}, %arg1
// CHECK: memref.store %[[SUM]], %arg2
func.func @pack(%w: memref<9x7xf32>, %p: memref<1x2x16xi32>, %s: memref<16xi32>) {
  kernel.pack %w : memref<9x7xf32> outs(%p, %s : memref<1x2x16xi32>, memref<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>, tile = array<i64: 16, 4>}
      prologue {
      ^bb0(%a: f32):
        %q = arith.fptosi %a : f32 to i8
        kernel.yield %q : i8
      }
  return
}

// Unsigned elements lose 128 in words of four, and nothing in words of two.
// CHECK-LABEL: func.func @pack_unsigned(
// CHECK: arith.extui
// CHECK: arith.subi %{{.*}}, %c128_i32
// CHECK: memref.store %{{.*}}, %arg1
// CHECK: arith.extui
// CHECK-NOT: %c128_i32
// CHECK: return
func.func @pack_unsigned(%w: memref<9x8xi8>, %p: memref<1x2x16xi32>, %s: memref<16xi32>, %p2: memref<1x4x16xi32>) {
  kernel.pack %w : memref<9x8xi8> outs(%p, %s : memref<1x2x16xi32>, memref<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 8>, tile = array<i64: 16, 4>, unsigned_source}
  kernel.pack %w : memref<9x8xi8> outs(%p2, %s : memref<1x4x16xi32>, memref<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 8>, tile = array<i64: 16, 2>, unsigned_source}
  return
}
