// RUN: qcc-opt %s -form-contractions -canonicalize | FileCheck %s

// What consumes the result of a contraction.

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#col = affine_map<(m, n) -> (n)>
#t = affine_map<(m, n) -> (n, m)>

// A chain of consumers: a broadcast operand, a captured scalar, a residual.
// CHECK-LABEL: func.func @epilogue_chain
// CHECK-NOT: linalg.generic
// CHECK: %[[S:.*]] = tensor.from_elements %arg4 : tensor<f32>
// CHECK: kernel.contract {{.*}} epilogue_ins(%arg2, %arg3, %[[S]] : tensor<9xf32>, tensor<5x9xf32>, tensor<f32>) outs(%{{.*}} : tensor<5x9xf32>)
// CHECK-SAME: fused = ["linalg.matmul", "sitofp", "addf", "addf+mulf"]
// CHECK: epilogue {
// CHECK: ^bb0(%[[ACC:.*]]: i32, %[[B:.*]]: f32, %[[R:.*]]: f32, %[[V:.*]]: f32):
// CHECK: %[[F:.*]] = arith.sitofp %[[ACC]]
// CHECK: %[[G:.*]] = arith.addf %[[F]], %[[B]]
// CHECK: %[[H:.*]] = arith.addf %[[G]], %[[R]]
// CHECK: %[[I:.*]] = arith.mulf %[[H]], %[[V]]
// CHECK: kernel.yield %[[I]] : f32
func.func @epilogue_chain(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %b: tensor<9xf32>, %r: tensor<5x9xf32>,
                          %v: f32) -> tensor<5x9xf32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  %e_f = tensor.empty() : tensor<5x9xf32>
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<5x9xi32>) outs(%e_f : tensor<5x9xf32>) {
  ^bb0(%in_a: i32, %in_o: f32):
    %v_f = arith.sitofp %in_a : i32 to f32
    linalg.yield %v_f : f32
  } -> tensor<5x9xf32>
  %e_g = tensor.empty() : tensor<5x9xf32>
  %g = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%f, %b : tensor<5x9xf32>, tensor<9xf32>) outs(%e_g : tensor<5x9xf32>) {
  ^bb0(%in_a: f32, %in_c: f32, %in_o: f32):
    %v_t = arith.addf %in_a, %in_c : f32
    linalg.yield %v_t : f32
  } -> tensor<5x9xf32>
  %e_y = tensor.empty() : tensor<5x9xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g, %r : tensor<5x9xf32>, tensor<5x9xf32>) outs(%e_y : tensor<5x9xf32>) {
  ^bb0(%in_a: f32, %in_c: f32, %in_o: f32):
    %v_t = arith.addf %in_a, %in_c : f32
    %v_u = arith.mulf %v_t, %v : f32
    linalg.yield %v_u : f32
  } -> tensor<5x9xf32>
  return %y : tensor<5x9xf32>
}

// Results that others use stay; several consumers share one accumulator.
// CHECK-LABEL: func.func @several_results
// CHECK-NOT: linalg.generic
// CHECK: %[[Y:.*]]:3 = kernel.contract {{.*}} outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<5x9xi32>, tensor<5x9xf32>, tensor<5x9xi8>)
// CHECK: ^bb0(%[[ACC:.*]]: i32):
// CHECK: %[[F:.*]] = arith.sitofp %[[ACC]]
// CHECK: %[[T:.*]] = arith.trunci %[[ACC]]
// CHECK: kernel.yield %[[ACC]], %[[F]], %[[T]] : i32, f32, i8
// CHECK: return %[[Y]]#0, %[[Y]]#1, %[[Y]]#2
func.func @several_results(%x: tensor<5x7xi8>,
                           %w: tensor<7x9xi8>) -> (tensor<5x9xi32>, tensor<5x9xf32>, tensor<5x9xi8>) {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  %e_f = tensor.empty() : tensor<5x9xf32>
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<5x9xi32>) outs(%e_f : tensor<5x9xf32>) {
  ^bb0(%in_a: i32, %in_o: f32):
    %v_f = arith.sitofp %in_a : i32 to f32
    linalg.yield %v_f : f32
  } -> tensor<5x9xf32>
  %e_t = tensor.empty() : tensor<5x9xi8>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<5x9xi32>) outs(%e_t : tensor<5x9xi8>) {
  ^bb0(%in_a: i32, %in_o: i8):
    %v_q = arith.trunci %in_a : i32 to i8
    linalg.yield %v_q : i8
  } -> tensor<5x9xi8>
  return %acc, %f, %t : tensor<5x9xi32>, tensor<5x9xf32>, tensor<5x9xi8>
}

