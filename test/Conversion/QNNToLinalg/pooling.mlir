// RUN: qcc-opt -convert-qnn-to-linalg %s | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02:128>
!s8 = !quant.uniform<i8:f32, 1.000000e-01:3>

// CHECK-DAG: #[[OH:.*]] = affine_map<()[s0] -> ((s0 - 1) floordiv 2 + 1)>
// CHECK-DAG: #[[OW:.*]] = affine_map<()[s0] -> (s0 - 1)>
// CHECK-DAG: #[[WINDOWS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 + d5 * 2, d3)>
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[WHOLE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d5, d3)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2, d3) -> (d1)>

// What is padded is the least stored integer; sizes are demanded, then computed.
// CHECK-LABEL: func.func @max(
// CHECK-SAME:    %[[X:.*]]: tensor<2x?x?x4xi8>
// CHECK:         %[[H:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<2x?x?x4xi8>
// CHECK:         %[[FITS:.*]] = arith.cmpi sle, %{{.*}}, %[[H]] : index
// CHECK:         cf.assert %[[FITS]], "the input needs at least 1 elements along H" {qcc.origin = "qnn.max_pool2d"}
// CHECK:         cf.assert %{{.*}}, "the input needs at least 2 elements along W" {qcc.origin = "qnn.max_pool2d"}
// CHECK-DAG:     affine.apply #[[OH]]()
// CHECK-DAG:     affine.apply #[[OW]]()
// CHECK-DAG:     %[[LEAST:.*]] = arith.constant -128 : i8
// CHECK:         %[[P:.*]] = tensor.pad %[[X]] low[0, 1, 0, 0] high[0, 1, 1, 0]
// CHECK:           tensor.yield %[[LEAST]] : i8
// CHECK:         %[[W:.*]] = tensor.empty() : tensor<3x2xi8>
// CHECK:         %[[INIT:.*]] = linalg.fill ins(%{{.*}} : i8)
// CHECK:         linalg.generic {indexing_maps = [#[[WINDOWS]], #[[WINDOW]], #[[OUT]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[P]], %[[W]] : {{.*}}) outs(%[[INIT]] : {{.*}}) attrs = {qcc.origin = "qnn.max_pool2d"}
// CHECK:           arith.maxsi
func.func @max(%x: tensor<2x?x?x4x!s8>) -> tensor<2x?x?x4x!s8> {
  %0 = qnn.max_pool2d %x {window = array<i64: 3, 2>, strides = array<i64: 2, 1>, dilations = array<i64: 1, 2>, padding = array<i64: 1, 1, 0, 1>} : tensor<2x?x?x4x!s8> -> tensor<2x?x?x4x!s8>
  return %0 : tensor<2x?x?x4x!s8>
}

// CHECK-LABEL: func.func @max_unsigned(
// CHECK-NOT:     cf.assert
// CHECK-NOT:     tensor.pad
// CHECK:         %[[LEAST:.*]] = arith.constant 0 : i8
// CHECK:         linalg.fill ins(%[[LEAST]] : i8)
// CHECK:           arith.maxui
func.func @max_unsigned(%x: tensor<1x4x5x4xui8>) -> tensor<1x3x4x4xui8> {
  %0 = qnn.max_pool2d %x {window = array<i64: 2, 2>} : tensor<1x4x5x4xui8> -> tensor<1x3x4x4xui8>
  return %0 : tensor<1x3x4x4xui8>
}

