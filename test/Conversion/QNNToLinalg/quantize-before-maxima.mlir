// RUN: qcc-opt %s -qnn-quantize-before-maxima -split-input-file | FileCheck %s

// What is finite is quantized before its maxima are taken, which are of bytes then; padding is the least integer of the type.
!q = !quant.uniform<u8<3:250>:f32, 0.1:7>

// CHECK-LABEL: func.func @contraction(
// CHECK-SAME: %[[ACC:.*]]: tensor<1x4x8x8xi32>
// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%[[ACC]]
// CHECK: %[[Q:.*]] = qnn.quantize %[[X]] : tensor<1x4x8x8xf32> -> tensor<1x4x8x8x!quant.uniform<u8<3:250>:f32, {{.*}}:7>>
// CHECK: %[[S:.*]] = quant.scast %[[Q]]
// CHECK: %[[LEAST:.*]] = arith.constant 3 : i8
// CHECK: %[[P:.*]] = tensor.pad %[[S]] low[0, 0, 1, 1] high[0, 0, 1, 1]
// CHECK: linalg.fill ins(%[[LEAST]] : i8)
// CHECK: %[[M:.*]] = linalg.generic {{.*}} ins(%[[P]], %{{.*}} : tensor<1x4x10x10xi8>, tensor<3x3xf32>)
// CHECK: arith.maxui
// CHECK: %[[Y:.*]] = quant.scast %[[M]]
// CHECK: return %[[Y]]
#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
func.func @contraction(%acc: tensor<1x4x8x8xi32>) -> tensor<1x4x4x4x!q> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant dense<[0.1, 0.2, 0.3, 0.4]> : tensor<4xf32>
  %bias = arith.constant dense<[1.0, -2.0, 3.0, 4.0]> : tensor<4xf32>
  %ex = tensor.empty() : tensor<1x4x8x8xf32>
  %x = linalg.generic {indexing_maps = [#id, #channel, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%acc, %scale, %bias : tensor<1x4x8x8xi32>, tensor<4xf32>, tensor<4xf32>) outs(%ex : tensor<1x4x8x8xf32>) {
  ^bb0(%a: i32, %s: f32, %b: f32, %o: f32):
    %f = arith.sitofp %a : i32 to f32
    %v = math.fma %f, %s, %b : f32
    %r = arith.maximumf %v, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x4x8x8xf32>
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %lowest : f32
  } : tensor<1x4x8x8xf32> to tensor<1x4x10x10xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %m = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%p, %w : tensor<1x4x10x10xf32>, tensor<3x3xf32>) outs(%f : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %y = qnn.quantize %m : tensor<1x4x4x4xf32> -> tensor<1x4x4x4x!q>
  return %y : tensor<1x4x4x4x!q>
}

// -----

// Parameters that are operands; the real results of qnn ops, movement, and a number that is clamped twice.
!x = !quant.uniform<i8:f32, 0.1>

// CHECK-LABEL: func.func @ops(
// CHECK: %[[D:.*]] = qnn.conv2d
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[D]]
// CHECK: %[[Q:.*]] = qnn.quantize %[[T]] scale(%{{.*}} : f32) zero_point(%{{.*}} : tensor<i8>) : tensor<4x1x8x8xf32> -> tensor<4x1x8x8xi8>
// CHECK: arith.constant -128 : i8
// CHECK: %[[M:.*]] = linalg.generic {{.*}} ins(%[[Q]]
// CHECK: arith.maxsi
// CHECK: return %[[M]]
func.func @ops(%x: tensor<1x8x8x2x!x>, %k: tensor<4x1x1x2x!x>, %w: tensor<2x2xf32>) -> tensor<4x1x4x4xi8> {
  %lowest = arith.constant dense<-3.0e38> : tensor<4x1x4x4xf32>
  %scale = arith.constant 0.25 : f32
  %zero = arith.constant dense<5> : tensor<i8>
  %bias = arith.constant dense<[1.0, -2.0, 3.0, 0x7F800000]> : tensor<4xf32>
  %c = qnn.conv2d %x, %k bias(%bias : tensor<4xf32>) : tensor<1x8x8x2x!x>, tensor<4x1x1x2x!x> -> tensor<1x8x8x4xf32>
  %et = tensor.empty() : tensor<4x1x8x8xf32>
  %t = linalg.transpose ins(%c : tensor<1x8x8x4xf32>) outs(%et : tensor<4x1x8x8xf32>) permutation = [3, 0, 1, 2]
  %m = linalg.pooling_nchw_max {strides = dense<2> : vector<2xi64>} ins(%t, %w : tensor<4x1x8x8xf32>, tensor<2x2xf32>)
      outs(%lowest : tensor<4x1x4x4xf32>) -> tensor<4x1x4x4xf32>
  %y = qnn.quantize %m scale(%scale : f32) zero_point(%zero : tensor<i8>) : tensor<4x1x4x4xf32> -> tensor<4x1x4x4xi8>
  return %y : tensor<4x1x4x4xi8>
}

