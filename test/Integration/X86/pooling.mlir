// REQUIRES: x86-64-v3
// Poolings against the reference interpreter.
// RUN: qcc run %s --entry=max --input=random:1 --check | FileCheck %s --check-prefix=MAX
// MAX: check: 7200 elements, 0 differ
// RUN: qcc run %s --entry=max_dynamic --input=random:1 --dim=3 --dim=9 --dim=8 --check | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: check: 810 elements, 0 differ
// RUN: qcc run %s --entry=max_dynamic --input=random:2 --dim=1 --dim=2 --dim=1 --check | FileCheck %s --check-prefix=LEAST
// LEAST: check: 18 elements, 0 differ
// RUN: not qcc run %s --entry=max_dynamic --input=random:2 --dim=1 --dim=1 --dim=1 2>&1 | FileCheck %s --check-prefix=DILATION
// DILATION: the input needs at least 2 elements along H, having dimension 1 of argument 0, by 'qnn.max_pool2d' at {{.*}}pooling.mlir:
// RUN: not qcc run %s --entry=max_dynamic --input=random:2 --dim=1 --dim=2 --dim=0 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: the input needs at least 1 elements along W, having dimension 2 of argument 0, by 'qnn.max_pool2d'
// RUN: qcc run %s --entry=max_dynamic --input=random:2 --dim=0 --dim=2 --dim=1 --check | FileCheck %s --check-prefix=NONE
// NONE: check: 0 elements, 0 differ
// RUN: qcc run %s --entry=avg --input=random:1 --dim=2 --dim=2 --check | FileCheck %s --check-prefix=AVG
// AVG: check: 4550 elements, 0 differ
// RUN: qcc run %s --entry=avg_dynamic --input=random:1 --dim=7 --dim=6 --dim=5 --check | FileCheck %s --check-prefix=AVG-DYNAMIC
// AVG-DYNAMIC: check: 280 elements, 0 differ
// RUN: qcc run %s --entry=avg_dynamic --input=random:3 --dim=1 --dim=1 --dim=1 --check | FileCheck %s --check-prefix=AVG-LEAST
// AVG-LEAST: check: 4 elements, 0 differ
// RUN: qcc run %s --entry=global --input=random:1 --dim=2 --dim=7 --dim=9 --check | FileCheck %s --check-prefix=GLOBAL
// GLOBAL: check: 200 elements, 0 differ
// RUN: not qcc run %s --entry=global --input=random:1 --dim=0 --dim=0 --dim=9 2>&1 | FileCheck %s --check-prefix=NO-MEAN
// NO-MEAN: the input needs at least 1 elements along H, having dimension 1 of argument 0, by 'qnn.avg_pool2d'
// RUN: not qcc run %s --entry=global --input=random:1 --dim=0 --dim=100000 --dim=1000 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: the sum of the image could overflow i32: H * W must be at most 8421504, by 'qnn.avg_pool2d'
// RUN: qcc run %s --entry=operands --input=random:1 --dim=3 --dim=3 --check | FileCheck %s --check-prefix=OPERANDS
// OPERANDS: check: 1008 elements, 0 differ
// RUN: qcc run %s --entry=network --input=random:1 --dim=2 --check | FileCheck %s --check-prefix=NETWORK
// NETWORK: check: 32 elements, 0 differ

!s = !quant.uniform<i8:f32, 5.0e-02:3>
!n = !quant.uniform<i8<-127:127>:f32, 5.0e-02>
!u = !quant.uniform<u8:f32, 4.0e-03:255>
!c = !quant.uniform<u8:f32:3, {1.0e-02:7, 2.0e-02:200, 3.0e-02}>

func.func @max(%x: tensor<2x23x22x40x!u>, %a: tensor<2x23x22x40xui8>) -> (tensor<2x11x4x40x!u>, tensor<2x23x1x40x!u>, tensor<2x11x1x40xui8>, tensor<2x6x2x40xi8>) {
  %0 = qnn.max_pool2d %x {window = array<i64: 2, 3>, strides = array<i64: 2, 6>} : tensor<2x23x22x40x!u> -> tensor<2x11x4x40x!u>
  %1 = qnn.max_pool2d %x {window = array<i64: 5, 22>, padding = array<i64: 4, 0, 0, 0>} : tensor<2x23x22x40x!u> -> tensor<2x23x1x40x!u>
  %2 = qnn.max_pool2d %a {window = array<i64: 3, 22>, strides = array<i64: 2, 1>} : tensor<2x23x22x40xui8> -> tensor<2x11x1x40xui8>
  %b = qnn.requantize %x : tensor<2x23x22x40x!u> -> tensor<2x23x22x40x!n>
  %c = quant.scast %b : tensor<2x23x22x40x!n> to tensor<2x23x22x40xi8>
  %3 = qnn.max_pool2d %c {window = array<i64: 3, 8>, strides = array<i64: 4, 16>, dilations = array<i64: 1, 1>, padding = array<i64: 1, 1, 2, 0>} : tensor<2x23x22x40xi8> -> tensor<2x6x2x40xi8>
  return %0, %1, %2, %3 : tensor<2x11x4x40x!u>, tensor<2x23x1x40x!u>, tensor<2x11x1x40xui8>, tensor<2x6x2x40xi8>
}

