// A value that an op overwrites is also a result.
// REQUIRES: x86-64-v3
// RUN: qcc run %s --entry=reduction --input=random:1:-4:4 --dim=17 --check | FileCheck %s
// RUN: qcc run %s --entry=reduction --input=random:1:-4:4 --dim=0 --check | FileCheck %s
// RUN: qcc run %s --entry=slice --input=random:1:-4:4 --check | FileCheck %s
// RUN: qcc run %s --entry=both --input=random:1:-4:4 --dim=17 --check | FileCheck %s
// RUN: qcc run %s --entry=loop --input=random:1:-4:4 --dim=17 --check | FileCheck %s
// CHECK: check: {{.*}} 0 differ

func.func @reduction(%x: tensor<?x4xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.5 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<?x4xf32>) outs(%init : tensor<?xf32>) dimensions = [1]
  return %sum, %init : tensor<?xf32>, tensor<?xf32>
}

func.func @slice(%x: tensor<4x4xf32>, %y: tensor<1x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %s = arith.addf %x, %x : tensor<4x4xf32>
  %i = tensor.insert_slice %y into %s[1, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<4x4xf32>
  return %i, %s : tensor<4x4xf32>, tensor<4x4xf32>
}

// Two ops start from one value, which is returned twice.
func.func @both(%x: tensor<?x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%one : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<?x4xf32>) outs(%init : tensor<4xf32>) dimensions = [0]
  %most = linalg.reduce { arith.maximumf } ins(%x : tensor<?x4xf32>) outs(%init : tensor<4xf32>) dimensions = [0]
  return %init, %sum, %most, %init : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func @loop(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %init = arith.addf %x, %x : tensor<?xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %init) -> tensor<?xf32> {
    %b = arith.addf %a, %x : tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r, %init : tensor<?xf32>, tensor<?xf32>
}
