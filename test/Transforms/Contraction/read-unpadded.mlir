// RUN: qcc-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(read-unpadded{target=cascadelake},slice-strided-operands{target=cascadelake},store-unsigned{target=cascadelake}),canonicalize)' | FileCheck %s
// RUN: qcc-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(read-unpadded{target=sm_80}))' | FileCheck %s --check-prefix=CUDA --implicit-check-not=lhs_padding

#x = affine_map<(h, w, c, s, r) -> (h * 2 + r, w * 2 + s, c)>
#w = affine_map<(h, w, c, s, r) -> (c, r, s)>
#y = affine_map<(h, w, c, s, r) -> (h, w, c)>

// A depthwise convolution reads an argument where it lies, signed bytes as well, and padding around it.
// CHECK-LABEL: func.func @argument(
// CHECK-NOT: tensor.pad
// CHECK-NOT: linalg.generic
// CHECK: kernel.contract lhs(%arg0 : tensor<?x8x16xi8>) {{.*}}lhs_padding = #kernel.padding<[1, 0, 2, 1, 0, 0], -7>
// CHECK-NOT: lhs_unsigned
// CUDA-LABEL: func.func @argument(
// CUDA: tensor.pad
func.func @argument(%x: tensor<?x8x16xi8>, %w: tensor<16x3x3xi8>, %o: tensor<?x5x16xi32>) -> tensor<?x5x16xi32> {
  %z = arith.constant -7 : i8
  %p = tensor.pad %x low[1, 2, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : i8
  } : tensor<?x8x16xi8> to tensor<?x11x16xi8>
  %y = kernel.contract lhs(%p : tensor<?x11x16xi8>) rhs(%w : tensor<16x3x3xi8>) outs(%o : tensor<?x5x16xi32>)
      {indexing_maps = [#x, #w, #y], reduction_dims = array<i64: 3, 4>, reduction_sizes = array<i64: 3, 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x5x16xi32>
  return %y : tensor<?x5x16xi32>
}

// -----

#x = affine_map<(h, w, c, r) -> (h * 2 + r, w * 3, c)>
#w = affine_map<(h, w, c, r) -> (c, r)>
#y = affine_map<(h, w, c, r) -> (h, w, c)>

// Nothing is copied either where there is no padding, and windows leave out columns.
// CHECK-LABEL: func.func @strided(
// CHECK: kernel.contract lhs(%arg0 : tensor<9x10x16xi8>) {{.*}} outs(
// CHECK-NOT: lhs_unsigned
func.func @strided(%x: tensor<9x10x16xi8>, %w: tensor<16x3xi8>, %o: tensor<4x4x16xi32>) -> tensor<4x4x16xi32> {
  %y = kernel.contract lhs(%x : tensor<9x10x16xi8>) rhs(%w : tensor<16x3xi8>) outs(%o : tensor<4x4x16xi32>)
      {indexing_maps = [#x, #w, #y], reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x4x16xi32>
  return %y : tensor<4x4x16xi32>
}

// -----

#x = affine_map<(h, c, r) -> (h + r, c)>
#w = affine_map<(h, c, r) -> (c, r)>
#y = affine_map<(h, c, r) -> (h, c)>
#id = affine_map<(h, c) -> (h, c)>

// What is computed is computed inside of the padding; padding that is known when the program runs is memory, and so is
// wide padding, and padding of lines of a dynamic size.
// CHECK-LABEL: func.func @computed(
// CHECK: linalg.generic
// CHECK: tensor.pad
// CHECK-NOT: lhs_padding
// CHECK-LABEL: func.func @at_run_time(
// CHECK: tensor.pad
// CHECK-NOT: lhs_padding
// CHECK-LABEL: func.func @wide(
// CHECK: tensor.pad
// CHECK-NOT: lhs_padding
// CHECK-LABEL: func.func @dynamic_lines(
// CHECK: tensor.pad
// CHECK-NOT: lhs_padding
func.func @computed(%x: tensor<8x16xi8>, %w: tensor<16x3xi8>, %e: tensor<8x16xi8>, %o: tensor<8x16xi32>) -> tensor<8x16xi32> {
  %z = arith.constant 3 : i8
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x16xi8>) outs(%e : tensor<8x16xi8>) {
  ^bb0(%a: i8, %b: i8):
    %m = arith.maxsi %a, %z : i8
    linalg.yield %m : i8
  } -> tensor<8x16xi8>
  %p = tensor.pad %c low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : i8
  } : tensor<8x16xi8> to tensor<10x16xi8>
  %y = kernel.contract lhs(%p : tensor<10x16xi8>) rhs(%w : tensor<16x3xi8>) outs(%o : tensor<8x16xi32>)
      {indexing_maps = [#x, #w, #y], lhs_unsigned, reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<8x16xi32>
  return %y : tensor<8x16xi32>
}

func.func @at_run_time(%x: tensor<8x16xi8>, %v: i8, %w: tensor<16x3xi8>, %o: tensor<8x16xi32>) -> tensor<8x16xi32> {
  %p = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : i8
  } : tensor<8x16xi8> to tensor<10x16xi8>
  %y = kernel.contract lhs(%p : tensor<10x16xi8>) rhs(%w : tensor<16x3xi8>) outs(%o : tensor<8x16xi32>)
      {indexing_maps = [#x, #w, #y], lhs_unsigned, reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<8x16xi32>
  return %y : tensor<8x16xi32>
}

func.func @wide(%x: tensor<8x16xi8>, %w: tensor<16x3xi8>, %o: tensor<11x16xi32>) -> tensor<11x16xi32> {
  %z = arith.constant 3 : i8
  %p = tensor.pad %x low[5, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : i8
  } : tensor<8x16xi8> to tensor<13x16xi8>
  %y = kernel.contract lhs(%p : tensor<13x16xi8>) rhs(%w : tensor<16x3xi8>) outs(%o : tensor<11x16xi32>)
      {indexing_maps = [#x, #w, #y], lhs_unsigned, reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<11x16xi32>
  return %y : tensor<11x16xi32>
}

func.func @dynamic_lines(%x: tensor<?x16xi8>, %w: tensor<16x3xi8>, %o: tensor<?x16xi32>) -> tensor<?x16xi32> {
  %z = arith.constant 3 : i8
  %p = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : i8
  } : tensor<?x16xi8> to tensor<?x16xi8>
  %y = kernel.contract lhs(%p : tensor<?x16xi8>) rhs(%w : tensor<16x3xi8>) outs(%o : tensor<?x16xi32>)
      {indexing_maps = [#x, #w, #y], lhs_unsigned, reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x16xi32>
  return %y : tensor<?x16xi32>
}

// -----

#x = affine_map<(h, n, r, k) -> (h + r, k)>
#w = affine_map<(h, n, r, k) -> (n, r, k)>
#y = affine_map<(h, n, r, k) -> (h, n)>
#dx = affine_map<(h, c, r) -> (h + r, c)>
#dw = affine_map<(h, c, r) -> (c, r)>
#dy = affine_map<(h, c, r) -> (h, c)>

// Where another contraction needs the copy, both read it.
// CHECK-LABEL: func.func @two_readers(
// CHECK: tensor.pad
// CHECK-NOT: lhs_padding
func.func @two_readers(%x: tensor<8x16xi8>, %v: tensor<4x3x16xi8>, %w: tensor<16x3xi8>, %n: tensor<8x4xi32>, %o: tensor<8x16xi32>) -> (tensor<8x4xi32>, tensor<8x16xi32>) {
  %z = arith.constant 3 : i8
  %p = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : i8
  } : tensor<8x16xi8> to tensor<10x16xi8>
  %a = kernel.contract lhs(%p : tensor<10x16xi8>) rhs(%v : tensor<4x3x16xi8>) outs(%n : tensor<8x4xi32>)
      {indexing_maps = [#x, #w, #y], lhs_unsigned, reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 16>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<8x4xi32>
  %y = kernel.contract lhs(%p : tensor<10x16xi8>) rhs(%w : tensor<16x3xi8>) outs(%o : tensor<8x16xi32>)
      {indexing_maps = [#dx, #dw, #dy], lhs_unsigned, reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<8x16xi32>
  return %a, %y : tensor<8x4xi32>, tensor<8x16xi32>
}
