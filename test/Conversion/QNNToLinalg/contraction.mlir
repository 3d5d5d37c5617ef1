// RUN: qcc-opt -convert-qnn-to-linalg %s | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02:128>
!s8 = !quant.uniform<i8:f32, 1.000000e-01:3>
!s8z = !quant.uniform<i8:f32, 2.500000e-01>
!channel = !quant.uniform<i8:f32:0, {1.000000e-02, 2.000000e-02:1}>

// CHECK-DAG: #[[N:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[CN:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-DAG: #[[CROW:.*]] = affine_map<(d0, d1, d2) -> (d0, 0)>
// CHECK-DAG: #[[CS:.*]] = affine_map<(d0, d1, d2) -> ()>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>

// An i32 bias starts the accumulator. Zero points per tensor are constants of the
// body, per channel an input. The clamp joins the saturation: v is no NaN.
// CHECK-LABEL: func.func @quantized(
// CHECK-SAME:    %[[X:.*]]: tensor<?x3xi8> {{.*}}, %[[W:.*]]: tensor<2x3xi8> {{.*}}, %[[B:.*]]: tensor<2xi32>)
// CHECK:         %[[DIM:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK:         %[[ZW:.*]] = arith.constant dense<[0, 1]> : tensor<2xi32>
// CHECK:         %[[E:.*]] = tensor.empty(%[[DIM]]) : tensor<?x2xi32>
// CHECK:         %[[INIT:.*]] = linalg.generic {indexing_maps = [#[[N]], #[[ID]]], iterator_types = ["parallel", "parallel"]} ins(%[[B]] : tensor<2xi32>) outs(%[[E]] : tensor<?x2xi32>) {
// CHECK:         %[[ACC:.*]] = linalg.generic {indexing_maps = [#[[MK]], #[[NK]], #[[CN]], #[[MN]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[X]], %[[W]], %[[ZW]] : {{.*}}) outs(%[[INIT]] : tensor<?x2xi32>) attrs = {qcc.origin = "qnn.linear"}
// CHECK:         ^bb0(%[[XE:.*]]: i8, %[[WE:.*]]: i8, %[[ZE:.*]]: i32, %[[A:.*]]: i32):
// CHECK-NEXT:      %[[X1:.*]] = arith.extui %[[XE]] : i8 to i32
// CHECK-NEXT:      %[[C128:.*]] = arith.constant 128 : i32
// CHECK-NEXT:      %[[X2:.*]] = arith.subi %[[X1]], %[[C128]] : i32
// CHECK-NEXT:      %[[W1:.*]] = arith.extsi %[[WE]] : i8 to i32
// CHECK-NEXT:      %[[W2:.*]] = arith.subi %[[W1]], %[[ZE]] : i32
// CHECK-NEXT:      %[[P:.*]] = arith.muli %[[X2]], %[[W2]] : i32
// CHECK-NEXT:      %[[S:.*]] = arith.addi %[[A]], %[[P]] : i32
// CHECK-NEXT:      linalg.yield %[[S]] : i32
// CHECK:         %[[M:.*]] = arith.constant dense<[0.00500000035, 0.0100000007]> : tensor<2xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[N]], #[[ID]]], iterator_types = ["parallel", "parallel"]} ins(%[[ACC]], %[[M]] : {{.*}}) outs(%{{.*}} : tensor<?x2xi8>) attrs = {qcc.origin = "qnn.linear"}
// CHECK:         ^bb0(%[[V0:.*]]: i32, %[[ME:.*]]: f32, %{{.*}}: i8):
// CHECK-NEXT:      %[[V1:.*]] = arith.sitofp %[[V0]] : i32 to f32
// CHECK-NEXT:      %[[V2:.*]] = arith.mulf %[[V1]], %[[ME]] : f32
// CHECK-NEXT:      %[[LO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %[[V3:.*]] = arith.maximumf %[[V2]], %[[LO]] : f32
// CHECK-NEXT:      %[[HI:.*]] = arith.constant 1.240000e+02 : f32
// CHECK-NEXT:      %[[V4:.*]] = arith.minimumf %[[V3]], %[[HI]] : f32
// CHECK-NEXT:      %[[V5:.*]] = math.roundeven %[[V4]] : f32
// CHECK-NEXT:      %[[V6:.*]] = arith.fptosi %[[V5]] : f32 to i32
// CHECK-NEXT:      %[[ZY:.*]] = arith.constant 3 : i32
// CHECK-NEXT:      %[[V7:.*]] = arith.addi %[[V6]], %[[ZY]] : i32
// CHECK-NEXT:      %[[V8:.*]] = arith.trunci %[[V7]] : i32 to i8
// CHECK-NEXT:      linalg.yield %[[V8]] : i8
func.func @quantized(%x: tensor<?x3x!u8>, %w: tensor<2x3x!channel>, %b: tensor<2xi32>) -> tensor<?x2x!s8> {
  %0 = qnn.linear %x, %w bias(%b : tensor<2xi32>) {clamp_min = 0.000000e+00 : f32} : tensor<?x3x!u8>, tensor<2x3x!channel> -> tensor<?x2x!s8>
  return %0 : tensor<?x2x!s8>
}