// -----

// What may be NaN keeps its place: an argument, a square root, a constant, an infinite scale, a sum of infinities.
!q = !quant.uniform<i8:f32, 0.1>

// CHECK-LABEL: func.func @argument(
// CHECK: linalg.pooling_ncw_max {{.*}}qcc.refused = "its operand may be NaN, as far as is known, so that it is no maximum of bytes, although its result is quantized; clamp or quantize the operand"
// CHECK: qnn.quantize
func.func @argument(%x: tensor<1x4x8xf32>, %w: tensor<2xf32>) -> tensor<1x4x7x!q> {
  %lowest = arith.constant dense<0xFF800000> : tensor<1x4x7xf32>
  %m = linalg.pooling_ncw_max ins(%x, %w : tensor<1x4x8xf32>, tensor<2xf32>) outs(%lowest : tensor<1x4x7xf32>) -> tensor<1x4x7xf32>
  %y = qnn.quantize %m : tensor<1x4x7xf32> -> tensor<1x4x7x!q>
  return %y : tensor<1x4x7x!q>
}

// CHECK-LABEL: func.func @computed(
// CHECK: linalg.pooling_ncw_max {{.*}}qcc.refused = "its operand may be NaN
func.func @computed(%i: tensor<1x4x8xi32>, %w: tensor<2xf32>) -> tensor<1x4x7x!q> {
  %lowest = arith.constant dense<0xFF800000> : tensor<1x4x7xf32>
  %e = tensor.empty() : tensor<1x4x8xf32>
  %x = linalg.map ins(%i : tensor<1x4x8xi32>) outs(%e : tensor<1x4x8xf32>) (%a: i32, %o: f32) {
    %f = arith.sitofp %a : i32 to f32
    %r = math.sqrt %f : f32
    linalg.yield %r : f32
  }
  %m = linalg.pooling_ncw_max ins(%x, %w : tensor<1x4x8xf32>, tensor<2xf32>) outs(%lowest : tensor<1x4x7xf32>) -> tensor<1x4x7xf32>
  %y = qnn.quantize %m : tensor<1x4x7xf32> -> tensor<1x4x7x!q>
  return %y : tensor<1x4x7x!q>
}

// CHECK-LABEL: func.func @run_time_scale(
// CHECK: linalg.pooling_ncw_max {{.*}}qcc.refused = "its operand may be NaN
func.func @run_time_scale(%i: tensor<1x4x8xi8>, %s: f32, %w: tensor<2xf32>) -> tensor<1x4x7x!q> {
  %lowest = arith.constant dense<0xFF800000> : tensor<1x4x7xf32>
  %x = qnn.dequantize %i scale(%s : f32) : tensor<1x4x8xi8> -> tensor<1x4x8xf32>
  %m = linalg.pooling_ncw_max ins(%x, %w : tensor<1x4x8xf32>, tensor<2xf32>) outs(%lowest : tensor<1x4x7xf32>) -> tensor<1x4x7xf32>
  %y = qnn.quantize %m : tensor<1x4x7xf32> -> tensor<1x4x7x!q>
  return %y : tensor<1x4x7x!q>
}

