// RUN: qcc-opt %s | qcc-opt | FileCheck %s
// RUN: qcc-opt %s -emit-bytecode | qcc-opt | FileCheck %s
// RUN: qcc-opt %s -mlir-print-op-generic | qcc-opt | FileCheck %s

!s8 = !quant.uniform<i8:f32, 5.000000e-02:3>
!s8z = !quant.uniform<i8:f32, 1.000000e-02>
!u8 = !quant.uniform<u8:f32, 5.000000e-02:128>
!narrow = !quant.uniform<i8<-127:127>:f32, 1.000000e-02>
!channel = !quant.uniform<i8:f32:0, {1.000000e-02, 2.000000e-02:1}>
!last = !quant.uniform<u8:f32:1, {1.000000e-02:7, 2.000000e-02:1}>
!i32 = !quant.uniform<i32:f32, 5.000000e-04>

// CHECK-LABEL: @quantize
func.func @quantize(%x: tensor<4x2xf32>, %h: tensor<?x2xf16>, %b: tensor<bf16>, %s: f32, %s0: tensor<f32>, %s1: tensor<1xf32>,
                    %sc: tensor<2xf32>, %sr: tensor<4x1xf32>, %sa: tensor<4xf32>, %z: i32, %zc: tensor<2xui8>, %zr: tensor<4x1xi8>, %z32: tensor<i32>) {
  // CHECK: qnn.quantize %{{.*}} : tensor<4x2xf32> -> tensor<4x2x!quant.uniform<i8:f32, 5.000000e-02:3>>
  %0 = qnn.quantize %x : tensor<4x2xf32> -> tensor<4x2x!s8>
  // CHECK: qnn.quantize %{{.*}} : tensor<?x2xf16> -> tensor<?x2x!quant.uniform<u8:f32:1, {1.000000e-02:7,2.000000e-02:1}>>
  %1 = qnn.quantize %h : tensor<?x2xf16> -> tensor<?x2x!last>
  // CHECK: qnn.quantize %{{.*}} {zero_point_before_rounding} : tensor<bf16> -> tensor<!quant.uniform<i8<-127:127>:f32, 1.000000e-02>>
  %2 = qnn.quantize %b {zero_point_before_rounding} : tensor<bf16> -> tensor<!narrow>
  // CHECK: qnn.quantize %{{.*}} scale(%{{.*}} : f32) zero_point(%{{.*}} : i32) : tensor<4x2xf32> -> tensor<4x2xi8>
  %3 = qnn.quantize %x scale(%s : f32) zero_point(%z : i32) : tensor<4x2xf32> -> tensor<4x2xi8>
  // CHECK: qnn.quantize %{{.*}} scale(%{{.*}} : tensor<f32>) zero_point(%{{.*}} : tensor<i32>) : tensor<4x2xf32> -> tensor<4x2xui8>
  %4 = qnn.quantize %x scale(%s0 : tensor<f32>) zero_point(%z32 : tensor<i32>) : tensor<4x2xf32> -> tensor<4x2xui8>
  %5 = qnn.quantize %x scale(%s1 : tensor<1xf32>) : tensor<4x2xf32> -> tensor<4x2xui8>
  // CHECK: qnn.quantize %{{.*}} scale(%{{.*}} : tensor<2xf32>) zero_point(%{{.*}} : tensor<2xui8>) : tensor<4x2xf32> -> tensor<4x2xui8>
  %6 = qnn.quantize %x scale(%sc : tensor<2xf32>) zero_point(%zc : tensor<2xui8>) : tensor<4x2xf32> -> tensor<4x2xui8>
  // CHECK: qnn.quantize %{{.*}} scale(%{{.*}} : tensor<4xf32>) {axis = 0 : i64} : tensor<4x2xf32> -> tensor<4x2xi8>
  %7 = qnn.quantize %x scale(%sa : tensor<4xf32>) {axis = 0} : tensor<4x2xf32> -> tensor<4x2xi8>
  // CHECK: qnn.quantize %{{.*}} scale(%{{.*}} : tensor<4x1xf32>) zero_point(%{{.*}} : tensor<4x1xi8>) : tensor<4x2xf32> -> tensor<4x2xi8>
  %8 = qnn.quantize %x scale(%sr : tensor<4x1xf32>) zero_point(%zr : tensor<4x1xi8>) : tensor<4x2xf32> -> tensor<4x2xi8>
  return
}

