// Poolings of windows and of whole images, as front ends write them: steps that read and write more than a
// second-level cache holds.

#m0 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>
#m1 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
#m2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2 * 2 + d4, d3 * 2 + d5)>
#m3 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2 + d4, d3 + d5)>
#m4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#m5 = affine_map<(d0, d1, d2, d3) -> (d2, 0)>
#m6 = affine_map<(d0, d1, d2, d3) -> (0, d3)>
#m7 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>

func.func @maxpool_2x2s2_nchw_f32(%arg0: tensor<1x64x224x224xf32>) -> tensor<1x64x112x112xf32> {
  %cst = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<2x2xf32>
  %cst_0 = arith.constant 0xFF800000 : f32
  %1 = tensor.empty() : tensor<1x64x112x112xf32>
  %2 = linalg.fill ins(%cst_0 : f32) outs(%1 : tensor<1x64x112x112xf32>) -> tensor<1x64x112x112xf32>
  %3 = linalg.generic {indexing_maps = [#m2, #m0, #m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%arg0, %0 : tensor<1x64x224x224xf32>, tensor<2x2xf32>) outs(%2 : tensor<1x64x112x112xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %4 = arith.maximumf %out, %in : f32
    linalg.yield %4 : f32
  } -> tensor<1x64x112x112xf32>
  return %3 : tensor<1x64x112x112xf32>
}

func.func @maxpool_3x3s1_nchw_f32(%arg0: tensor<1x64x224x224xf32>) -> tensor<1x64x224x224xf32> {
  %cst = arith.constant 0xFF800000 : f32
  %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
    tensor.yield %cst : f32
  } : tensor<1x64x224x224xf32> to tensor<1x64x226x226xf32>
  %0 = tensor.empty() : tensor<3x3xf32>
  %cst_0 = arith.constant 0xFF800000 : f32
  %1 = tensor.empty() : tensor<1x64x224x224xf32>
  %2 = linalg.fill ins(%cst_0 : f32) outs(%1 : tensor<1x64x224x224xf32>) -> tensor<1x64x224x224xf32>
  %3 = linalg.generic {indexing_maps = [#m3, #m0, #m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%padded, %0 : tensor<1x64x226x226xf32>, tensor<3x3xf32>) outs(%2 : tensor<1x64x224x224xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %4 = arith.maximumf %out, %in : f32
    linalg.yield %4 : f32
  } -> tensor<1x64x224x224xf32>
  return %3 : tensor<1x64x224x224xf32>
}

func.func @maxpool_3x3s2_nchw_f32(%arg0: tensor<1x64x224x224xf32>) -> tensor<1x64x112x112xf32> {
  %cst = arith.constant 0xFF800000 : f32
  %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
    tensor.yield %cst : f32
  } : tensor<1x64x224x224xf32> to tensor<1x64x226x226xf32>
  %0 = tensor.empty() : tensor<3x3xf32>
  %cst_0 = arith.constant 0xFF800000 : f32
  %1 = tensor.empty() : tensor<1x64x112x112xf32>
  %2 = linalg.fill ins(%cst_0 : f32) outs(%1 : tensor<1x64x112x112xf32>) -> tensor<1x64x112x112xf32>
  %3 = linalg.generic {indexing_maps = [#m2, #m0, #m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%padded, %0 : tensor<1x64x226x226xf32>, tensor<3x3xf32>) outs(%2 : tensor<1x64x112x112xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %4 = arith.maximumf %out, %in : f32
    linalg.yield %4 : f32
  } -> tensor<1x64x112x112xf32>
  return %3 : tensor<1x64x112x112xf32>
}

func.func @maxpool_2x2s2_nchw_u8(%arg0: tensor<1x128x320x320xui8>) -> tensor<1x128x160x160xui8> {
  %cst = arith.constant dense<1.000000e+00> : tensor<f32>
  %0 = qnn.dequantize %arg0 scale(%cst : tensor<f32>) : tensor<1x128x320x320xui8> -> tensor<1x128x320x320xf32>
  %cst_0 = arith.constant 0xFF800000 : f32
  %1 = tensor.empty() : tensor<2x2xf32>
  %cst_1 = arith.constant 0xFF800000 : f32
  %2 = tensor.empty() : tensor<1x128x160x160xf32>
  %3 = linalg.fill ins(%cst_1 : f32) outs(%2 : tensor<1x128x160x160xf32>) -> tensor<1x128x160x160xf32>
  %4 = linalg.generic {indexing_maps = [#m2, #m0, #m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%0, %1 : tensor<1x128x320x320xf32>, tensor<2x2xf32>) outs(%3 : tensor<1x128x160x160xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %8 = arith.maximumf %out, %in : f32
    linalg.yield %8 : f32
  } -> tensor<1x128x160x160xf32>
  %5 = tensor.empty() : tensor<1x128x160x160xf32>
  %6 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<1x128x160x160xf32>) outs(%5 : tensor<1x128x160x160xf32>) {
  ^bb0(%in: f32, %out: f32):
    %8 = math.trunc %in : f32
    linalg.yield %8 : f32
  } -> tensor<1x128x160x160xf32>
  %cst_2 = arith.constant dense<1.000000e+00> : tensor<f32>
  %7 = qnn.quantize %6 scale(%cst_2 : tensor<f32>) : tensor<1x128x160x160xf32> -> tensor<1x128x160x160xui8>
  return %7 : tensor<1x128x160x160xui8>
}

func.func @maxpool_3x3s1_nchw_u8(%arg0: tensor<1x128x320x320xui8>) -> tensor<1x128x320x320xui8> {
  %cst = arith.constant dense<1.000000e+00> : tensor<f32>
  %0 = qnn.dequantize %arg0 scale(%cst : tensor<f32>) : tensor<1x128x320x320xui8> -> tensor<1x128x320x320xf32>
  %cst_0 = arith.constant 0xFF800000 : f32
  %padded = tensor.pad %0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
    tensor.yield %cst_0 : f32
  } : tensor<1x128x320x320xf32> to tensor<1x128x322x322xf32>
  %1 = tensor.empty() : tensor<3x3xf32>
  %cst_1 = arith.constant 0xFF800000 : f32
  %2 = tensor.empty() : tensor<1x128x320x320xf32>
  %3 = linalg.fill ins(%cst_1 : f32) outs(%2 : tensor<1x128x320x320xf32>) -> tensor<1x128x320x320xf32>
  %4 = linalg.generic {indexing_maps = [#m3, #m0, #m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%padded, %1 : tensor<1x128x322x322xf32>, tensor<3x3xf32>) outs(%3 : tensor<1x128x320x320xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %8 = arith.maximumf %out, %in : f32
    linalg.yield %8 : f32
  } -> tensor<1x128x320x320xf32>
  %5 = tensor.empty() : tensor<1x128x320x320xf32>
  %6 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<1x128x320x320xf32>) outs(%5 : tensor<1x128x320x320xf32>) {
  ^bb0(%in: f32, %out: f32):
    %8 = math.trunc %in : f32
    linalg.yield %8 : f32
  } -> tensor<1x128x320x320xf32>
  %cst_2 = arith.constant dense<1.000000e+00> : tensor<f32>
  %7 = qnn.quantize %6 scale(%cst_2 : tensor<f32>) : tensor<1x128x320x320xf32> -> tensor<1x128x320x320xui8>
  return %7 : tensor<1x128x320x320xui8>
}

