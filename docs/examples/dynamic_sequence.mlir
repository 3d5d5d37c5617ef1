// RUN: qcc run %s --entry=padded --input=random:1 --dim=40 --dim=40 --dim=40 --check | FileCheck %s
// RUN: qcc run %s --entry=dynamic --input=random:1 --dim=40 --dim=40 --dim=40 --check | FileCheck %s
// RUN: qcc explain %s | FileCheck %s --check-prefix=EXPLAIN
// CHECK: check: 10240 elements, 0 differ
// EXPLAIN: entry dynamic:
// EXPLAIN: dynamic.step{{[0-9]+}}.contract
// EXPLAIN: sum of parts of K
// EXPLAIN: entry padded:
// EXPLAIN: padded.step{{[0-9]+}}.contract
//
// Probabilities times values of an attention whose sequences have any length; docs/HowTo/DynamicSequences.md.

// K is the length of the sequence: parts of 64, and their sum.
func.func @dynamic(%p: tensor<4x?x?xi8>, %v: tensor<4x?x64xi8>) -> tensor<4x?x64xi32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %length = tensor.dim %p, %c1 : tensor<4x?x?xi8>
  %empty = tensor.empty(%length) : tensor<4x?x64xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<4x?x64xi32>) -> tensor<4x?x64xi32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x?x?xi8>, tensor<4x?x64xi8>) outs(%init : tensor<4x?x64xi32>) -> tensor<4x?x64xi32>
  return %y : tensor<4x?x64xi32>
}

// The same for sequences of at most 256: zeros add nothing, and K is 256.
func.func @padded(%p: tensor<4x?x?xi8>, %v: tensor<4x?x64xi8>) -> tensor<4x?x64xi32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0 : i32
  %zero8 = arith.constant 0 : i8
  %length = tensor.dim %p, %c1 : tensor<4x?x?xi8>
  %k = tensor.dim %p, %c2 : tensor<4x?x?xi8>
  %rest = arith.subi %c256, %k : index
  %pp = tensor.pad %p low[0, 0, 0] high[0, 0, %rest] {
  ^bb0(%b: index, %i: index, %j: index):
    tensor.yield %zero8 : i8
  } : tensor<4x?x?xi8> to tensor<4x?x256xi8>
  %vp = tensor.pad %v low[0, 0, 0] high[0, %rest, 0] {
  ^bb0(%b: index, %i: index, %j: index):
    tensor.yield %zero8 : i8
  } : tensor<4x?x64xi8> to tensor<4x256x64xi8>
  %empty = tensor.empty(%length) : tensor<4x?x64xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<4x?x64xi32>) -> tensor<4x?x64xi32>
  %y = linalg.batch_matmul ins(%pp, %vp : tensor<4x?x256xi8>, tensor<4x256x64xi8>) outs(%init : tensor<4x?x64xi32>) -> tensor<4x?x64xi32>
  return %y : tensor<4x?x64xi32>
}
