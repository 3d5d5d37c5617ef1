// Iterations that write the same element are rejected: the result would depend on their order.
// RUN: split-file %s %t
// RUN: not qcc compile %t/parallel.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=PARALLEL
// PARALLEL: parallel.mlir:4:8: error: 'linalg.generic' op has parallel loop d1 that does not index output 0, so that its iterations write the same element; make the loop a reduction
// RUN: not qcc compile %t/dynamic.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: error: 'linalg.generic' op has parallel loop d0 that does not index output 1
// RUN: not qcc compile %t/sum.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: error: 'linalg.generic' op indexes output 0 by d0 + d1 in (d0, d1) -> (d0 + d1), so that iterations may write the same element; index each dimension of an output by a loop of its own
// RUN: not qcc compile %t/twice.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: 'linalg.generic' op indexes output 0 by d0 in (d0) -> (d0, d0)
// RUN: not qcc compile %t/reduction.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=REDUCTION
// REDUCTION: error: 'linalg.generic' op indexes output 0 by loop d1, a reduction; make that loop parallel
// RUN: qcc run %t/one.mlir --input=random:1 --check | FileCheck %s --check-prefix=ONE
// ONE: check: 10 elements, 0 differ

//--- parallel.mlir
#x = affine_map<(m, k) -> (m, k)>
#o = affine_map<(m, k) -> (m)>
func.func @f(%x: tensor<5x64xf32>, %i: tensor<5xf32>) -> tensor<5xf32> {
  %r = linalg.generic {indexing_maps = [#x, #o], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<5x64xf32>) outs(%i : tensor<5xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}
//--- dynamic.mlir
#x = affine_map<(m) -> (m)>
#o = affine_map<(m) -> ()>
func.func @f(%x: tensor<?xf32>, %i: tensor<?xf32>, %j: tensor<f32>) -> (tensor<?xf32>, tensor<f32>) {
  %r:2 = linalg.generic {indexing_maps = [#x, #x, #o], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%i, %j : tensor<?xf32>, tensor<f32>) {
  ^bb0(%a: f32, %p: f32, %q: f32):
    linalg.yield %a, %a : f32, f32
  } -> (tensor<?xf32>, tensor<f32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<f32>
}
//--- sum.mlir
#x = affine_map<(m, n) -> (m, n)>
#o = affine_map<(m, n) -> (m + n)>
func.func @f(%x: tensor<3x4xf32>, %i: tensor<6xf32>) -> tensor<6xf32> {
  %r = linalg.generic {indexing_maps = [#x, #o], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x4xf32>) outs(%i : tensor<6xf32>) {
  ^bb0(%a: f32, %p: f32):
    linalg.yield %a : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}
//--- twice.mlir
#x = affine_map<(m) -> (m)>
#o = affine_map<(m) -> (m, m)>
func.func @f(%x: tensor<3xf32>, %i: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %r = linalg.generic {indexing_maps = [#x, #o], iterator_types = ["parallel"]} ins(%x : tensor<3xf32>) outs(%i : tensor<3x3xf32>) {
  ^bb0(%a: f32, %p: f32):
    linalg.yield %a : f32
  } -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}
//--- reduction.mlir
#x = affine_map<(m, n) -> (m, n)>
func.func @f(%x: tensor<3x4xf32>, %i: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r = linalg.generic {indexing_maps = [#x, #x], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x4xf32>) outs(%i : tensor<3x4xf32>) {
  ^bb0(%a: f32, %p: f32):
    linalg.yield %a : f32
  } -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}
//--- one.mlir
#x = affine_map<(m, n) -> (m, n)>
#o = affine_map<(m, n) -> (m)>
#c = affine_map<(m, n) -> (0, m)>
func.func @f(%x: tensor<5x1xf32>, %i: tensor<5xf32>, %j: tensor<1x5xf32>) -> (tensor<5xf32>, tensor<1x5xf32>) {
  %r:2 = linalg.generic {indexing_maps = [#x, #o, #c], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<5x1xf32>) outs(%i, %j : tensor<5xf32>, tensor<1x5xf32>) {
  ^bb0(%a: f32, %p: f32, %q: f32):
    %s = arith.addf %a, %p : f32
    linalg.yield %s, %a : f32, f32
  } -> (tensor<5xf32>, tensor<1x5xf32>)
  return %r#0, %r#1 : tensor<5xf32>, tensor<1x5xf32>
}