func.func @maxpool_3x3s2_nchw_u8(%arg0: tensor<1x128x320x320xui8>) -> tensor<1x128x160x160xui8> {
  %cst = arith.constant dense<1.000000e+00> : tensor<f32>
  %0 = qnn.dequantize %arg0 scale(%cst : tensor<f32>) : tensor<1x128x320x320xui8> -> tensor<1x128x320x320xf32>
  %cst_0 = arith.constant 0xFF800000 : f32
  %padded = tensor.pad %0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
    tensor.yield %cst_0 : f32
  } : tensor<1x128x320x320xf32> to tensor<1x128x322x322xf32>
  %1 = tensor.empty() : tensor<3x3xf32>
  %cst_1 = arith.constant 0xFF800000 : f32
  %2 = tensor.empty() : tensor<1x128x160x160xf32>
  %3 = linalg.fill ins(%cst_1 : f32) outs(%2 : tensor<1x128x160x160xf32>) -> tensor<1x128x160x160xf32>
  %4 = linalg.generic {indexing_maps = [#m2, #m0, #m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%padded, %1 : tensor<1x128x322x322xf32>, tensor<3x3xf32>) outs(%3 : tensor<1x128x160x160xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %8 = arith.maximumf %out, %in : f32
    linalg.yield %8 : f32
  } -> tensor<1x128x160x160xf32>
  %5 = tensor.empty() : tensor<1x128x160x160xf32>
  %6 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<1x128x160x160xf32>) outs(%5 : tensor<1x128x160x160xf32>) {
  ^bb0(%in: f32, %out: f32):
    %8 = math.trunc %in : f32
    linalg.yield %8 : f32
  } -> tensor<1x128x160x160xf32>
  %cst_2 = arith.constant dense<1.000000e+00> : tensor<f32>
  %7 = qnn.quantize %6 scale(%cst_2 : tensor<f32>) : tensor<1x128x160x160xf32> -> tensor<1x128x160x160xui8>
  return %7 : tensor<1x128x160x160xui8>
}

