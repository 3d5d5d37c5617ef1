// RUN: qcc-opt %s -annotate-zero-borders | FileCheck %s

#lhs = affine_map<(h, w, n, i, j, k) -> (h + i, w + j, k)>
#rhs = affine_map<(h, w, n, i, j, k) -> (n, i, j, k)>
#out = affine_map<(h, w, n, i, j, k) -> (h, w, n)>

// CHECK-LABEL: func.func @padded
// CHECK: facts = #kernel.facts<zero_border = [1, 2, 0, 1, 0, 0]>
func.func @padded(%x: tensor<5x6x4xi8>, %w: tensor<8x3x3x4xi8>, %o: tensor<6x5x8xi32>) -> tensor<6x5x8xi32> {
  %zero = arith.constant 0 : i8
  %p = tensor.pad %x low[1, 0, 0] high[2, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : i8
  } : tensor<5x6x4xi8> to tensor<8x7x4xi8>
  %y = kernel.contract lhs(%p : tensor<8x7x4xi8>) rhs(%w : tensor<8x3x3x4xi8>) outs(%o : tensor<6x5x8xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 3, 4, 5>,
       reduction_sizes = array<i64: 3, 3, 4>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<6x5x8xi32>
  return %y : tensor<6x5x8xi32>
}

// Bytes other than 0 count.
// CHECK-LABEL: func.func @another_value
// CHECK-NOT: zero_border
func.func @another_value(%x: tensor<5x6x4xi8>, %w: tensor<8x3x3x4xi8>, %o: tensor<6x5x8xi32>) -> tensor<6x5x8xi32> {
  %value = arith.constant -128 : i8
  %p = tensor.pad %x low[1, 0, 0] high[2, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %value : i8
  } : tensor<5x6x4xi8> to tensor<8x7x4xi8>
  %y = kernel.contract lhs(%p : tensor<8x7x4xi8>) rhs(%w : tensor<8x3x3x4xi8>) outs(%o : tensor<6x5x8xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 3, 4, 5>,
       reduction_sizes = array<i64: 3, 3, 4>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<6x5x8xi32>
  return %y : tensor<6x5x8xi32>
}

#line = affine_map<(h, w, n, i, k) -> (h + i, w * 4 + k)>
#filter = affine_map<(h, w, n, i, k) -> (n, i, k)>
#image = affine_map<(h, w, n, i, k) -> (h, w, n)>

// Columns of four channels that become one dimension have a border of four elements for each column; dynamic sizes do not
// matter, amounts that are dynamic do.
// CHECK-LABEL: func.func @reshaped
// CHECK: facts = #kernel.facts<zero_border = [1, 0, 0, 4]>
func.func @reshaped(%x: tensor<?x6x4xi8>, %w: tensor<8x3x12xi8>, %o: tensor<?x5x8xi32>, %high: index)
    -> tensor<?x5x8xi32> {
  %zero = arith.constant 0 : i8
  %p = tensor.pad %x low[1, 0, 0] high[%high, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : i8
  } : tensor<?x6x4xi8> to tensor<?x7x4xi8>
  %l = tensor.collapse_shape %p [[0], [1, 2]] : tensor<?x7x4xi8> into tensor<?x28xi8>
  %y = kernel.contract lhs(%l : tensor<?x28xi8>) rhs(%w : tensor<8x3x12xi8>) outs(%o : tensor<?x5x8xi32>)
      {indexing_maps = [#line, #filter, #image], reduction_dims = array<i64: 3, 4>, reduction_sizes = array<i64: 3, 12>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x5x8xi32>
  return %y : tensor<?x5x8xi32>
}

#grouped = affine_map<(h, w, g, n, i, j, k) -> (h + i, w + j, g, k)>
#groups = affine_map<(h, w, g, n, i, j, k) -> (g, n, i, j, k)>
#result = affine_map<(h, w, g, n, i, j, k) -> (h, w, g, n)>

// CHECK-LABEL: func.func @expanded
// CHECK: facts = #kernel.facts<zero_border = [1, 1, 1, 1, 0, 0, 0, 0]>
func.func @expanded(%x: tensor<5x6x4xi8>, %w: tensor<2x3x3x3x2xi8>, %o: tensor<5x6x2x3xi32>) -> tensor<5x6x2x3xi32> {
  %zero = arith.constant 0 : i8
  %p = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : i8
  } : tensor<5x6x4xi8> to tensor<7x8x4xi8>
  %e = tensor.expand_shape %p [[0], [1], [2, 3]] output_shape [7, 8, 2, 2] : tensor<7x8x4xi8> into tensor<7x8x2x2xi8>
  %y = kernel.contract lhs(%e : tensor<7x8x2x2xi8>) rhs(%w : tensor<2x3x3x3x2xi8>) outs(%o : tensor<5x6x2x3xi32>)
      {indexing_maps = [#grouped, #groups, #result], reduction_dims = array<i64: 4, 5, 6>,
       reduction_sizes = array<i64: 3, 3, 2>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x6x2x3xi32>
  return %y : tensor<5x6x2x3xi32>
}
