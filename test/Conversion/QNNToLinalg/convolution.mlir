// RUN: qcc-opt -convert-qnn-to-linalg %s | FileCheck %s

!x = !quant.uniform<u8:f32, 5.0e-01:128>
!w = !quant.uniform<i8:f32, 2.5e-01>
!channel = !quant.uniform<i8:f32:0, {1.0, 2.0, 3.0:1, 4.0, 5.0, 6.0}>

// CHECK-DAG: #[[F:.*]] = affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4, d2 * 3 + d5 * 2, d6)>
// CHECK-DAG: #[[KERNEL:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3, d4, d5, d6)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[SCALAR:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> ()>
// CHECK-DAG: #[[GF:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d4)>
// CHECK-DAG: #[[GID:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
// CHECK-DAG: #[[GWINDOW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1 + d5, d2 + d6, d3, d7)>
// CHECK-DAG: #[[GKERNEL:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d3, d4, d5, d6, d7)>
// CHECK-DAG: #[[GCHANNEL:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d3, d4)>
// CHECK-DAG: #[[GOUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4)>
// CHECK-DAG: #[[DWINDOW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2 + d5, d3)>
// CHECK-DAG: #[[DKERNEL:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4, d5)>
// CHECK-DAG: #[[DCHANNEL:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3)>
// CHECK-DAG: #[[DOUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[REVERSED:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, -d1 + 1, -d2 + 2, d3)>
// CHECK-DAG: #[[PLAIN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>
// CHECK-DAG: #[[HALF:.*]] = affine_map<()[s0] -> (s0 floordiv 2)>

// Padding is the zero point, as it is stored: u8 128 is i8 -128.
// CHECK-LABEL: func.func @one(
// CHECK-SAME:    %[[X:.*]]: tensor<1x6x5x3xi8> {{.*}}, %[[W:.*]]: tensor<4x3x2x3xi8> {{.*}}, %[[B:.*]]: tensor<4xi32>)
// CHECK:         %[[Z:.*]] = arith.constant -128 : i8
// CHECK:         %[[PADDED:.*]] = tensor.pad %[[X]] low[0, 1, 0, 0] high[0, 0, 1, 0] {
// CHECK:           tensor.yield %[[Z]] : i8
// CHECK:         %[[INIT:.*]] = linalg.generic {indexing_maps = [#[[F]], #[[ID]]], {{.*}} ins(%[[B]] : tensor<4xi32>)
// CHECK:         %[[ACC:.*]] = linalg.generic {indexing_maps = [#[[WINDOW]], #[[KERNEL]], #[[OUT]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
// CHECK-SAME:      ins(%[[PADDED]], %[[W]] : tensor<1x7x6x3xi8>, tensor<4x3x2x3xi8>) outs(%[[INIT]] : tensor<1x3x2x4xi32>) attrs = {qcc.origin = "qnn.conv2d"}
// CHECK:         ^bb0(%[[XE:.*]]: i8, %[[WE:.*]]: i8, %[[A:.*]]: i32):
// CHECK-NEXT:      %[[X1:.*]] = arith.extui %[[XE]] : i8 to i32
// CHECK-NEXT:      %[[C128:.*]] = arith.constant 128 : i32
// CHECK-NEXT:      %[[X2:.*]] = arith.subi %[[X1]], %[[C128]] : i32
// CHECK-NEXT:      %[[W1:.*]] = arith.extsi %[[WE]] : i8 to i32
// CHECK-NEXT:      %[[P:.*]] = arith.muli %[[X2]], %[[W1]] : i32
// CHECK-NEXT:      arith.addi %[[A]], %[[P]] : i32
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[ID]]], {{.*}} ins(%[[ACC]] : tensor<1x3x2x4xi32>) outs(%{{.*}} : tensor<1x3x2x4xf32>) attrs = {qcc.origin = "qnn.conv2d"}
// CHECK:           arith.constant 1.250000e-01 : f32
func.func @one(%x: tensor<1x6x5x3x!x>, %w: tensor<4x3x2x3x!w>, %b: tensor<4xi32>) -> tensor<1x3x2x4xf32> {
  %y = qnn.conv2d %x, %w bias(%b : tensor<4xi32>) {strides = array<i64: 2, 3>, dilations = array<i64: 1, 2>, padding = array<i64: 1, 0, 0, 1>}
    : tensor<1x6x5x3x!x>, tensor<4x3x2x3x!w> -> tensor<1x3x2x4xf32>
  return %y : tensor<1x3x2x4xf32>
}

