// RUN: qcc-opt %s -form-contractions | FileCheck %s --implicit-check-not=kernel.contract

// The reasons why a contraction is not formed; `qcc explain` prints them.

// CHECK-LABEL: func.func @dynamic_k
// CHECK: linalg.generic {{.*}}qcc.refused = "the size of a reduction dimension (K) is dynamic"
func.func @dynamic_k(%x: tensor<5x?xi8>, %w: tensor<?x9xi8>) -> tensor<5x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul",
                         indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                          affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x?xi8>, tensor<?x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  return %acc : tensor<5x9xi32>
}

// CHECK-LABEL: func.func @no_k
// CHECK: linalg.generic {{.*}}qcc.refused = "a reduction dimension (K) has size 0"
func.func @no_k(%x: tensor<5x0xi8>, %w: tensor<0x9xi8>) -> tensor<5x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul",
                         indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                          affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x0xi8>, tensor<0x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  return %acc : tensor<5x9xi32>
}

// A window that slides backwards, as of a convolution in the sense of mathematics.
// CHECK-LABEL: func.func @backwards
// CHECK: linalg.generic {{.*}}qcc.refused = "its operands are indexed by something else than single dimensions and, one of them, sums of dimensions times positive constants"
func.func @backwards(%x: tensor<8x7xi8>, %w: tensor<3x7x9xi8>) -> tensor<6x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<6x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<6x9xi32>) -> tensor<6x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul",
                         indexing_maps = [affine_map<(m, n, r, k) -> (m - r + 2, k)>, affine_map<(m, n, r, k) -> (r, k, n)>,
                                          affine_map<(m, n, r, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<8x7xi8>, tensor<3x7x9xi8>) outs(%init : tensor<6x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<6x9xi32>
  return %acc : tensor<6x9xi32>
}

// CHECK-LABEL: func.func @computed_zero_point
// CHECK: linalg.generic {{.*}}qcc.refused = "a zero point is neither a constant nor a scalar nor an operand of i32"
func.func @computed_zero_point(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %z: tensor<i8>) -> tensor<5x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul",
                         indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                          affine_map<(m, n, k) -> ()>, affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w, %z : tensor<5x7xi8>, tensor<7x9xi8>, tensor<i8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_z0: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %z32 = arith.extsi %in_z0 : i8 to i32
    %v_lz = arith.subi %v_l, %z32 : i32
    %v_p = arith.muli %v_lz, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  return %acc : tensor<5x9xi32>
}

// CHECK-LABEL: func.func @zero_point_of_sum
// CHECK: linalg.generic {{.*}}qcc.refused = "a zero point is not indexed by single dimensions"
func.func @zero_point_of_sum(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %z: tensor<13xi32>) -> tensor<5x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul",
                         indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                          affine_map<(m, n, k) -> (m + n)>, affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w, %z : tensor<5x7xi8>, tensor<7x9xi8>, tensor<13xi32>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_z0: i32, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_lz = arith.subi %v_l, %in_z0 : i32
    %v_p = arith.muli %v_lz, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  return %acc : tensor<5x9xi32>
}

// CHECK-LABEL: func.func @zero_point_along_k
// CHECK: linalg.generic {{.*}}qcc.refused = "a zero point varies along a reduction dimension"
func.func @zero_point_along_k(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %z: tensor<7xi32>) -> tensor<5x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul",
                         indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                          affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w, %z : tensor<5x7xi8>, tensor<7x9xi8>, tensor<7xi32>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_z0: i32, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_lz = arith.subi %v_l, %in_z0 : i32
    %v_p = arith.muli %v_lz, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  return %acc : tensor<5x9xi32>
}

// CHECK-LABEL: func.func @result_of_sum
// CHECK: linalg.generic {{.*}}qcc.refused = "its result is not indexed by single dimensions"
func.func @result_of_sum(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>) -> tensor<13xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<13xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<13xi32>) -> tensor<13xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul",
                         indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                          affine_map<(m, n, k) -> (m + n)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<13xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<13xi32>
  return %acc : tensor<13xi32>
}

// CHECK-LABEL: func.func @no_n
// CHECK: linalg.generic {{.*}}qcc.refused = "no single dimension belongs to the right operand alone (N) or is the innermost one of both operands and the result, or one is missing from the result"
func.func @no_n(%x: tensor<5x7xi8>, %w: tensor<7xi8>) -> tensor<5xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5xi32>) -> tensor<5xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul",
                         indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>,
                                          affine_map<(m, k) -> (m)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7xi8>) outs(%init : tensor<5xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5xi32>
  return %acc : tensor<5xi32>
}

// CHECK-LABEL: func.func @two_n
// CHECK: linalg.generic {{.*}}qcc.refused = "no single dimension belongs to the right operand alone (N) or is the innermost one of both operands and the result, or one is missing from the result"
func.func @two_n(%x: tensor<5x7xi8>, %w: tensor<7x9x2xi8>) -> tensor<5x9x2xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9x2xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9x2xi32>) -> tensor<5x9x2xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul",
                         indexing_maps = [affine_map<(m, n, p, k) -> (m, k)>, affine_map<(m, n, p, k) -> (k, n, p)>,
                                          affine_map<(m, n, p, k) -> (m, n, p)>],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9x2xi8>) outs(%init : tensor<5x9x2xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9x2xi32>
  return %acc : tensor<5x9x2xi32>
}

// CHECK-LABEL: func.func @result_along_k
// CHECK: linalg.generic {{.*}}qcc.refused = "its result has a reduction dimension"
func.func @result_along_k(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %init: tensor<5x9x7xi32>) -> tensor<5x9x7xi32> {
  %acc = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                          affine_map<(m, n, k) -> (m, n, k)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9x7xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9x7xi32>
  return %acc : tensor<5x9x7xi32>
}
