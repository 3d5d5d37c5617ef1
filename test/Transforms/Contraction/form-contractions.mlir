// RUN: qcc-opt %s -form-contractions -canonicalize | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#col = affine_map<(m, n) -> (n)>
#t = affine_map<(m, n) -> (n, m)>

// A zero initial value is none.
// CHECK-LABEL: func.func @bare
// CHECK-NOT: linalg.generic
// CHECK: kernel.contract lhs(%arg0 : tensor<5x7xi8>) rhs(%arg1 : tensor<7x9xi8>) outs(%{{.*}} : tensor<5x9xi32>)
// CHECK-SAME: fused = ["linalg.matmul"]
// CHECK-SAME: indexing_maps = [#[[$MK:.*]], #[[$KN:.*]], #[[$MN:.*]]]} epilogue
// CHECK: kernel.yield %{{.*}} : i32
func.func @bare(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>) -> tensor<5x9xi32> {
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

// How each operand is extended.
// CHECK-LABEL: func.func @unsigned
// CHECK: kernel.contract
// CHECK-SAME: lhs_unsigned} epilogue
// CHECK-NOT: rhs_unsigned
func.func @unsigned(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>) -> tensor<5x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extui %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  return %acc : tensor<5x9xi32>
}

// Constant zero points become operands; those of 0 are none.
// CHECK-LABEL: func.func @zero_point_constant
// CHECK: %[[Z:.*]] = arith.constant dense<3> : tensor<i32>
// CHECK: kernel.contract lhs(%arg0 : {{.*}}) rhs(%arg1 : {{.*}}) lhs_zero_point(%[[Z]] : tensor<i32>) outs
func.func @zero_point_constant(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>) -> tensor<5x9xi32> {
  %c3 = arith.constant 3 : i32
  %c0 = arith.constant 0 : i32
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_lz = arith.subi %v_l, %c3 : i32
    %v_rz = arith.subi %v_r, %c0 : i32
    %v_p = arith.muli %v_lz, %v_rz : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  return %acc : tensor<5x9xi32>
}

// A scalar from outside is an operand without dimensions.
// CHECK-LABEL: func.func @zero_point_scalar
// CHECK-SAME: %[[X:.*]]: tensor<5x7xi8>, %[[W:.*]]: tensor<7x9xi8>, %[[ZS:.*]]: i32
// CHECK: %[[Z:.*]] = tensor.from_elements %[[ZS]] : tensor<i32>
// CHECK: kernel.contract {{.*}} rhs_zero_point(%[[Z]] : tensor<i32>) outs
func.func @zero_point_scalar(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %z: i32) -> tensor<5x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_rz = arith.subi %v_r, %z : i32
    %v_p = arith.muli %v_l, %v_rz : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  return %acc : tensor<5x9xi32>
}

// Zero points of rows and of channels.
// CHECK-LABEL: func.func @zero_points_per_row_and_channel
// CHECK: kernel.contract {{.*}} lhs_zero_point(%arg2 : tensor<5xi32>) rhs_zero_point(%arg3 : tensor<9xi32>) outs
// CHECK-SAME: indexing_maps = [#[[$MK]], #[[$KN]], #[[$M:.*]], #[[$N:.*]], #[[$MN]]]
func.func @zero_points_per_row_and_channel(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %zx: tensor<5xi32>,
                                           %zw: tensor<9xi32>) -> tensor<5x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul",
                         indexing_maps = [#mk, #kn, affine_map<(m, n, k) -> (m)>, affine_map<(m, n, k) -> (n)>, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w, %zx, %zw : tensor<5x7xi8>, tensor<7x9xi8>, tensor<5xi32>, tensor<9xi32>)
          outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_p0: i32, %in_q0: i32, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_lz = arith.subi %v_l, %in_p0 : i32
    %v_rz = arith.subi %v_r, %in_q0 : i32
    %v_p = arith.muli %v_lz, %v_rz : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  return %acc : tensor<5x9xi32>
}

