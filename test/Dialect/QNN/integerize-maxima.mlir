// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(qnn-integerize-maxima))' -split-input-file | FileCheck %s

!q = !quant.uniform<u8:f32, 0.1:3>

// Padding is the least byte, since the real one is less than all that is dequantized.
// CHECK-LABEL: func.func @padded
// CHECK: %[[S:.*]] = quant.scast %{{.*}} : tensor<1x4x8x8x!quant.uniform<u8:f32, {{.*}}>> to tensor<1x4x8x8xi8>
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK: %[[P:.*]] = tensor.pad %[[S]] low[0, 0, 1, 1] high[0, 0, 1, 1]
// CHECK: linalg.fill ins(%[[ZERO]] : i8)
// CHECK: %[[M:.*]] = linalg.generic {{.*}} ins(%[[P]], %{{.*}} : tensor<1x4x10x10xi8>, tensor<3x3xf32>)
// CHECK-SAME: attrs = {qcc.origin = "linalg.pooling_nchw_max"}
// CHECK: arith.maxui
// CHECK: %[[R:.*]] = quant.scast %[[M]]
// CHECK: %[[Y:.*]] = qnn.dequantize %[[R]]
// CHECK: return %[[Y]]
func.func @padded(%q: tensor<1x4x8x8x!q>) -> tensor<1x4x4x4xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %x = qnn.dequantize %q : tensor<1x4x8x8x!q> -> tensor<1x4x8x8xf32>
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %lowest : f32
  } : tensor<1x4x8x8xf32> to tensor<1x4x10x10xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %y = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%p, %w : tensor<1x4x10x10xf32>, tensor<3x3xf32>) outs(%f : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %y : tensor<1x4x4x4xf32>
}

// -----

!q = !quant.uniform<i8:f32, 0.1:3>

// CHECK-LABEL: func.func @signed
// CHECK: arith.constant -128 : i8
// CHECK: arith.maxsi
func.func @signed(%q: tensor<?x8x8x4x!q>, %w: tensor<3x3xf32>, %e: tensor<?x6x6x4xf32>) -> tensor<?x6x6x4xf32> {
  %lowest = arith.constant -1.0e30 : f32
  %x = qnn.dequantize %q : tensor<?x8x8x4x!q> -> tensor<?x8x8x4xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<?x6x6x4xf32>) -> tensor<?x6x6x4xf32>
  %y = linalg.pooling_nhwc_max ins(%x, %w : tensor<?x8x8x4xf32>, tensor<3x3xf32>) outs(%f : tensor<?x6x6x4xf32>) -> tensor<?x6x6x4xf32>
  return %y : tensor<?x6x6x4xf32>
}

// -----

!q = !quant.uniform<i8:f32, 0.1:3>

// A window may have padding alone, or be less than what the op starts from.
// CHECK-LABEL: func.func @padding_alone
// CHECK: linalg.pooling_nhwc_max
// CHECK-LABEL: func.func @dilated
// CHECK: linalg.pooling_nhwc_max
// CHECK-LABEL: func.func @starts_from_zero
// CHECK: linalg.pooling_nhwc_max
// CHECK-LABEL: func.func @padded_by_zero
// CHECK: linalg.pooling_nhwc_max
func.func @padding_alone(%q: tensor<1x8x8x4x!q>, %w: tensor<3x3xf32>, %e: tensor<1x9x6x4xf32>) -> tensor<1x9x6x4xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %x = qnn.dequantize %q : tensor<1x8x8x4x!q> -> tensor<1x8x8x4xf32>
  %p = tensor.pad %x low[0, 3, 0, 0] high[0, 0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %lowest : f32
  } : tensor<1x8x8x4xf32> to tensor<1x11x8x4xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<1x9x6x4xf32>) -> tensor<1x9x6x4xf32>
  %y = linalg.pooling_nhwc_max ins(%p, %w : tensor<1x11x8x4xf32>, tensor<3x3xf32>) outs(%f : tensor<1x9x6x4xf32>) -> tensor<1x9x6x4xf32>
  return %y : tensor<1x9x6x4xf32>
}

func.func @dilated(%q: tensor<1x1x8x4x!q>, %w: tensor<3x3xf32>, %e: tensor<1x1x6x4xf32>) -> tensor<1x1x6x4xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %x = qnn.dequantize %q : tensor<1x1x8x4x!q> -> tensor<1x1x8x4xf32>
  %p = tensor.pad %x low[0, 2, 0, 0] high[0, 2, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %lowest : f32
  } : tensor<1x1x8x4xf32> to tensor<1x5x8x4xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<1x1x6x4xf32>) -> tensor<1x1x6x4xf32>
  %y = linalg.pooling_nhwc_max {dilations = dense<[2, 1]> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%p, %w : tensor<1x5x8x4xf32>, tensor<3x3xf32>) outs(%f : tensor<1x1x6x4xf32>) -> tensor<1x1x6x4xf32>
  return %y : tensor<1x1x6x4xf32>
}

func.func @starts_from_zero(%q: tensor<1x8x8x4x!q>, %w: tensor<3x3xf32>, %e: tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %x = qnn.dequantize %q : tensor<1x8x8x4x!q> -> tensor<1x8x8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  %y = linalg.pooling_nhwc_max ins(%x, %w : tensor<1x8x8x4xf32>, tensor<3x3xf32>) outs(%f : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return %y : tensor<1x6x6x4xf32>
}

func.func @padded_by_zero(%q: tensor<1x8x8x4x!q>, %w: tensor<3x3xf32>, %e: tensor<1x7x6x4xf32>) -> tensor<1x7x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %x = qnn.dequantize %q : tensor<1x8x8x4x!q> -> tensor<1x8x8x4xf32>
  %p = tensor.pad %x low[0, 1, 0, 0] high[0, 0, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x8x4xf32> to tensor<1x9x8x4xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<1x7x6x4xf32>) -> tensor<1x7x6x4xf32>
  %y = linalg.pooling_nhwc_max ins(%p, %w : tensor<1x9x8x4xf32>, tensor<3x3xf32>) outs(%f : tensor<1x7x6x4xf32>) -> tensor<1x7x6x4xf32>
  return %y : tensor<1x7x6x4xf32>
}

// -----

!q = !quant.uniform<i8:f32, 0.1:3>

// Nothing may be there to take the maximum of.
// CHECK-LABEL: func.func @perhaps_empty
// CHECK: arith.maximumf
func.func @perhaps_empty(%q: tensor<8x?x!q>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %x = qnn.dequantize %q : tensor<8x?x!q> -> tensor<8x?xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x?xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %m: f32):
    %0 = arith.maximumf %a, %m : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