// One consumer may read the accumulator twice, and a result of the chain beside it.
// CHECK-LABEL: func.func @several_uses
// CHECK-NOT: linalg.generic
// CHECK: kernel.contract
// CHECK: ^bb0(%[[ACC:.*]]: i32):
// CHECK: %[[Q:.*]] = arith.muli %[[ACC]], %[[ACC]]
// CHECK: %[[R:.*]] = arith.subi %[[Q]], %[[ACC]]
// CHECK: kernel.yield %[[R]] : i32
func.func @several_uses(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>) -> tensor<5x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  %e_q = tensor.empty() : tensor<5x9xi32>
  %q = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %acc : tensor<5x9xi32>, tensor<5x9xi32>) outs(%e_q : tensor<5x9xi32>) {
  ^bb0(%in_a: i32, %in_b: i32, %in_o: i32):
    %v_t = arith.muli %in_a, %in_b : i32
    linalg.yield %v_t : i32
  } -> tensor<5x9xi32>
  %e_r = tensor.empty() : tensor<5x9xi32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%q, %acc : tensor<5x9xi32>, tensor<5x9xi32>) outs(%e_r : tensor<5x9xi32>) {
  ^bb0(%in_a: i32, %in_b: i32, %in_o: i32):
    %v_t = arith.subi %in_a, %in_b : i32
    linalg.yield %v_t : i32
  } -> tensor<5x9xi32>
  return %r : tensor<5x9xi32>
}

// A consumer that writes over the accumulator gets memory of its own, of the same dynamic size.
// CHECK-LABEL: func.func @overwritten_result
// CHECK-NOT: linalg.generic
// CHECK: tensor.empty(%arg2) : tensor<?x9xi32>
// CHECK: kernel.contract
// CHECK: arith.addi
func.func @overwritten_result(%x: tensor<?x7xi8>, %w: tensor<7x9xi8>, %m: index) -> tensor<?x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty(%m) : tensor<?x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<?x9xi32>) -> tensor<?x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x7xi8>, tensor<7x9xi8>) outs(%init : tensor<?x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<?x9xi32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<?x9xi32>) outs(%acc : tensor<?x9xi32>) {
  ^bb0(%in_a: i32, %in_o: i32):
    %v_t = arith.addi %in_a, %in_o : i32
    linalg.yield %v_t : i32
  } -> tensor<?x9xi32>
  return %y : tensor<?x9xi32>
}

// The tensor that a consumer adds into is an operand.
// CHECK-LABEL: func.func @init_of_consumer
// CHECK-NOT: linalg.generic
// CHECK: kernel.contract {{.*}} epilogue_ins(%arg2 : tensor<5x9xi32>) outs(%arg2 : tensor<5x9xi32>)
func.func @init_of_consumer(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %b: tensor<5x9xi32>) -> tensor<5x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<5x9xi32>) outs(%b : tensor<5x9xi32>) {
  ^bb0(%in_a: i32, %in_o: i32):
    %v_t = arith.addi %in_a, %in_o : i32
    linalg.yield %v_t : i32
  } -> tensor<5x9xi32>
  return %y : tensor<5x9xi32>
}

// A consumer may write its result in another order.
// CHECK-LABEL: func.func @transposed_result
// CHECK-NOT: linalg.generic
// CHECK: kernel.contract {{.*}} outs(%{{.*}} : tensor<9x5xf32>)
func.func @transposed_result(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>) -> tensor<9x5xf32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  %e_y = tensor.empty() : tensor<9x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, m) -> (m, n)>, affine_map<(n, m) -> (n, m)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<5x9xi32>) outs(%e_y : tensor<9x5xf32>) {
  ^bb0(%in_a: i32, %in_o: f32):
    %v_f = arith.sitofp %in_a : i32 to f32
    linalg.yield %v_f : f32
  } -> tensor<9x5xf32>
  return %y : tensor<9x5xf32>
}

