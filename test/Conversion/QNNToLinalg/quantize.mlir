// RUN: qcc-opt -convert-qnn-to-linalg %s | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02:128>
!s8 = !quant.uniform<i8:f32, 1.000000e-01:3>
!narrow = !quant.uniform<i8<-127:127>:f32, 5.000000e-01>
!first = !quant.uniform<i8:f32:0, {1.000000e-02:7, 2.000000e-02:1}>
!last = !quant.uniform<u8:f32:1, {1.000000e-02:7, 2.000000e-02:1}>

// CHECK-LABEL: func.func @per_tensor
// CHECK:         ^bb0(%[[X:.*]]: f32, %{{.*}}: i8):
// CHECK-NEXT:      %[[S:.*]] = arith.constant 5.000000e-02 : f32
// CHECK-NEXT:      %[[V:.*]] = arith.divf %[[X]], %[[S]] : f32
// CHECK-NEXT:      %[[LO:.*]] = arith.constant -1.280000e+02 : f32
// CHECK-NEXT:      %[[V1:.*]] = arith.maximumf %[[V]], %[[LO]] : f32
// CHECK-NEXT:      %[[HI:.*]] = arith.constant 1.270000e+02 : f32
// CHECK-NEXT:      %[[V2:.*]] = arith.minimumf %[[V1]], %[[HI]] : f32
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %[[ORD:.*]] = arith.cmpf ord, %[[V2]], %[[V2]] : f32
// CHECK-NEXT:      %[[V3:.*]] = arith.select %[[ORD]], %[[V2]], %[[ZERO]] : f32
// CHECK-NEXT:      %[[V4:.*]] = math.roundeven %[[V3]] : f32
// CHECK-NEXT:      %[[V5:.*]] = arith.fptosi %[[V4]] : f32 to i32
// CHECK-NEXT:      %[[Z:.*]] = arith.constant 128 : i32
// CHECK-NEXT:      %[[V6:.*]] = arith.addi %[[V5]], %[[Z]] : i32
// CHECK-NEXT:      %[[V7:.*]] = arith.trunci %[[V6]] : i32 to i8
// CHECK-NEXT:      linalg.yield %[[V7]] : i8
func.func @per_tensor(%x: tensor<4x2xf32>) -> tensor<4x2x!u8> {
  %0 = qnn.quantize %x : tensor<4x2xf32> -> tensor<4x2x!u8>
  return %0 : tensor<4x2x!u8>
}

// The range of the type, not that of its storage.
// CHECK-LABEL: func.func @narrow
// CHECK:           arith.constant -1.270000e+02 : f32
// CHECK:           arith.constant 1.270000e+02 : f32
// CHECK-NOT:       arith.addi
func.func @narrow(%x: tensor<2xbf16>) -> tensor<2x!narrow> {
  %0 = qnn.quantize %x : tensor<2xbf16> -> tensor<2x!narrow>
  return %0 : tensor<2x!narrow>
}

// CHECK-LABEL: func.func @before_rounding
// CHECK:           %[[V:.*]] = arith.divf
// CHECK:           %[[Z:.*]] = arith.constant 128 : i32
// CHECK:           %[[ZF:.*]] = arith.sitofp %[[Z]] : i32 to f32
// CHECK:           arith.addf %[[V]], %[[ZF]] : f32
// CHECK:           math.roundeven
// CHECK:           %[[Q:.*]] = arith.fptosi
// CHECK:           %[[ORD:.*]] = arith.cmpf ord
// CHECK:           arith.select %[[ORD]], %[[Q]], %[[Z]] : i32
func.func @before_rounding(%x: tensor<4x2xf32>) -> tensor<4x2x!u8> {
  %0 = qnn.quantize %x {zero_point_before_rounding} : tensor<4x2xf32> -> tensor<4x2x!u8>
  return %0 : tensor<4x2x!u8>
}

// CHECK-LABEL: func.func @operands(
// CHECK-SAME:    %[[X:.*]]: tensor<4x2xf16>, %[[S:.*]]: tensor<4xf32>, %[[Z:.*]]: tensor<4x1xi8>)
// CHECK:         %[[Z32:.*]] = linalg.generic {{.*}} ins(%[[Z]] :
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[AXIS:.*]], #{{.*}}, #{{.*}}]{{.*}} ins(%[[X]], %[[S]], %[[Z32]] :
// CHECK:           arith.extf %{{.*}} : f16 to f32
// CHECK:           arith.divf
func.func @operands(%x: tensor<4x2xf16>, %s: tensor<4xf32>, %z: tensor<4x1xi8>) -> tensor<4x2xi8> {
  %0 = qnn.quantize %x scale(%s : tensor<4xf32>) zero_point(%z : tensor<4x1xi8>) {axis = 0} : tensor<4x2xf16> -> tensor<4x2xi8>
  return %0 : tensor<4x2xi8>
}

// CHECK-LABEL: func.func @dequantize
// CHECK:           %[[Q:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK:           %[[D:.*]] = arith.subi %[[Q]], %{{.*}} : i32
// CHECK:           %[[F:.*]] = arith.sitofp %[[D]] : i32 to f32
// CHECK:           %[[V:.*]] = arith.mulf %[[F]], %{{.*}} : f32
// CHECK:           arith.truncf %[[V]] : f32 to bf16
func.func @dequantize(%x: tensor<4x2x!last>) -> tensor<4x2xbf16> {
  %0 = qnn.dequantize %x : tensor<4x2x!last> -> tensor<4x2xbf16>
  return %0 : tensor<4x2xbf16>
}

// CHECK-LABEL: func.func @dequantize_i32
// CHECK:         ^bb0(%[[Q:.*]]: i32, %[[S:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[F:.*]] = arith.sitofp %[[Q]] : i32 to f32
// CHECK-NEXT:      arith.mulf %[[F]], %[[S]] : f32
func.func @dequantize_i32(%x: tensor<2xi32>, %s: tensor<2xf32>) -> tensor<2xf32> {
  %0 = qnn.dequantize %x scale(%s : tensor<2xf32>) : tensor<2xi32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @requantize
// CHECK:           %[[M:.*]] = arith.constant 2.000000e+00 : f32
// CHECK:           arith.mulf %{{.*}}, %[[M]] : f32
// CHECK-NOT:       arith.cmpf
// CHECK:           return
func.func @requantize(%x: tensor<4x2x!s8>) -> tensor<4x2x!u8> {
  %0 = qnn.requantize %x : tensor<4x2x!s8> -> tensor<4x2x!u8>
  return %0 : tensor<4x2x!u8>
}

// Channels along different dimensions.
// CHECK-LABEL: func.func @requantize_axes
// CHECK:         linalg.generic {indexing_maps = [#[[ID:.*]], #[[D0:.*]], #[[D1:.*]], #[[D0]], #[[D1]], #[[ID]]]
// CHECK:           %[[M:.*]] = arith.divf
// CHECK:           arith.mulf %{{.*}}, %[[M]]
func.func @requantize_axes(%x: tensor<2x2x!first>) -> tensor<2x2x!last> {
  %0 = qnn.requantize %x : tensor<2x2x!first> -> tensor<2x2x!last>
  return %0 : tensor<2x2x!last>
}
