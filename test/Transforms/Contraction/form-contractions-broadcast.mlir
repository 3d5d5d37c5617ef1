// RUN: qcc-opt %s -generalize-elementwise -generalize-linalg -form-contractions -canonicalize -cse -split-input-file | FileCheck %s

// The epilogue reads what was broadcast as it was before.

// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[N:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: func.func @broadcast
// CHECK-NOT: linalg.generic
// CHECK: kernel.contract {{.*}}epilogue_ins(%{{.*}} : tensor<9xi32>)
// CHECK-SAME: #[[N]], #[[MN]]]
func.func @broadcast(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %b: tensor<9xi32>) -> tensor<5x9xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<5x9xi32>
  %i = linalg.fill ins(%zero : i32) outs(%e : tensor<5x9xi32>) -> tensor<5x9xi32>
  %r = linalg.matmul ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%i : tensor<5x9xi32>) -> tensor<5x9xi32>
  %wide = linalg.broadcast ins(%b : tensor<9xi32>) outs(%e : tensor<5x9xi32>) dimensions = [0]
  %y = arith.addi %r, %wide : tensor<5x9xi32>
  return %y : tensor<5x9xi32>
}

// -----

// What was transposed is not read through: its vectors would be gathered.

// CHECK-LABEL: func.func @transposed
// CHECK: %[[T:.*]] = linalg.generic
// CHECK: kernel.contract {{.*}}epilogue_ins(%[[T]] : tensor<5x9xi32>)
func.func @transposed(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %b: tensor<9x5xi32>) -> tensor<5x9xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<5x9xi32>
  %i = linalg.fill ins(%zero : i32) outs(%e : tensor<5x9xi32>) -> tensor<5x9xi32>
  %r = linalg.matmul ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%i : tensor<5x9xi32>) -> tensor<5x9xi32>
  %t = linalg.transpose ins(%b : tensor<9x5xi32>) outs(%e : tensor<5x9xi32>) permutation = [1, 0]
  %y = arith.addi %r, %t : tensor<5x9xi32>
  return %y : tensor<5x9xi32>
}