// Padding on all sides and dilations.
func.func @max_dynamic(%x: tensor<?x?x?x3x!s>) -> tensor<?x?x?x3x!s> {
  %0 = qnn.max_pool2d %x {window = array<i64: 3, 2>, dilations = array<i64: 2, 1>, padding = array<i64: 3, 2, 1, 1>} : tensor<?x?x?x3x!s> -> tensor<?x?x?x3x!s>
  return %0 : tensor<?x?x?x3x!s>
}

// Both counts, quantized and real, with and without a zero point.
func.func @avg(%x: tensor<?x9x8x13x!s>, %y: tensor<?x9x8x13x!n>) -> (tensor<?x5x7x13x!u>, tensor<?x5x7x13xf32>, tensor<?x5x7x13xf16>, tensor<?x5x7x13xbf16>, tensor<?x5x7x13x!n>) {
  %0 = qnn.avg_pool2d %x {window = array<i64: 3, 2>, strides = array<i64: 2, 1>, padding = array<i64: 1, 1, 0, 0>} : tensor<?x9x8x13x!s> -> tensor<?x5x7x13x!u>
  %1 = qnn.avg_pool2d %x {window = array<i64: 3, 2>, strides = array<i64: 2, 1>, padding = array<i64: 1, 1, 0, 0>, count_include_pad} : tensor<?x9x8x13x!s> -> tensor<?x5x7x13xf32>
  %2 = qnn.avg_pool2d %y {window = array<i64: 3, 2>, strides = array<i64: 2, 1>, padding = array<i64: 1, 1, 0, 0>} : tensor<?x9x8x13x!n> -> tensor<?x5x7x13xf16>
  %3 = qnn.avg_pool2d %y {window = array<i64: 4, 3>, strides = array<i64: 2, 1>, padding = array<i64: 3, 0, 0, 1>, count_include_pad} : tensor<?x9x8x13x!n> -> tensor<?x5x7x13xbf16>
  %4 = qnn.avg_pool2d %x {window = array<i64: 5, 2>} : tensor<?x9x8x13x!s> -> tensor<?x5x7x13x!n>
  return %0, %1, %2, %3, %4 : tensor<?x5x7x13x!u>, tensor<?x5x7x13xf32>, tensor<?x5x7x13xf16>, tensor<?x5x7x13xbf16>, tensor<?x5x7x13x!n>
}

func.func @avg_dynamic(%x: tensor<1x?x?x?x!u>) -> tensor<1x?x?x?x!s> {
  %0 = qnn.avg_pool2d %x {window = array<i64: 3, 2>, padding = array<i64: 2, 1, 1, 1>} : tensor<1x?x?x?x!u> -> tensor<1x?x?x?x!s>
  return %0 : tensor<1x?x?x?x!s>
}

func.func @global(%x: tensor<?x?x?x50x!u>) -> (tensor<?x1x1x50x!s>, tensor<?x1x1x50xf32>) {
  %0 = qnn.avg_pool2d %x : tensor<?x?x?x50x!u> -> tensor<?x1x1x50x!s>
  %1 = qnn.avg_pool2d %x : tensor<?x?x?x50x!u> -> tensor<?x1x1x50xf32>
  return %0, %1 : tensor<?x1x1x50x!s>, tensor<?x1x1x50xf32>
}

// Parameters of channels, and parameters that are known when the program runs.
func.func @operands(%x: tensor<?x7x8x3x!c>, %y: tensor<?x7x8x3xi8>, %s: f32, %z: i32, %t: tensor<3xf32>, %w: tensor<3xi32>) -> (tensor<?x7x8x3xui8>, tensor<?x7x8x3x!s>) {
  %0 = qnn.avg_pool2d %x output_scale(%t : tensor<3xf32>) {window = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>} : tensor<?x7x8x3x!c> -> tensor<?x7x8x3xui8>
  %1 = qnn.avg_pool2d %y input_scale(%s : f32) input_zero_point(%w : tensor<3xi32>) {window = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>, count_include_pad} : tensor<?x7x8x3xi8> -> tensor<?x7x8x3x!s>
  return %0, %1 : tensor<?x7x8x3xui8>, tensor<?x7x8x3x!s>
}

// Between other layers: squeeze and excitation.
func.func @network(%x: tensor<?x4x4x16xf32>, %w: tensor<16x16x!n>) -> tensor<?x16xf32> {
  %q = qnn.quantize %x : tensor<?x4x4x16xf32> -> tensor<?x4x4x16x!s>
  %p = qnn.max_pool2d %q {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<?x4x4x16x!s> -> tensor<?x2x2x16x!s>
  %m = qnn.avg_pool2d %p : tensor<?x2x2x16x!s> -> tensor<?x1x1x16x!s>
  %v = tensor.collapse_shape %m [[0, 1, 2], [3]] : tensor<?x1x1x16x!s> into tensor<?x16x!s>
  %l = qnn.linear %v, %w {clamp_min = 0.0 : f32} : tensor<?x16x!s>, tensor<16x16x!n> -> tensor<?x16x!u>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %l, %c0 : tensor<?x16x!u>
  %g = tensor.expand_shape %l [[0, 1, 2], [3]] output_shape [%n, 1, 1, 16] : tensor<?x16x!u> into tensor<?x1x1x16x!u>
  %e = qnn.mul %p, %g : tensor<?x2x2x16x!s>, tensor<?x1x1x16x!u> -> tensor<?x2x2x16x!s>
  %r = qnn.avg_pool2d %e : tensor<?x2x2x16x!s> -> tensor<?x1x1x16xf32>
  %y = tensor.collapse_shape %r [[0, 1, 2], [3]] : tensor<?x1x1x16xf32> into tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
