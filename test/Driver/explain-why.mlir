// Each step that is not a kernel says why.
// RUN: env COLUMNS=1000 qcc explain %s --weights=random:1 | FileCheck %s
// RUN: qcc explain %s --weights=random:1 --json | %python -c "import json, sys; bad = [k for k in json.load(sys.stdin)['kernels'] if k['kind'] == 'generic' and not k.get('refused')]; assert not bad, bad"

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>

// Accumulators of f16 are rounded at each step.
// CHECK-LABEL: entry float_matmul:
// CHECK: .generic {{.*}}linalg.matmul
// CHECK: why: its operands are f16; only contractions of 8-bit integers, or of values dequantized from them, have kernels, and on x86 those of f32
func.func @float_matmul(%x: tensor<4x8xf16>, %w: tensor<8x16xf16>, %y: tensor<4x16xf16>) -> tensor<4x16xf16> {
  %r = linalg.matmul ins(%x, %w : tensor<4x8xf16>, tensor<8x16xf16>) outs(%y : tensor<4x16xf16>) -> tensor<4x16xf16>
  return %r : tensor<4x16xf16>
}

// Windows would quantize each element three times.
// CHECK-LABEL: entry convolution:
// CHECK: .generic {{.*}}qnn.quantize
// CHECK: why: it computes the operand of a convolution, whose windows would compute it repeatedly
// CHECK: .contract {{.*}}linalg.conv_1d_nwc_wcf
func.func @convolution(%x: tensor<1x9x8xf32>, %w: tensor<3x8x16xi8>, %y: tensor<1x7x16xi32>) -> tensor<1x7x16xi32> {
  %s = arith.constant 0.1 : f32
  %q = qnn.quantize %x scale(%s : f32) : tensor<1x9x8xf32> -> tensor<1x9x8xi8>
  %r = linalg.conv_1d_nwc_wcf ins(%q, %w : tensor<1x9x8xi8>, tensor<3x8x16xi8>) outs(%y : tensor<1x7x16xi32>) -> tensor<1x7x16xi32>
  return %r : tensor<1x7x16xi32>
}

// Of few columns, K stays dynamic. A quantize before it neither hides the reason nor is computed for each column.
// CHECK-LABEL: entry dynamic_k:
// CHECK: .generic {{.*}}  qnn.quantize  generic loops
// CHECK: .generic {{.*}}  linalg.matmul  generic loops
// CHECK: why: the size of a reduction dimension (K) is dynamic
func.func @dynamic_k(%x: tensor<?x?xf32>, %w: tensor<?x8xi8>, %y: tensor<?x8xi32>) -> tensor<?x8xi32> {
  %s = arith.constant 0.1 : f32
  %q = qnn.quantize %x scale(%s : f32) : tensor<?x?xf32> -> tensor<?x?xi8>
  %r = linalg.matmul ins(%q, %w : tensor<?x?xi8>, tensor<?x8xi8>) outs(%y : tensor<?x8xi32>) -> tensor<?x8xi32>
  return %r : tensor<?x8xi32>
}

