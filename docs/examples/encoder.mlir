// RUN: qcc run %s --weights=random:7 --input=random:1:-2:2 --check | FileCheck %s
// CHECK: check: 98304 elements, 0 differ

// One transformer encoder layer (128 tokens, 768 wide, 12 heads, feed-forward 3072) with a
// quantize/dequantize pair around every operand of a matmul: the projections, the scores
// Q * transpose(K), the probabilities times V, and the feed-forward network. Softmax, GELU
// and layer norm stay in float.

#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>
#mn = affine_map<(m, n) -> (m, n)>
#m1 = affine_map<(m) -> (m)>
#hm = affine_map<(h, m, n) -> (h, m)>
#hmn = affine_map<(h, m, n) -> (h, m, n)>

// Activations.
!x = !quant.uniform<i8:f32, 3.000000e-02>
!q = !quant.uniform<i8:f32, 2.500000e-02>
!k = !quant.uniform<i8:f32, 2.600000e-02>
!p = !quant.uniform<u8:f32, 3.921569e-03>
!v = !quant.uniform<i8:f32, 2.400000e-02>
!c = !quant.uniform<i8:f32, 1.000000e-02>
!f = !quant.uniform<u8:f32, 1.900000e-02:9>
// Weights.
!wa = !quant.uniform<i8:f32, 4.000000e-04>
!wf = !quant.uniform<i8:f32, 3.000000e-04>

