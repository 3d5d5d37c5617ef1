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

// A depthwise contraction is told by columns that are innermost in its left operand, so that it reads no operand in which they
// are not: the pass before it, which also transposes, stays.
// CHECK-LABEL: func.func @depthwise_behind_transpose(
// CHECK: linalg.generic
// CHECK: kernel.contract lhs(%{{.*}} : tensor<3x2x1x2xi8>)
func.func @depthwise_behind_transpose(%x: tensor<3x2x2x1xi32>, %w: tensor<2x1x2xi8>, %o: tensor<3x1x1x2xi32>) -> tensor<3x1x1x2xi32> {
  %e = tensor.empty() : tensor<3x2x1x2xi8>
  %narrow = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, d, b, c)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<3x2x2x1xi32>) outs(%e : tensor<3x2x1x2xi8>) {
  ^bb0(%v: i32, %out: i8):
    %t = arith.trunci %v : i32 to i8
    linalg.yield %t : i8
  } -> tensor<3x2x1x2xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, c, i, j) -> (i, j, c)>, affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%narrow, %w : tensor<3x2x1x2xi8>, tensor<2x1x2xi8>) outs(%o : tensor<3x1x1x2xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %acc, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<3x1x1x2xi32>
  return %y : tensor<3x1x1x2xi32>
}
