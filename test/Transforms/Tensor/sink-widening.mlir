// RUN: qcc-opt %s -sink-widening -split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The dequantized tensor is read by two ops, and computed in each of them.
// CHECK-LABEL: func.func @two_readers
// CHECK-SAME: (%[[Q:.*]]: tensor<8x4xi8>, %[[X:.*]]: tensor<8x4xf32>)
// CHECK-NOT: linalg.generic {{.*}} ins(%[[Q]] : tensor<8x4xi8>)
// CHECK: linalg.generic {{.*}} ins(%[[Q]], %[[X]] : tensor<8x4xi8>, tensor<8x4xf32>)
// CHECK-SAME: attrs = {qcc.origin = "qnn.dequantize, qnn.add"}
// CHECK: arith.sitofp
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} ins(%[[Q]], %[[X]] : tensor<8x4xi8>, tensor<8x4xf32>)
// CHECK: arith.sitofp
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
func.func @two_readers(%q: tensor<8x4xi8>, %x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %e = tensor.empty() : tensor<8x4xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<8x4xi8>) outs(%e : tensor<8x4xf32>) attrs = {qcc.origin = "qnn.dequantize"} {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%d : tensor<8x4xf32>) attrs = {qcc.origin = "qnn.add"} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x4xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) attrs = {qcc.origin = "qnn.mul"} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x4xf32>
  return %r, %s : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A reduction that reads each element once computes it; one that reads elements in several iterations would repeat that.
// CHECK-LABEL: func.func @reduction
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0
// CHECK: arith.sitofp
// CHECK: arith.addf
// CHECK-LABEL: func.func @repeated
// CHECK: arith.sitofp
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-NOT: arith.sitofp
func.func @reduction(%q: tensor<8x4xi8>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<8x4xi8>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<8x4xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @repeated(%q: tensor<8x4xi8>, %y: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q : tensor<8x4xi8>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(r, i, j) -> (i, j)>, affine_map<(r, i, j) -> (r, i)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d : tensor<8x4xf32>) outs(%y : tensor<3x8xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  } -> tensor<3x8xf32>
  return %r : tensor<3x8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// What is not narrower is not computed again.
// CHECK-LABEL: func.func @same_width
// CHECK: arith.negf
// CHECK: linalg.yield
// CHECK: arith.addf
func.func @same_width(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