func.func @encoder(%x: tensor<128x768xf32>) -> tensor<128x768xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %rsqrt2 = arith.constant 0.707106769 : f32
  %attention_scale = arith.constant 0.125 : f32
  %width = arith.constant 768.0 : f32
  %epsilon = arith.constant 9.99999996E-13 : f32
  %wq = arith.constant dense_resource<wq> : tensor<768x768x!wa>
  %wq_real = qnn.dequantize %wq : tensor<768x768x!wa> -> tensor<768x768xf32>
  %bq = arith.constant dense_resource<bq> : tensor<768xf32>
  %wk = arith.constant dense_resource<wk> : tensor<768x768x!wa>
  %wk_real = qnn.dequantize %wk : tensor<768x768x!wa> -> tensor<768x768xf32>
  %bk = arith.constant dense_resource<bk> : tensor<768xf32>
  %wv = arith.constant dense_resource<wv> : tensor<768x768x!wa>
  %wv_real = qnn.dequantize %wv : tensor<768x768x!wa> -> tensor<768x768xf32>
  %bv = arith.constant dense_resource<bv> : tensor<768xf32>
  %wo = arith.constant dense_resource<wo> : tensor<768x768x!wa>
  %wo_real = qnn.dequantize %wo : tensor<768x768x!wa> -> tensor<768x768xf32>
  %bo = arith.constant dense_resource<bo> : tensor<768xf32>
  %wi = arith.constant dense_resource<wi> : tensor<3072x768x!wf>
  %wi_real = qnn.dequantize %wi : tensor<3072x768x!wf> -> tensor<3072x768xf32>
  %bi = arith.constant dense_resource<bi> : tensor<3072xf32>
  %wd = arith.constant dense_resource<wd> : tensor<768x3072x!wf>
  %wd_real = qnn.dequantize %wd : tensor<768x3072x!wf> -> tensor<768x3072xf32>
  %bd = arith.constant dense_resource<bd> : tensor<768xf32>
  %gamma1 = arith.constant dense_resource<gamma1> : tensor<768xf32>
  %beta1 = arith.constant dense_resource<beta1> : tensor<768xf32>
  %gamma2 = arith.constant dense_resource<gamma2> : tensor<768xf32>
  %beta2 = arith.constant dense_resource<beta2> : tensor<768xf32>

  // Projections, split into heads.
  %xd_q = qnn.quantize %x : tensor<128x768xf32> -> tensor<128x768x!x>
  %xd = qnn.dequantize %xd_q : tensor<128x768x!x> -> tensor<128x768xf32>
  %heads_empty = tensor.empty() : tensor<12x128x64xf32>
  %q_flat = qnn.linear %xd, %wq_real bias(%bq : tensor<768xf32>) : tensor<128x768xf32>, tensor<768x768xf32> -> tensor<128x768xf32>
  %q_split = tensor.expand_shape %q_flat [[0], [1, 2]] output_shape [128, 12, 64] : tensor<128x768xf32> into tensor<128x12x64xf32>
  %q_heads = linalg.transpose ins(%q_split : tensor<128x12x64xf32>) outs(%heads_empty : tensor<12x128x64xf32>) permutation = [1, 0, 2]
  %qd_q = qnn.quantize %q_heads : tensor<12x128x64xf32> -> tensor<12x128x64x!q>
  %qd = qnn.dequantize %qd_q : tensor<12x128x64x!q> -> tensor<12x128x64xf32>
  %k_flat = qnn.linear %xd, %wk_real bias(%bk : tensor<768xf32>) : tensor<128x768xf32>, tensor<768x768xf32> -> tensor<128x768xf32>
  %k_split = tensor.expand_shape %k_flat [[0], [1, 2]] output_shape [128, 12, 64] : tensor<128x768xf32> into tensor<128x12x64xf32>
  %k_heads = linalg.transpose ins(%k_split : tensor<128x12x64xf32>) outs(%heads_empty : tensor<12x128x64xf32>) permutation = [1, 0, 2]
  %kd_q = qnn.quantize %k_heads : tensor<12x128x64xf32> -> tensor<12x128x64x!k>
  %kd = qnn.dequantize %kd_q : tensor<12x128x64x!k> -> tensor<12x128x64xf32>
  %v_flat = qnn.linear %xd, %wv_real bias(%bv : tensor<768xf32>) : tensor<128x768xf32>, tensor<768x768xf32> -> tensor<128x768xf32>
  %v_split = tensor.expand_shape %v_flat [[0], [1, 2]] output_shape [128, 12, 64] : tensor<128x768xf32> into tensor<128x12x64xf32>
  %v_heads = linalg.transpose ins(%v_split : tensor<128x12x64xf32>) outs(%heads_empty : tensor<12x128x64xf32>) permutation = [1, 0, 2]
  %vd_q = qnn.quantize %v_heads : tensor<12x128x64xf32> -> tensor<12x128x64x!v>
  %vd = qnn.dequantize %vd_q : tensor<12x128x64x!v> -> tensor<12x128x64xf32>

  // Scores.
  %scores = qnn.matmul %qd, %kd {transpose_rhs} : tensor<12x128x64xf32>, tensor<12x128x64xf32> -> tensor<12x128x128xf32>

  // Softmax of scores / sqrt(64).
  %square_empty = tensor.empty() : tensor<12x128x128xf32>
  %rows_empty = tensor.empty() : tensor<12x128xf32>
  %scaled = linalg.generic {indexing_maps = [#hmn, #hmn], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<12x128x128xf32>) outs(%square_empty : tensor<12x128x128xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.mulf %a, %attention_scale : f32
    linalg.yield %r : f32
  } -> tensor<12x128x128xf32>
  %max_init = linalg.fill ins(%lowest : f32) outs(%rows_empty : tensor<12x128xf32>) -> tensor<12x128xf32>
  %max = linalg.generic {indexing_maps = [#hmn, #hm], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scaled : tensor<12x128x128xf32>) outs(%max_init : tensor<12x128xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.maximumf %acc, %a : f32
    linalg.yield %r : f32
  } -> tensor<12x128xf32>
  %exp = linalg.generic {indexing_maps = [#hmn, #hm, #hmn], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scaled, %max : tensor<12x128x128xf32>, tensor<12x128xf32>) outs(%square_empty : tensor<12x128x128xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<12x128x128xf32>
  %sum_init = linalg.fill ins(%zero : f32) outs(%rows_empty : tensor<12x128xf32>) -> tensor<12x128xf32>
  %sum = linalg.generic {indexing_maps = [#hmn, #hm], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%exp : tensor<12x128x128xf32>) outs(%sum_init : tensor<12x128xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %acc, %a : f32
    linalg.yield %r : f32
  } -> tensor<12x128xf32>
  %probabilities = linalg.generic {indexing_maps = [#hmn, #hm, #hmn], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %sum : tensor<12x128x128xf32>, tensor<12x128xf32>) outs(%square_empty : tensor<12x128x128xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<12x128x128xf32>

  // The values, weighted; heads joined again.
  %pd_q = qnn.quantize %probabilities : tensor<12x128x128xf32> -> tensor<12x128x128x!p>
  %pd = qnn.dequantize %pd_q : tensor<12x128x128x!p> -> tensor<12x128x128xf32>
  %context = qnn.matmul %pd, %vd : tensor<12x128x128xf32>, tensor<12x128x64xf32> -> tensor<12x128x64xf32>
  %split_empty = tensor.empty() : tensor<128x12x64xf32>
  %context_split = linalg.transpose ins(%context : tensor<12x128x64xf32>) outs(%split_empty : tensor<128x12x64xf32>) permutation = [1, 0, 2]
  %context_flat = tensor.collapse_shape %context_split [[0], [1, 2]] : tensor<128x12x64xf32> into tensor<128x768xf32>
  %cd_q = qnn.quantize %context_flat : tensor<128x768xf32> -> tensor<128x768x!c>
  %cd = qnn.dequantize %cd_q : tensor<128x768x!c> -> tensor<128x768xf32>
  %attention = qnn.linear %cd, %wo_real bias(%bo : tensor<768xf32>) : tensor<128x768xf32>, tensor<768x768xf32> -> tensor<128x768xf32>

  // The first residual.
  %residual_1 = arith.addf %x, %attention : tensor<128x768xf32>
  %empty = tensor.empty() : tensor<128x768xf32>
  %row_empty = tensor.empty() : tensor<128xf32>
  %row_zeros = linalg.fill ins(%zero : f32) outs(%row_empty : tensor<128xf32>) -> tensor<128xf32>

  // Layer norm 1.
  %sum_1 = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%residual_1 : tensor<128x768xf32>) outs(%row_zeros : tensor<128xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %acc, %a : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  %mean_1 = linalg.generic {indexing_maps = [#m1, #m1], iterator_types = ["parallel"]}
      ins(%sum_1 : tensor<128xf32>) outs(%row_empty : tensor<128xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.divf %a, %width : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  %squares_1 = linalg.generic {indexing_maps = [#mn, #m, #m], iterator_types = ["parallel", "reduction"]}
      ins(%residual_1, %mean_1 : tensor<128x768xf32>, tensor<128xf32>) outs(%row_zeros : tensor<128xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %d = arith.subf %a, %b : f32
    %s = arith.mulf %d, %d : f32
    %r = arith.addf %acc, %s : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  %factor_1 = linalg.generic {indexing_maps = [#m1, #m1], iterator_types = ["parallel"]}
      ins(%squares_1 : tensor<128xf32>) outs(%row_empty : tensor<128xf32>) {
  ^bb0(%a: f32, %out: f32):
    %variance = arith.divf %a, %width : f32
    %positive = arith.addf %variance, %epsilon : f32
    %r = math.rsqrt %positive : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  %normal_1 = linalg.generic {indexing_maps = [#mn, #m, #m, #n, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%residual_1, %mean_1, %factor_1, %gamma1, %beta1 : tensor<128x768xf32>, tensor<128xf32>, tensor<128xf32>, tensor<768xf32>, tensor<768xf32>)
      outs(%empty : tensor<128x768xf32>) {
  ^bb0(%a: f32, %mu: f32, %s: f32, %g: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %mu : f32
    %normal = arith.mulf %d, %s : f32
    %scaled_by = arith.mulf %normal, %g : f32
    %r = arith.addf %scaled_by, %b : f32
    linalg.yield %r : f32
  } -> tensor<128x768xf32>

  // Feed-forward network with GELU.
  %nd_q = qnn.quantize %normal_1 : tensor<128x768xf32> -> tensor<128x768x!x>
  %nd = qnn.dequantize %nd_q : tensor<128x768x!x> -> tensor<128x768xf32>
  %inner = qnn.linear %nd, %wi_real bias(%bi : tensor<3072xf32>) : tensor<128x768xf32>, tensor<3072x768xf32> -> tensor<128x3072xf32>
  %inner_empty = tensor.empty() : tensor<128x3072xf32>
  %gelu = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%inner : tensor<128x3072xf32>) outs(%inner_empty : tensor<128x3072xf32>) {
  ^bb0(%a: f32, %out: f32):
    %t = arith.mulf %a, %rsqrt2 : f32
    %e = math.erf %t : f32
    %u = arith.addf %e, %one : f32
    %h = arith.mulf %a, %half : f32
    %r = arith.mulf %h, %u : f32
    linalg.yield %r : f32
  } -> tensor<128x3072xf32>
  %gd_q = qnn.quantize %gelu : tensor<128x3072xf32> -> tensor<128x3072x!f>
  %gd = qnn.dequantize %gd_q : tensor<128x3072x!f> -> tensor<128x3072xf32>
  %outer = qnn.linear %gd, %wd_real bias(%bd : tensor<768xf32>) : tensor<128x3072xf32>, tensor<768x3072xf32> -> tensor<128x768xf32>

  // The second residual.
  %residual_2 = arith.addf %normal_1, %outer : tensor<128x768xf32>

  // Layer norm 2.
  %sum_2 = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%residual_2 : tensor<128x768xf32>) outs(%row_zeros : tensor<128xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %acc, %a : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  %mean_2 = linalg.generic {indexing_maps = [#m1, #m1], iterator_types = ["parallel"]}
      ins(%sum_2 : tensor<128xf32>) outs(%row_empty : tensor<128xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.divf %a, %width : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  %squares_2 = linalg.generic {indexing_maps = [#mn, #m, #m], iterator_types = ["parallel", "reduction"]}
      ins(%residual_2, %mean_2 : tensor<128x768xf32>, tensor<128xf32>) outs(%row_zeros : tensor<128xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %d = arith.subf %a, %b : f32
    %s = arith.mulf %d, %d : f32
    %r = arith.addf %acc, %s : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  %factor_2 = linalg.generic {indexing_maps = [#m1, #m1], iterator_types = ["parallel"]}
      ins(%squares_2 : tensor<128xf32>) outs(%row_empty : tensor<128xf32>) {
  ^bb0(%a: f32, %out: f32):
    %variance = arith.divf %a, %width : f32
    %positive = arith.addf %variance, %epsilon : f32
    %r = math.rsqrt %positive : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  %y = linalg.generic {indexing_maps = [#mn, #m, #m, #n, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%residual_2, %mean_2, %factor_2, %gamma2, %beta2 : tensor<128x768xf32>, tensor<128xf32>, tensor<128xf32>, tensor<768xf32>, tensor<768xf32>)
      outs(%empty : tensor<128x768xf32>) {
  ^bb0(%a: f32, %mu: f32, %s: f32, %g: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %mu : f32
    %normal = arith.mulf %d, %s : f32
    %scaled_by = arith.mulf %normal, %g : f32
    %r = arith.addf %scaled_by, %b : f32
    linalg.yield %r : f32
  } -> tensor<128x768xf32>
  return %y : tensor<128x768xf32>
}
