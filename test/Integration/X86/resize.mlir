// REQUIRES: x86-64-v3
// Images of other sizes against the reference interpreter.
// RUN: qcc run %s --entry=nearest --input=random:1 --dim=2 --check | FileCheck %s --check-prefix=NEAREST
// NEAREST: check: 26720 elements, 0 differ
// RUN: qcc run %s --entry=linear --input=random:1 --dim=2 --dim=21 --check | FileCheck %s --check-prefix=LINEAR
// LINEAR: check: 17892 elements, 0 differ
// RUN: qcc run %s --entry=linear --input=random:1 --dim=0 --dim=3 --check | FileCheck %s --check-prefix=NONE
// NONE: check: 0 elements, 0 differ
// RUN: qcc run %s --entry=operands --input=random:1 --check | FileCheck %s --check-prefix=OPERANDS
// OPERANDS: check: 264 elements, 0 differ
// RUN: qcc run %s --entry=network --input=random:1 --dim=2 --check | FileCheck %s --check-prefix=NETWORK
// NETWORK: check: 2880 elements, 0 differ

!s = !quant.uniform<i8:f32, 5.0e-02:3>
!u = !quant.uniform<u8:f32, 4.0e-03:255>
!c = !quant.uniform<u8:f32:3, {1.0e-02:7, 2.0e-02:200, 3.0e-02}>

func.func @nearest(%x: tensor<?x5x7x40x!u>) -> (tensor<?x10x14x40x!u>, tensor<?x3x2x40x!u>, tensor<?x11x16x40x!u>, tensor<?x1x12x40x!u>) {
  %0 = qnn.resize %x {mode = "nearest", coordinate_transformation = "asymmetric", rounding = "floor"} : tensor<?x5x7x40x!u> -> tensor<?x10x14x40x!u>
  %1 = qnn.resize %x {mode = "nearest", coordinate_transformation = "half_pixel", rounding = "round_prefer_floor"} : tensor<?x5x7x40x!u> -> tensor<?x3x2x40x!u>
  %2 = qnn.resize %x {mode = "nearest", coordinate_transformation = "half_pixel", rounding = "ceil"} : tensor<?x5x7x40x!u> -> tensor<?x11x16x40x!u>
  %3 = qnn.resize %x {mode = "nearest", coordinate_transformation = "align_corners", rounding = "round_prefer_ceil"} : tensor<?x5x7x40x!u> -> tensor<?x1x12x40x!u>
  return %0, %1, %2, %3 : tensor<?x10x14x40x!u>, tensor<?x3x2x40x!u>, tensor<?x11x16x40x!u>, tensor<?x1x12x40x!u>
}

func.func @linear(%x: tensor<?x5x7x?x!u>) -> (tensor<?x10x14x?x!s>, tensor<?x3x2x?xf32>, tensor<?x11x16x?xbf16>, tensor<?x7x14x?xf16>, tensor<?x1x6x?x!u>) {
  %0 = qnn.resize %x {mode = "linear", coordinate_transformation = "half_pixel"} : tensor<?x5x7x?x!u> -> tensor<?x10x14x?x!s>
  %1 = qnn.resize %x {mode = "linear", coordinate_transformation = "asymmetric"} : tensor<?x5x7x?x!u> -> tensor<?x3x2x?xf32>
  %2 = qnn.resize %x {mode = "linear", coordinate_transformation = "align_corners"} : tensor<?x5x7x?x!u> -> tensor<?x11x16x?xbf16>
  %3 = qnn.resize %x {mode = "linear", coordinate_transformation = "half_pixel"} : tensor<?x5x7x?x!u> -> tensor<?x7x14x?xf16>
  %4 = qnn.resize %x {mode = "linear", coordinate_transformation = "align_corners"} : tensor<?x5x7x?x!u> -> tensor<?x1x6x?x!u>
  return %0, %1, %2, %3, %4 : tensor<?x10x14x?x!s>, tensor<?x3x2x?xf32>, tensor<?x11x16x?xbf16>, tensor<?x7x14x?xf16>, tensor<?x1x6x?x!u>
}

// Parameters of channels, and parameters that are known when the program runs.
func.func @operands(%x: tensor<2x5x7x3x!c>, %y: tensor<1x1x2x3xi8>, %s: f32, %z: tensor<3xi32>, %t: tensor<3xf32>) -> (tensor<2x11x3x3xui8>, tensor<1x2x11x3x!s>) {
  %0 = qnn.resize %x output_scale(%t : tensor<3xf32>) {mode = "linear", coordinate_transformation = "half_pixel"} : tensor<2x5x7x3x!c> -> tensor<2x11x3x3xui8>
  %1 = qnn.resize %y input_scale(%s : f32) input_zero_point(%z : tensor<3xi32>) {mode = "linear", coordinate_transformation = "asymmetric"} : tensor<1x1x2x3xi8> -> tensor<1x2x11x3x!s>
  return %0, %1 : tensor<2x11x3x3xui8>, tensor<1x2x11x3x!s>
}

// Between other layers: a path of a feature pyramid.
func.func @network(%x: tensor<?x6x5x12xf32>, %w: tensor<12x3x3x12x!s>) -> tensor<?x12x10x12xf32> {
  %q = qnn.quantize %x : tensor<?x6x5x12xf32> -> tensor<?x6x5x12x!s>
  %a = qnn.resize %q {mode = "nearest", coordinate_transformation = "asymmetric", rounding = "floor"} : tensor<?x6x5x12x!s> -> tensor<?x12x10x12x!s>
  %c = qnn.conv2d %q, %w {padding = array<i64: 1, 1, 1, 1>} : tensor<?x6x5x12x!s>, tensor<12x3x3x12x!s> -> tensor<?x6x5x12x!u>
  %b = qnn.resize %c {mode = "linear", coordinate_transformation = "half_pixel"} : tensor<?x6x5x12x!u> -> tensor<?x12x10x12x!s>
  %r = qnn.add %a, %b : tensor<?x12x10x12x!s>, tensor<?x12x10x12x!s> -> tensor<?x12x10x12x!u>
  %y = qnn.dequantize %r : tensor<?x12x10x12x!u> -> tensor<?x12x10x12xf32>
  return %y : tensor<?x12x10x12xf32>
}