// An i32 bias that is broadcast into the initial value is read as it is.
// CHECK-LABEL: func.func @bias
// CHECK: kernel.contract {{.*}} init(%arg2 : tensor<9xi32>) outs
// CHECK-SAME: indexing_maps = [#[[$MK]], #[[$KN]], #[[$N]], #[[$MN]]]
func.func @bias(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %b: tensor<9xi32>) -> tensor<5x9xi32> {
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.generic {indexing_maps = [#col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<9xi32>) outs(%e_init : tensor<5x9xi32>) {
  ^bb0(%in_a: i32, %in_o: i32):
    linalg.yield %in_a : i32
  } -> tensor<5x9xi32>
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

// Any other initial value is added.
// CHECK-LABEL: func.func @init
// CHECK: kernel.contract {{.*}} init(%arg2 : tensor<5x9xi32>) outs(%{{.*}} : tensor<5x9xi32>)
func.func @init(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %i: tensor<5x9xi32>) -> tensor<5x9xi32> {
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%i : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  return %acc : tensor<5x9xi32>
}

// Movement of an operand goes into its map.
// CHECK-LABEL: func.func @transposed_weight
// CHECK-NOT: linalg.generic
// CHECK: kernel.contract lhs(%arg0 : {{.*}}) rhs(%arg1 : tensor<9x7xi8>)
// CHECK-SAME: outs(%{{.*}} : tensor<5x9xi32>) {fused = ["linalg.matmul"]} epilogue
func.func @transposed_weight(%x: tensor<5x7xi8>, %v: tensor<9x7xi8>) -> tensor<5x9xi32> {
  %e_w = tensor.empty() : tensor<7x9xi8>
  %w = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<9x7xi8>) outs(%e_w : tensor<7x9xi8>) {
  ^bb0(%in_a: i8, %in_o: i8):
    linalg.yield %in_a : i8
  } -> tensor<7x9xi8>
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

// The constant is the weight, on whichever side it stands.
// CHECK-LABEL: func.func @constant_on_the_left
// CHECK: %[[W:.*]] = arith.constant dense<2> : tensor<5x7xi8>
// CHECK: kernel.contract lhs(%arg0 : tensor<7x9xi8>) rhs(%[[W]] : tensor<5x7xi8>)
// CHECK-SAME: indexing_maps = [#[[$KN]], #[[$MK]], #[[$MN]]]
func.func @constant_on_the_left(%w: tensor<7x9xi8>) -> tensor<5x9xi32> {
  %x = arith.constant dense<2> : tensor<5x7xi8>
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

// A dimension of both operands and of the result.
// CHECK-LABEL: func.func @batch
// CHECK: kernel.contract lhs(%arg0 : tensor<3x5x7xi8>) rhs(%arg1 : tensor<3x7x9xi8>)
// CHECK-SAME: indexing_maps = [#{{[a-z0-9]*}}, #{{[a-z0-9]*}}, #{{[a-z0-9]*}}]} epilogue
func.func @batch(%x: tensor<3x5x7xi8>, %w: tensor<3x7x9xi8>) -> tensor<3x5x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<3x5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<3x5x9xi32>) -> tensor<3x5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul",
                         indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>,
                                          affine_map<(b, m, n, k) -> (b, m, n)>],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<3x5x7xi8>, tensor<3x7x9xi8>) outs(%init : tensor<3x5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<3x5x9xi32>
  return %acc : tensor<3x5x9xi32>
}

// Dimensions of size 1 are indexed by 0; there may be many.
// CHECK-LABEL: func.func @unit_dimensions
// CHECK: kernel.contract lhs(%arg0 : tensor<1x1x5x7xi8>) rhs(%arg1 : tensor<7x1x1x9xi8>)
func.func @unit_dimensions(%x: tensor<1x1x5x7xi8>, %w: tensor<7x1x1x9xi8>) -> tensor<5x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul",
                         indexing_maps = [affine_map<(m, n, k) -> (0, 0, m, k)>, affine_map<(m, n, k) -> (k, 0, 0, n)>,
                                          #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x1x5x7xi8>, tensor<7x1x1x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i8, %in_b: i8, %in_acc: i32):
    %v_l = arith.extsi %in_a : i8 to i32
    %v_r = arith.extsi %in_b : i8 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  return %acc : tensor<5x9xi32>
}

