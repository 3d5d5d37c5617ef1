// RUN: qcc-opt %s -pad-in-place | FileCheck %s

#id = affine_map<(a, b) -> (a, b)>

// What is padded is computed inside of its border, which is filled before.
// CHECK-LABEL: func.func @computed(
// CHECK: %[[E:.*]] = tensor.empty() : tensor<7x10xi8>
// CHECK: %[[B:.*]] = kernel.fill_border %{{.*}} : i8 outs(%[[E]] : tensor<7x10xi8>) low [1, 0] high [2, 2] -> tensor<7x10xi8>
// CHECK: %[[S:.*]] = tensor.extract_slice %[[B]][1, 0] [4, 8] [1, 1] : tensor<7x10xi8> to tensor<4x8xi8>
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} outs(%[[S]] : tensor<4x8xi8>)
// CHECK: tensor.insert_slice %[[Y]] into %[[B]][1, 0] [4, 8] [1, 1] : tensor<4x8xi8> into tensor<7x10xi8>
func.func @computed(%x: tensor<4x8xi8>) -> tensor<7x10xi8> {
  %z = arith.constant 3 : i8
  %e = tensor.empty() : tensor<4x8xi8>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xi8>) outs(%e : tensor<4x8xi8>) {
  ^bb0(%a: i8, %o: i8):
    %c = arith.addi %a, %a : i8
    linalg.yield %c : i8
  } -> tensor<4x8xi8>
  %p = tensor.pad %y low[1, 0] high[2, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : i8
  } : tensor<4x8xi8> to tensor<7x10xi8>
  return %p : tensor<7x10xi8>
}

// An argument is copied. Sizes may be dynamic.
// CHECK-LABEL: func.func @argument(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xi8>)
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK: %[[P:.*]] = affine.apply #{{.*}}()[%[[N]]]
// CHECK: %[[E:.*]] = tensor.empty(%[[P]]) : tensor<?x8xi8>
// CHECK: %[[B:.*]] = kernel.fill_border %{{.*}} : i8 outs(%[[E]] : tensor<?x8xi8>) low [1, 0] high [1, 0]
// CHECK: tensor.insert_slice %[[X]] into %[[B]][1, 0] [%[[N]], 8] [1, 1]
func.func @argument(%x: tensor<?x8xi8>) -> tensor<?x8xi8> {
  %z = arith.constant 3 : i8
  %p = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : i8
  } : tensor<?x8xi8> to tensor<?x8xi8>
  return %p : tensor<?x8xi8>
}

// Of two pads the first has the tensor inside; the other copies it. A border that is computed is filled once it is.
// CHECK-LABEL: func.func @twice(
// CHECK: %[[B:.*]] = kernel.fill_border
// CHECK: %[[S:.*]] = tensor.extract_slice %[[B]]
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} outs(%[[S]] : tensor<4xi8>)
// CHECK: tensor.insert_slice %[[Y]] into %[[B]]
// CHECK: %[[V:.*]] = tensor.extract
// CHECK: %[[B2:.*]] = kernel.fill_border %[[V]]
// CHECK: tensor.insert_slice %[[Y]] into %[[B2]]
func.func @twice(%x: tensor<4xi8>, %v: tensor<i8>) -> (tensor<6xi8>, tensor<6xi8>) {
  %z = arith.constant 3 : i8
  %e = tensor.empty() : tensor<4xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%a: i8, %o: i8):
    %c = arith.addi %a, %a : i8
    linalg.yield %c : i8
  } -> tensor<4xi8>
  %p = tensor.pad %y low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : i8
  } : tensor<4xi8> to tensor<6xi8>
  %s = tensor.extract %v[] : tensor<i8>
  %q = tensor.pad %y low[2] high[0] {
  ^bb0(%i: index):
    tensor.yield %s : i8
  } : tensor<4xi8> to tensor<6xi8>
  return %p, %q : tensor<6xi8>, tensor<6xi8>
}

// Neither amounts that are computed nor elements that differ make a border.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-2: tensor.pad
func.func @others(%x: tensor<4xi8>, %n: index) -> (tensor<?xi8>, tensor<6xindex>) {
  %z = arith.constant 3 : i8
  %p = tensor.pad %x low[%n] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : i8
  } : tensor<4xi8> to tensor<?xi8>
  %e = arith.constant dense<1> : tensor<4xindex>
  %q = tensor.pad %e low[2] high[0] {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<4xindex> to tensor<6xindex>
  return %p, %q : tensor<?xi8>, tensor<6xindex>
}

// Nothing inside.
// CHECK-LABEL: func.func @nothing(
// CHECK: %[[E:.*]] = tensor.empty() : tensor<1x3xi8>
// CHECK: linalg.fill ins(%{{.*}} : i8) outs(%[[E]] : tensor<1x3xi8>)
// CHECK-NOT: tensor.pad
func.func @nothing(%x: tensor<0x3xi8>) -> tensor<1x3xi8> {
  %z = arith.constant 3 : i8
  %p = tensor.pad %x low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : i8
  } : tensor<0x3xi8> to tensor<1x3xi8>
  return %p : tensor<1x3xi8>
}
