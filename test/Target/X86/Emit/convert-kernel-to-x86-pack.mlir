// RUN: qcc-opt %s -convert-kernel-to-x86 -canonicalize -cse | FileCheck %s --implicit-check-not=kernel.

// Columns that lie side by side: four rows of 64 of them are interleaved to words, by bytes, pairs of bytes and blocks
// of 128 bits. The sums of columns are products by 1.
// CHECK-LABEL: func.func @across_columns(
// CHECK: %[[SPLAT:.*]] = arith.constant dense<16843009> : vector<16xi32>
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-4: vector.transfer_read %arg0{{.*}} {in_bounds = [true]} : memref<8x128xi8>, vector<64xi8>
// CHECK: vector.shuffle %{{.*}} [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15] : vector<16xi32>
// CHECK: vector.shuffle %{{.*}} [0, 64, 1, 65, 2, 66, 3, 67, 4, 68, 5, 69, 6, 70, 7, 71, 16, 80
// CHECK: vector.shuffle %{{.*}} [0, 32, 1, 33, 2, 34, 3, 35, 8, 40
// CHECK: vector.shuffle %{{.*}} [4, 36, 5, 37, 6, 38, 7, 39, 12, 44
// CHECK: vector.store %{{.*}}, %arg1{{.*}} vector<16xi32>
// CHECK: %[[ONES:.*]] = vector.bitcast %[[SPLAT]]
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.*}}, %[[ONES]], %{{.*}})
// CHECK-COUNT-3: vector.store %{{.*}}, %arg1{{.*}} vector<16xi32>
// CHECK: scf.yield
// CHECK-COUNT-4: vector.store %{{.*}}, %arg2
func.func @across_columns(%w: memref<8x128xi8>, %p: memref<2x2x64xi32>, %s: memref<128xi32>) {
  kernel.pack %w : memref<8x128xi8> outs(%p, %s : memref<2x2x64xi32>, memref<128xi32>)
      {indexing_maps = [affine_map<(n, k) -> (k, n)>], num_batch = 0 : i64, reduction_sizes = array<i64: 8>, tile = array<i64: 64, 4>, atom = "avx512vnni"}
  return
}

// Columns that lie along K: sixteen of them are transposed, in blocks of 128 bits and then the blocks. What is left of K
// is read with zeros and stored as two words.
// CHECK-LABEL: func.func @along_k(
// CHECK-COUNT-16: vector.transfer_read %arg0{{.*}} vector<64xi8>
// CHECK: vector.shuffle %{{.*}} [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29]
// CHECK-COUNT-2: vector.store %{{.*}}, %arg1{{.*}} vector<16xi32>
// CHECK-NOT: %arg1
// CHECK: vector.store %{{.*}}, %arg2
func.func @along_k(%w: memref<16x7xi8>, %p: memref<1x2x16xi32>, %s: memref<16xi32>) {
  kernel.pack %w : memref<16x7xi8> outs(%p, %s : memref<1x2x16xi32>, memref<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>, tile = array<i64: 16, 4>, atom = "avx512vnni"}
  return
}

// A tile that no column may miss, and the last, of which four exist: they are read under a mask, and so are its words.
// CHECK-LABEL: func.func @columns(
// CHECK: scf.if
// CHECK: vector.transfer_read %arg0{{.*}} {in_bounds = [true]} : memref<8x20xi8>, vector<16xi8>
// CHECK: else
// CHECK: vector.transfer_read %arg0[%{{[^ ]*}}, %c16], %{{[^ ]*}} : memref<8x20xi8>, vector<16xi8>
// CHECK: %[[MASK:.*]] = vector.constant_mask [4] : vector<16xi1>
// CHECK: %[[KEPT:.*]] = arith.extsi %[[MASK]] : vector<16xi1> to vector<16xi32>
// CHECK: arith.andi %{{.*}}, %[[KEPT]] : vector<16xi32>
// CHECK-NOT: memref.load
func.func @columns(%w: memref<8x20xi8>, %p: memref<2x2x16xi32>, %s: memref<32xi32>) {
  kernel.pack %w : memref<8x20xi8> outs(%p, %s : memref<2x2x16xi32>, memref<32xi32>)
      {indexing_maps = [affine_map<(n, k) -> (k, n)>], num_batch = 0 : i64, reduction_sizes = array<i64: 8>, tile = array<i64: 16, 4>, atom = "avx512vnni"}
  return
}

// Columns along K that do not exist read the last one that does.
// CHECK-LABEL: func.func @columns_along_k(
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %c1
// CHECK: arith.minsi %[[LAST]], %c15
// CHECK: vector.create_mask %{{.*}} : vector<16xi1>
func.func @columns_along_k(%w: memref<?x64xi8>, %p: memref<?x16x16xi32>, %s: memref<?xi32>) {
  kernel.pack %w : memref<?x64xi8> outs(%p, %s : memref<?x16x16xi32>, memref<?xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 64>, tile = array<i64: 16, 4>, atom = "avx512vnni"}
  return
}