// A constant f32 bias is divided by the scale at compile time; zero points 0 are
// not subtracted.
// CHECK-LABEL: func.func @bias
// CHECK:         linalg.fill
// CHECK:         linalg.generic
// CHECK-NOT:       arith.subi
// CHECK:           linalg.yield
// CHECK:         %[[BIAS:.*]] = arith.constant dense<[4.000000e+00, -8.000000e+00]> : tensor<2xf32>
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[BIAS]]
// CHECK:           %[[M:.*]] = arith.constant 2.500000e-01 : f32
// CHECK:           math.fma %{{.*}}, %[[M]], %{{.*}} : f32
// CHECK-NOT:       arith.cmpf
// CHECK:           return
func.func @bias(%x: tensor<4x3x!s8z>, %w: tensor<2x3x!s8z>) -> tensor<4x2x!s8z> {
  %b = arith.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %0 = qnn.linear %x, %w bias(%b : tensor<2xf32>) : tensor<4x3x!s8z>, tensor<2x3x!s8z> -> tensor<4x2x!s8z>
  return %0 : tensor<4x2x!s8z>
}

// Scales of rows and of channels meet in the body; results are rounded once.
// CHECK-LABEL: func.func @row_channel(
// CHECK-SAME:    %{{.*}}: tensor<?x4xi8>, %{{.*}}: tensor<3x4xi8>, %[[SX:.*]]: tensor<?x1xf32>, %[[SW:.*]]: tensor<3xf32>, %[[B:.*]]: tensor<3xf32>)
// CHECK:         linalg.generic {indexing_maps = [#[[MK]], #[[NK]], #[[MN]]]
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[ROW]], #[[N]], #[[N]], #[[ID]]]
// CHECK-SAME:      ins(%{{.*}}, %[[SX]], %[[SW]], %[[B]] : {{.*}}) outs(%{{.*}} : tensor<?x3xf16>)
// CHECK:         ^bb0(%[[V0:.*]]: i32, %[[SXE:.*]]: f32, %[[SWE:.*]]: f32, %[[BE:.*]]: f32, %{{.*}}: f16):
// CHECK-NEXT:      %[[V1:.*]] = arith.sitofp %[[V0]] : i32 to f32
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[SXE]], %[[SWE]] : f32
// CHECK-NEXT:      %[[V2:.*]] = math.fma %[[V1]], %[[M]], %[[BE]] : f32
// CHECK-NEXT:      %[[LO:.*]] = arith.constant -1.000000e+00 : f32
// CHECK-NEXT:      %[[V3:.*]] = arith.maximumf %[[V2]], %[[LO]] : f32
// CHECK-NEXT:      %[[HI:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:      %[[V4:.*]] = arith.minimumf %[[V3]], %[[HI]] : f32
// CHECK-NEXT:      %[[V5:.*]] = arith.truncf %[[V4]] : f32 to f16
// CHECK-NEXT:      linalg.yield %[[V5]] : f16
func.func @row_channel(%x: tensor<?x4xi8>, %w: tensor<3x4xi8>, %sx: tensor<?x1xf32>, %sw: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<?x3xf16> {
  %0 = qnn.linear %x, %w bias(%b : tensor<3xf32>) input_scale(%sx : tensor<?x1xf32>) weight_scale(%sw : tensor<3xf32>) {clamp_min = -1.0 : f32, clamp_max = 1.0 : f32}
    : tensor<?x4xi8>, tensor<3x4xi8> -> tensor<?x3xf16>
  return %0 : tensor<?x3xf16>
}

// With an i32 result the contraction is all.
// CHECK-LABEL: func.func @accumulator
// CHECK:         %[[ACC:.*]] = linalg.generic
// CHECK:         return %[[ACC]] : tensor<?x3xi32>
func.func @accumulator(%x: tensor<?x4xi8>, %w: tensor<3x4xi8>) -> tensor<?x3xi32> {
  %0 = qnn.linear %x, %w : tensor<?x4xi8>, tensor<3x4xi8> -> tensor<?x3xi32>
  return %0 : tensor<?x3xi32>
}

// Run-time parameters: zero points are inputs, m and the bound are computed once
// on small tensors, a NaN gives the zero point and the integers saturate.
// CHECK-LABEL: func.func @run_time(
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xi8>, %[[W:.*]]: tensor<4x?xi8> {{.*}}, %[[S:.*]]: tensor<?x1xf32>, %[[T:.*]]: f32, %[[U:.*]]: tensor<1xf32>, %[[ZX:.*]]: tensor<?x1xi8>, %[[Z:.*]]: i32)
// CHECK:         %[[ZX32:.*]] = linalg.generic {{.*}} ins(%[[ZX]] : tensor<?x1xi8>) outs(%{{.*}} : tensor<?x1xi32>)
// CHECK:           arith.extsi
// CHECK:         %[[ZT:.*]] = tensor.from_elements %[[Z]] : tensor<i32>
// CHECK:         linalg.generic {indexing_maps = [#[[MK]], #[[KN]], #[[CROW]], #[[CS]], #[[MN]]]
// CHECK-SAME:      ins(%[[X]], %[[W]], %[[ZX32]], %[[ZT]] :
// CHECK:           arith.extsi
// CHECK:           arith.extui
// CHECK:         %[[ST:.*]] = linalg.generic {{.*}} ins(%[[S]], %{{.*}} : tensor<?x1xf32>, tensor<f32>) outs(%{{.*}} : tensor<?x1xf32>)
// CHECK:           arith.mulf
// CHECK:         %[[M:.*]] = linalg.generic {{.*}} ins(%[[ST]], %[[U]] : tensor<?x1xf32>, tensor<1xf32>) outs(%{{.*}} : tensor<?x1xf32>)
// CHECK:           arith.divf
// CHECK:         %[[HI:.*]] = linalg.generic {{.*}} ins(%[[U]] : tensor<1xf32>) outs(%{{.*}} : tensor<f32>)
// CHECK:           arith.divf
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[M]], %{{.*}}, %[[HI]] :
// CHECK:         ^bb0(%[[V0:.*]]: i32, %[[ME:.*]]: f32, %[[ZE:.*]]: i32, %[[HE:.*]]: f32, %{{.*}}: i8):
// CHECK-NEXT:      %[[V1:.*]] = arith.sitofp %[[V0]] : i32 to f32
// CHECK-NEXT:      %[[V2:.*]] = arith.mulf %[[V1]], %[[ME]] : f32
// CHECK-NEXT:      %[[ABOVE:.*]] = arith.cmpf ogt, %[[V2]], %[[HE]] : f32
// CHECK-NEXT:      %[[V3:.*]] = arith.select %[[ABOVE]], %[[HE]], %[[V2]] : f32
// CHECK:           %[[V4:.*]] = arith.maximumf %[[V3]], %{{.*}} : f32
// CHECK:           %[[V5:.*]] = arith.minimumf %[[V4]], %{{.*}} : f32
// CHECK:           %[[ORD:.*]] = arith.cmpf ord, %[[V5]], %[[V5]] : f32
// CHECK:           %[[V6:.*]] = arith.select %[[ORD]], %[[V5]], %{{.*}} : f32
// CHECK:           %[[V7:.*]] = math.roundeven %[[V6]] : f32
// CHECK:           %[[V8:.*]] = arith.fptosi %[[V7]] : f32 to i32
// CHECK:           %[[V9:.*]] = arith.addi %[[V8]], %[[ZE]] : i32
// CHECK:           arith.constant -128 : i32
// CHECK:           arith.maxsi
// CHECK:           arith.constant 127 : i32
// CHECK:           arith.minsi
// CHECK:           arith.trunci
func.func @run_time(%x: tensor<?x4xi8>, %w: tensor<4x?xui8>, %s: tensor<?x1xf32>, %t: f32, %u: tensor<1xf32>, %zx: tensor<?x1xi8>, %z: i32) -> tensor<?x?xi8> {
  %0 = qnn.matmul %x, %w lhs_scale(%s : tensor<?x1xf32>) lhs_zero_point(%zx : tensor<?x1xi8>) rhs_scale(%t : f32) rhs_zero_point(%z : i32)
    output_scale(%u : tensor<1xf32>) output_zero_point(%z : i32) {clamp_max = 3.0 : f32} : tensor<?x4xi8>, tensor<4x?xui8> -> tensor<?x?xi8>
  return %0 : tensor<?x?xi8>
}

