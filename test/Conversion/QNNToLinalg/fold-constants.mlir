// RUN: qcc-opt %s -qnn-fold-constants -split-input-file | FileCheck %s

// N5: half to even, the zero point added in integer, saturation, NaN gives the zero point.
// CHECK-LABEL: @quantize
// CHECK: arith.constant dense<[3, 3, 5, -127, 127, 3, 127, -127]> : tensor<8xi8>
!q = !quant.uniform<i8<-127:127>:f32, 0.5:3>
func.func @quantize() -> tensor<8xi8> {
  %x = arith.constant dense<[0.0, 0.25, 0.75, -1000.0, 1000.0, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<8xf32>
  %q = qnn.quantize %x : tensor<8xf32> -> tensor<8x!q>
  %s = quant.scast %q : tensor<8x!q> to tensor<8xi8>
  return %s : tensor<8xi8>
}

// -----

// CHECK-LABEL: @quantize_zero_point_before_rounding
// CHECK: arith.constant dense<[4, 4, 5, 3]> : tensor<4xi8>
func.func @quantize_zero_point_before_rounding() -> tensor<4xi8> {
  %s = arith.constant 0.5 : f32
  %z = arith.constant 3 : i32
  %x = arith.constant dense<[0.25, 0.75, 1.0, 0x7FC00000]> : tensor<4xf32>
  %q = qnn.quantize %x scale(%s : f32) zero_point(%z : i32) {zero_point_before_rounding} : tensor<4xf32> -> tensor<4xi8>
  return %q : tensor<4xi8>
}

// -----

// Per channel, per row and of half precision.
// CHECK-LABEL: @forms
// CHECK: %[[CHANNEL:.*]] = arith.constant dense<{{\[\[}}2, 1], [4, 2]]> : tensor<2x2xui8>
// CHECK: %[[ROW:.*]] = arith.constant dense<2> : tensor<2x2xi8>
// CHECK: return %[[CHANNEL]], %[[ROW]]
func.func @forms() -> (tensor<2x2xui8>, tensor<2x2xi8>) {
  %c = arith.constant dense<[0.5, 1.0]> : tensor<2xf32>
  %r = arith.constant dense<[[0.5], [1.0]]> : tensor<2x1xf32>
  %x = arith.constant dense<[[1.0, 1.0], [2.0, 2.0]]> : tensor<2x2xf16>
  %a = qnn.quantize %x scale(%c : tensor<2xf32>) : tensor<2x2xf16> -> tensor<2x2xui8>
  %b = qnn.quantize %x scale(%r : tensor<2x1xf32>) : tensor<2x2xf16> -> tensor<2x2xi8>
  return %a, %b : tensor<2x2xui8>, tensor<2x2xi8>
}

// -----

// An i32 bias; a result in bf16 is rounded once.
// CHECK-LABEL: @dequantize
// CHECK: arith.constant dense<[5.000000e-01, -1.000000e+00]> : tensor<2xf32>
// CHECK: arith.constant dense<[-6.450000e+01, 6.300000e+01]> : tensor<2xf32>
// CHECK: arith.constant dense<[1.275000e+02, 1.250000e+02]> : tensor<2xbf16>
func.func @dequantize() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xbf16>) {
  %b = arith.constant dense<[2, -4]> : tensor<2xi32>
  %s = arith.constant 0.25 : f32
  %bd = qnn.dequantize %b scale(%s : f32) : tensor<2xi32> -> tensor<2xf32>
  %h = arith.constant 0.5 : f32
  %q = arith.constant dense<[-128, 127]> : tensor<2xi8>
  %one = arith.constant dense<1> : tensor<i32>
  %w = arith.constant dense<0.5> : tensor<f32>
  %qd = qnn.dequantize %q scale(%w : tensor<f32>) zero_point(%one : tensor<i32>) : tensor<2xi8> -> tensor<2xf32>
  %u = arith.constant dense<[255, 250]> : tensor<2xui8>
  %ud = qnn.dequantize %u scale(%h : f32) : tensor<2xui8> -> tensor<2xbf16>
  return %bd, %qd, %ud : tensor<2xf32>, tensor<2xf32>, tensor<2xbf16>
}

// -----

// CHECK-LABEL: @requantize_clamp_lookup
// CHECK: %[[T:.*]] = arith.constant dense<[7.000000e+00, 9.000000e+00, 7.000000e+00]> : tensor<3xf32>
// CHECK: return %[[T]]
!a = !quant.uniform<i8:f32, 0.5:-1>
!b = !quant.uniform<u8:f32, 1.0:2>
func.func @requantize_clamp_lookup() -> tensor<3xf32> {
  // real: 0.0, 2.0, 64.0; in !b: 2, 4, 66
  %s = arith.constant dense<[-1, 3, 127]> : tensor<3xi8>
  %a = quant.scast %s : tensor<3xi8> to tensor<3x!a>
  %b = qnn.requantize %a : tensor<3x!a> -> tensor<3x!b>
  // 3, 4, 5
  %c = qnn.clamp %b {min = 1.0 : f32, max = 3.0 : f32} : tensor<3x!b>
  %table = arith.constant dense_resource<table> : tensor<256xf32>
  %y = qnn.lookup %c, %table : tensor<3x!b>, tensor<256xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      table: "0x400000000000000000000000000000000000E040000010410000E04000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    }
  }
#-}

// -----