// CHECK-LABEL: @dequantize
func.func @dequantize(%x: tensor<4x2x!s8>, %c: tensor<2x3x!channel>, %q: tensor<4x2xui8>, %b: tensor<2xi32>, %bq: tensor<2x!i32>, %sc: tensor<2xf32>, %z: tensor<2xi32>) {
  // CHECK: qnn.dequantize %{{.*}} : tensor<4x2x!quant.uniform<i8:f32, 5.000000e-02:3>> -> tensor<4x2xf32>
  %0 = qnn.dequantize %x : tensor<4x2x!s8> -> tensor<4x2xf32>
  // CHECK: qnn.dequantize %{{.*}} : tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e-02,2.000000e-02:1}>> -> tensor<2x3xbf16>
  %1 = qnn.dequantize %c : tensor<2x3x!channel> -> tensor<2x3xbf16>
  // CHECK: qnn.dequantize %{{.*}} scale(%{{.*}} : tensor<2xf32>) zero_point(%{{.*}} : tensor<2xi32>) : tensor<4x2xui8> -> tensor<4x2xf16>
  %2 = qnn.dequantize %q scale(%sc : tensor<2xf32>) zero_point(%z : tensor<2xi32>) : tensor<4x2xui8> -> tensor<4x2xf16>
  // CHECK: qnn.dequantize %{{.*}} scale(%{{.*}} : tensor<2xf32>) : tensor<2xi32> -> tensor<2xf32>
  %3 = qnn.dequantize %b scale(%sc : tensor<2xf32>) : tensor<2xi32> -> tensor<2xf32>
  // CHECK: qnn.dequantize %{{.*}} : tensor<2x!quant.uniform<i32:f32, 5.000000e-04>> -> tensor<2xf32>
  %4 = qnn.dequantize %bq : tensor<2x!i32> -> tensor<2xf32>
  return
}

// CHECK-LABEL: @requantize
func.func @requantize(%x: tensor<4x2x!s8>, %q: tensor<4x2xui8>, %a: tensor<4x2xi32>, %s: f32, %z: i32, %sr: tensor<4x1xf32>) {
  // CHECK: qnn.requantize %{{.*}} : tensor<4x2x!quant.uniform<i8:f32, 5.000000e-02:3>> -> tensor<4x2x!quant.uniform<u8:f32, 5.000000e-02:128>>
  %0 = qnn.requantize %x : tensor<4x2x!s8> -> tensor<4x2x!u8>
  // CHECK: qnn.requantize %{{.*}} input_scale(%{{.*}} : f32) input_zero_point(%{{.*}} : i32) output_scale(%{{.*}} : tensor<4x1xf32>) output_zero_point(%{{.*}} : i32) : tensor<4x2xui8> -> tensor<4x2xi8>
  %1 = qnn.requantize %q input_scale(%s : f32) input_zero_point(%z : i32) output_scale(%sr : tensor<4x1xf32>) output_zero_point(%z : i32) : tensor<4x2xui8> -> tensor<4x2xi8>
  // CHECK: qnn.requantize %{{.*}} input_scale(%{{.*}} : f32) : tensor<4x2xi32> -> tensor<4x2x!quant.uniform<i8:f32, 5.000000e-02:3>>
  %2 = qnn.requantize %a input_scale(%s : f32) : tensor<4x2xi32> -> tensor<4x2x!s8>
  return
}