// CHECK-LABEL: func.func @batched
// CHECK:         linalg.generic {indexing_maps = [#[[BMK:.*]], #[[BNK:.*]], #[[BMN:.*]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<2x5x6xf32>) attrs = {qcc.origin = "qnn.matmul"}
func.func @batched(%x: tensor<2x5x4x!s8z>, %y: tensor<2x6x4x!s8z>) -> tensor<2x5x6xf32> {
  %0 = qnn.matmul %x, %y {transpose_rhs} : tensor<2x5x4x!s8z>, tensor<2x6x4x!s8z> -> tensor<2x5x6xf32>
  return %0 : tensor<2x5x6xf32>
}

// Real operands: literal (N4).
// CHECK-LABEL: func.func @literal
// CHECK:         linalg.fill ins(%{{.*}} : f32)
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK:           %[[P:.*]] = arith.mulf
// CHECK-NEXT:      arith.addf %{{.*}}, %[[P]] : f32
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<3xbf16>)
// CHECK:           arith.addf
// CHECK:           arith.maximumf
// CHECK:           arith.truncf %{{.*}} : f32 to bf16
func.func @literal(%x: tensor<4xf32>, %w: tensor<3x4xf32>, %b: tensor<3xf32>) -> tensor<3xbf16> {
  %0 = qnn.linear %x, %w bias(%b : tensor<3xf32>) {clamp_min = 0.0 : f32} : tensor<4xf32>, tensor<3x4xf32> -> tensor<3xbf16>
  return %0 : tensor<3xbf16>
}

