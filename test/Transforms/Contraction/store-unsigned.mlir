// RUN: qcc-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(store-unsigned{cpu=cascadelake}),canonicalize,cse)' | FileCheck %s
// RUN: qcc-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(store-unsigned{cpu=x86-64-v3}),canonicalize,cse)' | FileCheck %s



// A temporary that two contractions read, one through a residual as well: what computes it adds 128, zero points follow,
// and the epilogue takes 128 away.
// CHECK-LABEL: func.func @chain(
// CHECK-DAG: %[[ZP:.*]] = arith.constant dense<133> : tensor<i32>
// CHECK: %[[Y:.*]] = kernel.contract lhs(%arg0
// CHECK: %[[C:.*]] = arith.constant 133 : i32
// CHECK: %[[S:.*]] = arith.addi %{{.*}}, %[[C]] : i32
// CHECK: %[[B:.*]] = arith.trunci %[[S]] : i32 to i8
// CHECK: kernel.yield %[[B]]
// CHECK: kernel.contract lhs(%[[Y]] : tensor<4x8xi8>) {{.*}} lhs_zero_point(%[[ZP]] : tensor<i32>) epilogue_ins(%[[Y]] : tensor<4x8xi8>) {{.*}}lhs_unsigned
// CHECK: ^bb0(%{{.*}}: i32, %[[R:.*]]: i8):
// CHECK: %[[X:.*]] = arith.xori %[[R]], %{{.*}} : i8
// CHECK: arith.extsi %[[X]] : i8 to i32
func.func @chain(%x: tensor<4x8xi8>, %w: tensor<8x8xi8>) -> tensor<4x8xi32> {
  %z = arith.constant dense<5> : tensor<i32>
  %e = tensor.empty() : tensor<4x8xi8>
  %o = tensor.empty() : tensor<4x8xi32>
  %y = kernel.contract lhs(%x : tensor<4x8xi8>) rhs(%w : tensor<8x8xi8>) outs(%e : tensor<4x8xi8>)
      epilogue {
      ^bb0(%acc: i32):
        %c = arith.constant 5 : i32
        %s = arith.addi %acc, %c : i32
        %t = arith.trunci %s : i32 to i8
        kernel.yield %t : i8
      } -> tensor<4x8xi8>
  %r = kernel.contract lhs(%y : tensor<4x8xi8>) rhs(%w : tensor<8x8xi8>) lhs_zero_point(%z : tensor<i32>)
      epilogue_ins(%y : tensor<4x8xi8>) outs(%o : tensor<4x8xi32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> ()>,
                        affine_map<(m, n, k) -> (m, n)>, affine_map<(m, n, k) -> (m, n)>]}
      epilogue {
      ^bb0(%acc: i32, %q: i8):
        %v = arith.extsi %q : i8 to i32
        %s = arith.addi %acc, %v : i32
        kernel.yield %s : i32
      } -> tensor<4x8xi32>
  return %r : tensor<4x8xi32>
}

// -----

