// RUN: qcc-opt %s --fill-empty-tensors | FileCheck %s

// CHECK-LABEL: func.func @partial
// CHECK: %[[E:.*]] = tensor.empty() : tensor<8xf32>
// CHECK: %[[F:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[E]] : tensor<8xf32>)
// CHECK: tensor.insert_slice %{{.*}} into %[[F]]
func.func @partial(%x: tensor<4xf32>, %i: index) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = tensor.insert_slice %x into %e[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// Insertions side by side leave nothing out.
// CHECK-LABEL: func.func @covered
// CHECK-NOT: linalg.fill
// CHECK: return
func.func @covered(%x: tensor<2x3xf32>, %y: tensor<2x5xf32>) -> tensor<2x8xf32> {
  %e = tensor.empty() : tensor<2x8xf32>
  %a = tensor.insert_slice %y into %e[0, 3] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<2x8xf32>
  %b = tensor.insert_slice %x into %a[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x8xf32>
  return %b : tensor<2x8xf32>
}

// One of them is read before the other is made.
// CHECK-LABEL: func.func @between
// CHECK: linalg.fill
func.func @between(%x: tensor<3xf32>, %y: tensor<5xf32>, %i: index) -> (tensor<8xf32>, f32) {
  %e = tensor.empty() : tensor<8xf32>
  %a = tensor.insert_slice %y into %e[3] [5] [1] : tensor<5xf32> into tensor<8xf32>
  %s = tensor.extract %a[%i] : tensor<8xf32>
  %b = tensor.insert_slice %x into %a[0] [3] [1] : tensor<3xf32> into tensor<8xf32>
  return %b, %s : tensor<8xf32>, f32
}

// Only the use that may read gets zeros.
// CHECK-LABEL: func.func @overwritten
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: %[[F:.*]] = linalg.fill ins(%{{.*}} : i8) outs(%[[E]]
// CHECK: linalg.transpose ins(%{{.*}}) outs(%[[E]] : tensor<4x4xi8>)
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[F]])
func.func @overwritten(%x: tensor<4x4xi8>, %n: index) -> (tensor<4x4xi8>, tensor<4x4xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x4xi8>
  %t = linalg.transpose ins(%x : tensor<4x4xi8>) outs(%e : tensor<4x4xi8>) permutation = [1, 0]
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %e) -> tensor<4x4xi8> {
    scf.yield %t : tensor<4x4xi8>
  }
  return %t, %r : tensor<4x4xi8>, tensor<4x4xi8>
}

// A reduction that may have no elements gives its initial value then, though its body ignores it.
// CHECK-LABEL: func.func @last
// CHECK: %[[F:.*]] = linalg.fill
// CHECK: linalg.generic {{.*}} outs(%[[F]]
// CHECK: %[[E:.*]] = tensor.empty() : tensor<f32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<3xf32>) outs(%[[E]]
func.func @last(%x: tensor<?xf32>, %y: tensor<3xf32>) -> (tensor<f32>, tensor<f32>) {
  %e = tensor.empty() : tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    linalg.yield %a : f32
  } -> tensor<f32>
  %f = tensor.empty() : tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} ins(%y : tensor<3xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    linalg.yield %a : f32
  } -> tensor<f32>
  return %r, %s : tensor<f32>, tensor<f32>
}