// The elementwise producer of an operand, with an operand of its own.
// CHECK-LABEL: func.func @prologue
// CHECK-NOT: linalg.generic
// CHECK: kernel.contract lhs(%arg0 : tensor<5x7xf32>) rhs(%arg1 : {{.*}}) lhs_ins(%arg2 : tensor<5xf32>) outs
// CHECK-SAME: fused = ["divf+fptosi", "linalg.matmul"]
// CHECK-SAME: indexing_maps = [#[[$MK]], #[[$KN]], #[[$M]], #[[$MN]]]
// CHECK: lhs_prologue {
// CHECK: ^bb0(%[[A:.*]]: f32, %[[S:.*]]: f32):
// CHECK: %[[D:.*]] = arith.divf %[[A]], %[[S]]
// CHECK: %[[Q:.*]] = arith.fptosi %[[D]]
// CHECK: kernel.yield %[[Q]] : i8
func.func @prologue(%xf: tensor<5x7xf32>, %w: tensor<7x9xi8>, %s: tensor<5xf32>) -> tensor<5x9xi32> {
  %e_x = tensor.empty() : tensor<5x7xi8>
  %x = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xf, %s : tensor<5x7xf32>, tensor<5xf32>) outs(%e_x : tensor<5x7xi8>) {
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

// The weight has one too; a captured scalar is an operand without dimensions.
// CHECK-LABEL: func.func @rhs_prologue
// CHECK: %[[S:.*]] = tensor.from_elements %arg2 : tensor<f32>
// CHECK: kernel.contract lhs(%arg0 : {{.*}}) rhs(%arg1 : tensor<7x9xf32>) rhs_ins(%[[S]] : tensor<f32>) outs
// CHECK: rhs_prologue {
func.func @rhs_prologue(%x: tensor<5x7xi8>, %wf: tensor<7x9xf32>, %b: f32) -> tensor<5x9xi32> {
  %e_w = tensor.empty() : tensor<7x9xi8>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%wf : tensor<7x9xf32>) outs(%e_w : tensor<7x9xi8>) {
  ^bb0(%in_a: f32, %in_o: i8):
    %v_d = arith.divf %in_a, %b : f32
    %v_q = arith.fptosi %v_d : f32 to i8
    linalg.yield %v_q : i8
  } -> tensor<7x9xi8>
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

// A producer that others use is computed once, on its own.
// CHECK-LABEL: func.func @producer_with_other_uses
// CHECK: %[[X:.*]] = linalg.generic
// CHECK: kernel.contract lhs(%[[X]] : tensor<5x7xi8>)
// CHECK-NOT: lhs_prologue
func.func @producer_with_other_uses(%xf: tensor<5x7xf32>, %w: tensor<7x9xi8>) -> (tensor<5x9xi32>, tensor<5x7xi8>) {
  %e_x = tensor.empty() : tensor<5x7xi8>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%xf : tensor<5x7xf32>) outs(%e_x : tensor<5x7xi8>) {
  ^bb0(%in_a: f32, %in_o: i8):
    %v_q = arith.fptosi %in_a : f32 to i8
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
  return %acc, %x : tensor<5x9xi32>, tensor<5x7xi8>
}

// What is no int8 contraction needs no reason.
// CHECK-LABEL: func.func @not_int8
// CHECK-NOT: kernel.contract
// CHECK-NOT: qcc.refused
// CHECK: linalg.generic
func.func @not_int8(%x: tensor<5x7xi16>, %w: tensor<7x9xi16>) -> tensor<5x9xi32> {
  %z_init = arith.constant 0 : i32
  %e_init = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%z_init : i32) outs(%e_init : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {qcc.origin = "linalg.matmul", indexing_maps = [#mk, #kn, #mn],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi16>, tensor<7x9xi16>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%in_a: i16, %in_b: i16, %in_acc: i32):
    %v_l = arith.extsi %in_a : i16 to i32
    %v_r = arith.extsi %in_b : i16 to i32
    %v_p = arith.muli %v_l, %v_r : i32
    %v_s = arith.addi %in_acc, %v_p : i32
    linalg.yield %v_s : i32
  } -> tensor<5x9xi32>
  return %acc : tensor<5x9xi32>
}
