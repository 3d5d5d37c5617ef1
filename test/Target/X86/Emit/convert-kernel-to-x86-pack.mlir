// RUN: qcc-opt %s -convert-kernel-to-x86 -canonicalize -cse | FileCheck %s --implicit-check-not=kernel.

// Columns that lie side by side: each word is put together from its rows.
// CHECK-LABEL: func.func @across_columns(
// CHECK-COUNT-4: vector.transfer_read %arg0{{.*}} vector<16xi8>
// CHECK: vector.store %{{.*}}, %arg1{{.*}} vector<16xi32>
// CHECK: vector.store %{{.*}}, %arg2
func.func @across_columns(%w: memref<8x32xi8>, %p: memref<2x2x16xi32>, %s: memref<32xi32>) {
  kernel.pack %w : memref<8x32xi8> outs(%p, %s : memref<2x2x16xi32>, memref<32xi32>)
      {indexing_maps = [affine_map<(n, k) -> (k, n)>], num_batch = 0 : i64, reduction_sizes = array<i64: 8>, tile = array<i64: 16, 4>}
  return
}

// Columns that lie along K: sixteen of them are transposed. What is left of K is read with zeros and stored as two words.
// CHECK-LABEL: func.func @along_k(
// CHECK-COUNT-16: vector.transfer_read %arg0{{.*}} vector<64xi8>
// CHECK: vector.shuffle
// CHECK-COUNT-2: vector.store %{{.*}}, %arg1{{.*}} vector<16xi32>
// CHECK-NOT: %arg1
// CHECK: vector.store %{{.*}}, %arg2
func.func @along_k(%w: memref<16x7xi8>, %p: memref<1x2x16xi32>, %s: memref<16xi32>) {
  kernel.pack %w : memref<16x7xi8> outs(%p, %s : memref<1x2x16xi32>, memref<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>, tile = array<i64: 16, 4>}
  return
}

// The last tile of columns has fewer: it is filled element by element.
// CHECK-LABEL: func.func @columns(
// CHECK: scf.if
// CHECK: vector.transfer_read %arg0
// CHECK: else
// CHECK: memref.load %arg0
func.func @columns(%w: memref<8x20xi8>, %p: memref<2x2x16xi32>, %s: memref<32xi32>) {
  kernel.pack %w : memref<8x20xi8> outs(%p, %s : memref<2x2x16xi32>, memref<32xi32>)
      {indexing_maps = [affine_map<(n, k) -> (k, n)>], num_batch = 0 : i64, reduction_sizes = array<i64: 8>, tile = array<i64: 16, 4>}
  return
}
