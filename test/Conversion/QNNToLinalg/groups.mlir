// RUN: qcc-opt -convert-qnn-to-linalg %s | FileCheck %s

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
// CHECK-DAG: #[[ZROW:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, 0)>
// CHECK-DAG: #[[ZGROUP:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d1)>
// CHECK-DAG: #[[SUMS:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d0, d1)>
// CHECK-DAG: #[[SUM:.*]] = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2) -> (d0, 0)>
// CHECK-DAG: #[[ROWGROUP:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[CHANNEL:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-DAG: #[[GROUP:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[N:.*]] = affine_map<(d0, d1) -> (d1)>

// The sums of groups, then the chain over groups from +0. Parameters of the weight
// get their columns innermost.
// CHECK-LABEL: func.func @groups(
// CHECK-SAME:    %[[X0:.*]]: tensor<?x6xi8>, %[[W0:.*]]: tensor<3x6xi8>, %[[SX:.*]]: tensor<?x1xf32>, %[[SW:.*]]: tensor<3x2xf32>)
// CHECK:         %[[XG:.*]] = tensor.expand_shape %[[X0]] {{\[\[}}0], [1, 2]] output_shape [%{{.*}}, 2, 3] : tensor<?x6xi8> into tensor<?x2x3xi8>
// CHECK:         %[[WG:.*]] = tensor.expand_shape %[[W0]] {{\[\[}}0], [1, 2]] output_shape [3, 2, 3] : tensor<3x6xi8> into tensor<3x2x3xi8>
// CHECK:         %[[ZERO:.*]] = linalg.fill ins(%{{.*}} : i32) outs(%{{.*}} : tensor<2x?x3xi32>)
// CHECK:         %[[ACC:.*]] = linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[SUMS]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[XG]], %[[WG]] : {{.*}}) outs(%[[ZERO]] : tensor<2x?x3xi32>) attrs = {qcc.origin = "qnn.linear"}
// CHECK:         ^bb0(%[[XE:.*]]: i8, %[[WE:.*]]: i8, %[[A:.*]]: i32):
// CHECK-NEXT:      %[[X1:.*]] = arith.extsi %[[XE]] : i8 to i32
// CHECK-NEXT:      %[[W1:.*]] = arith.extsi %[[WE]] : i8 to i32
// CHECK-NEXT:      %[[P:.*]] = arith.muli %[[X1]], %[[W1]] : i32
// CHECK-NEXT:      %[[S:.*]] = arith.addi %[[A]], %[[P]] : i32
// CHECK-NEXT:      linalg.yield %[[S]] : i32
// CHECK:         %[[SWT:.*]] = linalg.transpose ins(%[[SW]] : tensor<3x2xf32>) outs(%{{.*}} : tensor<2x3xf32>) permutation = [1, 0]
// CHECK:         %[[V:.*]] = linalg.generic {indexing_maps = [#[[SUM]], #[[ROW]], #[[GROUP]], #[[MN]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[ACC]], %[[SX]], %[[SWT]] : {{.*}}) outs(%{{.*}} : tensor<?x3xf32>) attrs = {qcc.origin = "qnn.linear"}
// CHECK:         ^bb0(%[[AE:.*]]: i32, %[[SXE:.*]]: f32, %[[SWE:.*]]: f32, %[[VE:.*]]: f32):
// CHECK-NEXT:      %[[F:.*]] = arith.sitofp %[[AE]] : i32 to f32
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[SXE]], %[[SWE]] : f32
// CHECK-NEXT:      %[[R:.*]] = math.fma %[[F]], %[[M]], %[[VE]] : f32
// CHECK-NEXT:      linalg.yield %[[R]] : f32
// CHECK:         return %[[V]] : tensor<?x3xf32>
func.func @groups(%x: tensor<?x6xi8>, %w: tensor<3x6xi8>, %sx: tensor<?x1xf32>, %sw: tensor<3x2xf32>) -> tensor<?x3xf32> {
  %0 = qnn.linear %x, %w input_scale(%sx : tensor<?x1xf32>) weight_scale(%sw : tensor<3x2xf32>) : tensor<?x6xi8>, tensor<3x6xi8> -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// Zero points of rows and of groups are inputs of the sums. The chain starts with
// the bias; clamp and rounding follow it.
// CHECK-LABEL: func.func @zero_points(
// CHECK-SAME:    %[[SX:[^:]*]]: tensor<4x2xf32>, %[[ZX:[^:]*]]: tensor<4x1xi8>, %[[SW:[^:]*]]: tensor<3x2xf32>, %[[ZW:[^:]*]]: tensor<3x2xi32>, %[[B:[^:]*]]: tensor<3xf32>)
// CHECK:         %[[ZX32:.*]] = linalg.generic {{.*}} ins(%[[ZX]] : tensor<4x1xi8>) outs(%{{.*}} : tensor<4x1xi32>)
// CHECK:         %[[ZWT:.*]] = linalg.transpose ins(%[[ZW]] : tensor<3x2xi32>)
// CHECK:         %[[ACC:.*]] = linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[ZROW]], #[[ZGROUP]], #[[SUMS]]]
// CHECK-SAME:      ins(%{{.*}}, %{{.*}}, %[[ZX32]], %[[ZWT]] :
// CHECK:         ^bb0(%[[XE:.*]]: i8, %[[WE:.*]]: i8, %[[ZXE:.*]]: i32, %[[ZWE:.*]]: i32, %{{.*}}: i32):
// CHECK-NEXT:      %[[X1:.*]] = arith.extsi %[[XE]] : i8 to i32
// CHECK-NEXT:      %[[X2:.*]] = arith.subi %[[X1]], %[[ZXE]] : i32
// CHECK-NEXT:      %[[W1:.*]] = arith.extui %[[WE]] : i8 to i32
// CHECK-NEXT:      %[[W2:.*]] = arith.subi %[[W1]], %[[ZWE]] : i32
// CHECK-NEXT:      arith.muli %[[X2]], %[[W2]] : i32
// CHECK:         %[[SWT:.*]] = linalg.transpose ins(%[[SW]] : tensor<3x2xf32>)
// CHECK:         %[[START:.*]] = linalg.generic {indexing_maps = [#[[N]], #[[ID]]], {{.*}} ins(%[[B]] : tensor<3xf32>) outs(%{{.*}} : tensor<4x3xf32>)
// CHECK:         %[[V:.*]] = linalg.generic {indexing_maps = [#[[SUM]], #[[ROWGROUP]], #[[GROUP]], #[[MN]]]
// CHECK-SAME:      ins(%[[ACC]], %[[SX]], %[[SWT]] : {{.*}}) outs(%[[START]] : tensor<4x3xf32>)
// CHECK:           math.fma
// CHECK:         linalg.generic {{.*}} ins(%[[V]] : tensor<4x3xf32>) outs(%{{.*}} : tensor<4x3xf16>)
// CHECK:           arith.maximumf
// CHECK-NEXT:      arith.truncf
// CHECK-NEXT:      linalg.yield
func.func @zero_points(%x: tensor<4x6xi8>, %w: tensor<3x6xui8>, %sx: tensor<4x2xf32>, %zx: tensor<4x1xi8>, %sw: tensor<3x2xf32>, %zw: tensor<3x2xi32>,
                       %b: tensor<3xf32>) -> tensor<4x3xf16> {
  %0 = qnn.linear %x, %w bias(%b : tensor<3xf32>) input_scale(%sx : tensor<4x2xf32>) input_zero_point(%zx : tensor<4x1xi8>)
    weight_scale(%sw : tensor<3x2xf32>) weight_zero_point(%zw : tensor<3x2xi32>) {clamp_min = 0.0 : f32} : tensor<4x6xi8>, tensor<3x6xui8> -> tensor<4x3xf16>
  return %0 : tensor<4x3xf16>
}

// Groups of the input alone: the weight keeps its scales of channels.
// CHECK-LABEL: func.func @input_groups(
// CHECK-SAME:    %[[SX:[^:]*]]: tensor<4x2xf32>, %[[SW:[^:]*]]: tensor<3xf32>)
// CHECK:         linalg.generic {indexing_maps = [#[[SUM]], #[[ROWGROUP]], #[[CHANNEL]], #[[MN]]]
// CHECK-SAME:      ins(%{{.*}}, %[[SX]], %[[SW]] :
func.func @input_groups(%x: tensor<4x6xi8>, %w: tensor<3x6xi8>, %sx: tensor<4x2xf32>, %sw: tensor<3xf32>) -> tensor<4x3xf32> {
  %0 = qnn.linear %x, %w input_scale(%sx : tensor<4x2xf32>) weight_scale(%sw : tensor<3xf32>) : tensor<4x6xi8>, tensor<3x6xi8> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
