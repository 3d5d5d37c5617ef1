// RUN: qcc-opt %s -convert-kernel-to-x86 -canonicalize -cse | FileCheck %s --implicit-check-not=kernel.

#x = affine_map<(m, n, s, r) -> (r, m + s, n)>
#w = affine_map<(m, n, s, r) -> (r, s, n)>
#mn = affine_map<(m, n, s, r) -> (m, n)>
#scalar = affine_map<(m, n, s, r) -> ()>
#vnni = #x86.config<depthwise, atom = "avx512vnni", tile = [2, 64, 4], block = [2, 64], lhs = in_place, source = pinned>
#avx2 = #x86.config<depthwise, atom = "avx2", tile = [2, 16, 2], block = [2, 16], lhs = in_place, source = pinned>

// Two rows read four columns of the image. The words of a column, three lines of it and zeros, are put together once:
// the first one is multiplied for the first row alone, the second one for both.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME: %[[X:.*]]: memref<3x4x64xi8>, %[[W:.*]]: memref<1x3x64xi32>
// CHECK-COUNT-3: vector.transfer_read %[[X]]{{.*}} {in_bounds = [true]} : memref<3x4x64xi8>, vector<64xi8>
// CHECK-COUNT-4: vector.shuffle {{.*}} : vector<32xi16>, vector<32xi16>
// CHECK-COUNT-4: vpdpbusd
// CHECK-NOT: vpdpbusd
// CHECK: vector.shuffle
// CHECK-COUNT-8: vpdpbusd
// CHECK-NOT: vpdpbusd
// CHECK: vector.shuffle
// CHECK-COUNT-8: vpdpbusd
// CHECK-NOT: vpdpbusd
// CHECK: vector.shuffle
// CHECK-COUNT-4: vpdpbusd
// CHECK-NOT: vpdpbusd
// CHECK: vector.transfer_write
func.func @shared(%x: memref<3x4x64xi8>, %w: memref<1x3x64xi32>, %s: memref<64xi32>, %y: memref<2x64xi32>) {
  kernel.contract lhs(%x : memref<3x4x64xi8>) rhs(%w : memref<1x3x64xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y : memref<2x64xi32>)
      {indexing_maps = [#x, #w, #mn], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 3>,
       lowering_config = #vnni, lhs_unsigned}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// A zero point of the right operand needs the sums of the left one: products by 1 where elements exist. Here a word of
// two has a line of the image and zeros, in 5 of 16 columns.
// CHECK-LABEL: func.func @sums(
// CHECK: %[[ONES:.*]] = arith.constant dense<1> : vector<8xi32>
// CHECK: vector.transfer_read {{.*}}vector<8xi8>
// CHECK-NOT: in_bounds = [true]
// CHECK: arith.extsi {{.*}} : vector<8xi8> to vector<8xi16>
// CHECK: %[[RIGHT:.*]] = vector.bitcast %[[ONES]]
// CHECK: pmadd.wd"(%{{.*}}, %[[RIGHT]])
// CHECK: vector.load {{.*}} memref<1x1x16xi32>
// CHECK: pmadd
// CHECK: vector.transfer_write
func.func @sums(%x: memref<1x4x5xi8>, %w: memref<1x1x16xi32>, %s: memref<16xi32>, %z: memref<i32>, %y: memref<2x5xi32>) {
  kernel.contract lhs(%x : memref<1x4x5xi8>) rhs(%w : memref<1x1x16xi32>) rhs_sums(%s : memref<16xi32>)
      rhs_zero_point(%z : memref<i32>) outs(%y : memref<2x5xi32>)
      {indexing_maps = [#x, #w, #scalar, #mn], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 1, 1>,
       lowering_config = #avx2}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

#xp = affine_map<(h, m, n, s, r) -> (h + r, m + s, n)>
#wp = affine_map<(h, m, n, s, r) -> (r, s, n)>
#yp = affine_map<(h, m, n, s, r) -> (h, m, n)>

// Padding of an operand that is read where it lies: each of the three lines of a window is one of the operand or one of
// padding, 8 pixels of it, that a thread keeps in scratch memory. The column before the first tile is a constant, and so is
// the one behind the last; other tiles read 4 columns of the lines.
// CHECK-LABEL: func.func @padded(
// CHECK: %[[FIVE:.*]] = arith.constant dense<5> : vector<64xi8>
// CHECK: %[[P:.*]] = memref.alloca() {{.*}}: memref<512xi8>
// CHECK: scf.for %[[I:.*]] = %c0 to %c512 step %c64 {
// CHECK-NEXT: vector.store %[[FIVE]], %[[P]][%[[I]]]
// CHECK: scf.for %[[H:.*]] =
// CHECK: scf.if
// CHECK: scf.if
// CHECK-NOT: transfer_read
// CHECK-COUNT-4: vpdpbusd
// CHECK: %[[H0:.*]] = arith.subi %[[H]], %c1
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[H0]], %[[SIZE:.*]] : index
// CHECK: %[[OPERAND:.*]] = memref.subview %arg0[%[[H0]], 0, 0] [1, 8, 64] [1, 1, 1]
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %[[P]] to offset: [0], sizes: [1, 8, 64], strides: [512, 64, 1]
// CHECK: %[[PADDING:.*]] = memref.cast %[[VIEW]]
// CHECK: %[[LINE:.*]] = arith.select %[[IN]], %[[OPERAND]], %[[PADDING]]
// CHECK: vector.transfer_read %[[LINE]][%c0, %c0, %c0]
// CHECK-COUNT-8: vector.transfer_read
// CHECK-NOT: transfer_read
// CHECK: scf.for %{{.*}} step %c2 {
// CHECK-COUNT-3: arith.select
// CHECK-NOT: arith.select
// CHECK-COUNT-9: vector.transfer_read
// CHECK-NOT: arith.select
// CHECK: scf.if
// CHECK: scf.if
// CHECK-COUNT-9: vector.transfer_read
// CHECK-NOT: transfer_read
func.func @padded(%x: memref<?x8x64xi8>, %w: memref<1x9x64xi32>, %s: memref<64xi32>, %y: memref<?x8x64xi32>) {
  kernel.contract lhs(%x : memref<?x8x64xi8>) rhs(%w : memref<1x9x64xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y : memref<?x8x64xi32>)
      {indexing_maps = [#xp, #wp, #yp], reduction_dims = array<i64: 3, 4>, reduction_sizes = array<i64: 3, 3>,
       lhs_padding = #kernel.padding<[1, 1, 1, 1, 0, 0], 5>, lowering_config = #vnni, lhs_unsigned}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Where lines have a dynamic size, each vector is one of the operand or one of padding; so no tile is special.
// CHECK-LABEL: func.func @dynamic(
// CHECK: %[[P:.*]] = memref.alloca() {{.*}}: memref<64xi8>
// CHECK: %[[ROW:.*]] = arith.cmpi ult
// CHECK: %[[COLUMN:.*]] = arith.cmpi ult
// CHECK: %[[IN:.*]] = arith.andi %[[ROW]], %[[COLUMN]] : i1
// CHECK: memref.subview %arg0[%{{.*}}, %{{.*}}, 0] [1, 1, 64] [1, 1, 1]
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %[[P]] to offset: [0], sizes: [1, 1, 64]
// CHECK: arith.select %[[IN]]
// CHECK: vector.transfer_read
func.func @dynamic(%x: memref<?x?x64xi8>, %w: memref<1x9x64xi32>, %s: memref<64xi32>, %y: memref<?x?x64xi32>) {
  kernel.contract lhs(%x : memref<?x?x64xi8>) rhs(%w : memref<1x9x64xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y : memref<?x?x64xi32>)
      {indexing_maps = [#xp, #wp, #yp], reduction_dims = array<i64: 3, 4>, reduction_sizes = array<i64: 3, 3>,
       lhs_padding = #kernel.padding<[1, 1, 1, 1, 0, 0], 5>, lowering_config = #vnni, lhs_unsigned}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

#grouped = affine_map<(m, n, s, k) -> (m + s, (n floordiv 8) * 8 + k)>
#taps = affine_map<(m, n, s, k) -> (n, s, k)>
#groups = #x86.config<depthwise, atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16], lhs = in_place, source = pinned>

// Two groups of 8 columns and elements: a column of the image is read at once, 16 bytes, of which each word is brought to
// the lanes of its group. Two rows share the words of the second and the third column.
// CHECK-LABEL: func.func @groups(
// CHECK: vector.transfer_read %{{.*}} {in_bounds = [true]} : memref<4x64xi8>, vector<16xi8>
// CHECK: vector.shuffle %{{.*}} [0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2] : vector<4xi32>, vector<4xi32>
// CHECK: vpdpbusd
// CHECK-NOT: vpdpbusd
// CHECK: vector.shuffle
// CHECK-COUNT-2: vpdpbusd
// CHECK-NOT: vpdpbusd
// CHECK: vector.shuffle
// CHECK-COUNT-2: vpdpbusd
// CHECK-NOT: vpdpbusd
// CHECK: vector.shuffle
// CHECK: vpdpbusd
// CHECK-NOT: vpdpbusd
// CHECK: vector.shuffle %{{.*}} [1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3] : vector<4xi32>, vector<4xi32>
// CHECK: vpdpbusd
func.func @groups(%x: memref<4x64xi8>, %w: memref<4x6x16xi32>, %s: memref<64xi32>, %y: memref<2x64xi32>) {
  kernel.contract lhs(%x : memref<4x64xi8>) rhs(%w : memref<4x6x16xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y : memref<2x64xi32>)
      {indexing_maps = [#grouped, #taps, #mn], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 8>,
       lowering_config = #groups, lhs_unsigned}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

#wide = affine_map<(m, n, s, k) -> (m + s, (n floordiv 16) * 32 + k)>

// A vector of one group: the word comes to all lanes by its load, in a loop over the words.
// CHECK-LABEL: func.func @one_group(
// CHECK: scf.for
// CHECK: vector.transfer_read %{{.*}} {in_bounds = [true]} : memref<4x128xi8>, vector<4xi8>
// CHECK: vector.shuffle %{{.*}} [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : vector<1xi32>, vector<1xi32>
// CHECK: vpdpbusd
func.func @one_group(%x: memref<4x128xi8>, %w: memref<4x24x16xi32>, %s: memref<64xi32>, %y: memref<2x64xi32>) {
  kernel.contract lhs(%x : memref<4x128xi8>) rhs(%w : memref<4x24x16xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y : memref<2x64xi32>)
      {indexing_maps = [#wide, #taps, #mn], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 32>,
       lowering_config = #groups, lhs_unsigned}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// Lines of a window that lie in a border of zeros are left out: of the line h the first is max(1 - h, 0), and the last one
// is before min(8 - h, 3).
// CHECK-LABEL: func.func @zero_lines(
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK: %[[ABOVE:.*]] = arith.subi %[[C1]], %[[H:.*]] : index
// CHECK: %[[INSIDE:.*]] = arith.maxsi %[[ABOVE]]
// CHECK: %[[FIRST:.*]] = arith.minsi %[[INSIDE]], %[[C3]]
// CHECK: %[[BELOW:.*]] = arith.subi %[[C8]], %[[H]]
// CHECK: %[[REST:.*]] = arith.maxsi %[[BELOW]]
// CHECK: %[[LAST:.*]] = arith.minsi %[[REST]], %[[C3]]
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
// CHECK: vpdpbusd
#image = affine_map<(h, w, n, r, s, k) -> (h + r, w + s, (n floordiv 8) * 8 + k)>
#kernel = affine_map<(h, w, n, r, s, k) -> (n, s, r, k)>
#pixels = affine_map<(h, w, n, r, s, k) -> (h, w, n)>
func.func @zero_lines(%x: memref<9x9x64xi8>, %w: memref<4x18x16xi32>, %s: memref<64xi32>, %y: memref<7x7x64xi32>) {
  kernel.contract lhs(%x : memref<9x9x64xi8>) rhs(%w : memref<4x18x16xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y : memref<7x7x64xi32>)
      {indexing_maps = [#image, #kernel, #pixels], reduction_dims = array<i64: 4, 3, 5>,
       reduction_sizes = array<i64: 3, 3, 8>, facts = #kernel.facts<zero_border = [1, 1, 1, 1, 0, 0]>, lowering_config = #groups, lhs_unsigned}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}