func.func @avgpool_2x2s2_nchw_f32(%arg0: tensor<1x64x224x224xf32>) -> tensor<1x64x112x112xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<2x2xf32>
  %cst_0 = arith.constant 0.000000e+00 : f32
  %1 = tensor.empty() : tensor<1x64x112x112xf32>
  %2 = linalg.fill ins(%cst_0 : f32) outs(%1 : tensor<1x64x112x112xf32>) -> tensor<1x64x112x112xf32>
  %3 = linalg.generic {indexing_maps = [#m2, #m0, #m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%arg0, %0 : tensor<1x64x224x224xf32>, tensor<2x2xf32>) outs(%2 : tensor<1x64x112x112xf32>) {
  ^bb0(%in: f32, %in_1: f32, %out: f32):
    %6 = arith.addf %out, %in : f32
    linalg.yield %6 : f32
  } -> tensor<1x64x112x112xf32>
  %4 = tensor.empty() : tensor<1x64x112x112xf32>
  %5 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<1x64x112x112xf32>) outs(%4 : tensor<1x64x112x112xf32>) {
  ^bb0(%in: f32, %out: f32):
    %cst_1 = arith.constant 4.000000e+00 : f32
    %6 = arith.divf %in, %cst_1 : f32
    linalg.yield %6 : f32
  } -> tensor<1x64x112x112xf32>
  return %5 : tensor<1x64x112x112xf32>
}

