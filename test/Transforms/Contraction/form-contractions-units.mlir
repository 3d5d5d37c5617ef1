// RUN: qcc-opt %s -generalize-linalg -form-contractions -canonicalize -cse -split-input-file | FileCheck %s

// A convolution of 1x1 is a matmul: its windows have no terms of the loops over
// the filter, which are left out.

// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (0, 0, d4, d3)>
// CHECK-DAG: #[[ZERO:.*]] = affine_map<(d0, d1, d2, d3, d4) -> ()>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @conv_1x1
// CHECK: kernel.contract lhs(%{{.*}} : tensor<2x7x7x64xi8>) rhs(%{{.*}} : tensor<1x1x64x32xi8>) lhs_zero_point(
// CHECK-NOT: rhs_zero_point
// CHECK-SAME: indexing_maps = [#[[LHS]], #[[RHS]], #[[ZERO]], #[[OUT]]]} epilogue
func.func @conv_1x1(%x: tensor<2x7x7x64xi8>, %w: tensor<1x1x64x32xi8>) -> tensor<2x7x7x32xi32> {
  %c0 = arith.constant 0 : i32
  %zx = arith.constant 3 : i32
  %e = tensor.empty() : tensor<2x7x7x32xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<2x7x7x32xi32>) -> tensor<2x7x7x32xi32>
  %r = linalg.conv_2d_nhwc_hwcf_q ins(%x, %w, %zx, %c0 : tensor<2x7x7x64xi8>, tensor<1x1x64x32xi8>, i32, i32)
      outs(%i : tensor<2x7x7x32xi32>) -> tensor<2x7x7x32xi32>
  return %r : tensor<2x7x7x32xi32>
}

// -----

// Of an operand that is larger than the windows reach, a slice is read.

// CHECK-LABEL: func.func @larger_input
// CHECK-SAME: %[[X:.*]]: tensor<2x8x9x64xi8>
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[X]][0, 0, 0, 0] [2, 7, 9, 64] [1, 1, 1, 1]
// CHECK: kernel.contract lhs(%[[SLICE]] : tensor<2x7x9x64xi8>)
func.func @larger_input(%x: tensor<2x8x9x64xi8>, %w: tensor<1x1x64x32xi8>, %i: tensor<2x7x9x32xi32>) -> tensor<2x7x9x32xi32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x8x9x64xi8>, tensor<1x1x64x32xi8>)
      outs(%i : tensor<2x7x9x32xi32>) -> tensor<2x7x9x32xi32>
  return %r : tensor<2x7x9x32xi32>
}

// -----

// Sizes that are known to be the same need none; others may differ.

// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: %[[X:.*]]: tensor<1x?x?x64xi8>
// CHECK: %[[W:.*]] = tensor.dim %{{.*}}, %c0 : tensor<?xi8>
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[X]][0, 0, 0, 0] [1, %{{.*}}, %[[W]], 64] [1, 1, 1, 1]
// CHECK: kernel.contract lhs(%[[SLICE]] : tensor<1x?x?x64xi8>)
func.func @dynamic(%x: tensor<1x?x?x64xi8>, %w: tensor<1x1x64x32xi8>, %columns: tensor<?xi8>) -> tensor<1x?x?x32xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %dh = tensor.dim %x, %c1 : tensor<1x?x?x64xi8>
  %dw = tensor.dim %columns, %c0 : tensor<?xi8>
  %e = tensor.empty(%dh, %dw) : tensor<1x?x?x32xi32>
  %i = linalg.fill ins(%zero : i32) outs(%e : tensor<1x?x?x32xi32>) -> tensor<1x?x?x32xi32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x?x?x64xi8>, tensor<1x1x64x32xi8>)
      outs(%i : tensor<1x?x?x32xi32>) -> tensor<1x?x?x32xi32>
  return %r : tensor<1x?x?x32xi32>
}

// -----