// CHECK-LABEL: @linear
func.func @linear(%x: tensor<?x3x!u8>, %w: tensor<2x3x!channel>, %q: tensor<5x?x3xi8>, %wq: tensor<2x3xi8>, %b: tensor<2xi32>, %bf: tensor<2xf32>,
                  %s: f32, %sc: tensor<2xf32>, %sr: tensor<5x?x1xf32>, %zr: tensor<5x?x1xi8>, %zc: tensor<2xi32>, %f: tensor<4x3xf32>, %wf: tensor<2x3xf32>) {
  // CHECK: qnn.linear %{{.*}}, %{{.*}} bias(%{{.*}} : tensor<2xi32>) {clamp_min = 0.000000e+00 : f32} : tensor<?x3x!quant.uniform<u8:f32, 5.000000e-02:128>>, tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e-02,2.000000e-02:1}>> -> tensor<?x2x!quant.uniform<i8:f32, 5.000000e-02:3>>
  %0 = qnn.linear %x, %w bias(%b : tensor<2xi32>) {clamp_min = 0.000000e+00 : f32} : tensor<?x3x!u8>, tensor<2x3x!channel> -> tensor<?x2x!s8>
  // CHECK: qnn.linear %{{.*}}, %{{.*}} bias(%{{.*}} : tensor<2xf32>) input_scale(%{{.*}} : tensor<5x?x1xf32>) input_zero_point(%{{.*}} : tensor<5x?x1xi8>) weight_scale(%{{.*}} : tensor<2xf32>) weight_zero_point(%{{.*}} : tensor<2xi32>) output_scale(%{{.*}} : f32) : tensor<5x?x3xi8>, tensor<2x3xi8> -> tensor<5x?x2xui8>
  %1 = qnn.linear %q, %wq bias(%bf : tensor<2xf32>) input_scale(%sr : tensor<5x?x1xf32>) input_zero_point(%zr : tensor<5x?x1xi8>)
    weight_scale(%sc : tensor<2xf32>) weight_zero_point(%zc : tensor<2xi32>) output_scale(%s : f32) : tensor<5x?x3xi8>, tensor<2x3xi8> -> tensor<5x?x2xui8>
  // CHECK: qnn.linear %{{.*}}, %{{.*}} : tensor<5x?x3xi8>, tensor<2x3xi8> -> tensor<5x?x2xi32>
  %2 = qnn.linear %q, %wq : tensor<5x?x3xi8>, tensor<2x3xi8> -> tensor<5x?x2xi32>
  // CHECK: qnn.linear %{{.*}}, %{{.*}} {clamp_max = 6.000000e+00 : f32, clamp_min = 0.000000e+00 : f32} : tensor<?x3x{{.*}}>, tensor<2x3x{{.*}}> -> tensor<?x2xf16>
  %3 = qnn.linear %x, %w {clamp_min = 0.0 : f32, clamp_max = 6.0 : f32} : tensor<?x3x!u8>, tensor<2x3x!channel> -> tensor<?x2xf16>
  // CHECK: qnn.linear %{{.*}}, %{{.*}} bias(%{{.*}} : tensor<2xf32>) : tensor<4x3xf32>, tensor<2x3xf32> -> tensor<4x2xbf16>
  %4 = qnn.linear %f, %wf bias(%bf : tensor<2xf32>) : tensor<4x3xf32>, tensor<2x3xf32> -> tensor<4x2xbf16>
  return
}

// The largest reductions that fit (N2); a narrower range allows more.
// Parameters for groups of K, of both operands, in each form of zero points.
// CHECK-LABEL: @linear_groups
func.func @linear_groups(%x: tensor<5x?x12xi8>, %u: tensor<4x12xui8>, %w: tensor<2x12xi8>, %wu: tensor<2x12xui8>, %b: tensor<2xf32>,
                         %sr: tensor<5x?x1xf32>, %sg: tensor<5x?x3xf32>, %zg: tensor<5x?x3xi8>, %s: f32, %z: i32,
                         %wg: tensor<2x3xf32>, %w1: tensor<2x1xf32>, %wc: tensor<2xf32>, %wz: tensor<2x3xi32>, %wzc: tensor<2xui8>) {
  // CHECK: qnn.linear %{{.*}}, %{{.*}} input_scale(%{{.*}} : tensor<5x?x1xf32>) weight_scale(%{{.*}} : tensor<2x3xf32>) : tensor<5x?x12xi8>, tensor<2x12xi8> -> tensor<5x?x2xf32>
  %0 = qnn.linear %x, %w input_scale(%sr : tensor<5x?x1xf32>) weight_scale(%wg : tensor<2x3xf32>) : tensor<5x?x12xi8>, tensor<2x12xi8> -> tensor<5x?x2xf32>
  // CHECK: qnn.linear %{{.*}}, %{{.*}} bias(%{{.*}} : tensor<2xf32>) input_scale(%{{.*}} : tensor<5x?x3xf32>) input_zero_point(%{{.*}} : tensor<5x?x3xi8>) weight_scale(%{{.*}} : tensor<2x3xf32>) weight_zero_point(%{{.*}} : tensor<2x3xi32>) {clamp_min = 0.000000e+00 : f32} : tensor<5x?x12xi8>, tensor<2x12xi8> -> tensor<5x?x2xbf16>
  %1 = qnn.linear %x, %w bias(%b : tensor<2xf32>) input_scale(%sg : tensor<5x?x3xf32>) input_zero_point(%zg : tensor<5x?x3xi8>)
    weight_scale(%wg : tensor<2x3xf32>) weight_zero_point(%wz : tensor<2x3xi32>) {clamp_min = 0.0 : f32} : tensor<5x?x12xi8>, tensor<2x12xi8> -> tensor<5x?x2xbf16>
  // CHECK: qnn.linear %{{.*}}, %{{.*}} input_scale(%{{.*}} : f32) input_zero_point(%{{.*}} : i32) weight_scale(%{{.*}} : tensor<2x3xf32>) weight_zero_point(%{{.*}} : tensor<2xui8>) : tensor<4x12xui8>, tensor<2x12xui8> -> tensor<4x2xf32>
  %2 = qnn.linear %u, %wu input_scale(%s : f32) input_zero_point(%z : i32) weight_scale(%wg : tensor<2x3xf32>) weight_zero_point(%wzc : tensor<2xui8>)
    : tensor<4x12xui8>, tensor<2x12xui8> -> tensor<4x2xf32>
  // The groups of the input alone, and one group that is all of K.
  // CHECK: qnn.linear %{{.*}}, %{{.*}} input_scale(%{{.*}} : tensor<5x?x3xf32>) weight_scale(%{{.*}} : tensor<2xf32>) : tensor<5x?x12xi8>, tensor<2x12xi8> -> tensor<5x?x2xf16>
  %3 = qnn.linear %x, %w input_scale(%sg : tensor<5x?x3xf32>) weight_scale(%wc : tensor<2xf32>) : tensor<5x?x12xi8>, tensor<2x12xi8> -> tensor<5x?x2xf16>
  // CHECK: qnn.linear %{{.*}}, %{{.*}} input_scale(%{{.*}} : f32) weight_scale(%{{.*}} : tensor<2x1xf32>) : tensor<4x12xui8>, tensor<2x12xi8> -> tensor<4x2xf32>
  %4 = qnn.linear %u, %w input_scale(%s : f32) weight_scale(%w1 : tensor<2x1xf32>) : tensor<4x12xui8>, tensor<2x12xi8> -> tensor<4x2xf32>
  return
}

