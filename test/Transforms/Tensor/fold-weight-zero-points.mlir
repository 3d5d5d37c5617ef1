// RUN: qcc-opt -pass-pipeline='builtin.module(func.func(fold-weight-zero-points,canonicalize))' %s | FileCheck %s

#x = affine_map<(m, n, g, k) -> (m, g, k)>
#w = affine_map<(m, n, g, k) -> (n, g, k)>
#zg = affine_map<(m, n, g, k) -> (n, g)>
#zn = affine_map<(m, n, g, k) -> (n, 0)>
#zk = affine_map<(m, n, g, k) -> (m)>
#r = affine_map<(m, n, g, k) -> (g, m, n)>

// A zero point for each group: uint8 weights become int8.
// CHECK-LABEL: func.func @groups
// CHECK:         %[[W:.*]] = arith.constant dense<{{\[\[\[}}-15, 0], [-1, 1]], {{\[\[}}7, 8], [-8, -128]]]> : tensor<2x2x2xi8>
// CHECK:         linalg.generic {{.*}} %[[W]]
// CHECK:           %[[X1:.*]] = arith.extsi
// CHECK-NEXT:      %[[W1:.*]] = arith.extsi
// CHECK-NEXT:      arith.muli %[[X1]], %[[W1]]
func.func @groups(%x: tensor<1x2x2xi8>, %o: tensor<2x1x2xi32>) -> tensor<2x1x2xi32> {
  %w = arith.constant dense<[[[0, 15], [7, 9]], [[7, 8], [120, 0]]]> : tensor<2x2x2xi8>
  %z = arith.constant dense<[[15, 8], [0, 128]]> : tensor<2x2xi32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #zg, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w, %z : tensor<1x2x2xi8>, tensor<2x2x2xi8>, tensor<2x2xi32>) outs(%o : tensor<2x1x2xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32, %acc: i32):
    %1 = arith.extsi %a : i8 to i32
    %2 = arith.extui %b : i8 to i32
    %3 = arith.subi %2, %c : i32
    %4 = arith.muli %1, %3 : i32
    %5 = arith.addi %acc, %4 : i32
    linalg.yield %5 : i32
  } -> tensor<2x1x2xi32>
  return %0 : tensor<2x1x2xi32>
}

// Weights of 4 bits keep zero points of groups if the differences have more bits.
// CHECK-LABEL: func.func @nibbles
// CHECK:         arith.constant dense<{{\[\[\[}}0, 15], [7, 9]]]> : tensor<1x2x2xi8>
// CHECK:         arith.subi
func.func @nibbles(%x: tensor<1x2x2xi8>, %o: tensor<2x1x1xi32>) -> tensor<2x1x1xi32> {
  %w = arith.constant dense<[[[0, 15], [7, 9]]]> : tensor<1x2x2xi8>
  %z = arith.constant dense<[[1], [8]]> : tensor<2x1xi32>
  %0 = linalg.generic {indexing_maps = [#x, #w, affine_map<(m, n, g, k) -> (g, n)>, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w, %z : tensor<1x2x2xi8>, tensor<1x2x2xi8>, tensor<2x1xi32>) outs(%o : tensor<2x1x1xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32, %acc: i32):
    %1 = arith.extsi %a : i8 to i32
    %2 = arith.extui %b : i8 to i32
    %3 = arith.subi %2, %c : i32
    %4 = arith.muli %1, %3 : i32
    %5 = arith.addi %acc, %4 : i32
    linalg.yield %5 : i32
  } -> tensor<2x1x1xi32>
  return %0 : tensor<2x1x1xi32>
}

// One for each channel.
// CHECK-LABEL: func.func @channels
// CHECK:         arith.constant dense<{{\[\[\[}}-3, 0], [-1, -10]], {{\[\[}}1, 2], [122, -126]]]> : tensor<2x2x2xi8>
// CHECK-NOT:     arith.subi
// CHECK:         return
func.func @channels(%x: tensor<1x2x2xi8>, %o: tensor<2x1x2xi32>) -> tensor<2x1x2xi32> {
  %w = arith.constant dense<[[[0, 3], [2, -7]], [[-1, 0], [120, -128]]]> : tensor<2x2x2xi8>
  %z = arith.constant dense<[[3], [-2]]> : tensor<2x1xi32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #zn, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w, %z : tensor<1x2x2xi8>, tensor<2x2x2xi8>, tensor<2x1xi32>) outs(%o : tensor<2x1x2xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32, %acc: i32):
    %1 = arith.extsi %a : i8 to i32
    %2 = arith.extsi %b : i8 to i32
    %3 = arith.subi %2, %c : i32
    %4 = arith.muli %1, %3 : i32
    %5 = arith.addi %acc, %4 : i32
    linalg.yield %5 : i32
  } -> tensor<2x1x2xi32>
  return %0 : tensor<2x1x2xi32>
}

// One for the tensor.
// CHECK-LABEL: func.func @tensor
// CHECK:         arith.constant dense<{{\[\[\[}}-8, 7]]]> : tensor<1x1x2xi8>
// CHECK-NOT:     arith.subi
// CHECK:         return
func.func @tensor(%x: tensor<1x1x2xi8>, %o: tensor<1x1x1xi32>) -> tensor<1x1x1xi32> {
  %w = arith.constant dense<[[[0, 15]]]> : tensor<1x1x2xi8>
  %0 = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x1x2xi8>, tensor<1x1x2xi8>) outs(%o : tensor<1x1x1xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %c = arith.constant 8 : i32
    %1 = arith.extsi %a : i8 to i32
    %2 = arith.extui %b : i8 to i32
    %3 = arith.subi %2, %c : i32
    %4 = arith.muli %1, %3 : i32
    %5 = arith.addi %acc, %4 : i32
    linalg.yield %5 : i32
  } -> tensor<1x1x1xi32>
  return %0 : tensor<1x1x1xi32>
}

