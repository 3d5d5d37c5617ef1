// RUN: qcc-opt %s -convert-kernel-to-x86 -canonicalize -cse | FileCheck %s --implicit-check-not=kernel.

#two = #x86.config<float_tiles, atom = "avx2-f32", tile = [2, 8, 1], block = [4, 8], lhs = in_place, source = pinned>
#one = #x86.config<float_tiles, atom = "avx2-f32", tile = [1, 8, 1], block = [2, 8], lhs = in_place, source = pinned>
#many = #x86.config<float_tiles, atom = "avx2-f32", tile = [1, 8, 1], block = [8, 8], lhs = in_place, source = pinned>
#panel = #x86.config<float_tiles, atom = "avx2-f32", tile = [2, 8, 1], block = [4, 8], lhs = panel, source = pinned>

// K of 20 steps is one part: accumulators stay in registers.
// CHECK-LABEL: func.func @one_part(
// CHECK-SAME: %[[X:.*]]: memref<4x20xf32>, %[[W:.*]]: memref<1x20x8xf32>, %[[B:.*]]: memref<8xf32>
// CHECK-NOT: memref.alloca
// CHECK: vector.transfer_read %[[B]]
// CHECK: %[[ACC:.*]]:2 = scf.for %[[K:.*]] = %c0 to %c20 step %c1 iter_args(%[[A0:.*]] = %{{.*}}, %[[A1:.*]] = %{{.*}}) -> (vector<8xf32>, vector<8xf32>)
// CHECK: %[[R:.*]] = vector.load %[[W]][%c0, %[[K]], %c0] : memref<1x20x8xf32>, vector<8xf32>
// CHECK: %[[L:.*]] = memref.load %[[X]][%{{.*}}, %[[K]]] : memref<4x20xf32>
// CHECK: %[[S:.*]] = vector.broadcast %[[L]] : f32 to vector<8xf32>
// CHECK: math.fma %[[S]], %[[R]], %[[A0]] : vector<8xf32>
// CHECK: math.fma %{{.*}}, %[[R]], %[[A1]] : vector<8xf32>
// CHECK: vector.transfer_write %[[ACC]]#0
func.func @one_part(%x: memref<4x20xf32>, %w: memref<1x20x8xf32>, %b: memref<8xf32>, %y: memref<4x8xf32>) {
  kernel.contract lhs(%x : memref<4x20xf32>) rhs(%w : memref<1x20x8xf32>) init(%b : memref<8xf32>) outs(%y : memref<4x8xf32>) {rhs_packed, lowering_config = #two}
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  }
  return
}

