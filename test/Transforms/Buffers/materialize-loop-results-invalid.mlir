// RUN: qcc-opt %s -materialize-loop-results -split-input-file -verify-diagnostics

func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'scf.for' carries a tensor to the place of another; unroll the loop, or select between tensors that keep their places}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @swap_while(%x: tensor<4xf32>, %y: tensor<4xf32>, %c: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scf.while' carries a tensor to the place of another; unroll the loop, or select between tensors that keep their places}}
  %r:2 = scf.while (%a = %x, %b = %y) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.condition(%c) %a, %b : tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A view of a tensor is the tensor.

func.func @view(%x: tensor<2x6xf32>, %y: tensor<12xf32>) -> (tensor<2x6xf32>, tensor<12xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  // expected-error@+1 {{'scf.for' carries a tensor to the place of another; unroll the loop, or select between tensors that keep their places}}
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<2x6xf32>, tensor<12xf32>) {
    %s = arith.addf %a, %a : tensor<2x6xf32>
    %v = tensor.collapse_shape %a [[0, 1]] : tensor<2x6xf32> into tensor<12xf32>
    scf.yield %s, %v : tensor<2x6xf32>, tensor<12xf32>
  }
  return %r#0, %r#1 : tensor<2x6xf32>, tensor<12xf32>
}