func.func @avgpool_3x3s2_nchw_f32(%arg0: tensor<1x64x224x224xf32>) -> tensor<1x64x112x112xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
    tensor.yield %cst : f32
  } : tensor<1x64x224x224xf32> to tensor<1x64x226x226xf32>
  %0 = tensor.empty() : tensor<3x3xf32>
  %cst_0 = arith.constant 0.000000e+00 : f32
  %1 = tensor.empty() : tensor<1x64x112x112xf32>
  %2 = linalg.fill ins(%cst_0 : f32) outs(%1 : tensor<1x64x112x112xf32>) -> tensor<1x64x112x112xf32>
  %3 = linalg.generic {indexing_maps = [#m2, #m0, #m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%padded, %0 : tensor<1x64x226x226xf32>, tensor<3x3xf32>) outs(%2 : tensor<1x64x112x112xf32>) {
  ^bb0(%in: f32, %in_4: f32, %out: f32):
    %6 = arith.addf %out, %in : f32
    linalg.yield %6 : f32
  } -> tensor<1x64x112x112xf32>
  %cst_1 = arith.constant dense<[2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]> : tensor<112xf32>
  %expanded = tensor.expand_shape %cst_1 [[0, 1]] output_shape [112, 1] : tensor<112xf32> into tensor<112x1xf32>
  %cst_2 = arith.constant dense<[2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]> : tensor<112xf32>
  %expanded_3 = tensor.expand_shape %cst_2 [[0, 1]] output_shape [1, 112] : tensor<112xf32> into tensor<1x112xf32>
  %4 = tensor.empty() : tensor<1x64x112x112xf32>
  %5 = linalg.generic {indexing_maps = [#m4, #m5, #m6, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %expanded, %expanded_3 : tensor<1x64x112x112xf32>, tensor<112x1xf32>, tensor<1x112xf32>) outs(%4 : tensor<1x64x112x112xf32>) {
  ^bb0(%in: f32, %in_4: f32, %in_5: f32, %out: f32):
    %6 = arith.mulf %in_4, %in_5 : f32
    %7 = arith.divf %in, %6 : f32
    linalg.yield %7 : f32
  } -> tensor<1x64x112x112xf32>
  return %5 : tensor<1x64x112x112xf32>
}

func.func @avgpool_2x2s2_nchw_u8(%arg0: tensor<1x128x320x320xui8>) -> tensor<1x128x160x160xui8> {
  %cst = arith.constant dense<2.000000e-02> : tensor<f32>
  %cst_0 = arith.constant dense<100> : tensor<ui8>
  %0 = qnn.dequantize %arg0 scale(%cst : tensor<f32>) zero_point(%cst_0 : tensor<ui8>) : tensor<1x128x320x320xui8> -> tensor<1x128x320x320xf32>
  %cst_1 = arith.constant 0.000000e+00 : f32
  %1 = tensor.empty() : tensor<2x2xf32>
  %cst_2 = arith.constant 0.000000e+00 : f32
  %2 = tensor.empty() : tensor<1x128x160x160xf32>
  %3 = linalg.fill ins(%cst_2 : f32) outs(%2 : tensor<1x128x160x160xf32>) -> tensor<1x128x160x160xf32>
  %4 = linalg.generic {indexing_maps = [#m2, #m0, #m1], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%0, %1 : tensor<1x128x320x320xf32>, tensor<2x2xf32>) outs(%3 : tensor<1x128x160x160xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %8 = arith.addf %out, %in : f32
    linalg.yield %8 : f32
  } -> tensor<1x128x160x160xf32>
  %5 = tensor.empty() : tensor<1x128x160x160xf32>
  %6 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<1x128x160x160xf32>) outs(%5 : tensor<1x128x160x160xf32>) {
  ^bb0(%in: f32, %out: f32):
    %cst_5 = arith.constant 4.000000e+00 : f32
    %8 = arith.divf %in, %cst_5 : f32
    linalg.yield %8 : f32
  } -> tensor<1x128x160x160xf32>
  %cst_3 = arith.constant dense<2.000000e-02> : tensor<f32>
  %cst_4 = arith.constant dense<100> : tensor<ui8>
  %7 = qnn.quantize %6 scale(%cst_3 : tensor<f32>) zero_point(%cst_4 : tensor<ui8>) : tensor<1x128x160x160xf32> -> tensor<1x128x160x160xui8>
  return %7 : tensor<1x128x160x160xui8>
}

func.func @globalavgpool_nchw_f32(%arg0: tensor<1x1024x56x56xf32>) -> tensor<1x1024x1x1xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<1x1024xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  %2 = linalg.generic {indexing_maps = [#m4, #m7], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%arg0 : tensor<1x1024x56x56xf32>) outs(%1 : tensor<1x1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %5 = arith.addf %out, %in : f32
    linalg.yield %5 : f32
  } -> tensor<1x1024xf32>
  %expanded = tensor.expand_shape %2 [[0], [1, 2, 3]] output_shape [1, 1024, 1, 1] : tensor<1x1024xf32> into tensor<1x1024x1x1xf32>
  %3 = tensor.empty() : tensor<1x1024x1x1xf32>
  %4 = linalg.generic {indexing_maps = [#m4, #m4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<1x1024x1x1xf32>) outs(%3 : tensor<1x1024x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %cst_0 = arith.constant 3.136000e+03 : f32
    %5 = arith.divf %in, %cst_0 : f32
    linalg.yield %5 : f32
  } -> tensor<1x1024x1x1xf32>
  return %4 : tensor<1x1024x1x1xf32>
}
