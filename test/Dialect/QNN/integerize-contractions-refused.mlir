// RUN: qcc-opt %s -qnn-integerize-contractions -split-input-file | FileCheck %s

// Contractions that N3 does not define on integers stay and say why.

!x = !quant.uniform<i8:f32, 0.5>

// CHECK-LABEL: @one_side
// CHECK: linalg.matmul {qcc.refused = "the right operand is not a dequantized value"}
func.func @one_side(%x: tensor<4x8x!x>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %zeros = arith.constant dense<0.0> : tensor<4x2xf32>
  %xd = qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  %y = linalg.matmul ins(%xd, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zeros : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// CHECK-LABEL: @i32_storage
// CHECK: qnn.linear {{.*}} {qcc.refused = "the left operand is not a dequantized value"}
func.func @i32_storage(%x: tensor<4x8x!quant.uniform<i32:f32, 0.5>>, %w: tensor<2x8x!x>) -> tensor<4x2xf32> {
  %xd = qnn.dequantize %x : tensor<4x8x!quant.uniform<i32:f32, 0.5>> -> tensor<4x8xf32>
  %wd = qnn.dequantize %w : tensor<2x8x!x> -> tensor<2x8xf32>
  %y = qnn.linear %xd, %wd : tensor<4x8xf32>, tensor<2x8xf32> -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// Multiplying a dequantized value gives one that is not.
// CHECK-LABEL: @multiplied
// CHECK: qnn.linear {{.*}} {qcc.refused = "the left operand is not a dequantized value"}
func.func @multiplied(%x: tensor<4x8x!x>, %w: tensor<2x8x!x>) -> tensor<4x2xf32> {
  %xd = qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  %m = arith.mulf %xd, %xd : tensor<4x8xf32>
  %wd = qnn.dequantize %w : tensor<2x8x!x> -> tensor<2x8xf32>
  %y = qnn.linear %m, %wd : tensor<4x8xf32>, tensor<2x8xf32> -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// Padding with something else than 0.0 is no movement.
// CHECK-LABEL: @pad_one
// CHECK: linalg.matmul {qcc.refused = "the left operand is not a dequantized value"}
func.func @pad_one(%x: tensor<4x7x!x>, %w: tensor<8x2x!x>) -> tensor<4x2xf32> {
  %one = arith.constant 1.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<4x2xf32>
  %xd = qnn.dequantize %x : tensor<4x7x!x> -> tensor<4x7xf32>
  %p = tensor.pad %xd low[0, 0] high[0, 1] {
  ^bb0(%a: index, %b: index):
    tensor.yield %one : f32
  } : tensor<4x7xf32> to tensor<4x8xf32>
  %wd = qnn.dequantize %w : tensor<8x2x!x> -> tensor<8x2xf32>
  %y = linalg.matmul ins(%p, %wd : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zeros : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// K is known from one operand alone: enough.
// CHECK-LABEL: @static_k_on_one_side
// CHECK-NOT: qcc.refused
func.func @static_k_on_one_side(%x: tensor<4x?x!x>, %w: tensor<8x2x!x>) -> tensor<4x2xf32> {
  %zeros = arith.constant dense<0.0> : tensor<4x2xf32>
  %xd = qnn.dequantize %x : tensor<4x?x!x> -> tensor<4x?xf32>
  %wd = qnn.dequantize %w : tensor<8x2x!x> -> tensor<8x2xf32>
  %y = linalg.matmul ins(%xd, %wd : tensor<4x?xf32>, tensor<8x2xf32>) outs(%zeros : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// CHECK-LABEL: @scale_along_k
// CHECK: linalg.matmul {qcc.refused = "the scale of the right operand varies along a reduction dimension"}
func.func @scale_along_k(%x: tensor<4x2x!x>, %w: tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<4x3xf32> {
  %zeros = arith.constant dense<0.0> : tensor<4x3xf32>
  %xd = qnn.dequantize %x : tensor<4x2x!x> -> tensor<4x2xf32>
  %wd = qnn.dequantize %w : tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>> -> tensor<2x3xf32>
  %y = linalg.matmul ins(%xd, %wd : tensor<4x2xf32>, tensor<2x3xf32>) outs(%zeros : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// The largest K of s8 x s8 is 131071.
// CHECK-LABEL: @overflow
// CHECK: linalg.matmul {qcc.refused = "K = 131072 could overflow the i32 accumulator"}
// CHECK-LABEL: @no_overflow
// CHECK-NOT: qcc.refused
func.func @overflow(%x: tensor<1x131072x!x>, %w: tensor<131072x1x!x>) -> tensor<1x1xf32> {
  %zeros = arith.constant dense<0.0> : tensor<1x1xf32>
  %xd = qnn.dequantize %x : tensor<1x131072x!x> -> tensor<1x131072xf32>
  %wd = qnn.dequantize %w : tensor<131072x1x!x> -> tensor<131072x1xf32>
  %y = linalg.matmul ins(%xd, %wd : tensor<1x131072xf32>, tensor<131072x1xf32>) outs(%zeros : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}
func.func @no_overflow(%x: tensor<1x131071x!x>, %w: tensor<131071x1x!x>) -> tensor<1x1xf32> {
  %zeros = arith.constant dense<0.0> : tensor<1x1xf32>
  %xd = qnn.dequantize %x : tensor<1x131071x!x> -> tensor<1x131071xf32>
  %wd = qnn.dequantize %w : tensor<131071x1x!x> -> tensor<131071x1xf32>
  %y = linalg.matmul ins(%xd, %wd : tensor<1x131071xf32>, tensor<131071x1xf32>) outs(%zeros : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}

// CHECK-LABEL: @f64
// CHECK: linalg.matmul {qcc.refused = "its result is f64"}
func.func @f64(%x: tensor<4x8x!x>, %w: tensor<8x2x!x>) -> tensor<4x2xf64> {
  %zeros = arith.constant dense<0.0> : tensor<4x2xf64>
  %xd = qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  %wd = qnn.dequantize %w : tensor<8x2x!x> -> tensor<8x2xf32>
  %y = linalg.matmul ins(%xd, %wd : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zeros : tensor<4x2xf64>) -> tensor<4x2xf64>
  return %y : tensor<4x2xf64>
}

// CHECK-LABEL: @parallel_sum
// CHECK: qcc.refused = "a parallel dimension is missing from its result"
func.func @parallel_sum(%x: tensor<4x8x!x>, %w: tensor<8x2x!x>) -> tensor<4xf32> {
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %xd = qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  %wd = qnn.dequantize %w : tensor<8x2x!x> -> tensor<8x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%xd, %wd : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zeros : tensor<4xf32>) {
  ^bb0(%a: f32, %c: f32, %acc: f32):
    %p = arith.mulf %c, %a : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @result_at_zero
// CHECK: qcc.refused = "its result is not indexed by single parallel dimensions"
func.func @result_at_zero(%x: tensor<4x8x!x>, %w: tensor<8x2x!x>) -> tensor<4x1xf32> {
  %zeros = arith.constant dense<0.0> : tensor<4x1xf32>
  %xd = qnn.dequantize %x : tensor<4x8x!x> -> tensor<4x8xf32>
  %wd = qnn.dequantize %w : tensor<8x2x!x> -> tensor<8x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, 0)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%xd, %wd : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zeros : tensor<4x1xf32>) {
  ^bb0(%a: f32, %c: f32, %acc: f32):
    %p = arith.mulf %c, %a : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4x1xf32>
  return %y : tensor<4x1xf32>
}