// CHECK-LABEL: func.func @same_dynamic
// CHECK-NOT: tensor.extract_slice
// CHECK: kernel.contract lhs(%{{.*}} : tensor<1x?x?x64xi8>)
func.func @same_dynamic(%x: tensor<1x?x?x64xi8>, %w: tensor<1x1x64x32xi8>) -> tensor<1x?x?x32xi32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %dh = tensor.dim %x, %c1 : tensor<1x?x?x64xi8>
  %dw = tensor.dim %x, %c2 : tensor<1x?x?x64xi8>
  %e = tensor.empty(%dh, %dw) : tensor<1x?x?x32xi32>
  %i = linalg.fill ins(%zero : i32) outs(%e : tensor<1x?x?x32xi32>) -> tensor<1x?x?x32xi32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x?x?x64xi8>, tensor<1x1x64x32xi8>)
      outs(%i : tensor<1x?x?x32xi32>) -> tensor<1x?x?x32xi32>
  return %r : tensor<1x?x?x32xi32>
}

// -----

// A window as large as what it slides over is K. The slice of the last row and
// column that no window reaches is left out.

// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3, d4)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d3, d4, d1)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, 0, 0, d1)>
// CHECK-LABEL: func.func @whole_input
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 0] [2, 7, 7, 64] [1, 1, 1, 1]
// CHECK: kernel.contract {{.*}}indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]], #[[OUT]]]
func.func @whole_input(%x: tensor<2x8x8x64xi8>, %w: tensor<7x7x64x32xi8>, %i: tensor<2x1x1x32xi32>) -> tensor<2x1x1x32xi32> {
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<2x8x8x64xi8>, tensor<7x7x64x32xi8>)
      outs(%i : tensor<2x1x1x32xi32>) -> tensor<2x1x1x32xi32>
  return %r : tensor<2x1x1x32xi32>
}

// -----

// A stride skips elements: that is a window still.

// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 2, d2 * 2, d4)>
// CHECK-LABEL: func.func @strided_1x1
// CHECK: kernel.contract lhs(%arg0 : tensor<2x7x7x64xi8>) {{.*}}indexing_maps = [#[[LHS]],
func.func @strided_1x1(%x: tensor<2x7x7x64xi8>, %w: tensor<1x1x64x32xi8>, %i: tensor<2x4x4x32xi32>) -> tensor<2x4x4x32xi32> {
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<2x7x7x64xi8>, tensor<1x1x64x32xi8>)
      outs(%i : tensor<2x4x4x32xi32>) -> tensor<2x4x4x32xi32>
  return %r : tensor<2x4x4x32xi32>
}

// -----

// A batch of one is none, a row of one is none, and the epilogue's operands
// follow. Columns remain, and one K.

// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1) -> (0, 0, d1)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1) -> (0, d1, d0)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1) -> (0, 0, d0)>
// CHECK-LABEL: func.func @one_row
// CHECK: kernel.contract {{.*}}epilogue_ins(%{{.*}} : tensor<1x1x32xi32>)
// CHECK-SAME: indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]], #[[OUT]]]
func.func @one_row(%x: tensor<1x1x64xi8>, %w: tensor<1x64x32xi8>, %b: tensor<1x1x32xi32>) -> tensor<1x1x32xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x1x32xi32>
  %i = linalg.fill ins(%zero : i32) outs(%e : tensor<1x1x32xi32>) -> tensor<1x1x32xi32>
  %r = linalg.batch_matmul ins(%x, %w : tensor<1x1x64xi8>, tensor<1x64x32xi8>)
      outs(%i : tensor<1x1x32xi32>) -> tensor<1x1x32xi32>
  %y = linalg.add ins(%r, %b : tensor<1x1x32xi32>, tensor<1x1x32xi32>)
      outs(%e : tensor<1x1x32xi32>) -> tensor<1x1x32xi32>
  return %y : tensor<1x1x32xi32>
}

// -----

// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func @one_column
// CHECK: kernel.contract {{.*}}indexing_maps = [#[[LHS]], #[[RHS]],
func.func @one_column(%x: tensor<5x2xi8>, %w: tensor<2x1xi8>, %i: tensor<5x1xi32>) -> tensor<5x1xi32> {
  %r = linalg.matmul ins(%x, %w : tensor<5x2xi8>, tensor<2x1xi8>) outs(%i : tensor<5x1xi32>) -> tensor<5x1xi32>
  return %r : tensor<5x1xi32>
}

// -----

// One product for each result is no matter for a kernel, nor are the few
// results that a depthwise convolution has for each channel.

