// RUN: qcc-opt -convert-qnn-to-linalg %s | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02:128>
!s8 = !quant.uniform<i8:f32, 1.000000e-01:3>

// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (0, d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[PLACE:.*]] = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @add
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<4x2xi8>) attrs = {qcc.origin = "qnn.add"}
// CHECK:           %[[A:.*]] = arith.sitofp
// CHECK:           %[[B:.*]] = arith.sitofp
// CHECK:           %[[SB:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:           %[[ADDEND:.*]] = arith.mulf %[[B]], %[[SB]] : f32
// CHECK:           %[[SA:.*]] = arith.constant 2.000000e+00 : f32
// CHECK:           math.fma %[[A]], %[[SA]], %[[ADDEND]] : f32
// CHECK-NOT:       arith.cmpf
// CHECK:           return
func.func @add(%a: tensor<4x2x!s8>, %b: tensor<4x2x!u8>) -> tensor<4x2x!u8> {
  %0 = qnn.add %a, %b : tensor<4x2x!s8>, tensor<4x2x!u8> -> tensor<4x2x!u8>
  return %0 : tensor<4x2x!u8>
}

// CHECK-LABEL: func.func @mul(
// CHECK-SAME:    %{{.*}}: tensor<4x2xi8> {{.*}}, %[[B:.*]]: tensor<4x2xi8>, %[[S:.*]]: tensor<4x1xf32>)
// CHECK:         %[[P:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<4x1xf32>)
// CHECK:           arith.mulf
// CHECK:         %[[M:.*]] = linalg.generic {{.*}} ins(%[[P]] : tensor<4x1xf32>)
// CHECK:           arith.divf
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[B]], %[[M]] : {{.*}}) {{.*}} attrs = {qcc.origin = "qnn.mul"}
// CHECK:         ^bb0(%{{.*}}: i8, %{{.*}}: i8, %[[ME:.*]]: f32, %{{.*}}: i8):
// CHECK:           %[[PRODUCT:.*]] = arith.muli %{{.*}} : i32
// CHECK:           %[[F:.*]] = arith.sitofp %[[PRODUCT]] : i32 to f32
// CHECK:           arith.mulf %[[F]], %[[ME]] : f32
// CHECK:           arith.cmpf ord
func.func @mul(%a: tensor<4x2x!s8>, %b: tensor<4x2xi8>, %s: tensor<4x1xf32>) -> tensor<4x2x!s8> {
  %0 = qnn.mul %a, %b rhs_scale(%s : tensor<4x1xf32>) : tensor<4x2x!s8>, tensor<4x2xi8> -> tensor<4x2x!s8>
  return %0 : tensor<4x2x!s8>
}

// An operand of one row and one of one column; sizes come from those that are not broadcast.
// CHECK-LABEL: func.func @broadcast(
// CHECK-SAME:    %[[A:.*]]: tensor<1x?xi8> {{.*}}, %[[B:.*]]: tensor<?x1xi8> {{.*}})
// CHECK-DAG:     %[[N:.*]] = tensor.dim %[[A]], %{{.*}} : tensor<1x?xi8>
// CHECK-DAG:     %[[M:.*]] = tensor.dim %[[B]], %{{.*}} : tensor<?x1xi8>
// CHECK:         %[[E:.*]] = tensor.empty(%[[M]], %[[N]]) : tensor<?x?xi8>
// CHECK:         linalg.generic {indexing_maps = [#[[ROW]], #[[COLUMN]], #[[PLACE]]], {{.*}}} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[E]] : tensor<?x?xi8>) attrs = {qcc.origin = "qnn.add"}
func.func @broadcast(%a: tensor<1x?x!s8>, %b: tensor<?x1x!u8>) -> tensor<?x?x!u8> {
  %0 = qnn.add %a, %b : tensor<1x?x!s8>, tensor<?x1x!u8> -> tensor<?x?x!u8>
  return %0 : tensor<?x?x!u8>
}

