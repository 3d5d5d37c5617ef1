// RUN: qcc-opt %s -qnn-integerize-contractions -split-input-file | FileCheck %s
// RUN: qcc-opt %s -qnn-integerize-contractions -split-input-file -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// The same layer, written in many ways. Each becomes an i32 contraction and
// f32(acc) * (sx * sw) (N3).

!x = !quant.uniform<u8:f32, 0.5:128>
!w = !quant.uniform<i8:f32, 0.25>

// A weight [K, N], no bias.
// CHECK-LABEL: @k_by_n
// CHECK-DAG: %[[X:.*]] = quant.scast %arg0 : tensor<?x8x!quant.uniform<u8:f32, 5.000000e-01:128>> to tensor<?x8xi8>
// CHECK-DAG: %[[W:.*]] = quant.scast %arg1 : {{.*}} to tensor<8x16xi8>
// CHECK: %[[FILL:.*]] = linalg.fill ins(%{{.*}} : i32)
// CHECK: %[[ACC:.*]] = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME: ins(%[[X]], %[[W]] : tensor<?x8xi8>, tensor<8x16xi8>) outs(%[[FILL]] : tensor<?x16xi32>) attrs = {qcc.origin = "linalg.matmul"}
// CHECK-NEXT: ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i8, %[[C:.*]]: i32):
// CHECK-NEXT: %[[AX:.*]] = arith.extui %[[A]] : i8 to i32
// CHECK-NEXT: %[[Z:.*]] = arith.constant 128 : i32
// CHECK-NEXT: %[[D:.*]] = arith.subi %[[AX]], %[[Z]] : i32
// CHECK-NEXT: %[[BX:.*]] = arith.extsi %[[B]] : i8 to i32
// CHECK-NEXT: %[[P:.*]] = arith.muli %[[D]], %[[BX]] : i32
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[C]], %[[P]] : i32
// CHECK-NEXT: linalg.yield %[[S]] : i32
// CHECK: %[[REAL:.*]] = linalg.generic {{.*}} ins(%[[ACC]] : tensor<?x16xi32>) {{.*}} attrs = {qcc.origin = "qnn.dequantize"}
// CHECK-NEXT: ^bb0(%[[ACCE:.*]]: i32, %{{.*}}: f32):
// CHECK-NEXT: %[[M:.*]] = arith.constant 1.250000e-01 : f32
// CHECK-NEXT: %[[F:.*]] = arith.sitofp %[[ACCE]] : i32 to f32
// CHECK-NEXT: %[[V:.*]] = arith.mulf %[[F]], %[[M]] : f32
// CHECK-NEXT: linalg.yield %[[V]] : f32
// CHECK: return %[[REAL]]
func.func @k_by_n(%x: tensor<?x8x!x>, %w: tensor<8x16x!w>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %xd = qnn.dequantize %x : tensor<?x8x!x> -> tensor<?x8xf32>
  %wd = qnn.dequantize %w : tensor<8x16x!w> -> tensor<8x16xf32>
  %m = tensor.dim %x, %c0 : tensor<?x8x!x>
  %e = tensor.empty(%m) : tensor<?x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = linalg.matmul ins(%xd, %wd : tensor<?x8xf32>, tensor<8x16xf32>) outs(%f : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

// A weight [N, K] transposed by an op; one scale per channel follows it. The f32
// bias is the initial value of the contraction; a ReLU stays as it is.
// CHECK-LABEL: @transposed_bias_in_init
// CHECK: %[[WT:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<2x8xi8>) outs(%{{.*}} : tensor<8x2xi8>)
// CHECK: %[[ACC:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[WT]] : tensor<4x8xi8>, tensor<8x2xi8>) outs(%{{.*}} : tensor<4x2xi32>) attrs = {qcc.origin = "linalg.matmul"}
// CHECK: %[[SCALE:.*]] = arith.constant dense<[1.000000e+00, 2.500000e-01]> : tensor<2xf32>
// CHECK: linalg.generic {indexing_maps = [#[[ALL:.*]], #[[COL:.*]], #[[ALL]], #[[ALL]]], {{.*}} ins(%[[ACC]], %[[SCALE]], %arg2 : tensor<4x2xi32>, tensor<2xf32>, tensor<4x2xf32>)
// CHECK: arith.sitofp
// CHECK-NEXT: math.fma
// CHECK-NEXT: linalg.yield
// CHECK: arith.maximumf
!x = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32:0, {2.0, 0.5}>
func.func @transposed_bias_in_init(%x: tensor<4x8x!x>, %w: tensor<2x8x!w>, %b: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x2xf32>
  %xd = qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  %wd = qnn.dequantize %w : tensor<2x8x!w> -> tensor<2x8xf32>
  %e = tensor.empty() : tensor<8x2xf32>
  %wt = linalg.transpose ins(%wd : tensor<2x8xf32>) outs(%e : tensor<8x2xf32>) permutation = [1, 0]
  %y = linalg.matmul ins(%xd, %wt : tensor<4x8xf32>, tensor<8x2xf32>) outs(%b : tensor<4x2xf32>) -> tensor<4x2xf32>
  %r = arith.maximumf %y, %zero : tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// -----

// A weight [N, K] read through the maps of a generic; the bias is i32, dequantized,
// and added by an op of its own, which stays literal (N4).
// CHECK-LABEL: @bias_added
// CHECK: %[[B:.*]] = qnn.dequantize %arg2
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x8xi8>, tensor<2x8xi8>) outs(%{{.*}} : tensor<4x2xi32>) attrs = {qcc.origin = "linalg.generic"}
// CHECK: %[[REAL:.*]] = linalg.generic
// CHECK: arith.mulf
// CHECK: linalg.generic {{.*}} ins(%[[REAL]], %[[B]] : tensor<4x2xf32>, tensor<2xf32>)
// CHECK: arith.addf
!x = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32, 0.5>
func.func @bias_added(%x: tensor<4x8x!x>, %w: tensor<2x8x!w>, %b: tensor<2x!quant.uniform<i32:f32, 0.25>>) -> tensor<4x2xf32> {
  %zeros = arith.constant dense<0.0> : tensor<4x2xf32>
  %xd = qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  %wd = qnn.dequantize %w : tensor<2x8x!w> -> tensor<2x8xf32>
  %bd = qnn.dequantize %b : tensor<2x!quant.uniform<i32:f32, 0.25>> -> tensor<2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%xd, %wd : tensor<4x8xf32>, tensor<2x8xf32>) outs(%zeros : tensor<4x2xf32>) {
  ^bb0(%a: f32, %c: f32, %acc: f32):
    %p = arith.mulf %c, %a : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%y, %bd : tensor<4x2xf32>, tensor<2xf32>) outs(%zeros : tensor<4x2xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// -----

// qnn.linear takes the quantized operands, by type or with their parameters.
// CHECK-LABEL: @linear
// CHECK-NOT: qnn.dequantize
// CHECK: qnn.linear %arg0, %arg1 bias(%arg2 : tensor<2xf32>) input_scale(%arg3 : tensor<?x1xf32>) weight_scale(%arg4 : tensor<2xf32>) {clamp_min = 0.000000e+00 : f32}
// CHECK-SAME: tensor<?x8xi8>, tensor<2x8xi8> -> tensor<?x2xf32>
func.func @linear(%x: tensor<?x8xi8>, %w: tensor<2x8xi8>, %b: tensor<2xf32>, %sx: tensor<?x1xf32>, %sw: tensor<2xf32>) -> tensor<?x2xf32> {
  %xd = qnn.dequantize %x scale(%sx : tensor<?x1xf32>) : tensor<?x8xi8> -> tensor<?x8xf32>
  %wd = qnn.dequantize %w scale(%sw : tensor<2xf32>) {axis = 0 : i64} : tensor<2x8xi8> -> tensor<2x8xf32>
  %y = qnn.linear %xd, %wd bias(%b : tensor<2xf32>) {clamp_min = 0.000000e+00 : f32} : tensor<?x8xf32>, tensor<2x8xf32> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

// CHECK-LABEL: @matmul
// CHECK: qnn.matmul %arg0, %arg1 rhs_scale(%arg2 : f32) {transpose_rhs} : tensor<3x4x8x!quant.uniform<u8:f32, 5.000000e-01:3>>, tensor<3x2x8xi8> -> tensor<3x4x2xf32>
!x = !quant.uniform<u8:f32, 0.5:3>
func.func @matmul(%x: tensor<3x4x8x!x>, %w: tensor<3x2x8xi8>, %s: f32) -> tensor<3x4x2xf32> {
  %xd = qnn.dequantize %x : tensor<3x4x8x!x> -> tensor<3x4x8xf32>
  %wd = qnn.dequantize %w scale(%s : f32) : tensor<3x2x8xi8> -> tensor<3x2x8xf32>
  %y = qnn.matmul %xd, %wd {transpose_rhs} : tensor<3x4x8xf32>, tensor<3x2x8xf32> -> tensor<3x4x2xf32>
  return %y : tensor<3x4x2xf32>
}

// -----

// Where the parameters no longer fit the op after the movement (here a weight stored
// [K, N]), it becomes a contraction like the others, clamp and bias included.
// CHECK-LABEL: @linear_moved
// CHECK-NOT: qnn.dequantize
// CHECK: %[[WT:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<8x2xi8>) outs(%{{.*}} : tensor<2x8xi8>)
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[WT]] : tensor<?x8xi8>, tensor<2x8xi8>) outs(%{{.*}} : tensor<?x2xi32>) attrs = {qcc.origin = "qnn.linear"}
// CHECK: linalg.generic {indexing_maps = [#[[ALL:.*]], #[[NONE:.*]], #[[COL:.*]], #[[COL]], #[[ALL]]], {{.*}} ins(%{{.*}}, %{{.*}}, %arg4, %arg2 : tensor<?x2xi32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: i32, %[[SX:.*]]: f32, %[[SW:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[S:.*]] = arith.mulf %[[SX]], %[[SW]] : f32
// CHECK-NEXT: %[[F:.*]] = arith.sitofp %[[A]] : i32 to f32
// CHECK-NEXT: %[[V:.*]] = math.fma %[[F]], %[[S]], %[[B]] : f32
// CHECK-NEXT: %[[LO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[C:.*]] = arith.maximumf %[[V]], %[[LO]] : f32
// CHECK-NEXT: %[[HI:.*]] = arith.constant 6.000000e+00 : f32
// CHECK-NEXT: arith.minimumf %[[C]], %[[HI]] : f32
func.func @linear_moved(%x: tensor<?x8xi8>, %w: tensor<8x2xi8>, %b: tensor<2xf32>, %sx: tensor<1xf32>, %sw: tensor<2xf32>) -> tensor<?x2xf32> {
  %xd = qnn.dequantize %x scale(%sx : tensor<1xf32>) : tensor<?x8xi8> -> tensor<?x8xf32>
  %wd = qnn.dequantize %w scale(%sw : tensor<2xf32>) {axis = 1 : i64} : tensor<8x2xi8> -> tensor<8x2xf32>
  %e = tensor.empty() : tensor<2x8xf32>
  %wt = linalg.transpose ins(%wd : tensor<8x2xf32>) outs(%e : tensor<2x8xf32>) permutation = [1, 0]
  %y = qnn.linear %xd, %wt bias(%b : tensor<2xf32>) {clamp_min = 0.000000e+00 : f32, clamp_max = 6.000000e+00 : f32}
    : tensor<?x8xf32>, tensor<2x8xf32> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

// f16 operands, accumulator and result: v is rounded once. Zero points at run time
// of the storage type are widened.
// CHECK-LABEL: @half
// CHECK: tensor.bitcast %arg0 : tensor<4x8xui8> to tensor<4x8xi8>
// CHECK: tensor.bitcast %{{.*}} : tensor<ui8> to tensor<i8>
// CHECK: arith.extui
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x8xi8>, tensor<8x2xi8>, tensor<i32>)
// CHECK: ^bb0(%[[A:.*]]: i8, %{{.*}}: i8, %[[Z:.*]]: i32, %{{.*}}: i32):
// CHECK-NEXT: %[[AX:.*]] = arith.extui %[[A]] : i8 to i32
// CHECK-NEXT: arith.subi %[[AX]], %[[Z]] : i32
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT: math.fma
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
!w = !quant.uniform<i8:f32, 0.5>
func.func @half(%x: tensor<4x8xui8>, %s: f32, %z: tensor<1xui8>, %w: tensor<8x2x!w>, %b: tensor<4x2xf16>) -> tensor<4x2xf16> {
  %xd = qnn.dequantize %x scale(%s : f32) zero_point(%z : tensor<1xui8>) : tensor<4x8xui8> -> tensor<4x8xf16>
  %wd = qnn.dequantize %w : tensor<8x2x!w> -> tensor<8x2xf16>
  %y = linalg.matmul ins(%xd, %wd : tensor<4x8xf16>, tensor<8x2xf16>) outs(%b : tensor<4x2xf16>) -> tensor<4x2xf16>
  return %y : tensor<4x2xf16>
}

// -----

// A convolution keeps its maps; padding with 0.0 is padding with the zero point.
// CHECK-LABEL: @conv
// CHECK: %[[Z:.*]] = arith.constant 7 : i8
// CHECK: %[[P:.*]] = tensor.pad %{{.*}} low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK: tensor.yield %[[Z]] : i8
// CHECK: linalg.generic {indexing_maps = [#[[IN:.*]], #{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
// CHECK-SAME: ins(%[[P]], %{{.*}} : tensor<1x6x6x3xi8>, tensor<3x3x3x2xi8>) outs(%{{.*}} : tensor<1x4x4x2xi32>) attrs = {qcc.origin = "linalg.conv_2d_nhwc_hwcf"}
!x = !quant.uniform<i8:f32, 0.5:7>
!w = !quant.uniform<i8:f32:3, {0.5, 0.25}>
func.func @conv(%x: tensor<1x4x4x3x!x>, %w: tensor<3x3x3x2x!w>) -> tensor<1x4x4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %init = arith.constant dense<0.0> : tensor<1x4x4x2xf32>
  %xd = qnn.dequantize %x : tensor<1x4x4x3x!x> -> tensor<1x4x4x3xf32>
  %wd = qnn.dequantize %w : tensor<3x3x3x2x!w> -> tensor<3x3x3x2xf32>
  %p = tensor.pad %xd low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x4x4x3xf32> to tensor<1x6x6x3xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%p, %wd : tensor<1x6x6x3xf32>, tensor<3x3x3x2xf32>) outs(%init : tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  return %y : tensor<1x4x4x2xf32>
}

// -----

// Scales per channel follow reshapes and slices.
// CHECK-LABEL: @reshape_and_slice
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [2, 2, 8] : tensor<4x8xi8> into tensor<2x2x8xi8>
// CHECK: tensor.extract_slice %{{.*}}[1, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<2x2x8xi8> to tensor<2x8xi8>
// CHECK: arith.constant dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>
!x = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32:0, {1.0, 2.0, 4.0, 8.0}>
func.func @reshape_and_slice(%x: tensor<4x8x!x>, %w: tensor<4x8x!w>) -> tensor<4x2xf32> {
  %zeros = arith.constant dense<0.0> : tensor<4x2xf32>
  %xd = qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  %wd = qnn.dequantize %w : tensor<4x8x!w> -> tensor<4x8xf32>
  %e = tensor.expand_shape %wd [[0, 1], [2]] output_shape [2, 2, 8] : tensor<4x8xf32> into tensor<2x2x8xf32>
  %s = tensor.extract_slice %e[1, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<2x2x8xf32> to tensor<2x8xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%xd, %s : tensor<4x8xf32>, tensor<2x8xf32>) outs(%zeros : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

// A layer keeps its name as location.
// CHECK-LABEL: @names
// LOC-LABEL: @names
// LOC: linalg.generic
// LOC: arith.addi
// LOC: } -> tensor<4x2xi32> loc("encoder.dense")
// LOC: } -> tensor<4x2xf32> loc("encoder.dense")
!x = !quant.uniform<i8:f32, 0.5>
func.func @names(%x: tensor<4x8x!x>, %w: tensor<8x2x!x>) -> tensor<4x2xf32> {
  %zeros = arith.constant dense<0.0> : tensor<4x2xf32>
  %xd = qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  %wd = qnn.dequantize %w : tensor<8x2x!x> -> tensor<8x2xf32>
  %y = linalg.matmul ins(%xd, %wd : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zeros : tensor<4x2xf32>) -> tensor<4x2xf32> loc("encoder.dense")
  return %y : tensor<4x2xf32>
}

// -----

// Of a dynamic K, the limit of N2 goes with the sum; convert-qnn-to-linalg makes a requirement of it.
// CHECK-LABEL: @dynamic_k
// CHECK: linalg.generic {{.*}} attrs = {{{.*}}qcc.most_products = 131071 : index{{.*}}}
// CHECK: arith.addi
!x = !quant.uniform<i8:f32, 0.5>
func.func @dynamic_k(%x: tensor<4x?x!x>, %w: tensor<?x2x!x>) -> tensor<4x2xf32> {
  %zeros = arith.constant dense<0.0> : tensor<4x2xf32>
  %xd = qnn.dequantize %x : tensor<4x?x!x> -> tensor<4x?xf32>
  %wd = qnn.dequantize %w : tensor<?x2x!x> -> tensor<?x2xf32>
  %y = linalg.matmul ins(%xd, %wd : tensor<4x?xf32>, tensor<?x2xf32>) outs(%zeros : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
