// Nothing changes where no int8 convolution asks for it.
// RUN: qcc-opt %s -generalize-linalg > %t.before
// RUN: qcc-opt %s -generalize-linalg -channels-last | diff %t.before -

// A convolution with its channels last, and transposes at the border of the function.
func.func @nhwc(%x: tensor<1x8x6x6xi8>, %w: tensor<3x3x8x4xi8>) -> tensor<1x4x4x4xi32> {
  %et = tensor.empty() : tensor<1x6x6x8xi8>
  %t = linalg.transpose ins(%x : tensor<1x8x6x6xi8>) outs(%et : tensor<1x6x6x8xi8>) permutation = [0, 2, 3, 1]
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x4x4x4xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%t, %w : tensor<1x6x6x8xi8>, tensor<3x3x8x4xi8>) outs(%f : tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi32>
  return %y : tensor<1x4x4x4xi32>
}

// One channel lies anyhow; so does an image of rows and columns alone.
func.func @one_channel(%x: tensor<1x1x6x6xi8>, %w: tensor<1x1x3x3xi8>) -> tensor<1x1x4x4xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x1x4x4xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x1x4x4xi32>) -> tensor<1x1x4x4xi32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x1x6x6xi8>, tensor<1x1x3x3xi8>) outs(%f : tensor<1x1x4x4xi32>) -> tensor<1x1x4x4xi32>
  return %y : tensor<1x1x4x4xi32>
}

// Loops of floats do well with lines in their lanes. Pools alone want nothing, nor do products without windows.
func.func @others(%x: tensor<1x8x6x6xf32>, %w: tensor<4x8x3x3xf32>, %a: tensor<4x5x6xi8>, %b: tensor<4x6x7xi8>) -> (tensor<1x4x4x4xf32>, tensor<1x8x3x3xf32>, tensor<4x5x7xi32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x8x6x6xf32>, tensor<4x8x3x3xf32>) outs(%f : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %ep = tensor.empty() : tensor<1x8x3x3xf32>
  %fp = linalg.fill ins(%zero : f32) outs(%ep : tensor<1x8x3x3xf32>) -> tensor<1x8x3x3xf32>
  %win = tensor.empty() : tensor<2x2xf32>
  %p = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>} ins(%x, %win : tensor<1x8x6x6xf32>, tensor<2x2xf32>) outs(%fp : tensor<1x8x3x3xf32>) -> tensor<1x8x3x3xf32>
  %i = arith.constant 0 : i32
  %em = tensor.empty() : tensor<4x5x7xi32>
  %fm = linalg.fill ins(%i : i32) outs(%em : tensor<4x5x7xi32>) -> tensor<4x5x7xi32>
  %m = linalg.batch_matmul ins(%a, %b : tensor<4x5x6xi8>, tensor<4x6x7xi8>) outs(%fm : tensor<4x5x7xi32>) -> tensor<4x5x7xi32>
  return %y, %p, %m : tensor<1x4x4x4xf32>, tensor<1x8x3x3xf32>, tensor<4x5x7xi32>
}
