// Reductions, normalizations and scans, as front ends write them: steps that read and write more than a
// second-level cache holds.

#m0 = affine_map<(d0, d1, d2) -> (d1, d2)>
#m1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#m2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#m3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#m4 = affine_map<(d0, d1) -> (d0)>
#m5 = affine_map<(d0) -> (d0)>
#m6 = affine_map<(d0, d1) -> (d0, 0)>
#m7 = affine_map<(d0, d1) -> (d1)>
#m8 = affine_map<(d0, d1) -> (d0, d1)>

func.func @reducesum_axis0_f32(%arg0: tensor<64x224x224xf32>) -> tensor<224x224xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<224x224xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<224x224xf32>) -> tensor<224x224xf32>
  %2 = linalg.generic {indexing_maps = [#m1, #m0], iterator_types = ["reduction", "parallel", "parallel"]} ins(%arg0 : tensor<64x224x224xf32>) outs(%1 : tensor<224x224xf32>) {
  ^bb0(%in: f32, %out: f32):
    %3 = arith.addf %out, %in : f32
    linalg.yield %3 : f32
  } -> tensor<224x224xf32>
  return %2 : tensor<224x224xf32>
}

func.func @reducesum_axis1_f32(%arg0: tensor<64x224x224xf32>) -> tensor<64x224xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<64x224xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<64x224xf32>) -> tensor<64x224xf32>
  %2 = linalg.generic {indexing_maps = [#m1, #m2], iterator_types = ["parallel", "reduction", "parallel"]} ins(%arg0 : tensor<64x224x224xf32>) outs(%1 : tensor<64x224xf32>) {
  ^bb0(%in: f32, %out: f32):
    %3 = arith.addf %out, %in : f32
    linalg.yield %3 : f32
  } -> tensor<64x224xf32>
  return %2 : tensor<64x224xf32>
}

func.func @reducesum_axis2_f32(%arg0: tensor<64x224x224xf32>) -> tensor<64x224xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<64x224xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<64x224xf32>) -> tensor<64x224xf32>
  %2 = linalg.generic {indexing_maps = [#m1, #m3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<64x224x224xf32>) outs(%1 : tensor<64x224xf32>) {
  ^bb0(%in: f32, %out: f32):
    %3 = arith.addf %out, %in : f32
    linalg.yield %3 : f32
  } -> tensor<64x224xf32>
  return %2 : tensor<64x224xf32>
}

func.func @reducemax_axis0_f32(%arg0: tensor<64x224x224xf32>) -> tensor<224x224xf32> {
  %cst = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<224x224xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<224x224xf32>) -> tensor<224x224xf32>
  %2 = linalg.generic {indexing_maps = [#m1, #m0], iterator_types = ["reduction", "parallel", "parallel"]} ins(%arg0 : tensor<64x224x224xf32>) outs(%1 : tensor<224x224xf32>) {
  ^bb0(%in: f32, %out: f32):
    %3 = arith.maximumf %out, %in : f32
    linalg.yield %3 : f32
  } -> tensor<224x224xf32>
  return %2 : tensor<224x224xf32>
}

func.func @reducemax_axis1_f32(%arg0: tensor<64x224x224xf32>) -> tensor<64x224xf32> {
  %cst = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<64x224xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<64x224xf32>) -> tensor<64x224xf32>
  %2 = linalg.generic {indexing_maps = [#m1, #m2], iterator_types = ["parallel", "reduction", "parallel"]} ins(%arg0 : tensor<64x224x224xf32>) outs(%1 : tensor<64x224xf32>) {
  ^bb0(%in: f32, %out: f32):
    %3 = arith.maximumf %out, %in : f32
    linalg.yield %3 : f32
  } -> tensor<64x224xf32>
  return %2 : tensor<64x224xf32>
}

func.func @reducemax_axis2_f32(%arg0: tensor<64x224x224xf32>) -> tensor<64x224xf32> {
  %cst = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<64x224xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<64x224xf32>) -> tensor<64x224xf32>
  %2 = linalg.generic {indexing_maps = [#m1, #m3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<64x224x224xf32>) outs(%1 : tensor<64x224xf32>) {
  ^bb0(%in: f32, %out: f32):
    %3 = arith.maximumf %out, %in : f32
    linalg.yield %3 : f32
  } -> tensor<64x224xf32>
  return %2 : tensor<64x224xf32>
}

func.func @softmax_f32(%arg0: tensor<3136x1024xf32>) -> tensor<3136x1024xf32> {
  %0 = tensor.empty() : tensor<3136x1024xf32>
  %1 = linalg.softmax dimension(1) ins(%arg0 : tensor<3136x1024xf32>) outs(%0 : tensor<3136x1024xf32>) -> tensor<3136x1024xf32>
  return %1 : tensor<3136x1024xf32>
}

