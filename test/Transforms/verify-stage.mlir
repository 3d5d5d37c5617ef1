// RUN: qcc-opt %s -verify-stage="stage=tensor dialects=builtin,func,arith,tensor" -split-input-file -verify-diagnostics

func.func @allowed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @rejected(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'math.exp' may not exist after stage 'tensor', which allows only builtin, func, arith, tensor; this program cannot be compiled}}
  %y = math.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
