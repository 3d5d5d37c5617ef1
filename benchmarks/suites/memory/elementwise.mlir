// Elementwise ops and quantization, as front ends write them: steps that read and write more than a
// second-level cache holds.

#m0 = affine_map<(d0, d1) -> (d0, d1)>

func.func @add_f32(%arg0: tensor<3136x1024xf32>, %arg1: tensor<3136x1024xf32>) -> tensor<3136x1024xf32> {
  %0 = tensor.empty() : tensor<3136x1024xf32>
  %1 = linalg.generic {indexing_maps = [#m0, #m0, #m0], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<3136x1024xf32>, tensor<3136x1024xf32>) outs(%0 : tensor<3136x1024xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %2 = arith.addf %in, %in_0 : f32
    linalg.yield %2 : f32
  } -> tensor<3136x1024xf32>
  return %1 : tensor<3136x1024xf32>
}

func.func @mul_f32(%arg0: tensor<3136x1024xf32>, %arg1: tensor<3136x1024xf32>) -> tensor<3136x1024xf32> {
  %0 = tensor.empty() : tensor<3136x1024xf32>
  %1 = linalg.generic {indexing_maps = [#m0, #m0, #m0], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<3136x1024xf32>, tensor<3136x1024xf32>) outs(%0 : tensor<3136x1024xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %2 = arith.mulf %in, %in_0 : f32
    linalg.yield %2 : f32
  } -> tensor<3136x1024xf32>
  return %1 : tensor<3136x1024xf32>
}

func.func @relu_f32(%arg0: tensor<3136x1024xf32>) -> tensor<3136x1024xf32> {
  %0 = tensor.empty() : tensor<3136x1024xf32>
  %1 = linalg.generic {indexing_maps = [#m0, #m0], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<3136x1024xf32>) outs(%0 : tensor<3136x1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %cst = arith.constant 0.000000e+00 : f32
    %2 = arith.maximumf %in, %cst : f32
    linalg.yield %2 : f32
  } -> tensor<3136x1024xf32>
  return %1 : tensor<3136x1024xf32>
}

func.func @relu_f16(%arg0: tensor<6272x1024xf16>) -> tensor<6272x1024xf16> {
  %0 = tensor.empty() : tensor<6272x1024xf16>
  %1 = linalg.generic {indexing_maps = [#m0, #m0], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<6272x1024xf16>) outs(%0 : tensor<6272x1024xf16>) {
  ^bb0(%in: f16, %out: f16):
    %cst = arith.constant 0.000000e+00 : f16
    %2 = arith.maximumf %in, %cst : f16
    linalg.yield %2 : f16
  } -> tensor<6272x1024xf16>
  return %1 : tensor<6272x1024xf16>
}

func.func @gelu_f32(%arg0: tensor<3136x1024xf32>) -> tensor<3136x1024xf32> {
  %0 = tensor.empty() : tensor<3136x1024xf32>
  %1 = linalg.generic {indexing_maps = [#m0, #m0], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<3136x1024xf32>) outs(%0 : tensor<3136x1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %cst = arith.constant 0.707106769 : f32
    %2 = arith.mulf %in, %cst : f32
    %3 = math.erf %2 : f32
    %cst_0 = arith.constant 5.000000e-01 : f32
    %4 = arith.mulf %cst_0, %in : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %5 = arith.addf %cst_1, %3 : f32
    %6 = arith.mulf %4, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<3136x1024xf32>
  return %1 : tensor<3136x1024xf32>
}

func.func @sigmoid_f32(%arg0: tensor<3136x1024xf32>) -> tensor<3136x1024xf32> {
  %0 = tensor.empty() : tensor<3136x1024xf32>
  %1 = linalg.generic {indexing_maps = [#m0, #m0], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<3136x1024xf32>) outs(%0 : tensor<3136x1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %cst = arith.constant 1.000000e+00 : f32
    %2 = arith.negf %in : f32
    %3 = math.exp %2 : f32
    %4 = arith.addf %cst, %3 : f32
    %5 = arith.divf %cst, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<3136x1024xf32>
  return %1 : tensor<3136x1024xf32>
}

func.func @quantize_u8(%arg0: tensor<3136x1024xf32>) -> tensor<3136x1024xui8> {
  %cst = arith.constant dense<2.000000e-02> : tensor<f32>
  %cst_0 = arith.constant dense<100> : tensor<ui8>
  %0 = qnn.quantize %arg0 scale(%cst : tensor<f32>) zero_point(%cst_0 : tensor<ui8>) : tensor<3136x1024xf32> -> tensor<3136x1024xui8>
  return %0 : tensor<3136x1024xui8>
}

func.func @quantize_s8(%arg0: tensor<3136x1024xf32>) -> tensor<3136x1024xi8> {
  %cst = arith.constant dense<2.000000e-02> : tensor<f32>
  %cst_0 = arith.constant dense<3> : tensor<i8>
  %0 = qnn.quantize %arg0 scale(%cst : tensor<f32>) zero_point(%cst_0 : tensor<i8>) : tensor<3136x1024xf32> -> tensor<3136x1024xi8>
  return %0 : tensor<3136x1024xi8>
}

func.func @dequantize_u8(%arg0: tensor<3136x1024xui8>) -> tensor<3136x1024xf32> {
  %cst = arith.constant dense<2.000000e-02> : tensor<f32>
  %cst_0 = arith.constant dense<100> : tensor<ui8>
  %0 = qnn.dequantize %arg0 scale(%cst : tensor<f32>) zero_point(%cst_0 : tensor<ui8>) : tensor<3136x1024xui8> -> tensor<3136x1024xf32>
  return %0 : tensor<3136x1024xf32>
}

func.func @dequantize_s8(%arg0: tensor<3136x1024xi8>) -> tensor<3136x1024xf32> {
  %cst = arith.constant dense<2.000000e-02> : tensor<f32>
  %cst_0 = arith.constant dense<3> : tensor<i8>
  %0 = qnn.dequantize %arg0 scale(%cst : tensor<f32>) zero_point(%cst_0 : tensor<i8>) : tensor<3136x1024xi8> -> tensor<3136x1024xf32>
  return %0 : tensor<3136x1024xf32>
}

func.func @qadd_u8(%arg0: tensor<12288x1024xui8>, %arg1: tensor<12288x1024xui8>) -> tensor<12288x1024xui8> {
  %cst = arith.constant dense<2.000000e-02> : tensor<f32>
  %cst_0 = arith.constant dense<100> : tensor<ui8>
  %0 = qnn.dequantize %arg0 scale(%cst : tensor<f32>) zero_point(%cst_0 : tensor<ui8>) : tensor<12288x1024xui8> -> tensor<12288x1024xf32>
  %cst_1 = arith.constant dense<3.000000e-02> : tensor<f32>
  %cst_2 = arith.constant dense<100> : tensor<ui8>
  %1 = qnn.dequantize %arg1 scale(%cst_1 : tensor<f32>) zero_point(%cst_2 : tensor<ui8>) : tensor<12288x1024xui8> -> tensor<12288x1024xf32>
  %2 = tensor.empty() : tensor<12288x1024xf32>
  %3 = linalg.generic {indexing_maps = [#m0, #m0, #m0], iterator_types = ["parallel", "parallel"]} ins(%0, %1 : tensor<12288x1024xf32>, tensor<12288x1024xf32>) outs(%2 : tensor<12288x1024xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %5 = arith.addf %in, %in_5 : f32
    linalg.yield %5 : f32
  } -> tensor<12288x1024xf32>
  %cst_3 = arith.constant dense<4.000000e-02> : tensor<f32>
  %cst_4 = arith.constant dense<100> : tensor<ui8>
  %4 = qnn.quantize %3 scale(%cst_3 : tensor<f32>) zero_point(%cst_4 : tensor<ui8>) : tensor<12288x1024xf32> -> tensor<12288x1024xui8>
  return %4 : tensor<12288x1024xui8>
}

func.func @qmul_s8(%arg0: tensor<12288x1024xi8>, %arg1: tensor<12288x1024xi8>) -> tensor<12288x1024xi8> {
  %cst = arith.constant dense<2.000000e-02> : tensor<f32>
  %cst_0 = arith.constant dense<3> : tensor<i8>
  %0 = qnn.dequantize %arg0 scale(%cst : tensor<f32>) zero_point(%cst_0 : tensor<i8>) : tensor<12288x1024xi8> -> tensor<12288x1024xf32>
  %cst_1 = arith.constant dense<3.000000e-02> : tensor<f32>
  %cst_2 = arith.constant dense<3> : tensor<i8>
  %1 = qnn.dequantize %arg1 scale(%cst_1 : tensor<f32>) zero_point(%cst_2 : tensor<i8>) : tensor<12288x1024xi8> -> tensor<12288x1024xf32>
  %2 = tensor.empty() : tensor<12288x1024xf32>
  %3 = linalg.generic {indexing_maps = [#m0, #m0, #m0], iterator_types = ["parallel", "parallel"]} ins(%0, %1 : tensor<12288x1024xf32>, tensor<12288x1024xf32>) outs(%2 : tensor<12288x1024xf32>) {
  ^bb0(%in: f32, %in_5: f32, %out: f32):
    %5 = arith.mulf %in, %in_5 : f32
    linalg.yield %5 : f32
  } -> tensor<12288x1024xf32>
  %cst_3 = arith.constant dense<4.000000e-02> : tensor<f32>
  %cst_4 = arith.constant dense<3> : tensor<i8>
  %4 = qnn.quantize %3 scale(%cst_3 : tensor<f32>) zero_point(%cst_4 : tensor<i8>) : tensor<12288x1024xf32> -> tensor<12288x1024xi8>
  return %4 : tensor<12288x1024xi8>
}

func.func @qgelu_u8(%arg0: tensor<12288x1024xui8>) -> tensor<12288x1024xui8> {
  %cst = arith.constant dense<2.000000e-02> : tensor<f32>
  %cst_0 = arith.constant dense<100> : tensor<ui8>
  %0 = qnn.dequantize %arg0 scale(%cst : tensor<f32>) zero_point(%cst_0 : tensor<ui8>) : tensor<12288x1024xui8> -> tensor<12288x1024xf32>
  %1 = tensor.empty() : tensor<12288x1024xf32>
  %2 = linalg.generic {indexing_maps = [#m0, #m0], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<12288x1024xf32>) outs(%1 : tensor<12288x1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %cst_3 = arith.constant 0.707106769 : f32
    %4 = arith.mulf %in, %cst_3 : f32
    %5 = math.erf %4 : f32
    %cst_4 = arith.constant 5.000000e-01 : f32
    %6 = arith.mulf %cst_4, %in : f32
    %cst_5 = arith.constant 1.000000e+00 : f32
    %7 = arith.addf %cst_5, %5 : f32
    %8 = arith.mulf %6, %7 : f32
    linalg.yield %8 : f32
  } -> tensor<12288x1024xf32>
  %cst_1 = arith.constant dense<4.000000e-02> : tensor<f32>
  %cst_2 = arith.constant dense<100> : tensor<ui8>
  %3 = qnn.quantize %2 scale(%cst_1 : tensor<f32>) zero_point(%cst_2 : tensor<ui8>) : tensor<12288x1024xf32> -> tensor<12288x1024xui8>
  return %3 : tensor<12288x1024xui8>
}
