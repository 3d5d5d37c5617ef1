// Transpositions and concatenations, as front ends write them: steps that read and write more than a
// second-level cache holds.

func.func @transpose_2d_f32(%arg0: tensor<1792x1536xf32>) -> tensor<1536x1792xf32> {
  %0 = tensor.empty() : tensor<1536x1792xf32>
  %transposed = linalg.transpose ins(%arg0 : tensor<1792x1536xf32>) outs(%0 : tensor<1536x1792xf32>) permutation = [1, 0] 
  return %transposed : tensor<1536x1792xf32>
}

func.func @transpose_2d_u8(%arg0: tensor<2560x3072xui8>) -> tensor<3072x2560xui8> {
  %0 = tensor.empty() : tensor<3072x2560xui8>
  %transposed = linalg.transpose ins(%arg0 : tensor<2560x3072xui8>) outs(%0 : tensor<3072x2560xui8>) permutation = [1, 0] 
  return %transposed : tensor<3072x2560xui8>
}

func.func @transpose_nchw_nhwc_f32(%arg0: tensor<1x64x224x224xf32>) -> tensor<1x224x224x64xf32> {
  %0 = tensor.empty() : tensor<1x224x224x64xf32>
  %transposed = linalg.transpose ins(%arg0 : tensor<1x64x224x224xf32>) outs(%0 : tensor<1x224x224x64xf32>) permutation = [0, 2, 3, 1] 
  return %transposed : tensor<1x224x224x64xf32>
}

func.func @transpose_nchw_nhwc_u8(%arg0: tensor<1x128x320x320xui8>) -> tensor<1x320x320x128xui8> {
  %0 = tensor.empty() : tensor<1x320x320x128xui8>
  %transposed = linalg.transpose ins(%arg0 : tensor<1x128x320x320xui8>) outs(%0 : tensor<1x320x320x128xui8>) permutation = [0, 2, 3, 1] 
  return %transposed : tensor<1x320x320x128xui8>
}

func.func @transpose_nhwc_nchw_u8(%arg0: tensor<1x320x320x128xui8>) -> tensor<1x128x320x320xui8> {
  %0 = tensor.empty() : tensor<1x128x320x320xui8>
  %transposed = linalg.transpose ins(%arg0 : tensor<1x320x320x128xui8>) outs(%0 : tensor<1x128x320x320xui8>) permutation = [0, 3, 1, 2] 
  return %transposed : tensor<1x128x320x320xui8>
}

func.func @transpose_heads_u8(%arg0: tensor<8x512x16x64xui8>) -> tensor<8x16x512x64xui8> {
  %0 = tensor.empty() : tensor<8x16x512x64xui8>
  %transposed = linalg.transpose ins(%arg0 : tensor<8x512x16x64xui8>) outs(%0 : tensor<8x16x512x64xui8>) permutation = [0, 2, 1, 3] 
  return %transposed : tensor<8x16x512x64xui8>
}

func.func @concat_channels_nchw_f32(%arg0: tensor<1x32x224x224xf32>, %arg1: tensor<1x32x224x224xf32>) -> tensor<1x64x224x224xf32> {
  %concat = tensor.concat dim(1) %arg0, %arg1 : (tensor<1x32x224x224xf32>, tensor<1x32x224x224xf32>) -> tensor<1x64x224x224xf32>
  return %concat : tensor<1x64x224x224xf32>
}

func.func @concat_channels_nchw_u8(%arg0: tensor<1x64x320x320xui8>, %arg1: tensor<1x64x320x320xui8>) -> tensor<1x128x320x320xui8> {
  %concat = tensor.concat dim(1) %arg0, %arg1 : (tensor<1x64x320x320xui8>, tensor<1x64x320x320xui8>) -> tensor<1x128x320x320xui8>
  return %concat : tensor<1x128x320x320xui8>
}

func.func @concat_last_f32(%arg0: tensor<224x224x32xf32>, %arg1: tensor<224x224x32xf32>) -> tensor<224x224x64xf32> {
  %concat = tensor.concat dim(2) %arg0, %arg1 : (tensor<224x224x32xf32>, tensor<224x224x32xf32>) -> tensor<224x224x64xf32>
  return %concat : tensor<224x224x64xf32>
}

func.func @concat_last_u8(%arg0: tensor<320x320x64xui8>, %arg1: tensor<320x320x64xui8>) -> tensor<320x320x128xui8> {
  %concat = tensor.concat dim(2) %arg0, %arg1 : (tensor<320x320x64xui8>, tensor<320x320x64xui8>) -> tensor<320x320x128xui8>
  return %concat : tensor<320x320x128xui8>
}

func.func @gather_rows_f32(%x: tensor<8192x768xf32>) -> tensor<8192x768xf32> {
  %empty = tensor.empty() : tensor<8192x768xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<8192x768xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %stride = arith.constant 2731 : index
    %rows = arith.constant 8192 : index
    %product = arith.muli %i, %stride : index
    %row = arith.remui %product, %rows : index
    %element = tensor.extract %x[%row, %j] : tensor<8192x768xf32>
    linalg.yield %element : f32
  } -> tensor<8192x768xf32>
  return %y : tensor<8192x768xf32>
}

func.func @gather_rows_u8(%x: tensor<8192x768xui8>) -> tensor<8192x768xui8> {
  %empty = tensor.empty() : tensor<8192x768xui8>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<8192x768xui8>) {
  ^bb0(%out: ui8):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %stride = arith.constant 2731 : index
    %rows = arith.constant 8192 : index
    %product = arith.muli %i, %stride : index
    %row = arith.remui %product, %rows : index
    %element = tensor.extract %x[%row, %j] : tensor<8192x768xui8>
    linalg.yield %element : ui8
  } -> tensor<8192x768xui8>
  return %y : tensor<8192x768xui8>
}