func.func @layernorm_f32(%arg0: tensor<3136x1024xf32>, %arg1: tensor<1024xf32>, %arg2: tensor<1024xf32>) -> tensor<3136x1024xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<3136xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<3136xf32>) -> tensor<3136xf32>
  %2 = linalg.generic {indexing_maps = [#m8, #m4], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<3136x1024xf32>) outs(%1 : tensor<3136xf32>) {
  ^bb0(%in: f32, %out: f32):
    %18 = arith.addf %out, %in : f32
    linalg.yield %18 : f32
  } -> tensor<3136xf32>
  %3 = tensor.empty() : tensor<3136xf32>
  %4 = linalg.generic {indexing_maps = [#m5, #m5], iterator_types = ["parallel"]} ins(%2 : tensor<3136xf32>) outs(%3 : tensor<3136xf32>) {
  ^bb0(%in: f32, %out: f32):
    %cst_2 = arith.constant 1.024000e+03 : f32
    %18 = arith.divf %in, %cst_2 : f32
    linalg.yield %18 : f32
  } -> tensor<3136xf32>
  %expanded = tensor.expand_shape %4 [[0, 1]] output_shape [3136, 1] : tensor<3136xf32> into tensor<3136x1xf32>
  %5 = tensor.empty() : tensor<3136x1024xf32>
  %6 = linalg.generic {indexing_maps = [#m8, #m6, #m8], iterator_types = ["parallel", "parallel"]} ins(%arg0, %expanded : tensor<3136x1024xf32>, tensor<3136x1xf32>) outs(%5 : tensor<3136x1024xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %18 = arith.subf %in, %in_2 : f32
    linalg.yield %18 : f32
  } -> tensor<3136x1024xf32>
  %cst_0 = arith.constant 0.000000e+00 : f32
  %7 = tensor.empty() : tensor<3136xf32>
  %8 = linalg.fill ins(%cst_0 : f32) outs(%7 : tensor<3136xf32>) -> tensor<3136xf32>
  %9 = linalg.generic {indexing_maps = [#m8, #m4], iterator_types = ["parallel", "reduction"]} ins(%6 : tensor<3136x1024xf32>) outs(%8 : tensor<3136xf32>) {
  ^bb0(%in: f32, %out: f32):
    %18 = arith.mulf %in, %in : f32
    %19 = arith.addf %out, %18 : f32
    linalg.yield %19 : f32
  } -> tensor<3136xf32>
  %10 = tensor.empty() : tensor<3136xf32>
  %11 = linalg.generic {indexing_maps = [#m5, #m5], iterator_types = ["parallel"]} ins(%9 : tensor<3136xf32>) outs(%10 : tensor<3136xf32>) {
  ^bb0(%in: f32, %out: f32):
    %cst_2 = arith.constant 1.024000e+03 : f32
    %18 = arith.divf %in, %cst_2 : f32
    linalg.yield %18 : f32
  } -> tensor<3136xf32>
  %12 = tensor.empty() : tensor<3136xf32>
  %13 = linalg.generic {indexing_maps = [#m5, #m5], iterator_types = ["parallel"]} ins(%11 : tensor<3136xf32>) outs(%12 : tensor<3136xf32>) {
  ^bb0(%in: f32, %out: f32):
    %cst_2 = arith.constant 9.99999974E-6 : f32
    %18 = arith.addf %in, %cst_2 : f32
    %19 = math.rsqrt %18 : f32
    linalg.yield %19 : f32
  } -> tensor<3136xf32>
  %expanded_1 = tensor.expand_shape %13 [[0, 1]] output_shape [3136, 1] : tensor<3136xf32> into tensor<3136x1xf32>
  %14 = tensor.empty() : tensor<3136x1024xf32>
  %15 = linalg.generic {indexing_maps = [#m8, #m6, #m8], iterator_types = ["parallel", "parallel"]} ins(%6, %expanded_1 : tensor<3136x1024xf32>, tensor<3136x1xf32>) outs(%14 : tensor<3136x1024xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %18 = arith.mulf %in, %in_2 : f32
    linalg.yield %18 : f32
  } -> tensor<3136x1024xf32>
  %16 = tensor.empty() : tensor<3136x1024xf32>
  %17 = linalg.generic {indexing_maps = [#m8, #m7, #m7, #m8], iterator_types = ["parallel", "parallel"]} ins(%15, %arg1, %arg2 : tensor<3136x1024xf32>, tensor<1024xf32>, tensor<1024xf32>) outs(%16 : tensor<3136x1024xf32>) {
  ^bb0(%in: f32, %in_2: f32, %in_3: f32, %out: f32):
    %18 = arith.mulf %in, %in_2 : f32
    %19 = arith.addf %18, %in_3 : f32
    linalg.yield %19 : f32
  } -> tensor<3136x1024xf32>
  return %17 : tensor<3136x1024xf32>
}

func.func @rmsnorm_f32(%arg0: tensor<3136x1024xf32>, %arg1: tensor<1024xf32>) -> tensor<3136x1024xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<3136xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<3136xf32>) -> tensor<3136xf32>
  %2 = linalg.generic {indexing_maps = [#m8, #m4], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<3136x1024xf32>) outs(%1 : tensor<3136xf32>) {
  ^bb0(%in: f32, %out: f32):
    %11 = arith.mulf %in, %in : f32
    %12 = arith.addf %out, %11 : f32
    linalg.yield %12 : f32
  } -> tensor<3136xf32>
  %3 = tensor.empty() : tensor<3136xf32>
  %4 = linalg.generic {indexing_maps = [#m5, #m5], iterator_types = ["parallel"]} ins(%2 : tensor<3136xf32>) outs(%3 : tensor<3136xf32>) {
  ^bb0(%in: f32, %out: f32):
    %cst_0 = arith.constant 1.024000e+03 : f32
    %11 = arith.divf %in, %cst_0 : f32
    linalg.yield %11 : f32
  } -> tensor<3136xf32>
  %5 = tensor.empty() : tensor<3136xf32>
  %6 = linalg.generic {indexing_maps = [#m5, #m5], iterator_types = ["parallel"]} ins(%4 : tensor<3136xf32>) outs(%5 : tensor<3136xf32>) {
  ^bb0(%in: f32, %out: f32):
    %cst_0 = arith.constant 9.99999974E-6 : f32
    %11 = arith.addf %in, %cst_0 : f32
    %12 = math.rsqrt %11 : f32
    linalg.yield %12 : f32
  } -> tensor<3136xf32>
  %expanded = tensor.expand_shape %6 [[0, 1]] output_shape [3136, 1] : tensor<3136xf32> into tensor<3136x1xf32>
  %7 = tensor.empty() : tensor<3136x1024xf32>
  %8 = linalg.generic {indexing_maps = [#m8, #m6, #m8], iterator_types = ["parallel", "parallel"]} ins(%arg0, %expanded : tensor<3136x1024xf32>, tensor<3136x1xf32>) outs(%7 : tensor<3136x1024xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %11 = arith.mulf %in, %in_0 : f32
    linalg.yield %11 : f32
  } -> tensor<3136x1024xf32>
  %9 = tensor.empty() : tensor<3136x1024xf32>
  %10 = linalg.generic {indexing_maps = [#m8, #m7, #m8], iterator_types = ["parallel", "parallel"]} ins(%8, %arg1 : tensor<3136x1024xf32>, tensor<1024xf32>) outs(%9 : tensor<3136x1024xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %11 = arith.mulf %in, %in_0 : f32
    linalg.yield %11 : f32
  } -> tensor<3136x1024xf32>
  return %10 : tensor<3136x1024xf32>
}

func.func @argmax_last_f32(%arg0: tensor<3136x1024xf32>) -> tensor<3136xi64> {
  %cst = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<3136xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<3136xf32>) -> tensor<3136xf32>
  %c0_i64 = arith.constant 0 : i64
  %2 = tensor.empty() : tensor<3136xi64>
  %3 = linalg.fill ins(%c0_i64 : i64) outs(%2 : tensor<3136xi64>) -> tensor<3136xi64>
  %4:2 = linalg.generic {indexing_maps = [#m8, #m4, #m4], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<3136x1024xf32>) outs(%1, %3 : tensor<3136xf32>, tensor<3136xi64>) {
  ^bb0(%in: f32, %out: f32, %out_0: i64):
    %5 = arith.cmpf olt, %out, %in : f32
    %6 = arith.cmpf uno, %in, %in : f32
    %7 = arith.cmpf ord, %out, %out : f32
    %8 = arith.andi %6, %7 : i1
    %9 = arith.ori %5, %8 : i1
    %10 = linalg.index 1 : index
    %11 = arith.index_cast %10 : index to i64
    %12 = arith.select %9, %in, %out : f32
    %13 = arith.select %9, %11, %out_0 : i64
    linalg.yield %12, %13 : f32, i64
  } -> (tensor<3136xf32>, tensor<3136xi64>)
  return %4#1 : tensor<3136xi64>
}

func.func @argmax_first_f32(%arg0: tensor<64x50176xf32>) -> tensor<50176xi64> {
  %cst = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<50176xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<50176xf32>) -> tensor<50176xf32>
  %c0_i64 = arith.constant 0 : i64
  %2 = tensor.empty() : tensor<50176xi64>
  %3 = linalg.fill ins(%c0_i64 : i64) outs(%2 : tensor<50176xi64>) -> tensor<50176xi64>
  %4:2 = linalg.generic {indexing_maps = [#m8, #m7, #m7], iterator_types = ["reduction", "parallel"]} ins(%arg0 : tensor<64x50176xf32>) outs(%1, %3 : tensor<50176xf32>, tensor<50176xi64>) {
  ^bb0(%in: f32, %out: f32, %out_0: i64):
    %5 = arith.cmpf olt, %out, %in : f32
    %6 = arith.cmpf uno, %in, %in : f32
    %7 = arith.cmpf ord, %out, %out : f32
    %8 = arith.andi %6, %7 : i1
    %9 = arith.ori %5, %8 : i1
    %10 = linalg.index 0 : index
    %11 = arith.index_cast %10 : index to i64
    %12 = arith.select %9, %in, %out : f32
    %13 = arith.select %9, %11, %out_0 : i64
    linalg.yield %12, %13 : f32, i64
  } -> (tensor<50176xf32>, tensor<50176xi64>)
  return %4#1 : tensor<50176xi64>
}

func.func @cumsum_last_f32(%arg0: tensor<3136x1024xf32>) -> tensor<3136x1024xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<3136x1xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<3136x1xf32>) -> tensor<3136x1xf32>
  %cst_0 = arith.constant 0.000000e+00 : f32
  %2 = tensor.empty() : tensor<3136x1024xf32>
  %3 = linalg.fill ins(%cst_0 : f32) outs(%2 : tensor<3136x1024xf32>) -> tensor<3136x1024xf32>
  %c1023 = arith.constant 1023 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %4:2 = scf.for %arg1 = %c0 to %c1024 step %c1 iter_args(%arg2 = %1, %arg3 = %3) -> (tensor<3136x1xf32>, tensor<3136x1024xf32>) {
    %extracted_slice = tensor.extract_slice %arg0[0, %arg1] [3136, 1] [1, 1] : tensor<3136x1024xf32> to tensor<3136x1xf32>
    %5 = tensor.empty() : tensor<3136x1xf32>
    %6 = linalg.generic {indexing_maps = [#m8, #m8, #m8], iterator_types = ["parallel", "parallel"]} ins(%arg2, %extracted_slice : tensor<3136x1xf32>, tensor<3136x1xf32>) outs(%5 : tensor<3136x1xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %7 = arith.addf %in, %in_1 : f32
      linalg.yield %7 : f32
    } -> tensor<3136x1xf32>
    %inserted_slice = tensor.insert_slice %6 into %arg3[0, %arg1] [3136, 1] [1, 1] : tensor<3136x1xf32> into tensor<3136x1024xf32>
    scf.yield %6, %inserted_slice : tensor<3136x1xf32>, tensor<3136x1024xf32>
  }
  return %4#1 : tensor<3136x1024xf32>
}

func.func @cumsum_first_f32(%arg0: tensor<1024x3136xf32>) -> tensor<1024x3136xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<1x3136xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x3136xf32>) -> tensor<1x3136xf32>
  %cst_0 = arith.constant 0.000000e+00 : f32
  %2 = tensor.empty() : tensor<1024x3136xf32>
  %3 = linalg.fill ins(%cst_0 : f32) outs(%2 : tensor<1024x3136xf32>) -> tensor<1024x3136xf32>
  %c1023 = arith.constant 1023 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %4:2 = scf.for %arg1 = %c0 to %c1024 step %c1 iter_args(%arg2 = %1, %arg3 = %3) -> (tensor<1x3136xf32>, tensor<1024x3136xf32>) {
    %extracted_slice = tensor.extract_slice %arg0[%arg1, 0] [1, 3136] [1, 1] : tensor<1024x3136xf32> to tensor<1x3136xf32>
    %5 = tensor.empty() : tensor<1x3136xf32>
    %6 = linalg.generic {indexing_maps = [#m8, #m8, #m8], iterator_types = ["parallel", "parallel"]} ins(%arg2, %extracted_slice : tensor<1x3136xf32>, tensor<1x3136xf32>) outs(%5 : tensor<1x3136xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %7 = arith.addf %in, %in_1 : f32
      linalg.yield %7 : f32
    } -> tensor<1x3136xf32>
    %inserted_slice = tensor.insert_slice %6 into %arg3[%arg1, 0] [1, 3136] [1, 1] : tensor<1x3136xf32> into tensor<1024x3136xf32>
    scf.yield %6, %inserted_slice : tensor<1x3136xf32>, tensor<1024x3136xf32>
  }
  return %4#1 : tensor<1024x3136xf32>
}