// CHECK-LABEL: func.func @one_product
// CHECK: qcc.refused = "each result is a single product: computed by generic loops"
func.func @one_product(%x: tensor<5x1xi8>, %w: tensor<1x1xi8>, %i: tensor<5x1xi32>) -> tensor<5x1xi32> {
  %r = linalg.matmul ins(%x, %w : tensor<5x1xi8>, tensor<1x1xi8>) outs(%i : tensor<5x1xi32>) -> tensor<5x1xi32>
  return %r : tensor<5x1xi32>
}

// CHECK-LABEL: func.func @depthwise
// CHECK: qcc.refused = "its innermost dimension is a batch and there are few columns: computed by generic loops, which have the batch in their lanes"
func.func @depthwise(%x: tensor<1x5x5x16xi8>, %w: tensor<1x1x16x4xi8>, %i: tensor<1x5x5x16x4xi32>) -> tensor<1x5x5x16x4xi32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwcm ins(%x, %w : tensor<1x5x5x16xi8>, tensor<1x1x16x4xi8>)
      outs(%i : tensor<1x5x5x16x4xi32>) -> tensor<1x5x5x16x4xi32>
  return %r : tensor<1x5x5x16x4xi32>
}

// -----

// Zero points of fewer bits are converted before.

// CHECK-LABEL: func.func @narrow_zero_point
// CHECK-SAME: %[[Z:[a-z0-9]*]]: i8
// CHECK: %[[WIDE:.*]] = arith.extsi %[[Z]] : i8 to i32
// CHECK: %[[OPERAND:.*]] = tensor.from_elements %[[WIDE]]
// CHECK: kernel.contract {{.*}}lhs_zero_point(%[[OPERAND]] : tensor<i32>)
// CHECK-NOT: rhs_zero_point
// CHECK: epilogue
func.func @narrow_zero_point(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %z: i8, %i: tensor<5x9xi32>) -> tensor<5x9xi32> {
  %zero = arith.constant 0 : i8
  %r = linalg.quantized_matmul ins(%x, %w, %z, %zero : tensor<5x7xi8>, tensor<7x9xi8>, i8, i8)
      outs(%i : tensor<5x9xi32>) -> tensor<5x9xi32>
  return %r : tensor<5x9xi32>
}

// -----

// Each column has a left operand of its own.

// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (0, d0 + d3, d1 * 2 + d4, d2)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>
// CHECK-LABEL: func.func @depthwise_windows
// CHECK: kernel.contract {{.*}}indexing_maps = [#[[LHS]], #[[RHS]],
func.func @depthwise_windows(%x: tensor<1x5x7x16xi8>, %w: tensor<3x3x16xi8>, %i: tensor<1x3x3x16xi32>) -> tensor<1x3x3x16xi32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<[1, 2]> : vector<2xi64>}
      ins(%x, %w : tensor<1x5x7x16xi8>, tensor<3x3x16xi8>) outs(%i : tensor<1x3x3x16xi32>) -> tensor<1x3x3x16xi32>
  return %r : tensor<1x3x3x16xi32>
}

// -----

// What is transposed after a depthwise convolution stays outside: results of the convolution have the channels innermost.

// CHECK-LABEL: func.func @depthwise_transposed
// CHECK: %[[Y:.*]] = kernel.contract {{.*}} outs(%{{.*}} : tensor<1x3x5x16xi32>)
// CHECK: linalg.generic {{.*}} ins(%[[Y]] : tensor<1x3x5x16xi32>) {{.*}}qcc.refused = "it stands after a depthwise contraction, but its result does not have the channels innermost"
func.func @depthwise_transposed(%x: tensor<1x5x7x16xi8>, %w: tensor<3x3x16xi8>, %i: tensor<1x3x5x16xi32>) -> tensor<1x16x3x5xi32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc
      ins(%x, %w : tensor<1x5x7x16xi8>, tensor<3x3x16xi8>) outs(%i : tensor<1x3x5x16xi32>) -> tensor<1x3x5x16xi32>
  %e = tensor.empty() : tensor<1x16x3x5xi32>
  %t = linalg.transpose ins(%r : tensor<1x3x5x16xi32>) outs(%e : tensor<1x16x3x5xi32>) permutation = [0, 3, 1, 2]
  return %t : tensor<1x16x3x5xi32>
}
