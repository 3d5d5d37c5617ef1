// RUN: qcc-opt -convert-qnn-to-linalg %s | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02:128>
!s8 = !quant.uniform<i8:f32, 1.000000e-01:3>

// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2, d3) -> (d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1, d2, d3) -> (d2)>
// CHECK-DAG: #[[PLACE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// CHECK-LABEL: func.func @nearest(
// CHECK-SAME:    %[[X:.*]]: tensor<?x2x3x4xi8>
// CHECK-DAG:     %[[ROWS:.*]] = arith.constant dense<[0, 0, 1, 1]> : tensor<4xi32>
// CHECK-DAG:     %[[COLUMNS:.*]] = arith.constant dense<[0, 1]> : tensor<2xi32>
// CHECK:         linalg.generic {indexing_maps = [#[[ROW]], #[[COLUMN]], #[[PLACE]]], {{.*}}} ins(%[[ROWS]], %[[COLUMNS]] : tensor<4xi32>, tensor<2xi32>) outs(%{{.*}} : tensor<?x4x2x4xi8>) attrs = {qcc.origin = "qnn.resize"}
// CHECK:         ^bb0(%[[R:.*]]: i32, %[[C:.*]]: i32, %{{.*}}: i8):
// CHECK-DAG:       %[[N:.*]] = linalg.index 0 : index
// CHECK-DAG:       %[[Y:.*]] = arith.index_cast %[[R]] : i32 to index
// CHECK-DAG:       %[[V:.*]] = arith.index_cast %[[C]] : i32 to index
// CHECK-DAG:       %[[K:.*]] = linalg.index 3 : index
// CHECK:           %[[E:.*]] = tensor.extract %[[X]][%[[N]], %[[Y]], %[[V]], %[[K]]] : tensor<?x2x3x4xi8>
// CHECK-NEXT:      linalg.yield %[[E]] : i8
func.func @nearest(%x: tensor<?x2x3x4x!u8>) -> tensor<?x4x2x4x!u8> {
  %0 = qnn.resize %x {mode = "nearest", coordinate_transformation = "asymmetric", rounding = "floor"} : tensor<?x2x3x4x!u8> -> tensor<?x4x2x4x!u8>
  return %0 : tensor<?x4x2x4x!u8>
}

// Places -0.25, 0.25, 0.75, 1.25 of rows and 0.25, 1.75 of columns; the factor is 0.1 / 0.05.
// CHECK-LABEL: func.func @linear(
// CHECK-DAG:     arith.constant dense<[0, 0, 0, 1]> : tensor<4xi32>
// CHECK-DAG:     arith.constant dense<[0, 1, 1, 1]> : tensor<4xi32>
// CHECK-DAG:     arith.constant dense<[7.500000e-01, 2.500000e-01, 7.500000e-01, 2.500000e-01]> : tensor<4xf32>
// CHECK-DAG:     arith.constant dense<[0, 1]> : tensor<2xi32>
// CHECK-DAG:     arith.constant dense<[1, 2]> : tensor<2xi32>
// CHECK-DAG:     arith.constant dense<[2.500000e-01, 7.500000e-01]> : tensor<2xf32>
// CHECK:         ^bb0(%[[Y0:.*]]: i32, %[[Y1:.*]]: i32, %[[WY:.*]]: f32, %[[X0:.*]]: i32, %[[X1:.*]]: i32, %[[WX:.*]]: f32, %{{.*}}: i8):
// CHECK:           %[[A:.*]] = arith.sitofp
// CHECK:           %[[B:.*]] = arith.sitofp
// CHECK:           %[[D:.*]] = arith.subf %[[B]], %[[A]] : f32
// CHECK:           %[[TOP:.*]] = math.fma %[[D]], %[[WX]], %[[A]] : f32
// CHECK:           %[[BOTTOM:.*]] = math.fma %{{.*}}, %[[WX]], %{{.*}} : f32
// CHECK:           %[[H:.*]] = arith.subf %[[BOTTOM]], %[[TOP]] : f32
// CHECK:           %[[T:.*]] = math.fma %[[H]], %[[WY]], %[[TOP]] : f32
// CHECK:           %[[M:.*]] = arith.constant 2.000000e+00 : f32
// CHECK:           arith.mulf %[[T]], %[[M]] : f32
// CHECK-NOT:       arith.cmpf
// CHECK:           math.roundeven
func.func @linear(%x: tensor<1x2x3x4x!s8>) -> tensor<1x4x2x4x!u8> {
  %0 = qnn.resize %x {mode = "linear", coordinate_transformation = "half_pixel"} : tensor<1x2x3x4x!s8> -> tensor<1x4x2x4x!u8>
  return %0 : tensor<1x4x2x4x!u8>
}

// CHECK-LABEL: func.func @real(
// CHECK:           %[[S:.*]] = arith.constant 1.000000e-01 : f32
// CHECK:           %[[V:.*]] = arith.mulf %{{.*}}, %[[S]] : f32
// CHECK:           %[[R:.*]] = arith.truncf %[[V]] : f32 to f16
// CHECK:           linalg.yield %[[R]] : f16
func.func @real(%x: tensor<1x2x3x4x!s8>) -> tensor<1x4x2x4xf16> {
  %0 = qnn.resize %x {mode = "linear", coordinate_transformation = "align_corners"} : tensor<1x2x3x4x!s8> -> tensor<1x4x2x4xf16>
  return %0 : tensor<1x4x2x4xf16>
}