// Channels are groups and the channels of each, up to the result.
// CHECK-LABEL: func.func @groups(
// CHECK-SAME:    %[[X:.*]]: tensor<1x6x5x4xi8> {{.*}}, %[[W:.*]]: tensor<6x3x3x2xi8> {{.*}}, %[[B:.*]]: tensor<6xi32>)
// CHECK-NOT:     tensor.pad
// CHECK:         %[[XG:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1], [2], [3, 4]] output_shape [1, 6, 5, 2, 2]
// CHECK:         %[[WG:.*]] = tensor.expand_shape %[[W]] {{\[\[}}0, 1], [2], [3], [4]] output_shape [2, 3, 3, 3, 2]
// CHECK:         %[[ZG:.*]] = arith.constant dense<{{\[\[}}0, 0, 1], [0, 0, 0]]> : tensor<2x3xi32>
// CHECK:         %[[BG:.*]] = tensor.expand_shape %[[B]] {{\[\[}}0, 1]] output_shape [2, 3]
// CHECK:         %[[INIT:.*]] = linalg.generic {indexing_maps = [#[[GF]], #[[GID]]], {{.*}} ins(%[[BG]] : tensor<2x3xi32>)
// CHECK:         %[[ACC:.*]] = linalg.generic {indexing_maps = [#[[GWINDOW]], #[[GKERNEL]], #[[GCHANNEL]], #[[GOUT]]], {{.*}}"reduction", "reduction", "reduction"]} ins(%[[XG]], %[[WG]], %[[ZG]] : {{.*}}) outs(%[[INIT]] : tensor<1x4x3x2x3xi32>)
// CHECK:         %[[M:.*]] = arith.constant dense<{{\[\[}}5.000000e-01, 1.000000e+00, 1.500000e+00], [2.000000e+00, 2.500000e+00, 3.000000e+00]]> : tensor<2x3xf32>
// CHECK:         %[[Y:.*]] = linalg.generic {indexing_maps = [#[[GID]], #[[GF]], #[[GID]]], {{.*}} ins(%[[ACC]], %[[M]] : tensor<1x4x3x2x3xi32>, tensor<2x3xf32>)
// CHECK:         tensor.collapse_shape %[[Y]] {{\[\[}}0], [1], [2], [3, 4]] : tensor<1x4x3x2x3xf32> into tensor<1x4x3x6xf32>
func.func @groups(%x: tensor<1x6x5x4x!x>, %w: tensor<6x3x3x2x!channel>, %b: tensor<6xi32>) -> tensor<1x4x3x6xf32> {
  %y = qnn.conv2d %x, %w bias(%b : tensor<6xi32>) {groups = 2 : i64}
    : tensor<1x6x5x4x!x>, tensor<6x3x3x2x!channel> -> tensor<1x4x3x6xf32>
  return %y : tensor<1x4x3x6xf32>
}

// The bias and the scales of groups that are known only at run time.
// CHECK-LABEL: func.func @groups_at_run_time(
// CHECK-SAME:    %[[S:[^:]*]]: tensor<6xf32>
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[GID]], #[[GF]], #[[GF]], #[[GID]]]
func.func @groups_at_run_time(%s: tensor<6xf32>, %x: tensor<1x6x5x4x!x>, %w: tensor<6x3x3x2xi8>, %b: tensor<6xf32>) -> tensor<1x4x3x6xf32> {
  %y = qnn.conv2d %x, %w bias(%b : tensor<6xf32>) weight_scale(%s : tensor<6xf32>) {groups = 2 : i64}
    : tensor<1x6x5x4x!x>, tensor<6x3x3x2xi8> -> tensor<1x4x3x6xf32>
  return %y : tensor<1x4x3x6xf32>
}

// One result per channel: no loop over the channels of a group.
// CHECK-LABEL: func.func @depthwise(
// CHECK-SAME:    %[[X:.*]]: tensor<1x6x5x6xi8> {{.*}}, %[[W:.*]]: tensor<6x3x3x1xi8>
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %[[W]] {{\[\[}}0], [1], [2, 3]] : tensor<6x3x3x1xi8> into tensor<6x3x3xi8>
// CHECK:         %[[ZC:.*]] = arith.constant dense<[0, 0, 1, 0, 0, 0]> : tensor<6xi32>
// CHECK:         linalg.generic {indexing_maps = [#[[DWINDOW]], #[[DKERNEL]], #[[DCHANNEL]], #[[DOUT]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[X]], %[[FLAT]], %[[ZC]] :
func.func @depthwise(%x: tensor<1x6x5x6x!x>, %w: tensor<6x3x3x1x!channel>) -> tensor<1x4x3x6xi32> {
  %y = qnn.conv2d %x, %w {groups = 6 : i64}
    : tensor<1x6x5x6x!x>, tensor<6x3x3x1x!channel> -> tensor<1x4x3x6xi32>
  return %y : tensor<1x4x3x6xi32>
}

