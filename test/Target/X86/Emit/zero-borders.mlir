// RUN: qcc-opt %s -convert-kernel-to-x86 -canonicalize -split-input-file | FileCheck %s

#config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [4, 16, 4], block = [4, 16], lhs = in_place, source = pinned>
#lhs = affine_map<(h, w, n, i, k) -> (h * 2 + i * 3, w * 32 + k)>
#rhs = affine_map<(h, w, n, i, k) -> (n, i, k)>
#out = affine_map<(h, w, n, i, k) -> (h, w, n)>

// The rows of a window that lie in the two lines of zeros above of the image, or in the one below, are not multiplied.
// CHECK-LABEL: func.func @rows_of_zeros
// CHECK: scf.for %[[H:.*]] = %c0 to %{{.*}} step %c1 {
// CHECK: %[[START:.*]] = arith.muli %[[H]], %c2
// CHECK: %[[SIZE:.*]] = memref.dim %arg0, %c0
// CHECK: %[[ABOVE:.*]] = arith.subi %c2, %[[START]]
// CHECK: %[[BEFORE:.*]] = arith.maxsi %[[ABOVE]], %c0
// CHECK: %[[STEPS:.*]] = arith.ceildivui %[[BEFORE]], %c3
// CHECK: %[[FIRST:.*]] = arith.minsi %[[STEPS]], %c3
// CHECK: %[[END:.*]] = arith.addi %[[SIZE]], %c-1
// CHECK: %[[BELOW:.*]] = arith.subi %[[END]], %[[START]]
// CHECK: %[[INSIDE:.*]] = arith.maxsi %[[BELOW]], %c0
// CHECK: %[[COUNT:.*]] = arith.ceildivui %[[INSIDE]], %c3
// CHECK: %[[LAST:.*]] = arith.minsi %[[COUNT]], %c3
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]] step %c1 iter_args
// Of the four windows of a line the first one begins with a column of zeros, 8 words: these are multiplied for three rows.
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c1 iter_args({{.*}}) -> (vector<16xi32>, vector<16xi32>, vector<16xi32>) {
// CHECK: scf.for %{{.*}} = %c8 to %c16 step %c1 iter_args({{.*}}) -> (vector<16xi32>, vector<16xi32>, vector<16xi32>, vector<16xi32>) {
func.func @rows_of_zeros(%x: memref<?x192xi8>, %w: memref<1x48x16xi32>, %s: memref<16xi32>, %o: memref<?x4x16xi32>) {
  kernel.contract lhs(%x : memref<?x192xi8>) rhs(%w : memref<1x48x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%o : memref<?x4x16xi32>)
      {indexing_maps = [#lhs, #rhs, #out], lhs_unsigned, lowering_config = #config,
       reduction_dims = array<i64: 3, 4>, reduction_sizes = array<i64: 3, 64>, facts = #kernel.facts<zero_border = [2, 1, 32, 0]>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

#config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [4, 16, 4], block = [4, 16], lhs = panel, source = pinned>
#lhs = affine_map<(h, w, n, i, k) -> (h + i, w * 32 + k)>
#rhs = affine_map<(h, w, n, i, k) -> (n, i, k)>
#out = affine_map<(h, w, n, i, k) -> (h, w, n)>

// Signed bytes become unsigned by adding 128 when they are copied: the border is not 0 then.
// CHECK-LABEL: func.func @shifted
// CHECK: scf.for %{{.*}} = %c0 to %c48 step %c1 iter_args
func.func @shifted(%x: memref<?x192xi8>, %w: memref<1x48x16xi32>, %s: memref<16xi32>, %o: memref<?x4x16xi32>) {
  kernel.contract lhs(%x : memref<?x192xi8>) rhs(%w : memref<1x48x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%o : memref<?x4x16xi32>)
      {indexing_maps = [#lhs, #rhs, #out], lowering_config = #config,
       reduction_dims = array<i64: 3, 4>, reduction_sizes = array<i64: 3, 64>, facts = #kernel.facts<zero_border = [1, 1, 32, 0]>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

#config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [3, 16, 4], block = [6, 16], lhs = in_place, source = pinned>
#lhs = affine_map<(h, w, n, i, j, k) -> (h + i, w + j * 2, k)>
#rhs = affine_map<(h, w, n, i, j, k) -> (n, i, j, k)>
#out = affine_map<(h, w, n, i, j, k) -> (h, w, n)>

// Lines of ten windows, dilated by 2, with two columns of zeros before and one behind. Of the tiles of 3, 3, 3 and 1
// windows the first and the last are spelled out, where their rows and columns of the window are known; the others run in
// a loop.
// CHECK-LABEL: func.func @ends_of_lines
// CHECK: scf.for %[[BLOCK:.*]] = %{{.*}} to %{{.*}} step %c6 {
// CHECK: %[[HAS_FIRST:.*]] = arith.cmpi slt, %[[BLOCK]], %c1
// CHECK: scf.if %[[HAS_FIRST]]
// The first column of the window is in the border for rows 0 and 1.
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c1 iter_args({{.*}}) -> (vector<16xi32>) {
// CHECK: scf.for %{{.*}} = %c1 to %c3 step %c1 iter_args({{.*}}) -> (vector<16xi32>, vector<16xi32>, vector<16xi32>) {
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c1 iter_args({{.*}}) -> (vector<16xi32>, vector<16xi32>, vector<16xi32>) {
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c3 {
// CHECK: scf.for %{{.*}} = %c0 to %c9 step %c1 iter_args({{.*}}) -> (vector<16xi32>, vector<16xi32>, vector<16xi32>) {
// The third column is in the border for the last row.
// CHECK: %[[HAS_LAST:.*]] = arith.cmpi slt, %[[BLOCK]], %c10
// CHECK: scf.if %[[HAS_LAST]]
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 iter_args({{.*}}) -> (vector<16xi32>) {
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c1 iter_args({{.*}}) -> (vector<16xi32>) {
// CHECK-NOT: scf.for
// CHECK: return
func.func @ends_of_lines(%x: memref<?x14x64xi8>, %w: memref<1x144x16xi32>, %s: memref<16xi32>, %o: memref<?x10x16xi32>) {
  kernel.contract lhs(%x : memref<?x14x64xi8>) rhs(%w : memref<1x144x16xi32>) rhs_sums(%s : memref<16xi32>)
      outs(%o : memref<?x10x16xi32>)
      {indexing_maps = [#lhs, #rhs, #out], lhs_unsigned, lowering_config = #config,
       reduction_dims = array<i64: 3, 4, 5>, reduction_sizes = array<i64: 3, 3, 64>, facts = #kernel.facts<zero_border = [0, 0, 2, 1, 0, 0]>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}
