// RUN: qcc-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(store-unsigned{target=cascadelake}),canonicalize,cse)' | FileCheck %s
// RUN: qcc-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(store-unsigned{target=x86-64-v3}),canonicalize,cse)' | FileCheck %s



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

// -----

// What a table gives is another table.
// CHECK-LABEL: func.func @table(
// CHECK: kernel.lookup %{{.*}}, [-127, -126, {{.*}}, 127, -128] : i8
// CHECK-NEXT: kernel.yield
// CHECK: kernel.contract {{.*}} lhs_zero_point({{.*}}lhs_unsigned
func.func @table(%x: tensor<4x8xi8>, %w: tensor<8x8xi8>) -> tensor<4x8xi32> {
  %e = tensor.empty() : tensor<4x8xi8>
  %o = tensor.empty() : tensor<4x8xi32>
  %y = kernel.contract lhs(%x : tensor<4x8xi8>) rhs(%w : tensor<8x8xi8>) outs(%e : tensor<4x8xi8>)
      epilogue {
      ^bb0(%acc: i32):
        %t = arith.trunci %acc : i32 to i8
        %l = kernel.lookup %t, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
            33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64,
            65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96,
            97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, -128,
            -127, -126, -125, -124, -123, -122, -121, -120, -119, -118, -117, -116, -115, -114, -113, -112, -111, -110, -109, -108, -107, -106, -105, -104, -103, -102, -101, -100, -99, -98, -97, -96,
            -95, -94, -93, -92, -91, -90, -89, -88, -87, -86, -85, -84, -83, -82, -81, -80, -79, -78, -77, -76, -75, -74, -73, -72, -71, -70, -69, -68, -67, -66, -65, -64,
            -63, -62, -61, -60, -59, -58, -57, -56, -55, -54, -53, -52, -51, -50, -49, -48, -47, -46, -45, -44, -43, -42, -41, -40, -39, -38, -37, -36, -35, -34, -33, -32,
            -31, -30, -29, -28, -27, -26, -25, -24, -23, -22, -21, -20, -19, -18, -17, -16, -15, -14, -13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0] : i8
        kernel.yield %l : i8
      } -> tensor<4x8xi8>
  %r = kernel.contract lhs(%y : tensor<4x8xi8>) rhs(%w : tensor<8x8xi8>) outs(%o : tensor<4x8xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x8xi32>
  return %r : tensor<4x8xi32>
}

// -----

// Of an argument only what a slice has is copied.
// CHECK-LABEL: func.func @sliced(
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[2, 0] [19, 16] [3, 1]
// CHECK: %[[G:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<19x16xi8>)
// CHECK: %[[PAD:.*]] = tensor.pad %[[G]]
// CHECK: kernel.contract lhs(%[[PAD]] : tensor<20x16xi8>) {{.*}}lhs_unsigned
func.func @sliced(%x: tensor<57x16xi8>, %w: tensor<8x16xi8>, %o: tensor<20x8xi32>) -> tensor<20x8xi32> {
  %z = arith.constant 0 : i8
  %s = tensor.extract_slice %x[2, 0] [19, 16] [3, 1] : tensor<57x16xi8> to tensor<19x16xi8>
  %p = tensor.pad %s low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : i8
  } : tensor<19x16xi8> to tensor<20x16xi8>
  %y = kernel.contract lhs(%p : tensor<20x16xi8>) rhs(%w : tensor<8x16xi8>) outs(%o : tensor<20x8xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<20x8xi32>
  return %y : tensor<20x8xi32>
}

// -----

#id = affine_map<(h, c) -> (h, c)>
#x = affine_map<(h, c, r) -> (h + r, c)>
#w = affine_map<(h, c, r) -> (c, r)>
#y = affine_map<(h, c, r) -> (h, c)>

// Padding that a contraction has itself is stored plus 128 with the rest.
// CHECK-LABEL: func.func @padding(
// CHECK: linalg.generic
// CHECK: kernel.contract lhs({{.*}}lhs_padding = #kernel.padding<[1, 1, 0, 0], -121>, lhs_unsigned
func.func @padding(%x: tensor<8x16xi8>, %w: tensor<16x3xi8>, %e: tensor<8x16xi8>, %o: tensor<8x16xi32>) -> tensor<8x16xi32> {
  %z = arith.constant 3 : i8
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x16xi8>) outs(%e : tensor<8x16xi8>) {
  ^bb0(%a: i8, %b: i8):
    %m = arith.maxsi %a, %z : i8
    linalg.yield %m : i8
  } -> tensor<8x16xi8>
  %y = kernel.contract lhs(%c : tensor<8x16xi8>) rhs(%w : tensor<16x3xi8>) outs(%o : tensor<8x16xi32>)
      {indexing_maps = [#x, #w, #y], lhs_padding = #kernel.padding<[1, 1, 0, 0], 7>,
       reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<8x16xi32>
  return %y : tensor<8x16xi32>
}