// 16 KiB of columns are 512 steps: K of 1000 has two parts of 500. Between them the accumulators of a block lie in memory.
// CHECK-LABEL: func.func @two_parts(
// CHECK: %[[M:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK: scf.for
// CHECK: vector.store %cst, %[[M]]
// CHECK: scf.for %[[FIRST:.*]] = %c0 to %c1000 step %c500
// CHECK: %[[LAST:.*]] = arith.addi %[[FIRST]], %c500
// CHECK-NOT: memref.prefetch
// CHECK: %[[A:.*]] = vector.load %[[M]]
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]] step %c1 iter_args(%{{.*}} = %[[A]],
// CHECK: math.fma
// CHECK: vector.store %{{.*}}, %[[M]]
// CHECK: vector.load %[[M]]
// CHECK: arith.maximumf
// CHECK: vector.transfer_write
func.func @two_parts(%x: memref<4x1000xf32>, %w: memref<1x1000x8xf32>, %y: memref<4x8xf32>) {
  kernel.contract lhs(%x : memref<4x1000xf32>) rhs(%w : memref<1x1000x8xf32>) outs(%y : memref<4x8xf32>) {rhs_packed, lowering_config = #two}
    epilogue {
  ^bb0(%acc: f32):
    %zero = arith.constant 0.0 : f32
    %0 = arith.maximumf %acc, %zero : f32
    kernel.yield %0 : f32
  }
  return
}

// Eight tiles of a block share the prefetches of the next part; the one of @two_parts would issue too many.
// CHECK-LABEL: func.func @many_tiles(
// CHECK: scf.for %{{.*}} = %c0 to %c1000 step %c500
// CHECK: scf.for %{{.*}} = %c0 to %c32 step %c1
// CHECK: memref.prefetch %arg1
// CHECK: math.fma
func.func @many_tiles(%x: memref<8x1000xf32>, %w: memref<1x1000x8xf32>, %y: memref<8x8xf32>) {
  kernel.contract lhs(%x : memref<8x1000xf32>) rhs(%w : memref<1x1000x8xf32>) outs(%y : memref<8x8xf32>) {rhs_packed, lowering_config = #many}
    epilogue {
  ^bb0(%acc: f32):
    %zero = arith.constant 0.0 : f32
    %0 = arith.maximumf %acc, %zero : f32
    kernel.yield %0 : f32
  }
  return
}

// Windows of 2 x 2 are spelled out in a loop over channels. A block goes through the lines.
// CHECK-LABEL: func.func @windows(
// CHECK-SAME: %[[X:.*]]: memref<4x3x10xf32>
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c2
// CHECK: scf.for %[[TILE:.*]] =
// CHECK: %[[LINE:.*]] = arith.divui %[[TILE]], %c2
// CHECK: %[[ROW:.*]] = arith.remui %[[TILE]], %c2
// CHECK: scf.for %[[C:.*]] = %c0 to %c10 step %c1
// CHECK-COUNT-4: llvm.inline_asm
// CHECK-NOT: llvm.inline_asm
func.func @windows(%x: memref<4x3x10xf32>, %w: memref<1x40x8xf32>, %y: memref<3x2x8xf32>) {
  kernel.contract lhs(%x : memref<4x3x10xf32>) rhs(%w : memref<1x40x8xf32>) outs(%y : memref<3x2x8xf32>)
      {indexing_maps = [affine_map<(h, w, n, c, i, j) -> (h + i, w + j, c)>, affine_map<(h, w, n, c, i, j) -> (n, c, i, j)>, affine_map<(h, w, n, c, i, j) -> (h, w, n)>],
       reduction_dims = array<i64: 3, 4, 5>, reduction_sizes = array<i64: 10, 2, 2>, rhs_packed, lowering_config = #one}
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  }
  return
}

// Rows that are computed go through a panel.
// CHECK-LABEL: func.func @panel(
// CHECK-SAME: %[[X:.*]]: memref<4x20xf16>
// CHECK: %[[P:.*]] = memref.view %{{.*}} : memref<{{.*}}xi8> to memref<4x{{[0-9]+}}xf32>
// CHECK: vector.transfer_read %[[X]]
// CHECK: arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK: vector.store %{{.*}}, %[[P]]
// CHECK: memref.load %[[P]]
// CHECK: math.fma
func.func @panel(%x: memref<4x20xf16>, %w: memref<1x20x8xf32>, %y: memref<4x8xf32>) {
  kernel.contract lhs(%x : memref<4x20xf16>) rhs(%w : memref<1x20x8xf32>) outs(%y : memref<4x8xf32>) {rhs_packed, lowering_config = #panel}
    lhs_prologue {
  ^bb0(%a: f16):
    %0 = arith.extf %a : f16 to f32
    kernel.yield %0 : f32
  }
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  }
  return
}

// Columns side by side, and rows of K side by side, which are transposed; columns that do not exist are 0.
// CHECK-LABEL: func.func @pack_columns(
// CHECK: vector.transfer_read %arg0
// CHECK: vector.store %{{.*}}, %arg1[{{.*}}] : memref<1x3x8xf32>, vector<8xf32>
func.func @pack_columns(%w: memref<3x8xf32>, %p: memref<1x3x8xf32>) {
  kernel.pack %w : memref<3x8xf32> outs(%p : memref<1x3x8xf32>)
      {indexing_maps = [affine_map<(n, k) -> (k, n)>], num_batch = 0 : i64, reduction_sizes = array<i64: 3>, tile = array<i64: 8, 1>, atom = "avx2-f32"}
  return
}

// CHECK-LABEL: func.func @pack_rows(
// CHECK-COUNT-8: vector.transfer_read %arg0
// CHECK-COUNT-8: vector.shuffle
// CHECK: vector.store %{{.*}}, %arg1[{{.*}}] : memref<2x8x8xf32>, vector<8xf32>
func.func @pack_rows(%w: memref<9x8xf32>, %p: memref<2x8x8xf32>) {
  kernel.pack %w : memref<9x8xf32> outs(%p : memref<2x8x8xf32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 8>, tile = array<i64: 8, 1>, atom = "avx2-f32"}
  return
}

// CHECK-LABEL: func.func @pack_others(
// CHECK: memref.load %arg0
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: memref.store %{{.*}}, %arg1[{{.*}}] : memref<2x8x8xf32>
func.func @pack_others(%w: memref<9x8x2xf32>, %p: memref<2x8x8xf32>) {
  kernel.pack %w : memref<9x8x2xf32> outs(%p : memref<2x8x8xf32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k, 0)>], num_batch = 0 : i64, reduction_sizes = array<i64: 8>, tile = array<i64: 8, 1>, atom = "avx2-f32"}
  return
}

#narrow_one = #x86.config<float_tiles, atom = "avx2-f32", tile = [1, 8, 1], block = [1, 8], lhs = in_place, rhs = narrow,
                          source = pinned>
#narrow_two = #x86.config<float_tiles, atom = "avx2-f32", tile = [2, 8, 1], block = [4, 8], lhs = in_place, rhs = narrow,
                          source = pinned>
#nibbles = #x86.config<float_tiles, atom = "avx2-f32", tile = [1, 8, 1], block = [1, 8], lhs = in_place, rhs = nibbles,
                       source = pinned>
#blocks = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
           affine_map<(m, n, g, k) -> (g, n)>, affine_map<(m, n, g, k) -> (m, n)>]

