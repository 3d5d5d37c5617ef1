// RUN: qcc-opt %s -form-contractions -canonicalize | FileCheck %s

// Producers that a pass over memory before them can take in.

// Where an elementwise op before it remains a pass over memory, since others read its result, the producer can join that
// pass, a longer one as well, and is no prologue.
// CHECK-LABEL: func.func @joins_pass
// CHECK: %[[E:.*]] = linalg.generic {{.*}} ins(%arg0
// CHECK: %[[N:.*]] = linalg.generic {{.*}} ins(%[[E]]
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[N]]
// CHECK: kernel.contract lhs(%[[Q]] : tensor<5x7xi8>)
// CHECK-NOT: lhs_prologue
// CHECK: return
func.func @joins_pass(%xf: tensor<5x7xf32>, %w: tensor<7x9xi8>) -> (tensor<5x9xi32>, tensor<5x7xf32>) {
  %e_e = tensor.empty() : tensor<5x7xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%xf : tensor<5x7xf32>) outs(%e_e : tensor<5x7xf32>) {
  ^bb0(%in_a: f32, %in_o: f32):
    %v_m = arith.mulf %in_a, %in_a : f32
    linalg.yield %v_m : f32
  } -> tensor<5x7xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%e : tensor<5x7xf32>) outs(%e_e : tensor<5x7xf32>) {
  ^bb0(%in_a: f32, %in_o: f32):
    %v_n = arith.negf %in_a : f32
    linalg.yield %v_n : f32
  } -> tensor<5x7xf32>
  %e_x = tensor.empty() : tensor<5x7xi8>
  %x = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%n : tensor<5x7xf32>) outs(%e_x : tensor<5x7xi8>) {
  ^bb0(%in_a: f32, %in_o: i8):
    %v_q = arith.fptosi %in_a : f32 to i8
    linalg.yield %v_q : i8
  } -> tensor<5x7xi8>
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul",
                         indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                          affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  return %acc, %e : tensor<5x9xi32>, tensor<5x7xf32>
}

// Elementwise ops that nothing else reads are one prologue, however many they are.
// CHECK-LABEL: func.func @chain
// CHECK-NOT: linalg.generic
// CHECK: kernel.contract lhs(%arg0 : tensor<5x7xf32>) {{.*}}lhs_prologue
// CHECK: arith.mulf
// CHECK: arith.fptosi
func.func @chain(%xf: tensor<5x7xf32>, %w: tensor<7x9xi8>) -> tensor<5x9xi32> {
  %e_e = tensor.empty() : tensor<5x7xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%xf : tensor<5x7xf32>) outs(%e_e : tensor<5x7xf32>) {
  ^bb0(%in_a: f32, %in_o: f32):
    %v_m = arith.mulf %in_a, %in_a : f32
    linalg.yield %v_m : f32
  } -> tensor<5x7xf32>
  %e_x = tensor.empty() : tensor<5x7xi8>
  %x = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%e : tensor<5x7xf32>) outs(%e_x : tensor<5x7xi8>) {
  ^bb0(%in_a: f32, %in_o: i8):
    %v_q = arith.fptosi %in_a : f32 to i8
    linalg.yield %v_q : i8
  } -> tensor<5x7xi8>
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul",
                         indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                          affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  return %acc : tensor<5x9xi32>
}