// The scale of the only row of an operand becomes one for each row of the result.
// CHECK-LABEL: func.func @broadcast_rows(
// CHECK-SAME:    %{{.*}}: tensor<4x2xi8> {{.*}}, %{{.*}}: tensor<1x2xi8>, %[[S:.*]]: tensor<1x1xf32>)
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<4x1xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[ROW]], #[[PLACE]]], {{.*}}} ins(%[[S]] : tensor<1x1xf32>) outs(%[[E]] : tensor<4x1xf32>)
// CHECK:         linalg.generic {indexing_maps = [#[[PLACE]], #[[ROW]], #[[COLUMN]], #[[PLACE]]], {{.*}} attrs = {qcc.origin = "qnn.mul"}
func.func @broadcast_rows(%a: tensor<4x2x!s8>, %b: tensor<1x2xi8>, %s: tensor<1x1xf32>) -> tensor<4x2x!s8> {
  %0 = qnn.mul %a, %b rhs_scale(%s : tensor<1x1xf32>) : tensor<4x2x!s8>, tensor<1x2xi8> -> tensor<4x2x!s8>
  return %0 : tensor<4x2x!s8>
}

// Q(0) = 3, Q(6) = 63.
// CHECK-LABEL: func.func @clamp_signed
// CHECK:         attrs = {qcc.origin = "qnn.clamp"}
// CHECK:         ^bb0(%[[Q:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT:      %[[LO:.*]] = arith.constant 3 : i8
// CHECK-NEXT:      %[[R:.*]] = arith.maxsi %[[Q]], %[[LO]] : i8
// CHECK-NEXT:      %[[HI:.*]] = arith.constant 63 : i8
// CHECK-NEXT:      arith.minsi %[[R]], %[[HI]] : i8
func.func @clamp_signed(%x: tensor<4x!s8>) -> tensor<4x!s8> {
  %0 = qnn.clamp %x {min = 0.0 : f32, max = 6.0 : f32} : tensor<4x!s8>
  return %0 : tensor<4x!s8>
}

// Run-time parameters: bounds per row.
// CHECK-LABEL: func.func @clamp_rows(
// CHECK-SAME:    %[[X:.*]]: tensor<?x2xi8> {{.*}}, %[[S:.*]]: f32, %[[Z:.*]]: tensor<?x1xi8>
// CHECK:         %[[LO:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x1xi8>)
// CHECK:           math.roundeven
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[LO]] : tensor<?x2xi8>, tensor<?x1xi8>)
// CHECK:           arith.maxui
func.func @clamp_rows(%x: tensor<?x2xui8>, %s: f32, %z: tensor<?x1xui8>) -> tensor<?x2xui8> {
  %0 = qnn.clamp %x scale(%s : f32) zero_point(%z : tensor<?x1xui8>) {min = -1.0 : f32} : tensor<?x2xui8>
  return %0 : tensor<?x2xui8>
}

// CHECK-LABEL: func.func @clamp_scalar(
// CHECK-SAME:    %[[X:.*]]: tensor<4xi8>, %[[S:.*]]: f32
// CHECK:         %[[HI:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<i8>)
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[HI]] : tensor<4xi8>, tensor<i8>)
// CHECK:           arith.minsi
func.func @clamp_scalar(%x: tensor<4xi8>, %s: f32) -> tensor<4xi8> {
  %0 = qnn.clamp %x scale(%s : f32) {max = 1.0 : f32} : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: func.func @lookup_signed(
// CHECK-SAME:    %{{.*}}: tensor<4xi8> {{.*}}, %[[T:.*]]: tensor<256xf16>)
// CHECK:         ^bb0(%[[Q:.*]]: i8, %{{.*}}: f16):
// CHECK-NEXT:      %[[SIGN:.*]] = arith.constant -128 : i8
// CHECK-NEXT:      %[[U:.*]] = arith.xori %[[Q]], %[[SIGN]] : i8
// CHECK-NEXT:      %[[I:.*]] = arith.index_castui %[[U]] : i8 to index
// CHECK-NEXT:      %[[V:.*]] = tensor.extract %[[T]][%[[I]]] : tensor<256xf16>
// CHECK-NEXT:      linalg.yield %[[V]] : f16
func.func @lookup_signed(%x: tensor<4x!s8>, %t: tensor<256xf16>) -> tensor<4xf16> {
  %0 = qnn.lookup %x, %t : tensor<4x!s8>, tensor<256xf16> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: func.func @lookup_unsigned
// CHECK-NOT:     arith.xori
// CHECK:         tensor.extract %{{.*}} : tensor<256xi8>
func.func @lookup_unsigned(%x: tensor<4xui8>, %t: tensor<256xui8>) -> tensor<4x!u8> {
  %0 = qnn.lookup %x, %t : tensor<4xui8>, tensor<256xui8> -> tensor<4x!u8>
  return %0 : tensor<4x!u8>
}