// One tile of rows: registers widen what is packed as bytes, in loops over blocks and inside of them.
// CHECK-LABEL: func.func @narrow_rows(
// CHECK-SAME: %[[X:.*]]: memref<1x2x16xf32>, %[[W:.*]]: memref<1x32x8xi8>, %[[S:.*]]: memref<2x8xf32>
// CHECK: scf.for %[[G:.*]] = %c0 to %c2 step %c1
// CHECK: scf.for %[[K:.*]] = %c0 to %c16 step %c1
// CHECK: %[[B:.*]] = vector.load %[[W]]{{.*}} : memref<1x32x8xi8>, vector<8xi8>
// CHECK: %[[SCALE:.*]] = vector.transfer_read %[[S]][%[[G]], %{{.*}}]
// CHECK: %[[F:.*]] = arith.sitofp %[[B]] : vector<8xi8> to vector<8xf32>
// CHECK: %[[WIDE:.*]] = arith.mulf %[[F]], %[[SCALE]]
// CHECK: memref.load %[[X]][%{{.*}}, %[[G]], %[[K]]]
// CHECK: math.fma %{{.*}}, %[[WIDE]], %{{.*}} : vector<8xf32>
func.func @narrow_rows(%x: memref<1x2x16xf32>, %w: memref<1x32x8xi8>, %s: memref<2x8xf32>, %y: memref<1x8xf32>) {
  kernel.contract lhs(%x : memref<1x2x16xf32>) rhs(%w : memref<1x32x8xi8>) rhs_ins(%s : memref<2x8xf32>) outs(%y : memref<1x8xf32>)
      {indexing_maps = #blocks, reduction_dims = array<i64: 2, 3>, rhs_packed, lowering_config = #narrow_one}
    rhs_prologue {
  ^bb0(%a: i8, %b: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    kernel.yield %1 : f32
  }
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  }
  return
}

// Two tiles of rows: memory has the widened columns, and both read them in one loop over K.
// CHECK-LABEL: func.func @narrow_block(
// CHECK: %[[M:.*]] = memref.alloca() {alignment = 64 : i64} : memref<32x8xf32>
// CHECK: %[[X:.*]] = memref.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]]
// CHECK: scf.for
// CHECK: arith.mulf
// CHECK: vector.store %{{.*}}, %[[M]]
// CHECK: scf.for %[[K:.*]] = %c0 to %c32 step %c1
// CHECK: vector.load %[[M]]
// CHECK: memref.load %[[X]][%{{.*}}, %[[K]]]
// CHECK: math.fma
func.func @narrow_block(%x: memref<4x2x16xf32>, %w: memref<1x32x8xi8>, %s: memref<2x8xf32>, %y: memref<4x8xf32>) {
  kernel.contract lhs(%x : memref<4x2x16xf32>) rhs(%w : memref<1x32x8xi8>) rhs_ins(%s : memref<2x8xf32>) outs(%y : memref<4x8xf32>)
      {indexing_maps = #blocks, reduction_dims = array<i64: 2, 3>, rhs_packed, lowering_config = #narrow_two}
    rhs_prologue {
  ^bb0(%a: i8, %b: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    kernel.yield %1 : f32
  }
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  }
  return
}

// Eight steps take the nibbles of one word.
// CHECK-LABEL: func.func @nibbles(
// CHECK-SAME: %[[W:arg[0-9]+]]: memref<1x4x8xi32>
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1
// CHECK: vector.load %[[W]]{{.*}} : memref<1x4x8xi32>, vector<8xi32>
// CHECK: %[[HIGH:.*]] = arith.shli
// CHECK: %[[NIBBLE:.*]] = arith.shrsi %[[HIGH]]
// CHECK: %[[BYTE:.*]] = arith.trunci %[[NIBBLE]] : vector<8xi32> to vector<8xi8>
// CHECK: arith.sitofp %[[BYTE]]
// CHECK-COUNT-8: math.fma
// CHECK-NOT: math.fma
func.func @nibbles(%x: memref<1x32xf32>, %w: memref<1x4x8xi32>, %y: memref<1x8xf32>) {
  kernel.contract lhs(%x : memref<1x32xf32>) rhs(%w : memref<1x4x8xi32>) outs(%y : memref<1x8xf32>)
      {rhs_packed, lowering_config = #nibbles}
    rhs_prologue {
  ^bb0(%a: i8):
    %0 = arith.sitofp %a : i8 to f32
    kernel.yield %0 : f32
  }
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  }
  return
}

// Eight columns by eight elements of K are turned in registers, and lie in memory while the rows of a block are multiplied.
// The last columns are read again in place of those that do not exist.
#turned = #x86.config<float_tiles, atom = "avx2-f32", tile = [2, 8, 1], block = [4, 8], lhs = in_place, rhs = in_place,
                      source = pinned>
// CHECK-LABEL: func.func @turned(
// CHECK: %[[M:.*]] = memref.alloca() {alignment = 64 : i64} : memref<16x8xf32>
// CHECK: scf.for %[[K:.*]] = %c0 to %c16 step %c8
// CHECK-COUNT-8: memref.prefetch %arg1[%{{.*}}, %[[K]]]
// CHECK-COUNT-16: vector.transfer_read %arg1{{.*}} : memref<12x16xf32>, vector<4xf32>
// CHECK-COUNT-8: vector.store %{{.*}}, %[[M]]
// CHECK: vector.load %[[M]]
// CHECK: math.fma
// CHECK-COUNT-2: vector.transfer_read %arg1[%c11, %{{.*}}]
func.func @turned(%x: memref<4x16xf32>, %w: memref<12x16xf32>, %y: memref<4x12xf32>) {
  kernel.contract lhs(%x : memref<4x16xf32>) rhs(%w : memref<12x16xf32>) outs(%y : memref<4x12xf32>) {lowering_config = #turned}
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  }
  return
}

// Bytes become floats before they are turned. The scale is that of the element of K.
#turned_bytes = #x86.config<float_tiles, atom = "avx2-f32", tile = [2, 8, 1], block = [4, 8], lhs = in_place, rhs = in_place,
                            source = pinned>
#scaled = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (k)>,
           affine_map<(m, n, k) -> (m, n)>]
// CHECK-LABEL: func.func @turned_bytes(
// CHECK: scf.for %[[K:.*]] = %c0 to %c16 step %c8
// CHECK: %[[BYTES:.*]] = vector.transfer_read %arg1{{.*}} : memref<8x16xi8>, vector<8xi8>
// CHECK: %[[SCALE:.*]] = vector.transfer_read %arg2[%[[K]]]{{.*}} : memref<16xf32>, vector<8xf32>
// CHECK: %[[FLOATS:.*]] = arith.sitofp %[[BYTES]] : vector<8xi8> to vector<8xf32>
// CHECK: arith.mulf %[[FLOATS]], %[[SCALE]]
// CHECK-COUNT-16: vector.extract_strided_slice {{.*}} : vector<8xf32> to vector<4xf32>
// CHECK-COUNT-8: vector.store
func.func @turned_bytes(%x: memref<4x16xf32>, %w: memref<8x16xi8>, %scale: memref<16xf32>, %y: memref<4x8xf32>) {
  kernel.contract lhs(%x : memref<4x16xf32>) rhs(%w : memref<8x16xi8>) rhs_ins(%scale : memref<16xf32>) outs(%y : memref<4x8xf32>)
      {indexing_maps = #scaled, reduction_dims = array<i64: 2>, lowering_config = #turned_bytes}
    rhs_prologue {
  ^bb0(%a: i8, %s: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %s : f32
    kernel.yield %1 : f32
  }
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  }
  return
}
