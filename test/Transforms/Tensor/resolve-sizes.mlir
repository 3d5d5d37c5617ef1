// RUN: qcc-opt %s --pass-pipeline="builtin.module(func.func(generalize-elementwise))" --split-input-file | FileCheck %s
// RUN: qcc-opt %s --pass-pipeline="builtin.module(func.func(generalize-elementwise,fuse-elementwise))" --split-input-file | FileCheck %s --check-prefix=FUSED

// The size of each tensor is that of the argument, so that the chain becomes one op.
// CHECK-LABEL: func @chain
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK-COUNT-3: tensor.empty(%[[N]])
// CHECK-NOT: tensor.dim
// FUSED-LABEL: func @chain
// FUSED-COUNT-1: linalg.generic
// FUSED-NOT: linalg.generic
// FUSED: return
func.func @chain(%x: tensor<?xf32>) -> tensor<?xf32> {
  %a = arith.addf %x, %x : tensor<?xf32>
  %b = arith.mulf %a, %a : tensor<?xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %b, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%b : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.negf %v : f32
    linalg.yield %w : f32
  } -> tensor<?xf32>
  return %c : tensor<?xf32>
}

// -----

// A reduction that may be empty gives its initial value, and a column that is written leaves the others.
// CHECK-LABEL: func @remaining
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>, %[[I:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?x4xf32>
// CHECK: outs(%[[I]] : tensor<?xf32>)
// CHECK: outs(%[[Y]] : tensor<?x4xf32>)
func.func @remaining(%x: tensor<?x?xf32>, %i: tensor<?xf32>, %y: tensor<?x4xf32>) -> (tensor<?xf32>, tensor<?x4xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%i : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 1)>], iterator_types = ["parallel"]}
      ins(%i : tensor<?xf32>) outs(%y : tensor<?x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<?x4xf32>
  return %r, %c : tensor<?xf32>, tensor<?x4xf32>
}
