// RUN: qcc-opt -pass-pipeline='builtin.module(func.func(qnn-fold-constants{keep-narrow}))' %s | FileCheck %s
// RUN: qcc-opt -pass-pipeline='builtin.module(func.func(qnn-fold-constants))' %s | FileCheck %s --check-prefix=ALL

// ALL-NOT: qnn.dequantize

// The weight of one float layer stays as it is stored.
// CHECK-LABEL: func.func @weight(
// CHECK: %[[F:.*]] = qnn.dequantize
// CHECK: tensor.collapse_shape %[[F]]
func.func @weight(%x: tensor<1x256xf32>) -> tensor<1x256xf32> {
  %w = arith.constant dense<3> : tensor<256x8x32xi8>
  %s = arith.constant dense<0.5> : tensor<256x8x1xf32>
  %f = qnn.dequantize %w scale(%s : tensor<256x8x1xf32>) : tensor<256x8x32xi8> -> tensor<256x8x32xf32>
  %c = tensor.collapse_shape %f [[0], [1, 2]] : tensor<256x8x32xf32> into tensor<256x256xf32>
  %y = qnn.linear %x, %c : tensor<1x256xf32>, tensor<256x256xf32> -> tensor<1x256xf32>
  return %y : tensor<1x256xf32>
}

// A small one does not, nor one that two ops read.
// CHECK-LABEL: func.func @small(
// CHECK-NOT: qnn.dequantize
func.func @small(%x: tensor<1x128xf32>) -> tensor<1x128xf32> {
  %w = arith.constant dense<3> : tensor<128x128xi8>
  %s = arith.constant dense<0.5> : tensor<f32>
  %f = qnn.dequantize %w scale(%s : tensor<f32>) : tensor<128x128xi8> -> tensor<128x128xf32>
  %y = qnn.linear %x, %f : tensor<1x128xf32>, tensor<128x128xf32> -> tensor<1x128xf32>
  return %y : tensor<1x128xf32>
}

// CHECK-LABEL: func.func @several(
// CHECK-NOT: qnn.dequantize
func.func @several(%x: tensor<1x256xf32>) -> (tensor<1x256xf32>, tensor<256x256xf32>) {
  %w = arith.constant dense<3> : tensor<256x256xi8>
  %s = arith.constant dense<0.5> : tensor<f32>
  %f = qnn.dequantize %w scale(%s : tensor<f32>) : tensor<256x256xi8> -> tensor<256x256xf32>
  %y = qnn.linear %x, %f : tensor<1x256xf32>, tensor<256x256xf32> -> tensor<1x256xf32>
  return %y, %f : tensor<1x256xf32>, tensor<256x256xf32>
}