// Several results per channel: each channel of the input is there as often.
// CHECK-LABEL: func.func @multiplier(
// CHECK-SAME:    %[[X:.*]]: tensor<1x6x5x3xi8> {{.*}}, %[[W:.*]]: tensor<6x3x3x1xi8>
// CHECK:         %[[REPEATED:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<1x6x5x3xi8>) outs(%{{.*}} : tensor<1x6x5x3x2xi8>)
// CHECK:         %[[XC:.*]] = tensor.collapse_shape %[[REPEATED]] {{\[\[}}0], [1], [2], [3, 4]] : tensor<1x6x5x3x2xi8> into tensor<1x6x5x6xi8>
// CHECK:         linalg.generic {indexing_maps = [#[[DWINDOW]], #[[DKERNEL]], #[[DCHANNEL]], #[[DOUT]]], {{.*}} ins(%[[XC]],
func.func @multiplier(%x: tensor<1x6x5x3x!x>, %w: tensor<6x3x3x1x!channel>) -> tensor<1x4x3x6xi32> {
  %y = qnn.conv2d %x, %w {groups = 3 : i64}
    : tensor<1x6x5x3x!x>, tensor<6x3x3x1x!channel> -> tensor<1x4x3x6xi32>
  return %y : tensor<1x4x3x6xi32>
}

// What a window asks of a size is left to insert-shape-checks. Of a zero point that is known only at run time, what can be
// stored counts.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?x5x1xi8> {{.*}}, %[[W:.*]]: tensor<4x3x3x1xi8> {{.*}}, %[[Z:.*]]: tensor<i32>, %{{.*}}: tensor<f32>)
// CHECK-DAG:     %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG:     %[[H:.*]] = tensor.dim %[[X]], %c1{{$| :}}
// CHECK:         %[[LEAST:.*]] = arith.constant 2 : index
// CHECK:         %[[ENOUGH:.*]] = arith.cmpi sle, %[[LEAST]], %{{.*}} : index
// CHECK:         cf.assert %[[ENOUGH]], "the input needs at least 2 elements along H" {qcc.origin = "qnn.conv2d"}
// CHECK:         %[[OH:.*]] = affine.apply #[[HALF]]()[%[[H]]]
// CHECK:         %[[ZS:.*]] = tensor.extract %[[Z]][] : tensor<i32>
// CHECK:         %[[STORED:.*]] = arith.trunci %[[ZS]] : i32 to i8
// CHECK:         %[[ZW:.*]] = arith.extui %[[STORED]] : i8 to i32
// CHECK:         %[[ZT:.*]] = tensor.from_elements %[[ZW]] : tensor<i32>
// CHECK:         %[[PADDED:.*]] = tensor.pad %[[X]] low[0, 1, 0, 0] high[0, 0, 0, 0] {
// CHECK:           tensor.yield %[[STORED]] : i8
// CHECK:         tensor.empty(%[[N]], %[[OH]]) : tensor<?x?x3x4xi32>
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[KERNEL]], #[[SCALAR]], #[[OUT]]], {{.*}} ins(%[[PADDED]], %[[W]], %[[ZT]] :
func.func @dynamic(%x: tensor<?x?x5x1xui8>, %w: tensor<4x3x3x1x!w>, %z: tensor<i32>, %s: tensor<f32>) -> tensor<?x?x3x4xi32> {
  %y = qnn.conv2d %x, %w input_scale(%s : tensor<f32>) input_zero_point(%z : tensor<i32>) {strides = array<i64: 2, 1>, padding = array<i64: 1, 0, 0, 0>}
    : tensor<?x?x5x1xui8>, tensor<4x3x3x1x!w> -> tensor<?x?x3x4xi32>
  return %y : tensor<?x?x3x4xi32>
}

