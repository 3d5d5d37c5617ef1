// RUN: qcc-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(slice-strided-operands{target=cascadelake}),canonicalize,cse)' | FileCheck %s

#x = affine_map<(h, w, f, i, k) -> (h * 3 + i, w * 3, k)>
#w = affine_map<(h, w, f, i, k) -> (f, i, k)>
#y = affine_map<(h, w, f, i, k) -> (h, w, f)>

// Windows of one column read columns 0, 3, .. 57 of 59: the first one is padding, the others are columns 2, 5, .. of the
// argument. Rows are in windows of three and stay.
// CHECK: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0 * 3 + d3, d1, d4)>
// CHECK-LABEL: func.func @columns(
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[0, 2, 0] [17, 19, 83] [1, 3, 1] : tensor<17x57x83xi8> to tensor<17x19x83xi8>
// CHECK: %[[P:.*]] = tensor.pad %[[S]] low[1, 1, 0] high[1, 0, 0]
// CHECK: tensor<17x19x83xi8> to tensor<19x20x83xi8>
// CHECK: kernel.contract lhs(%[[P]] : tensor<19x20x83xi8>) {{.*}}indexing_maps = [#[[X]],
func.func @columns(%x: tensor<17x57x83xi8>, %w: tensor<31x3x83xi8>, %o: tensor<6x20x31xi32>) -> tensor<6x20x31xi32> {
  %z = arith.constant 0 : i8
  %p = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : i8
  } : tensor<17x57x83xi8> to tensor<19x59x83xi8>
  %y = kernel.contract lhs(%p : tensor<19x59x83xi8>) rhs(%w : tensor<31x3x83xi8>) outs(%o : tensor<6x20x31xi32>)
      {indexing_maps = [#x, #w, #y], lhs_unsigned, reduction_dims = array<i64: 3, 4>,
       reduction_sizes = array<i64: 3, 83>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<6x20x31xi32>
  return %y : tensor<6x20x31xi32>
}

// -----

#x = affine_map<(h, w, f, k) -> (h * 2, w * 2, k)>
#w = affine_map<(h, w, f, k) -> (f, k)>
#y = affine_map<(h, w, f, k) -> (h, w, f)>

// Signed bytes would be copied, to be unsigned ones, since windows may overlap; a quarter of them is read. More padding
// than a step of the windows leaves some; the last columns are not reached.
// CHECK-LABEL: func.func @signed(
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[0, 0, 0] [4, 4, 16] [2, 2, 1] : tensor<8x9x16xi8> to tensor<4x4x16xi8>
// CHECK: kernel.contract lhs(%[[S]] : tensor<4x4x16xi8>) rhs(%arg1 : tensor<8x16xi8>) outs(%arg2 : tensor<4x4x8xi32>) epilogue
// CHECK-LABEL: func.func @more_padding(
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[1, 0, 0] [2, 3, 16] [2, 2, 1] : tensor<5x5x16xi8> to tensor<2x3x16xi8>
// CHECK: %[[P:.*]] = tensor.pad %[[S]] low[2, 0, 0] high[0, 1, 0]
// CHECK: tensor<2x3x16xi8> to tensor<4x4x16xi8>
func.func @signed(%x: tensor<8x9x16xi8>, %w: tensor<8x16xi8>, %o: tensor<4x4x8xi32>) -> tensor<4x4x8xi32> {
  %y = kernel.contract lhs(%x : tensor<8x9x16xi8>) rhs(%w : tensor<8x16xi8>) outs(%o : tensor<4x4x8xi32>)
      {indexing_maps = [#x, #w, #y]}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x4x8xi32>
  return %y : tensor<4x4x8xi32>
}

func.func @more_padding(%x: tensor<5x5x16xi8>, %w: tensor<8x16xi8>, %o: tensor<4x4x8xi32>) -> tensor<4x4x8xi32> {
  %z = arith.constant 0 : i8
  %p = tensor.pad %x low[3, 0, 0] high[0, 3, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : i8
  } : tensor<5x5x16xi8> to tensor<8x8x16xi8>
  %y = kernel.contract lhs(%p : tensor<8x8x16xi8>) rhs(%w : tensor<8x16xi8>) outs(%o : tensor<4x4x8xi32>)
      {indexing_maps = [#x, #w, #y]}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x4x8xi32>
  return %y : tensor<4x4x8xi32>
}

// -----

#x = affine_map<(h, w, f, k) -> (h * 2, w * 2, k)>
#w = affine_map<(h, w, f, k) -> (f, k)>
#y = affine_map<(h, w, f, k) -> (h, w, f)>

// What is read in place is not copied; what is computed goes into the padding at once; what is padded for another op as
// well is copied whole anyway; dynamic sizes stay.
// CHECK-LABEL: func.func @in_place(
// CHECK-NOT: extract_slice
// CHECK-LABEL: func.func @computed(
// CHECK-NOT: extract_slice
// CHECK-LABEL: func.func @two_readers(
// CHECK-NOT: extract_slice
// CHECK-LABEL: func.func @dynamic(
// CHECK: tensor.extract_slice %arg0[0, 0, 0] [%{{.*}}, 4, 16] [1, 2, 1]
func.func @in_place(%x: tensor<8x8x16xi8>, %w: tensor<8x16xi8>, %o: tensor<4x4x8xi32>) -> tensor<4x4x8xi32> {
  %y = kernel.contract lhs(%x : tensor<8x8x16xi8>) rhs(%w : tensor<8x16xi8>) outs(%o : tensor<4x4x8xi32>)
      {indexing_maps = [#x, #w, #y], lhs_unsigned}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x4x8xi32>
  return %y : tensor<4x4x8xi32>
}

func.func @computed(%x: tensor<7x7x16xi8>, %w: tensor<8x16xi8>, %o: tensor<4x4x8xi32>) -> tensor<4x4x8xi32> {
  %z = arith.constant 0 : i8
  %e = tensor.empty() : tensor<7x7x16xi8>
  %c = linalg.add ins(%x, %x : tensor<7x7x16xi8>, tensor<7x7x16xi8>) outs(%e : tensor<7x7x16xi8>) -> tensor<7x7x16xi8>
  %p = tensor.pad %c low[1, 1, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : i8
  } : tensor<7x7x16xi8> to tensor<8x8x16xi8>
  %y = kernel.contract lhs(%p : tensor<8x8x16xi8>) rhs(%w : tensor<8x16xi8>) outs(%o : tensor<4x4x8xi32>)
      {indexing_maps = [#x, #w, #y], lhs_unsigned}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x4x8xi32>
  return %y : tensor<4x4x8xi32>
}

func.func @two_readers(%x: tensor<7x7x16xi8>, %w: tensor<8x16xi8>, %o: tensor<4x4x8xi32>)
    -> (tensor<4x4x8xi32>, tensor<8x8x16xi8>) {
  %z = arith.constant 0 : i8
  %p = tensor.pad %x low[1, 1, 0] high[0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : i8
  } : tensor<7x7x16xi8> to tensor<8x8x16xi8>
  %y = kernel.contract lhs(%p : tensor<8x8x16xi8>) rhs(%w : tensor<8x16xi8>) outs(%o : tensor<4x4x8xi32>)
      {indexing_maps = [#x, #w, #y], lhs_unsigned}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x4x8xi32>
  return %y, %p : tensor<4x4x8xi32>, tensor<8x8x16xi8>
}

func.func @dynamic(%x: tensor<?x8x16xi8>, %w: tensor<8x16xi8>, %o: tensor<?x4x8xi32>) -> tensor<?x4x8xi32> {
  %y = kernel.contract lhs(%x : tensor<?x8x16xi8>) rhs(%w : tensor<8x16xi8>) outs(%o : tensor<?x4x8xi32>)
      {indexing_maps = [#x, #w, #y]}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x4x8xi32>
  return %y : tensor<?x4x8xi32>
}