// A consumer that reads other elements too needs the whole result first.
// CHECK-LABEL: func.func @transposed_use
// CHECK: kernel.contract
// CHECK: linalg.generic
func.func @transposed_use(%x: tensor<6x7xi8>, %w: tensor<7x6xi8>) -> tensor<6x6xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<6x6xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<6x6xi32>) -> tensor<6x6xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<6x7xi8>, tensor<7x6xi8>) outs(%init : tensor<6x6xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<6x6xi32>
  %e_y = tensor.empty() : tensor<6x6xi32>
  %y = linalg.generic {indexing_maps = [#id, #t, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %acc : tensor<6x6xi32>, tensor<6x6xi32>) outs(%e_y : tensor<6x6xi32>) {
  ^bb0(%in_a: i32, %in_b: i32, %in_o: i32):
    %v_t = arith.muli %in_a, %in_b : i32
    linalg.yield %v_t : i32
  } -> tensor<6x6xi32>
  return %y : tensor<6x6xi32>
}

// Elements of less than a byte cannot be stored as vectors.
// CHECK-LABEL: func.func @boolean_result
// CHECK: kernel.contract
// CHECK: linalg.generic
// CHECK: arith.cmpi
func.func @boolean_result(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>) -> tensor<5x9xi1> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  %e_y = tensor.empty() : tensor<5x9xi1>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<5x9xi32>) outs(%e_y : tensor<5x9xi1>) {
  ^bb0(%in_a: i32, %in_o: i1):
    %v_c9 = arith.constant 9 : i32
    %v_t = arith.cmpi slt, %in_a, %v_c9 : i32
    linalg.yield %v_t : i1
  } -> tensor<5x9xi1>
  return %y : tensor<5x9xi1>
}

// The accumulator of one contraction is a residual of the other.
// CHECK-LABEL: func.func @two_contractions
// CHECK: %[[A:.*]] = kernel.contract
// CHECK: kernel.contract {{.*}} epilogue_ins(%[[A]] : tensor<5x9xi32>)
// CHECK-NOT: linalg.generic
func.func @two_contractions(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %v: tensor<7x9xi8>) -> tensor<5x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  %acc2 = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                          iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %v : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  %e_y = tensor.empty() : tensor<5x9xi32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc2, %acc : tensor<5x9xi32>, tensor<5x9xi32>) outs(%e_y : tensor<5x9xi32>) {
  ^bb0(%in_a: i32, %in_b: i32, %in_o: i32):
    %v_t = arith.muli %in_a, %in_b : i32
    linalg.yield %v_t : i32
  } -> tensor<5x9xi32>
  return %y : tensor<5x9xi32>
}

// What a consumer needs is computed before the contraction, where that is possible.
// CHECK-LABEL: func.func @later_operand
// CHECK: %[[S:.*]] = linalg.generic
// CHECK: kernel.contract {{.*}} epilogue_ins(%[[S]] : tensor<5x9xi32>)
func.func @later_operand(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %b: tensor<5x9xi32>) -> tensor<5x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  %e_s = tensor.empty() : tensor<5x9xi32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<5x9xi32>) outs(%e_s : tensor<5x9xi32>) {
  ^bb0(%in_a: i32, %in_o: i32):
    %v_t = arith.muli %in_a, %in_a : i32
    linalg.yield %v_t : i32
  } -> tensor<5x9xi32>
  %e_y = tensor.empty() : tensor<5x9xi32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %s : tensor<5x9xi32>, tensor<5x9xi32>) outs(%e_y : tensor<5x9xi32>) {
  ^bb0(%in_a: i32, %in_b0: i32, %in_o: i32):
    %v_t = arith.muli %in_a, %in_b0 : i32
    linalg.yield %v_t : i32
  } -> tensor<5x9xi32>
  return %y : tensor<5x9xi32>
}