// Large results are resources named after what they come from; casts and reshapes of
// a resource keep it, slices copy.
// CHECK-LABEL: @resources
// CHECK: arith.constant dense_resource<w_quantized> : tensor<16x8xi8>
// CHECK: arith.constant dense_resource<q> : tensor<2x64xi8>
// CHECK: arith.constant dense<{{\[\[}}2, 3], [10, 11]]> : tensor<2x2xi8>
// CHECK: w_quantized: "0x400000000404
!q = !quant.uniform<i8:f32, 0.5>
func.func @resources() -> (tensor<16x8xi8>, tensor<2x64xi8>, tensor<2x2xi8>) {
  %w = arith.constant dense_resource<w> : tensor<16x8xf32>
  %wq = qnn.quantize %w : tensor<16x8xf32> -> tensor<16x8x!q>
  %ws = quant.scast %wq : tensor<16x8x!q> to tensor<16x8xi8>
  %c = arith.constant dense_resource<q> : tensor<16x8x!q>
  %cs = quant.scast %c : tensor<16x8x!q> to tensor<16x8xi8>
  %f = tensor.collapse_shape %cs [[0, 1]] : tensor<16x8xi8> into tensor<128xi8>
  %e = tensor.expand_shape %f [[0, 1]] output_shape [2, 64] : tensor<128xi8> into tensor<2x64xi8>
  %s = tensor.extract_slice %cs[0, 2] [2, 2] [1, 1] : tensor<16x8xi8> to tensor<2x2xi8>
  return %ws, %e, %s : tensor<16x8xi8>, tensor<2x64xi8>, tensor<2x2xi8>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x400000000000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040000000400000004000000040",
      q: "0x40000000000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F"
    }
  }
#-}

// -----

// What is not known stays, and so does what depends on a scale at run time.
// CHECK-LABEL: @not_constant
// CHECK: qnn.quantize
// CHECK: qnn.dequantize
func.func @not_constant(%x: tensor<2xf32>, %s: f32) -> (tensor<2xi8>, tensor<2xf32>) {
  %c = arith.constant 0.5 : f32
  %q = qnn.quantize %x scale(%c : f32) : tensor<2xf32> -> tensor<2xi8>
  %k = arith.constant dense<[1, 2]> : tensor<2xi8>
  %d = qnn.dequantize %k scale(%s : f32) : tensor<2xi8> -> tensor<2xf32>
  return %q, %d : tensor<2xi8>, tensor<2xf32>
}

// -----

// Of two tensors, with zero points per row and bounds that differ from row to row.
// CHECK-LABEL: @two_tensors
// CHECK: %[[SUM:.*]] = arith.constant dense<{{\[\[}}4, 6], [3, 5]]> : tensor<2x2xi8>
// CHECK: %[[PRODUCT:.*]] = arith.constant dense<{{\[\[}}3, 8], [3, 8]]> : tensor<2x2xui8>
// CHECK: %[[CLAMPED:.*]] = arith.constant dense<{{\[\[}}4, 4], [3, 3]]> : tensor<2x2xi8>
// CHECK: return %[[SUM]], %[[PRODUCT]], %[[CLAMPED]]
func.func @two_tensors() -> (tensor<2x2xi8>, tensor<2x2xui8>, tensor<2x2xi8>) {
  %one = arith.constant 1.0 : f32
  %z = arith.constant dense<[[0], [1]]> : tensor<2x1xi8>
  %a = arith.constant dense<[[1, 2], [1, 2]]> : tensor<2x2xi8>
  %b = arith.constant dense<[[3, 4], [3, 4]]> : tensor<2x2xi8>
  %sum = qnn.add %a, %b lhs_scale(%one : f32) lhs_zero_point(%z : tensor<2x1xi8>) rhs_scale(%one : f32) output_scale(%one : f32) : tensor<2x2xi8>, tensor<2x2xi8> -> tensor<2x2xi8>
  %product = qnn.mul %a, %b lhs_scale(%one : f32) rhs_scale(%one : f32) output_scale(%one : f32) : tensor<2x2xi8>, tensor<2x2xi8> -> tensor<2x2xui8>
  %rows = arith.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %clamped = qnn.clamp %sum scale(%rows : tensor<2x1xf32>) zero_point(%z : tensor<2x1xi8>) {max = 4.0 : f32} : tensor<2x2xi8>
  return %sum, %product, %clamped : tensor<2x2xi8>, tensor<2x2xui8>, tensor<2x2xi8>
}

// -----

// Every other element, backwards, of the last rows. What repeats elements, or only moves all of them, stays.
// CHECK-LABEL: @selection
// CHECK: %[[PART:.*]] = arith.constant dense<{{\[\[}}6, 4], [9, 7]]> : tensor<2x2xi8>
// CHECK: %[[TURNED:.*]] = linalg.generic
// CHECK: %[[REPEATED:.*]] = linalg.generic
// CHECK: return %[[PART]], %[[TURNED]], %[[REPEATED]]
#id = affine_map<(i, j) -> (i, j)>
func.func @selection() -> (tensor<2x2xi8>, tensor<3x3xi8>, tensor<4x3xi8>) {
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi8>
  %e = tensor.empty() : tensor<2x2xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + 1, 2 - j * 2)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x3xi8>) outs(%e : tensor<2x2xi8>) {
  ^bb0(%a: i8, %o: i8):
    linalg.yield %a : i8
  } -> tensor<2x2xi8>
  %et = tensor.empty() : tensor<3x3xi8>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x3xi8>) outs(%et : tensor<3x3xi8>) {
  ^bb0(%a: i8, %o: i8):
    linalg.yield %a : i8
  } -> tensor<3x3xi8>
  %er = tensor.empty() : tensor<4x3xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2, j)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x3xi8>) outs(%er : tensor<4x3xi8>) {
  ^bb0(%a: i8, %o: i8):
    linalg.yield %a : i8
  } -> tensor<4x3xi8>
  return %y, %t, %r : tensor<2x2xi8>, tensor<3x3xi8>, tensor<4x3xi8>
}