// A convolution for each pixel of a stride, of the elements of the kernel that add to it, backwards; the last one has
// none. Their results are joined behind W and behind H, and what is too much is cut off.
// CHECK-LABEL: func.func @transposed(
// CHECK-SAME:    %[[X:.*]]: tensor<1x2x3x1xi8>
// CHECK:         %[[Z:.*]] = arith.constant -128 : i8
// CHECK:         %[[PADDED:.*]] = tensor.pad %[[X]] low[0, 0, 1, 0] high[0, 0, 1, 0]
// CHECK:         tensor.yield %[[Z]] : i8
// CHECK:         %[[W00:.*]] = arith.constant dense<{{\[\[\[\[}}3], [1]]]]> : tensor<1x1x2x1xi8>
// CHECK:         linalg.generic {indexing_maps = [#[[PLAIN]], #[[KERNEL]], #[[OUT]]], {{.*}} ins(%[[PADDED]], %[[W00]] : tensor<1x2x5x1xi8>, tensor<1x1x2x1xi8>) outs(%{{.*}} : tensor<1x2x4x1xi32>) attrs = {qcc.origin = "qnn.conv_transpose2d"}
// CHECK:         %[[Y00:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[ID]]]
// CHECK:         %[[READ:.*]] = tensor.extract_slice %[[PADDED]][0, 0, 1, 0] [1, 2, 4, 1] [1, 1, 1, 1]
// CHECK:         %[[W01:.*]] = arith.constant dense<2> : tensor<1x1x1x1xi8>
// CHECK:         linalg.generic {{.*}} ins(%[[READ]], %[[W01]] :
// CHECK:         %[[E00:.*]] = tensor.expand_shape %[[Y00]] {{\[\[}}0], [1], [2, 3], [4]]
// CHECK:         %[[LINE:.*]] = tensor.concat dim(3) %[[E00]], %{{.*}} -> tensor<1x2x4x2x1xf32>
// CHECK:         arith.constant dense<{{\[\[\[\[}}6], [4]]]]> : tensor<1x1x2x1xi8>
// CHECK:         arith.constant dense<5> : tensor<1x1x1x1xi8>
// CHECK:         tensor.concat dim(3)
// CHECK:         %[[ZERO:.*]] = linalg.fill {{.*}} outs(%{{.*}} : tensor<1x2x4x1xi32>)
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[ID]]], {{.*}} ins(%[[ZERO]] : tensor<1x2x4x1xi32>)
// CHECK:         tensor.concat dim(3)
// CHECK:         %[[L:.*]] = tensor.expand_shape %[[LINE]] {{\[\[}}0], [1, 2], [3], [4], [5]]
// CHECK:         %[[ALL:.*]] = tensor.concat dim(2) %[[L]], %{{.*}}, %{{.*}} -> tensor<1x2x3x4x2x1xf32>
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %[[ALL]] {{\[\[}}0], [1, 2], [3, 4], [5]]
// CHECK:         tensor.extract_slice %[[FLAT]][0, 0, 0, 0] [1, 5, 7, 1] [1, 1, 1, 1]
func.func @transposed(%x: tensor<1x2x3x1x!x>) -> tensor<1x5x7x1xf32> {
  %c = arith.constant dense<[[[[1], [2], [3]], [[4], [5], [6]]]]> : tensor<1x2x3x1xi8>
  %w = quant.scast %c : tensor<1x2x3x1xi8> to tensor<1x2x3x1x!w>
  %y = qnn.conv_transpose2d %x, %w {strides = array<i64: 3, 2>, output_padding = array<i64: 0, 0>}
    : tensor<1x2x3x1x!x>, tensor<1x2x3x1x!w> -> tensor<1x5x7x1xf32>
  return %y : tensor<1x5x7x1xf32>
}

// Without strides it is a convolution with more padding; a weight that is known only at run time is read backwards.
// CHECK-LABEL: func.func @transposed_at_run_time(
// CHECK-SAME:    %[[X:.*]]: tensor<1x?x3x1xi8> {{.*}}, %[[W:.*]]: tensor<1x2x3x1xi8>
// CHECK:         cf.assert %{{.*}}, "the input needs at least 2 elements along H" {qcc.origin = "qnn.conv_transpose2d"}
// CHECK:         %[[PADDED:.*]] = tensor.pad %[[X]] low[0, 0, 2, 0] high[0, 0, 1, 0]
// CHECK:         %[[BACK:.*]] = linalg.generic {indexing_maps = [#[[REVERSED]], #[[ID]]], {{.*}} ins(%[[W]] : tensor<1x2x3x1xi8>)
// CHECK:         linalg.generic {{.*}} ins(%[[PADDED]], %[[BACK]] :
func.func @transposed_at_run_time(%x: tensor<1x?x3x1x!x>, %w: tensor<1x2x3x1x!w>) -> tensor<1x?x4x1xi32> {
  %y = qnn.conv_transpose2d %x, %w {padding = array<i64: 1, 1, 0, 1>} : tensor<1x?x3x1x!x>, tensor<1x2x3x1x!w> -> tensor<1x?x4x1xi32>
  return %y : tensor<1x?x4x1xi32>
}
