// RUN: qcc-opt %s -convert-kernel-to-nvptx -split-input-file -verify-diagnostics

func.func @tensors(%x: tensor<2x4xi8>, %w: tensor<3x4xi8>, %o: tensor<2x3xi32>) -> tensor<2x3xi32> {
  // expected-error@+1 {{is not bufferized; run one-shot-bufferize first}}
  %y = kernel.contract lhs(%x : tensor<2x4xi8>) rhs(%w : tensor<3x4xi8>) outs(%o : tensor<2x3xi32>) epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<2x3xi32>
  return %y : tensor<2x3xi32>
}

// -----

func.func @no_config(%x: memref<2x4xi8>, %w: memref<3x4xi8>, %y: memref<2x3xi32>) {
  // expected-error@+1 {{needs a lowering_config of nvptx}}
  kernel.contract lhs(%x : memref<2x4xi8>) rhs(%w : memref<3x4xi8>) outs(%y : memref<2x3xi32>) epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}