// CHECK-LABEL: entry dynamic_k_real:
// CHECK: .contract {{.*}}  linalg.matmul
// CHECK: .generic {{.*}}  sum of parts of K
func.func @dynamic_k_real(%x: tensor<?x?x!quant.uniform<i8:f32, 0.1>>, %w: tensor<?x16x!quant.uniform<i8:f32, 0.1>>, %y: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %a = qnn.dequantize %x : tensor<?x?x!quant.uniform<i8:f32, 0.1>> -> tensor<?x?xf32>
  %b = qnn.dequantize %w : tensor<?x16x!quant.uniform<i8:f32, 0.1>> -> tensor<?x16xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x16xf32>) outs(%y : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// CHECK-LABEL: entry channels_along_k:
// CHECK: .generic {{.*}}  qnn.linear  generic loops
// CHECK: why: the scale of the right operand varies along a reduction dimension
func.func @channels_along_k(%x: tensor<16x4x!quant.uniform<i8:f32, 0.1>>) -> tensor<16x4xf32> {
  %w = arith.constant dense_resource<w> : tensor<4x4x!quant.uniform<i8:f32:1, {0.1, 0.2, 0.3, 0.4}>>
  %wd = qnn.dequantize %w : tensor<4x4x!quant.uniform<i8:f32:1, {0.1, 0.2, 0.3, 0.4}>> -> tensor<4x4xf32>
  %d = qnn.dequantize %x : tensor<16x4x!quant.uniform<i8:f32, 0.1>> -> tensor<16x4xf32>
  %y = qnn.linear %d, %wd : tensor<16x4xf32>, tensor<4x4xf32> -> tensor<16x4xf32>
  return %y : tensor<16x4xf32>
}

// CHECK-LABEL: entry one_real_operand:
// CHECK: .contract {{.*}}linalg.matmul {{.*}}f32 float_tiles
// CHECK: why: the right operand is not a dequantized value
func.func @one_real_operand(%x: tensor<4x8x!quant.uniform<i8:f32, 0.1>>, %w: tensor<8x16xf32>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %a = qnn.dequantize %x : tensor<4x8x!quant.uniform<i8:f32, 0.1>> -> tensor<4x8xf32>
  %r = linalg.matmul ins(%a, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%y : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// CHECK-LABEL: entry long_k:
// CHECK: why: K = 140000 could overflow the i32 accumulator
func.func @long_k(%x: tensor<1x140000x!quant.uniform<i8:f32, 0.1>>, %w: tensor<140000x2x!quant.uniform<i8:f32, 0.1>>, %y: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %a = qnn.dequantize %x : tensor<1x140000x!quant.uniform<i8:f32, 0.1>> -> tensor<1x140000xf32>
  %b = qnn.dequantize %w : tensor<140000x2x!quant.uniform<i8:f32, 0.1>> -> tensor<140000x2xf32>
  %r = linalg.matmul ins(%a, %b : tensor<1x140000xf32>, tensor<140000x2xf32>) outs(%y : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}

// CHECK-LABEL: entry words:
// CHECK: .generic {{.*}}extsi+extsi+muli+addi
// CHECK: why: its operands are i16 and i8; only contractions of 8-bit integers
func.func @words(%x: tensor<4x8xi16>, %w: tensor<8x16xi8>, %y: tensor<4x16xi32>) -> tensor<4x16xi32> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x8xi16>, tensor<8x16xi8>) outs(%y : tensor<4x16xi32>) {
  ^bb0(%a: i16, %b: i8, %acc: i32):
    %0 = arith.extsi %a : i16 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %acc, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<4x16xi32>
  return %r : tensor<4x16xi32>
}

// CHECK-LABEL: entry wide_accumulator:
// CHECK: why: its body is not acc + x * w of two different operands that are extended to i32
func.func @wide_accumulator(%x: tensor<4x8xi8>, %w: tensor<8x16xi8>, %y: tensor<4x16xi64>) -> tensor<4x16xi64> {
  %r = linalg.matmul ins(%x, %w : tensor<4x8xi8>, tensor<8x16xi8>) outs(%y : tensor<4x16xi64>) -> tensor<4x16xi64>
  return %r : tensor<4x16xi64>
}

// CHECK-LABEL: entry pooling:
// CHECK: .generic {{.*}}linalg.pooling_nhwc_max
// CHECK: why: it is a reduction, but no sum of products of two operands; only such contractions have kernels
func.func @pooling(%x: tensor<1x8x8x4xf32>, %w: tensor<2x2xf32>, %y: tensor<1x7x7x4xf32>) -> tensor<1x7x7x4xf32> {
  %r = linalg.pooling_nhwc_max ins(%x, %w : tensor<1x8x8x4xf32>, tensor<2x2xf32>) outs(%y : tensor<1x7x7x4xf32>) -> tensor<1x7x7x4xf32>
  return %r : tensor<1x7x7x4xf32>
}

// The parts of a softmax after a product are one step: the difference needs the maximum of the product.
// CHECK-LABEL: entry softmax_parts:
// CHECK: .rows {{.*}}maximumf, subf
// CHECK: why: it also needs a value that is computed from the result of the contraction before it, or later
func.func @softmax_parts(%x: tensor<4x8x!quant.uniform<i8:f32, 0.1>>, %w: tensor<16x8x!quant.uniform<i8:f32, 0.1>>) -> (tensor<4x16xf32>) {
  %low = arith.constant dense<0xFF800000> : tensor<4xf32>
  %e = tensor.empty() : tensor<4x16xf32>
  %p = qnn.linear %x, %w : tensor<4x8x!quant.uniform<i8:f32, 0.1>>, tensor<16x8x!quant.uniform<i8:f32, 0.1>> -> tensor<4x16xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<4x16xf32>) outs(%low : tensor<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.maximumf %a, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %m : tensor<4x16xf32>, tensor<4xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// CHECK-LABEL: entry gather:
// CHECK: why: it is elementwise, and no contraction with a kernel computes its operands or reads its result
func.func @gather(%table: tensor<100x8xf32>, %ids: tensor<4xi32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<4xi32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%i: i32, %o: f32):
    %0 = arith.index_cast %i : i32 to index
    %1 = linalg.index 1 : index
    %2 = tensor.extract %table[%0, %1] : tensor<100x8xf32>
    linalg.yield %2 : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: entry transposed:
// CHECK: why: it moves data, and no kernel computes or reads it in its other order
func.func @transposed(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %r = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  return %r : tensor<8x4xf32>
}

// CHECK-LABEL: entry loop:
// CHECK: .generic {{.*}}  scf.for  generic loops
// CHECK: why: it is a loop of the program: one step, run by one thread in order
func.func @loop(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = arith.constant 2.0 : f32
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %x) -> tensor<4x8xf32> {
    %0 = tensor.insert %v into %y[%i, %i] : tensor<4x8xf32>
    scf.yield %0 : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: entry reads_twice:
// CHECK: .contract
// CHECK: .generic {{.*}}addf
// CHECK: why: it reads the contraction before it in two orders
func.func @reads_twice(%x: tensor<8x8x!quant.uniform<i8:f32, 0.1>>, %w: tensor<8x8x!quant.uniform<i8:f32, 0.1>>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %p = qnn.linear %x, %w : tensor<8x8x!quant.uniform<i8:f32, 0.1>>, tensor<8x8x!quant.uniform<i8:f32, 0.1>> -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #t, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %p : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// An op that changes the result of a contraction in place is a part of its kernel.
// CHECK-LABEL: entry in_place:
// CHECK: .contract {{.*}}qnn.linear, maximumf
// CHECK-NOT: why
func.func @in_place(%x: tensor<8x8x!quant.uniform<i8:f32, 0.1>>) -> tensor<8x8xf32> {
  %w = arith.constant dense_resource<v> : tensor<8x8x!quant.uniform<i8:f32, 0.1>>
  %zero = arith.constant 0.0 : f32
  %p = qnn.linear %x, %w : tensor<8x8x!quant.uniform<i8:f32, 0.1>>, tensor<8x8x!quant.uniform<i8:f32, 0.1>> -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%p : tensor<8x8xf32>) {
  ^bb0(%a: f32):
    %0 = arith.maximumf %a, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
