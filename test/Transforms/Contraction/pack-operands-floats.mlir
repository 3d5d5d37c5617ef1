// Floats are packed as words of one element, without sums.
// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(pack-operands{target=x86-64-v3}))' | FileCheck %s

#float = #x86.config<float_tiles, atom = "avx2-f32", tile = [2, 8, 1], block = [2, 8], lhs = in_place, source = pinned>

// CHECK-LABEL: func.func @constant(
// CHECK-NOT: kernel.pack
// CHECK: %[[W:.*]] = arith.constant dense_resource<constant_packed> : tensor<1x3x8xf32>
// CHECK: kernel.contract lhs(%arg0 : tensor<2x3xf32>) rhs(%[[W]] : tensor<1x3x8xf32>) outs(
// CHECK-SAME: rhs_packed
func.func @constant(%x: tensor<2x3xf32>, %o: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = kernel.contract lhs(%x : tensor<2x3xf32>) rhs(%w : tensor<2x3xf32>) outs(%o : tensor<2x2xf32>) {lowering_config = #float}
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @run_time(
// CHECK: %[[P:.*]] = kernel.pack %arg1 : tensor<?x3xf16> outs(%{{.*}} : tensor<?x3x8xf32>)
// CHECK-SAME: tile = array<i64: 8, 1>
// CHECK: arith.extf
// CHECK: kernel.contract lhs(%arg0 : tensor<2x3xf32>) rhs(%[[P]] : tensor<?x3x8xf32>) outs(
// CHECK-SAME: rhs_packed
func.func @run_time(%x: tensor<2x3xf32>, %w: tensor<?x3xf16>, %o: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %y = kernel.contract lhs(%x : tensor<2x3xf32>) rhs(%w : tensor<?x3xf16>) outs(%o : tensor<2x?xf32>) {lowering_config = #float}
    rhs_prologue {
  ^bb0(%a: f16):
    %0 = arith.extf %a : f16 to f32
    kernel.yield %0 : f32
  }
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}

// The memory of the constant: column after column of each word, zeros where there is none.
// CHECK: constant_packed: "0x400000000000803F00008040000000000000000000000000000000000000000000000000{{.*}}
