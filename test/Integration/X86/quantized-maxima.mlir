// REQUIRES: x86-64-v3
// A quantized maximum gives the bits of the reference: taken of bytes where its operand is finite, and of floats where a
// NaN is among them, which is quantized to the zero point and not compared.
// RUN: qcc run %s --entry=finite --mcpu=x86-64-v3 --input=random:1 --check | FileCheck %s
// RUN: qcc run %s --entry=infinite --mcpu=x86-64-v3 --input=random:1 --check | FileCheck %s
// RUN: qcc run %s --entry=not_a_number --mcpu=x86-64-v3 --check | FileCheck %s
// CHECK: 0 differ
// RUN: qcc explain %s --mcpu=x86-64-v3 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN-LABEL: summary of finite:
// EXPLAIN-NOT: may be NaN
// EXPLAIN-LABEL: summary of infinite:
// EXPLAIN-NOT: may be NaN
// EXPLAIN-LABEL: summary of not_a_number:
// EXPLAIN: its operand may be NaN

!x = !quant.uniform<u8:f32, 0.05:131>
!w = !quant.uniform<i8:f32, 0.01>
!y = !quant.uniform<u8:f32, 0.02:100>
!z = !quant.uniform<i8<-127:127>:f32, 0.5:-3>

// Windows of padding alone give what the padding is quantized to.
func.func @finite(%x: tensor<2x9x9x5x!x>, %k: tensor<6x3x3x5x!w>, %b: tensor<6xf32>) -> (tensor<2x6x6x6x!y>, tensor<2x2x2x6x!z>) {
  %lowest = arith.constant 0xFF800000 : f32
  %bias = arith.constant dense<[1.0, -2.0, 3.0, 0.5, 0.0, -9.0]> : tensor<6xf32>
  %c = qnn.conv2d %x, %k bias(%bias : tensor<6xf32>) : tensor<2x9x9x5x!x>, tensor<6x3x3x5x!w> -> tensor<2x7x7x6xf32>
  %p = tensor.pad %c low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%i: index, %j: index, %l: index, %m: index):
    tensor.yield %lowest : f32
  } : tensor<2x7x7x6xf32> to tensor<2x13x13x6xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<2x6x6x6xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<2x6x6x6xf32>) -> tensor<2x6x6x6xf32>
  %m = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%p, %w : tensor<2x13x13x6xf32>, tensor<3x3xf32>) outs(%f : tensor<2x6x6x6xf32>) -> tensor<2x6x6x6xf32>
  %y = qnn.quantize %m : tensor<2x6x6x6xf32> -> tensor<2x6x6x6x!y>
  %e2 = tensor.empty() : tensor<2x2x2x6xf32>
  %f2 = linalg.fill ins(%lowest : f32) outs(%e2 : tensor<2x2x2x6xf32>) -> tensor<2x2x2x6xf32>
  %m2 = linalg.pooling_nhwc_max {strides = dense<4> : vector<2xi64>} ins(%c, %w : tensor<2x7x7x6xf32>, tensor<3x3xf32>) outs(%f2 : tensor<2x2x2x6xf32>) -> tensor<2x2x2x6xf32>
  %z = qnn.quantize %m2 : tensor<2x2x2x6xf32> -> tensor<2x2x2x6x!z>
  return %y, %z : tensor<2x6x6x6x!y>, tensor<2x2x2x6x!z>
}

// Bytes become infinite, or 0.
#id = affine_map<(n, c, w) -> (n, c, w)>
func.func @infinite(%x: tensor<1x4x33xi8>, %w: tensor<3xf32>) -> tensor<1x4x31x!y> {
  %lowest = arith.constant dense<0xFF800000> : tensor<1x4x31xf32>
  %most = arith.constant 3.0e38 : f32
  %e = tensor.empty() : tensor<1x4x33xf32>
  %v = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<1x4x33xi8>) outs(%e : tensor<1x4x33xf32>) {
  ^bb0(%a: i8, %o: f32):
    %f = arith.sitofp %a : i8 to f32
    %r = arith.mulf %f, %most : f32
    linalg.yield %r : f32
  } -> tensor<1x4x33xf32>
  %m = linalg.pooling_ncw_max ins(%v, %w : tensor<1x4x33xf32>, tensor<3xf32>) outs(%lowest : tensor<1x4x31xf32>) -> tensor<1x4x31xf32>
  %y = qnn.quantize %m : tensor<1x4x31xf32> -> tensor<1x4x31x!y>
  return %y : tensor<1x4x31x!y>
}

func.func @not_a_number(%w: tensor<2xf32>) -> tensor<1x1x6x!y> {
  %x = arith.constant dense<[[[1.0, 0x7FC00000, -2.0, 0x7F800000, 0xFF800000, 0xFFC00000, -0.0]]]> : tensor<1x1x7xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<1x1x6xf32>
  %m = linalg.pooling_ncw_max ins(%x, %w : tensor<1x1x7xf32>, tensor<2xf32>) outs(%lowest : tensor<1x1x6xf32>) -> tensor<1x1x6xf32>
  %y = qnn.quantize %m : tensor<1x1x6xf32> -> tensor<1x1x6x!y>
  return %y : tensor<1x1x6x!y>
}
