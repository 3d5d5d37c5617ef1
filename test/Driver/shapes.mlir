// Dimensions that contradict the program are refused, by compiled code and by the reference.
// RUN: not qcc run %s --entry=add --input=random:1 --dim=3 --dim=2 2>&1 | FileCheck %s --check-prefix=ADD
// RUN: not qcc run %s --entry=add --input=random:1 --dim=3 --dim=2 --target=reference 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: qcc run %s --entry=add --input=random:1 --dim=3 --dim=3 --check | FileCheck %s --check-prefix=GOOD
// RUN: not qcc run %s --entry=residual --input=random:1 --dim=6 --dim=7 2>&1 | FileCheck %s --check-prefix=RESIDUAL
// RUN: qcc run %s --entry=residual --input=random:1 --dim=6 --dim=6 --check | FileCheck %s --check-prefix=GOOD
// RUN: not qcc run %s --entry=head --input=random:1 --dim=2 2>&1 | FileCheck %s --check-prefix=HEAD
// RUN: qcc run %s --entry=head --input=random:1 --dim=3 --check | FileCheck %s --check-prefix=GOOD
// RUN: not qcc run %s --entry=split --input=random:1 --dim=10 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: qcc run %s --entry=split --input=random:1 --dim=12 --check | FileCheck %s --check-prefix=GOOD
// GOOD: 0 differ

// ADD: error: the program cannot run with these shapes: dimension 0 of argument 1 must be equal to dimension 0 of argument 0, by 'addf' at {{.*}}shapes.mlir:[[#@LINE+3]]:8 (dimension 0 of argument 1 is 2, dimension 0 of argument 0 is 3)
// REFERENCE: 'arith.addf'{{.*}}
func.func @add(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = arith.addf %a, %b : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// The check does not keep the residual from being fused.
// RUN: env COLUMNS=1000 qcc explain %s | FileCheck %s --check-prefix=FUSED
// FUSED: entry residual:
// FUSED: residual.step0.contract {{.*}}addi
// FUSED-NOT: residual.step1
// FUSED: entry
// RESIDUAL: error: the program cannot run with these shapes: dimension 0 of argument 1 must be equal to dimension 0 of argument 0
func.func @residual(%x: tensor<?x64xi8>, %y: tensor<?x16xi32>) -> tensor<?x16xi32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %w = arith.constant dense<2> : tensor<64x16xi8>
  %n = tensor.dim %x, %c0 : tensor<?x64xi8>
  %e = tensor.empty(%n) : tensor<?x16xi32>
  %init = linalg.fill ins(%zero : i32) outs(%e : tensor<?x16xi32>) -> tensor<?x16xi32>
  %acc = linalg.matmul ins(%x, %w : tensor<?x64xi8>, tensor<64x16xi8>) outs(%init : tensor<?x16xi32>) -> tensor<?x16xi32>
  %r = arith.addi %acc, %y : tensor<?x16xi32>
  return %r : tensor<?x16xi32>
}

// HEAD: error: the program cannot run with these shapes: a slice leaves its tensor, of dimension 0 of argument 0, by 'tensor.extract_slice'
func.func @head(%x: tensor<?xf32>) -> tensor<3xf32> {
  %s = tensor.extract_slice %x[0] [3] [1] : tensor<?xf32> to tensor<3xf32>
  %r = arith.addf %s, %s : tensor<3xf32>
  return %r : tensor<3xf32>
}

// SPLIT: error: the program cannot run with these shapes: dimension 0 of argument 0 must be equal to 4 * floor((dimension 0 of argument 0) / 4), by 'tensor.expand_shape'
func.func @split(%x: tensor<?xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.divsi %n, %c4 : index
  %e = tensor.expand_shape %x [[0, 1]] output_shape [%m, 4] : tensor<?xf32> into tensor<?x4xf32>
  %r = arith.addf %e, %e : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