// Fills and splats are constants and scalars of the epilogue, and no destinations.
// CHECK-LABEL: func.func @uniform_operands
// CHECK-NOT: linalg.
// CHECK-DAG: %[[O:.*]] = tensor.empty(%arg2) : tensor<?x9xf32>
// CHECK-DAG: %[[V:.*]] = tensor.from_elements %arg3
// CHECK: kernel.contract {{.*}} epilogue_ins(%[[V]] : tensor<f32>) outs(%[[O]] : tensor<?x9xf32>)
// CHECK: ^bb0(%[[ACC:.*]]: i32, %[[B:.*]]: f32):
// CHECK: %[[Z:.*]] = arith.constant 0.000000e+00
// CHECK: %[[F:.*]] = arith.sitofp
// CHECK: %[[R:.*]] = arith.maximumf %[[F]], %[[Z]]
// CHECK: arith.mulf %[[R]], %[[B]]
func.func @uniform_operands(%x: tensor<?x7xi8>, %w: tensor<7x9xi8>, %m: index, %v: f32) -> tensor<?x9xf32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty(%m) : tensor<?x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<?x9xi32>) -> tensor<?x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x7xi8>, tensor<7x9xi8>) outs(%init : tensor<?x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<?x9xi32>
  %zf = arith.constant 0.0 : f32
  %ef = tensor.empty(%m) : tensor<?x9xf32>
  %zeros = linalg.fill ins(%zf : f32) outs(%ef : tensor<?x9xf32>) -> tensor<?x9xf32>
  %vs = linalg.fill ins(%v : f32) outs(%ef : tensor<?x9xf32>) -> tensor<?x9xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %zeros, %vs : tensor<?x9xi32>, tensor<?x9xf32>, tensor<?x9xf32>) outs(%zeros : tensor<?x9xf32>) {
  ^bb0(%in_a: i32, %in_b: f32, %in_c: f32, %in_o: f32):
    %v_f = arith.sitofp %in_a : i32 to f32
    %v_r = arith.maximumf %v_f, %in_b : f32
    %v_t = arith.mulf %v_r, %in_c : f32
    linalg.yield %v_t : f32
  } -> tensor<?x9xf32>
  return %y : tensor<?x9xf32>
}

// A splat is a constant of the prologue, too.
// CHECK-LABEL: func.func @splat_operand
// CHECK: kernel.contract lhs(%arg0 : tensor<5x7xf32>) rhs({{.*}}) outs
// CHECK: lhs_prologue {
// CHECK: ^bb0(%[[A:.*]]: f32):
// CHECK: %[[C:.*]] = arith.constant 2.000000e+00
// CHECK: arith.divf %[[A]], %[[C]]
func.func @splat_operand(%xf: tensor<5x7xf32>, %w: tensor<7x9xi8>) -> tensor<5x9xi32> {
  %two = arith.constant dense<2.0> : tensor<5x7xf32>
  %e_x = tensor.empty() : tensor<5x7xi8>
  %x = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xf, %two : tensor<5x7xf32>, tensor<5x7xf32>) outs(%e_x : tensor<5x7xi8>) {
  ^bb0(%in_a: f32, %in_b: f32, %in_o: i8):
    %v_d = arith.divf %in_a, %in_b : f32
    %v_q = arith.fptosi %v_d : f32 to i8
    linalg.yield %v_q : i8
  } -> tensor<5x7xi8>
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
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

// Where it depends on the contraction, the consumer stays.
// CHECK-LABEL: func.func @dependent_operand
// CHECK: %[[A:.*]] = kernel.contract
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[A]]
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[S]]
func.func @dependent_operand(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>) -> tensor<5x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  %z_i2 = arith.constant 0 : i32
  %e_i2 = tensor.empty() : tensor<5xi32>
  %i2 = linalg.fill ins(%z_i2 : i32) outs(%e_i2 : tensor<5xi32>) -> tensor<5xi32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%acc : tensor<5x9xi32>) outs(%i2 : tensor<5xi32>) {
  ^bb0(%in_a: i32, %in_o: i32):
    %v_t = arith.addi %in_a, %in_o : i32
    linalg.yield %v_t : i32
  } -> tensor<5xi32>
  %e_y = tensor.empty() : tensor<5x9xi32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %s : tensor<5x9xi32>, tensor<5xi32>) outs(%e_y : tensor<5x9xi32>) {
  ^bb0(%in_a: i32, %in_b: i32, %in_o: i32):
    %v_t = arith.muli %in_a, %in_b : i32
    linalg.yield %v_t : i32
  } -> tensor<5x9xi32>
  return %y : tensor<5x9xi32>
}