// CHECK-LABEL: @linear_largest
func.func @linear_largest(%x: tensor<1x131071x!s8z>, %w: tensor<1x131071x!s8z>, %y: tensor<1x133144x!narrow>, %v: tensor<1x133144x!narrow>) {
  %0 = qnn.linear %x, %w : tensor<1x131071x!s8z>, tensor<1x131071x!s8z> -> tensor<1x1xi32>
  %1 = qnn.linear %y, %v : tensor<1x133144x!narrow>, tensor<1x133144x!narrow> -> tensor<1x1xi32>
  return
}

// CHECK-LABEL: @matmul
func.func @matmul(%a: tensor<2x?x8x!s8>, %b: tensor<2x?x8x!u8>, %c: tensor<8x?xui8>, %q: tensor<4x8xi8>, %s: tensor<1xf32>, %sr: tensor<4x1xf32>, %f: tensor<4x8xf32>) {
  // CHECK: qnn.matmul %{{.*}}, %{{.*}} {transpose_rhs} : tensor<2x?x8x{{.*}}>, tensor<2x?x8x{{.*}}> -> tensor<2x?x?xf32>
  %0 = qnn.matmul %a, %b {transpose_rhs} : tensor<2x?x8x!s8>, tensor<2x?x8x!u8> -> tensor<2x?x?xf32>
  // CHECK: qnn.matmul %{{.*}}, %{{.*}} lhs_scale(%{{.*}} : tensor<4x1xf32>) rhs_scale(%{{.*}} : tensor<1xf32>) output_scale(%{{.*}} : tensor<1xf32>) : tensor<4x8xi8>, tensor<8x?xui8> -> tensor<4x?xi8>
  %1 = qnn.matmul %q, %c lhs_scale(%sr : tensor<4x1xf32>) rhs_scale(%s : tensor<1xf32>) output_scale(%s : tensor<1xf32>) : tensor<4x8xi8>, tensor<8x?xui8> -> tensor<4x?xi8>
  // CHECK: qnn.matmul %{{.*}}, %{{.*}} {clamp_min = 0.000000e+00 : f32, transpose_rhs} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x4xf32>
  %2 = qnn.matmul %f, %f {transpose_rhs, clamp_min = 0.0 : f32} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// CHECK-LABEL: @elementwise
func.func @elementwise(%a: tensor<4x2x!s8>, %b: tensor<4x2x!u8>, %q: tensor<4x2xi8>, %s: f32, %sr: tensor<4x1xf32>, %z: i32, %t: tensor<256xf16>, %ti: tensor<256xui8>) {
  // CHECK: qnn.add %{{.*}}, %{{.*}} : tensor<4x2x!quant.uniform<i8:f32, 5.000000e-02:3>>, tensor<4x2x!quant.uniform<u8:f32, 5.000000e-02:128>> -> tensor<4x2x!quant.uniform<i8:f32, 1.000000e-02>>
  %0 = qnn.add %a, %b : tensor<4x2x!s8>, tensor<4x2x!u8> -> tensor<4x2x!s8z>
  // CHECK: qnn.mul %{{.*}}, %{{.*}} lhs_scale(%{{.*}} : tensor<4x1xf32>) rhs_scale(%{{.*}} : f32) rhs_zero_point(%{{.*}} : i32) output_scale(%{{.*}} : tensor<4x1xf32>) : tensor<4x2xi8>, tensor<4x2xi8> -> tensor<4x2xui8>
  %1 = qnn.mul %q, %q lhs_scale(%sr : tensor<4x1xf32>) rhs_scale(%s : f32) rhs_zero_point(%z : i32) output_scale(%sr : tensor<4x1xf32>) : tensor<4x2xi8>, tensor<4x2xi8> -> tensor<4x2xui8>
  // CHECK: qnn.clamp %{{.*}} {max = 6.000000e+00 : f32, min = 0.000000e+00 : f32} : tensor<4x2x!quant.uniform<i8:f32, 5.000000e-02:3>>
  %2 = qnn.clamp %a {min = 0.0 : f32, max = 6.0 : f32} : tensor<4x2x!s8>
  // CHECK: qnn.clamp %{{.*}} scale(%{{.*}} : f32) zero_point(%{{.*}} : i32) {min = 0xFF800000 : f32} : tensor<4x2xi8>
  %3 = qnn.clamp %q scale(%s : f32) zero_point(%z : i32) {min = 0xFF800000 : f32} : tensor<4x2xi8>
  // CHECK: qnn.lookup %{{.*}}, %{{.*}} : tensor<4x2xi8>, tensor<256xf16> -> tensor<4x2xf16>
  %4 = qnn.lookup %q, %t : tensor<4x2xi8>, tensor<256xf16> -> tensor<4x2xf16>
  // CHECK: qnn.lookup %{{.*}}, %{{.*}} : tensor<4x2x!quant.uniform<i8:f32, 5.000000e-02:3>>, tensor<256xui8> -> tensor<4x2x!quant.uniform<u8:f32, 5.000000e-02:128>>
  %5 = qnn.lookup %a, %ti : tensor<4x2x!s8>, tensor<256xui8> -> tensor<4x2x!u8>
  return
}

// CHECK-LABEL: @broadcast
func.func @broadcast(%a: tensor<?x1x1x8x!s8>, %b: tensor<?x?x?x8x!u8>, %c: tensor<4x1xi8>, %d: tensor<1x3xi8>, %e: tensor<1x1x!s8>, %s: f32, %sc: tensor<4x1xf32>, %sd: tensor<1x1xf32>) {
  // CHECK: qnn.mul %{{.*}}, %{{.*}} : tensor<?x1x1x8x{{.*}}>, tensor<?x?x?x8x{{.*}}> -> tensor<?x?x?x8x{{.*}}>
  %0 = qnn.mul %a, %b : tensor<?x1x1x8x!s8>, tensor<?x?x?x8x!u8> -> tensor<?x?x?x8x!s8>
  // CHECK: qnn.add %{{.*}}, %{{.*}} lhs_scale(%{{.*}} : tensor<4x1xf32>) rhs_scale(%{{.*}} : tensor<1x1xf32>) output_scale(%{{.*}} : tensor<4x1xf32>) : tensor<4x1xi8>, tensor<1x3xi8> -> tensor<4x3xi8>
  %1 = qnn.add %c, %d lhs_scale(%sc : tensor<4x1xf32>) rhs_scale(%sd : tensor<1x1xf32>) output_scale(%sc : tensor<4x1xf32>) : tensor<4x1xi8>, tensor<1x3xi8> -> tensor<4x3xi8>
  // CHECK: qnn.add %{{.*}}, %{{.*}} : tensor<1x1x{{.*}}>, tensor<1x1x{{.*}}> -> tensor<1x1x{{.*}}>
  %2 = qnn.add %e, %e : tensor<1x1x!s8>, tensor<1x1x!s8> -> tensor<1x1x!u8>
  return
}