// How many elements of each window are inside is a constant along H; 2 along W.
// CHECK-LABEL: func.func @avg(
// CHECK-SAME:    %[[X:.*]]: tensor<?x9x8x4xi8>
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK:         tensor.pad %[[X]]
// CHECK:           tensor.yield %[[ZERO]] : i8
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x5x7x4xi32>) attrs = {qcc.origin = "qnn.avg_pool2d"}
// CHECK:           %[[E:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK-NEXT:      arith.addi %{{.*}}, %[[E]] : i32
// CHECK:         %[[INSIDE:.*]] = arith.constant dense<[2, 3, 3, 3, 2]> : tensor<5xi32>
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[ROW]], #{{.*}}], {{.*}}} ins(%[[SUM]], %[[INSIDE]] : tensor<?x5x7x4xi32>, tensor<5xi32>) outs(%{{.*}} : tensor<?x5x7x4xf16>)
// CHECK:         ^bb0(%[[S:.*]]: i32, %[[I:.*]]: i32, %{{.*}}: f16):
// CHECK:           %[[N:.*]] = arith.muli %[[I]], %{{.*}} : i32
// CHECK:           %[[ZN:.*]] = arith.muli %{{.*}}, %[[N]] : i32
// CHECK:           %[[ACC:.*]] = arith.subi %[[S]], %[[ZN]] : i32
// CHECK:           %[[F:.*]] = arith.sitofp %[[ACC]] : i32 to f32
// CHECK:           %[[C:.*]] = arith.sitofp %{{.*}} : i32 to f32
// CHECK:           %[[M:.*]] = arith.divf %{{.*}}, %[[C]] : f32
// CHECK:           %[[V:.*]] = arith.mulf %[[F]], %[[M]] : f32
// CHECK:           arith.truncf %[[V]] : f32 to f16
func.func @avg(%x: tensor<?x9x8x4x!u8>) -> tensor<?x5x7x4xf16> {
  %0 = qnn.avg_pool2d %x {window = array<i64: 3, 2>, strides = array<i64: 2, 1>, padding = array<i64: 1, 1, 0, 0>} : tensor<?x9x8x4x!u8> -> tensor<?x5x7x4xf16>
  return %0 : tensor<?x5x7x4xf16>
}

// (0.1 / 6) / 0.05, known at compile time; no zero point, so nothing is counted.
// CHECK-LABEL: func.func @include_pad(
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<?x5x7x4xi32>) outs(%{{.*}} : tensor<?x5x7x4xi8>)
// CHECK:           %[[M:.*]] = arith.constant 0.333333343 : f32
// CHECK:           arith.mulf %{{.*}}, %[[M]] : f32
// CHECK-NOT:       arith.cmpf
// CHECK:           return
func.func @include_pad(%x: tensor<?x9x8x4x!quant.uniform<i8:f32, 0.1>>) -> tensor<?x5x7x4x!u8> {
  %0 = qnn.avg_pool2d %x {window = array<i64: 3, 2>, strides = array<i64: 2, 1>, padding = array<i64: 1, 1, 0, 0>, count_include_pad} : tensor<?x9x8x4x!quant.uniform<i8:f32, 0.1>> -> tensor<?x5x7x4x!u8>
  return %0 : tensor<?x5x7x4x!u8>
}

// Elements inside of an image of dynamic size are counted by index arithmetic.
// CHECK-LABEL: func.func @dynamic(
// CHECK:         %[[H:.*]] = tensor.dim %{{.*}} : tensor<1x?x8x4xi8>
// CHECK:           %[[I:.*]] = linalg.index 1 : index
// CHECK:           %[[START:.*]] = arith.muli %[[I]], %{{.*}} : index
// CHECK:           %[[FIRST:.*]] = arith.subi %[[START]], %{{.*}} : index
// CHECK:           %[[END:.*]] = arith.addi %[[FIRST]], %{{.*}} : index
// CHECK:           %[[HIGH:.*]] = arith.minsi %[[END]], %{{.*}} : index
// CHECK:           %[[LOW:.*]] = arith.maxsi %[[FIRST]], %{{.*}} : index
// CHECK:           %[[N:.*]] = arith.subi %[[HIGH]], %[[LOW]] : index
// CHECK:           arith.index_cast %[[N]] : index to i32
func.func @dynamic(%x: tensor<1x?x8x4x!u8>) -> tensor<1x?x7x4xf32> {
  %0 = qnn.avg_pool2d %x {window = array<i64: 3, 2>, strides = array<i64: 2, 1>, padding = array<i64: 1, 1, 0, 0>} : tensor<1x?x8x4x!u8> -> tensor<1x?x7x4xf32>
  return %0 : tensor<1x?x7x4xf32>
}

// The whole image, of a size that is known when the program runs.
// CHECK-LABEL: func.func @global(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?x7x4xi8>
// CHECK:         cf.assert %{{.*}}, "the input needs at least 1 elements along H"
// CHECK-NOT:     along W
// CHECK:         cf.assert %{{.*}}, "the sum of the image could overflow i32: H * W must be at most 16777215"
// CHECK:         linalg.generic {indexing_maps = [#[[WHOLE]], #[[OUT]]], {{.*}}} ins(%[[X]] : tensor<?x?x7x4xi8>) outs(%{{.*}} : tensor<?x1x1x4xi32>)
func.func @global(%x: tensor<?x?x7x4x!u8>) -> tensor<?x1x1x4x!s8> {
  %0 = qnn.avg_pool2d %x : tensor<?x?x7x4x!u8> -> tensor<?x1x1x4x!s8>
  return %0 : tensor<?x1x1x4x!s8>
}