// A prologue across columns: four rows of 16 are saturated to bytes, and the bytes of each 128 bits transposed.
// CHECK-LABEL: func.func @prologue_across_columns(
// CHECK: scf.for
// CHECK-COUNT-4: arith.fptosi
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.packsswb.512"
// CHECK: vector.shuffle %{{.*}} [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 16, 20
// CHECK: vector.store %{{.*}}, %arg1
// CHECK-NOT: memref.load
func.func @prologue_across_columns(%w: memref<8x16xf32>, %p: memref<1x2x16xi32>, %s: memref<16xi32>) {
  kernel.pack %w : memref<8x16xf32> outs(%p, %s : memref<1x2x16xi32>, memref<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (k, n)>], num_batch = 0 : i64, reduction_sizes = array<i64: 8>, tile = array<i64: 16, 4>, atom = "avx512vnni"}
      prologue {
      ^bb0(%a: f32):
        %low = arith.constant -128.0 : f32
        %high = arith.constant 127.0 : f32
        %zero = arith.constant 0.0 : f32
        %e = math.roundeven %a : f32
        %nan = arith.cmpf uno, %e, %e : f32
        %n = arith.select %nan, %zero, %e : f32
        %c = arith.maximumf %n, %low : f32
        %d = arith.minimumf %c, %high : f32
        %i = arith.fptosi %d : f32 to i32
        %q = arith.trunci %i : i32 to i8
        kernel.yield %q : i8
      }
  return
}

// A prologue along K: a loop over columns computes bytes to scratch memory, which is then transposed. Past K the prologue
// makes bytes of zeros: they are cleared before the offset is added to the others.
// CHECK-LABEL: func.func @prologue_along_k(
// CHECK: %[[SCRATCH:.*]] = memref.alloca() {alignment = 64 : i64} : memref<16x16xi32>
// CHECK: scf.for
// CHECK: arith.fptoui
// CHECK: vector.store %{{.*}}, %[[SCRATCH]]
// CHECK-COUNT-16: vector.load %[[SCRATCH]]
// CHECK: arith.andi %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK: arith.xori
func.func @prologue_along_k(%w: memref<16x5xf32>, %p: memref<1x2x16xi32>, %s: memref<16xi32>) {
  kernel.pack %w : memref<16x5xf32> outs(%p, %s : memref<1x2x16xi32>, memref<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 5>, offset = -128 : i64, tile = array<i64: 16, 4>, unsigned_source, atom = "avx512vnni"}
      prologue {
      ^bb0(%a: f32):
        %q = arith.fptoui %a : f32 to i8
        kernel.yield %q : i8
      }
  return
}

// Tiles hold unsigned bytes as they are, left operands where the sums are made, and zeros up to 64 of K.
// CHECK-LABEL: func.func @tiles(
// CHECK: %[[SPLAT:.*]] = arith.constant dense<16843009> : vector<16xi32>
// CHECK: %[[ONES:.*]] = vector.bitcast %[[SPLAT]]
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.*}}, %{{.*}}, %[[ONES]])
// CHECK: scf.for %[[W:.*]] = %c2 to %c16
// CHECK: vector.store %cst{{.*}}, %arg1[%{{.*}}, %[[W]], %{{.*}}]
func.func @tiles(%w: memref<8x32xi8>, %p: memref<1x16x32xi32>, %s: memref<32xi32>) {
  kernel.pack %w : memref<8x32xi8> outs(%p, %s : memref<1x16x32xi32>, memref<32xi32>)
      {indexing_maps = [affine_map<(n, k) -> (k, n)>], num_batch = 0 : i64, reduction_sizes = array<i64: 8>, tile = array<i64: 32, 4>, k_step = 64 : i64, unsigned_source, atom = "amx-int8"}
  return
}

// Words of two i16.
// CHECK-LABEL: func.func @shorts(
// CHECK-COUNT-2: arith.extsi %{{.*}} : vector<16xi8> to vector<16xi32>
// CHECK: arith.shli
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
func.func @shorts(%w: memref<8x16xi8>, %p: memref<1x4x16xi32>, %s: memref<16xi32>) {
  kernel.pack %w : memref<8x16xi8> outs(%p, %s : memref<1x4x16xi32>, memref<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (k, n)>], num_batch = 0 : i64, reduction_sizes = array<i64: 8>, tile = array<i64: 16, 2>, atom = "avx512bw"}
  return
}

// Nothing to read in vectors: the innermost dimension is a batch.
// CHECK-LABEL: func.func @batch_innermost(
// CHECK: memref.load %arg0
// CHECK-NOT: vector.
func.func @batch_innermost(%w: memref<16x8x3xi8>, %p: memref<3x1x2x16xi32>, %s: memref<3x16xi32>) {
  kernel.pack %w : memref<16x8x3xi8> outs(%p, %s : memref<3x1x2x16xi32>, memref<3x16xi32>)
      {indexing_maps = [affine_map<(b, n, k) -> (n, k, b)>], num_batch = 1 : i64, reduction_sizes = array<i64: 8>, tile = array<i64: 16, 4>, atom = "avx512vnni"}
  return
}