// Padding holds 128 more, too; a zero point of 0 becomes one; one of each row has it added.
#x = affine_map<(m, n, k) -> (m + k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @padded(
// CHECK-DAG: %[[ZP:.*]] = arith.constant dense<128> : tensor<i32>
// CHECK-DAG: %[[P:.*]] = arith.constant -125 : i8
// CHECK: %[[G:.*]] = linalg.generic
// CHECK: arith.xori
// CHECK: %[[PAD:.*]] = tensor.pad %[[G]]
// CHECK: tensor.yield %[[P]]
// CHECK: kernel.contract lhs(%[[PAD]] : tensor<10xi8>) {{.*}} lhs_zero_point(%[[ZP]] : tensor<i32>) {{.*}}lhs_unsigned
// CHECK: %[[ROWS:.*]] = linalg.generic {{.*}} ins(%arg2 : tensor<8xi32>)
// CHECK: kernel.contract lhs(%[[PAD]] : tensor<10xi8>) {{.*}} lhs_zero_point(%[[ROWS]] : tensor<8xi32>) {{.*}}lhs_unsigned
func.func @padded(%x: tensor<8xi8>, %w: tensor<8x3xi8>, %z: tensor<8xi32>) -> (tensor<8x8xi32>, tensor<8x8xi32>) {
  %three = arith.constant 3 : i8
  %e = tensor.empty() : tensor<8xi8>
  %o = tensor.empty() : tensor<8x8xi32>
  %g = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]} ins(%x : tensor<8xi8>) outs(%e : tensor<8xi8>) {
  ^bb0(%a: i8, %b: i8):
    %c = arith.maxsi %a, %three : i8
    linalg.yield %c : i8
  } -> tensor<8xi8>
  %p = tensor.pad %g low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %three : i8
  } : tensor<8xi8> to tensor<10xi8>
  %r = kernel.contract lhs(%p : tensor<10xi8>) rhs(%w : tensor<8x3xi8>) outs(%o : tensor<8x8xi32>)
      {indexing_maps = [#x, #w, #y], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<8x8xi32>
  %s = kernel.contract lhs(%p : tensor<10xi8>) rhs(%w : tensor<8x3xi8>) lhs_zero_point(%z : tensor<8xi32>) outs(%o : tensor<8x8xi32>)
      {indexing_maps = [#x, #w, affine_map<(m, n, k) -> (m)>, #y], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<8x8xi32>
  return %r, %s : tensor<8x8xi32>, tensor<8x8xi32>
}

// -----

// An argument stays what it is; it is copied where it is padded or read in windows, and only there. The copies are one.
#x = affine_map<(m, n, k) -> (m + k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @argument(
// CHECK: %[[COPY:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<10xi8>) {{.*}}qcc.origin = "to unsigned"
// CHECK: kernel.contract lhs(%[[COPY]] : tensor<10xi8>) {{.*}}lhs_unsigned
// CHECK: kernel.contract lhs(%[[COPY]] : tensor<10xi8>) {{.*}}lhs_unsigned
// CHECK: kernel.contract lhs(%arg2 : tensor<8x3xi8>)
// CHECK-NOT: lhs_unsigned
func.func @argument(%x: tensor<10xi8>, %w: tensor<8x3xi8>, %m: tensor<8x3xi8>) -> (tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>) {
  %o = tensor.empty() : tensor<8x8xi32>
  %r = kernel.contract lhs(%x : tensor<10xi8>) rhs(%w : tensor<8x3xi8>) outs(%o : tensor<8x8xi32>)
      {indexing_maps = [#x, #w, #y], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<8x8xi32>
  %s = kernel.contract lhs(%x : tensor<10xi8>) rhs(%m : tensor<8x3xi8>) outs(%o : tensor<8x8xi32>)
      {indexing_maps = [#x, #w, #y], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<8x8xi32>
  %t = kernel.contract lhs(%m : tensor<8x3xi8>) rhs(%w : tensor<8x3xi8>) outs(%o : tensor<8x8xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<8x8xi32>
  return %r, %s, %t : tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>
}

// -----

// A result of the program stays what it is.
// CHECK-LABEL: func.func @result(
// CHECK-NOT: lhs_unsigned
func.func @result(%x: tensor<4x8xi8>, %w: tensor<8x8xi8>) -> (tensor<4x8xi8>, tensor<4x8xi32>) {
  %e = tensor.empty() : tensor<4x8xi8>
  %o = tensor.empty() : tensor<4x8xi32>
  %y = kernel.contract lhs(%x : tensor<4x8xi8>) rhs(%w : tensor<8x8xi8>) outs(%e : tensor<4x8xi8>)
      epilogue {
      ^bb0(%acc: i32):
        %t = arith.trunci %acc : i32 to i8
        kernel.yield %t : i8
      } -> tensor<4x8xi8>
  %r = kernel.contract lhs(%y : tensor<4x8xi8>) rhs(%w : tensor<8x8xi8>) outs(%o : tensor<4x8xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x8xi32>
  return %y, %r : tensor<4x8xi8>, tensor<4x8xi32>
}