// CHECK-LABEL: func.func @literal_plain
// CHECK:         %[[Y:.*]] = linalg.generic
// CHECK:         return %[[Y]]
func.func @literal_plain(%x: tensor<2x4xf32>, %w: tensor<3x4xf32>) -> tensor<2x3xf32> {
  %0 = qnn.linear %x, %w : tensor<2x4xf32>, tensor<3x4xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// That the sum of a dynamic K fits in i32 is a requirement of the entry (N2).
// CHECK-LABEL: func.func @dynamic_k
// CHECK:         %[[FITS:.*]] = arith.cmpi sle, %dim{{.*}}, %c131071
// CHECK:         cf.assert %[[FITS]], "the sum of products could overflow i32: K must be at most 131071" {qcc.origin = "qnn.matmul"}
func.func @dynamic_k(%x: tensor<4x?x!s8z>, %w: tensor<?x2x!s8z>) -> tensor<4x2xf32> {
  %0 = qnn.matmul %x, %w : tensor<4x?x!s8z>, tensor<?x2x!s8z> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// The same of a sum that was a contraction of real values.
// CHECK-LABEL: func.func @two_dynamic_dimensions
// CHECK:         %[[K:.*]] = arith.muli
// CHECK:         arith.cmpi sle, %[[K]], %c100
// CHECK:         cf.assert %{{.*}}, "the sum of products could overflow i32: K must be at most 100" {qcc.origin = "linalg.generic"}
// CHECK-NOT:     qcc.most_products
func.func @two_dynamic_dimensions(%x: tensor<?x?xi32>, %w: tensor<?x?xi32>, %init: tensor<i32>) -> tensor<i32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(k, l) -> (k, l)>, affine_map<(k, l) -> (k, l)>, affine_map<(k, l) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%x, %w : tensor<?x?xi32>, tensor<?x?xi32>) outs(%init : tensor<i32>)
      attrs = {qcc.most_products = 100 : index} {
  ^bb0(%a: i32, %b: i32, %acc: i32):
    %p = arith.muli %a, %b : i32
    %s = arith.addi %acc, %p : i32
    linalg.yield %s : i32
  } -> tensor<i32>
  return %0 : tensor<i32>
}