// CHECK-LABEL: func.func @not_a_number(
// CHECK: linalg.pooling_ncw_max {{.*}}qcc.refused = "its operand may be NaN
func.func @not_a_number(%w: tensor<2xf32>) -> tensor<1x1x3x!q> {
  %lowest = arith.constant dense<0xFF800000> : tensor<1x1x3xf32>
  %x = arith.constant dense<[[[1.0, 2.0, 0x7FC00000, 3.0]]]> : tensor<1x1x4xf32>
  %m = linalg.pooling_ncw_max ins(%x, %w : tensor<1x1x4xf32>, tensor<2xf32>) outs(%lowest : tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  %y = qnn.quantize %m : tensor<1x1x3xf32> -> tensor<1x1x3x!q>
  return %y : tensor<1x1x3x!q>
}

// -----

// Other readers, other parameters, and another start.
!q = !quant.uniform<i8:f32, 0.1:-100>
!x = !quant.uniform<i8:f32, 0.1>
!channels = !quant.uniform<i8:f32:1, {0.1, 0.2}>
#id = affine_map<(a, b, c) -> (a, b, c)>

// CHECK-LABEL: func.func @other_reader(
// CHECK: linalg.pooling_ncw_max {{.*}}qcc.refused = "its result is read by others than one quantization, so that it is no maximum of bytes"
func.func @other_reader(%i: tensor<1x2x8xi32>, %w: tensor<2xf32>) -> (tensor<1x2x7x!q>, tensor<1x2x7xf32>) {
  %lowest = arith.constant dense<0xFF800000> : tensor<1x2x7xf32>
  %x = arith.sitofp %i : tensor<1x2x8xi32> to tensor<1x2x8xf32>
  %m = linalg.pooling_ncw_max ins(%x, %w : tensor<1x2x8xf32>, tensor<2xf32>) outs(%lowest : tensor<1x2x7xf32>) -> tensor<1x2x7xf32>
  %y = qnn.quantize %m : tensor<1x2x7xf32> -> tensor<1x2x7x!q>
  return %y, %m : tensor<1x2x7x!q>, tensor<1x2x7xf32>
}

// CHECK-LABEL: func.func @two_quantizations(
// CHECK: linalg.pooling_ncw_max {{.*}}qcc.refused = "its result is read by others than one quantization, so that it is no maximum of bytes"
func.func @two_quantizations(%i: tensor<1x2x8xi32>, %w: tensor<2xf32>) -> (tensor<1x2x7x!q>, tensor<1x2x7x!x>) {
  %lowest = arith.constant dense<0xFF800000> : tensor<1x2x7xf32>
  %x = arith.sitofp %i : tensor<1x2x8xi32> to tensor<1x2x8xf32>
  %m = linalg.pooling_ncw_max ins(%x, %w : tensor<1x2x8xf32>, tensor<2xf32>) outs(%lowest : tensor<1x2x7xf32>) -> tensor<1x2x7xf32>
  %y = qnn.quantize %m : tensor<1x2x7xf32> -> tensor<1x2x7x!q>
  %z = qnn.quantize %m : tensor<1x2x7xf32> -> tensor<1x2x7x!x>
  return %y, %z : tensor<1x2x7x!q>, tensor<1x2x7x!x>
}

// CHECK-LABEL: func.func @scales_of_channels(
// CHECK: linalg.pooling_ncw_max {{.*}}qcc.refused = "its result is quantized by something else than one constant scale and zero point, so that it is no maximum of bytes"
func.func @scales_of_channels(%i: tensor<1x2x8xi32>, %w: tensor<2xf32>) -> tensor<1x2x7x!channels> {
  %lowest = arith.constant dense<0xFF800000> : tensor<1x2x7xf32>
  %x = arith.sitofp %i : tensor<1x2x8xi32> to tensor<1x2x8xf32>
  %m = linalg.pooling_ncw_max ins(%x, %w : tensor<1x2x8xf32>, tensor<2xf32>) outs(%lowest : tensor<1x2x7xf32>) -> tensor<1x2x7xf32>
  %y = qnn.quantize %m : tensor<1x2x7xf32> -> tensor<1x2x7x!channels>
  return %y : tensor<1x2x7x!channels>
}

// -2.8 is the least of the type, -2.7 is not.
// CHECK-LABEL: func.func @start(
// CHECK: linalg.pooling_ncw_max {{.*}}qcc.refused = "it starts from, or pads with, something else than a number that is quantized to the least integer, so that it is no maximum of bytes"
// CHECK: linalg.generic
// CHECK: arith.maxsi
func.func @start(%i: tensor<1x2x8xi32>, %w: tensor<2xf32>) -> (tensor<1x2x7x!q>, tensor<1x2x7x!q>) {
  %some = arith.constant dense<-2.7> : tensor<1x2x7xf32>
  %least = arith.constant dense<-2.9> : tensor<1x2x7xf32>
  %x = arith.sitofp %i : tensor<1x2x8xi32> to tensor<1x2x8xf32>
  %m = linalg.pooling_ncw_max ins(%x, %w : tensor<1x2x8xf32>, tensor<2xf32>) outs(%some : tensor<1x2x7xf32>) -> tensor<1x2x7xf32>
  %y = qnn.quantize %m : tensor<1x2x7xf32> -> tensor<1x2x7x!q>
  %n = linalg.pooling_ncw_max ins(%x, %w : tensor<1x2x8xf32>, tensor<2xf32>) outs(%least : tensor<1x2x7xf32>) -> tensor<1x2x7xf32>
  %z = qnn.quantize %n : tensor<1x2x7xf32> -> tensor<1x2x7x!q>
  return %y, %z : tensor<1x2x7x!q>, tensor<1x2x7x!q>
}