// A difference of 128 does not fit, at the last element.
// CHECK-LABEL: func.func @too_wide
// CHECK:         arith.constant dense<{{\[\[\[}}0, 120]]]> : tensor<1x1x2xi8>
// CHECK:         arith.subi
func.func @too_wide(%x: tensor<1x1x2xi8>, %o: tensor<1x1x1xi32>) -> tensor<1x1x1xi32> {
  %w = arith.constant dense<[[[0, 120]]]> : tensor<1x1x2xi8>
  %0 = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x1x2xi8>, tensor<1x1x2xi8>) outs(%o : tensor<1x1x1xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %c = arith.constant -8 : i32
    %1 = arith.extsi %a : i8 to i32
    %2 = arith.extsi %b : i8 to i32
    %3 = arith.subi %2, %c : i32
    %4 = arith.muli %1, %3 : i32
    %5 = arith.addi %acc, %4 : i32
    linalg.yield %5 : i32
  } -> tensor<1x1x1xi32>
  return %0 : tensor<1x1x1xi32>
}

// Zero points that vary along a loop that the weight lacks, and a weight that is
// read elsewhere, too.
// CHECK-LABEL: func.func @stays
// CHECK:         arith.subi
// CHECK:         arith.subi
func.func @stays(%x: tensor<2x1x2xi8>, %o: tensor<1x2x1xi32>) -> (tensor<1x2x1xi32>, tensor<1x2x1xi32>, tensor<1x1x2xi8>) {
  %w = arith.constant dense<[[[0, 15]]]> : tensor<1x1x2xi8>
  %v = arith.constant dense<[[[1, 15]]]> : tensor<1x1x2xi8>
  %z = arith.constant dense<[8, 7]> : tensor<2xi32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #zk, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w, %z : tensor<2x1x2xi8>, tensor<1x1x2xi8>, tensor<2xi32>) outs(%o : tensor<1x2x1xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32, %acc: i32):
    %1 = arith.extsi %a : i8 to i32
    %2 = arith.extui %b : i8 to i32
    %3 = arith.subi %2, %c : i32
    %4 = arith.muli %1, %3 : i32
    %5 = arith.addi %acc, %4 : i32
    linalg.yield %5 : i32
  } -> tensor<1x2x1xi32>
  %6 = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %v : tensor<2x1x2xi8>, tensor<1x1x2xi8>) outs(%o : tensor<1x2x1xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %c = arith.constant 8 : i32
    %1 = arith.extsi %a : i8 to i32
    %2 = arith.extui %b : i8 to i32
    %3 = arith.subi %2, %c : i32
    %4 = arith.muli %1, %3 : i32
    %5 = arith.addi %acc, %4 : i32
    linalg.yield %5 : i32
  } -> tensor<1x2x1xi32>
  return %0, %6, %v : tensor<1x2x1xi32>, tensor<1x2x1xi32>, tensor<1x1x2xi8>
}

// A zero point that is a scalar operand, and a difference of another width.
// CHECK-LABEL: func.func @other_types
// CHECK:         arith.subi {{.*}} : i32
// CHECK:         arith.subi {{.*}} : i64
func.func @other_types(%x: tensor<1x1x2xi8>, %o: tensor<1x1x1xi32>, %p: tensor<1x1x1xi64>) -> (tensor<1x1x1xi32>, tensor<1x1x1xi64>) {
  %w = arith.constant dense<[[[0, 15]]]> : tensor<1x1x2xi8>
  %v = arith.constant dense<[[[1, 15]]]> : tensor<1x1x2xi8>
  %z = arith.constant 8 : i32
  %0 = linalg.generic {indexing_maps = [#x, #w, affine_map<(m, n, g, k) -> ()>, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w, %z : tensor<1x1x2xi8>, tensor<1x1x2xi8>, i32) outs(%o : tensor<1x1x1xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32, %acc: i32):
    %1 = arith.extsi %a : i8 to i32
    %2 = arith.extui %b : i8 to i32
    %3 = arith.subi %2, %c : i32
    %4 = arith.muli %1, %3 : i32
    %5 = arith.addi %acc, %4 : i32
    linalg.yield %5 : i32
  } -> tensor<1x1x1xi32>
  %6 = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %v : tensor<1x1x2xi8>, tensor<1x1x2xi8>) outs(%p : tensor<1x1x1xi64>) {
  ^bb0(%a: i8, %b: i8, %acc: i64):
    %c = arith.constant 8 : i64
    %1 = arith.extsi %a : i8 to i64
    %2 = arith.extui %b : i8 to i64
    %3 = arith.subi %2, %c : i64
    %4 = arith.muli %1, %3 : i64
    %5 = arith.addi %acc, %4 : i64
    linalg.yield %5 : i64
  } -> tensor<1x1x1xi64>
  return %0, %6 : tensor<1x1x1xi32>, tensor<1x1x1xi64>
}
