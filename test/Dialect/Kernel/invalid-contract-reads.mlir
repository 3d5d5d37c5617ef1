// RUN: qcc-opt %s -split-input-file -verify-diagnostics

// What a contraction would read outside of its operands.

#rows = affine_map<(m, n, r, k) -> (m * 2 + r, k)>
#weight = affine_map<(m, n, r, k) -> (r, k, n)>
#mn = affine_map<(m, n, r, k) -> (m, n)>

func.func @f(%x: tensor<14x7xi8>, %w: tensor<3x7x9xi8>, %o: tensor<7x9xi32>) {
  // expected-error@+1 {{reads lhs at index 14 of dimension 0, which has size 14}}
  %0 = kernel.contract lhs(%x : tensor<14x7xi8>) rhs(%w : tensor<3x7x9xi8>) outs(%o : tensor<7x9xi32>)
      {indexing_maps = [#rows, #weight, #mn], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 7>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<7x9xi32>
  return
}

// -----

#rows = affine_map<(m, n, r, k) -> (r - m, k)>
#weight = affine_map<(m, n, r, k) -> (r, k, n)>
#mn = affine_map<(m, n, r, k) -> (m, n)>

func.func @f(%x: tensor<15x7xi8>, %w: tensor<3x7x9xi8>, %o: tensor<7x9xi32>) {
  // expected-error@+1 {{map of operand 0 must index each dimension by a sum of different dimensions times positive constants}}
  %0 = kernel.contract lhs(%x : tensor<15x7xi8>) rhs(%w : tensor<3x7x9xi8>) outs(%o : tensor<7x9xi32>)
      {indexing_maps = [#rows, #weight, #mn], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 7>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<7x9xi32>
  return
}

// -----

#rows = affine_map<(m, n, r, k) -> (m + r + 1, k)>
#weight = affine_map<(m, n, r, k) -> (r, k, n)>
#mn = affine_map<(m, n, r, k) -> (m, n)>

func.func @f(%x: tensor<15x7xi8>, %w: tensor<3x7x9xi8>, %o: tensor<7x9xi32>) {
  // expected-error@+1 {{map of operand 0 must index each dimension by a sum of different dimensions times positive constants}}
  %0 = kernel.contract lhs(%x : tensor<15x7xi8>) rhs(%w : tensor<3x7x9xi8>) outs(%o : tensor<7x9xi32>)
      {indexing_maps = [#rows, #weight, #mn], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 7>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<7x9xi32>
  return
}

// -----

#rows = affine_map<(m, n, r, k) -> (m floordiv 2 + r, k)>
#weight = affine_map<(m, n, r, k) -> (r, k, n)>
#mn = affine_map<(m, n, r, k) -> (m, n)>

func.func @f(%x: tensor<15x7xi8>, %w: tensor<3x7x9xi8>, %o: tensor<7x9xi32>) {
  // expected-error@+1 {{map of operand 0 must index each dimension by a sum of different dimensions times positive constants}}
  %0 = kernel.contract lhs(%x : tensor<15x7xi8>) rhs(%w : tensor<3x7x9xi8>) outs(%o : tensor<7x9xi32>)
      {indexing_maps = [#rows, #weight, #mn], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 7>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<7x9xi32>
  return
}

// -----

#rows = affine_map<(m, n, r, k) -> (m + r, m)>
#weight = affine_map<(m, n, r, k) -> (r, k, n)>
#mn = affine_map<(m, n, r, k) -> (m, n)>

func.func @f(%x: tensor<15x7xi8>, %w: tensor<3x7x9xi8>, %o: tensor<7x9xi32>) {
  // expected-error@+1 {{map of operand 0 must index each dimension by a sum of different dimensions times positive constants}}
  %0 = kernel.contract lhs(%x : tensor<15x7xi8>) rhs(%w : tensor<3x7x9xi8>) outs(%o : tensor<7x9xi32>)
      {indexing_maps = [#rows, #weight, #mn], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 7>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<7x9xi32>
  return
}

// -----

#rows = affine_map<(m, n, r, k) -> (m * 9223372036854775807 + r * 2, k)>
#weight = affine_map<(m, n, r, k) -> (r, k, n)>
#mn = affine_map<(m, n, r, k) -> (m, n)>

func.func @f(%x: tensor<14x7xi8>, %w: tensor<3x7x9xi8>, %o: tensor<7x9xi32>) {
  // expected-error@+1 {{reads lhs at index 18446744073709551615 of dimension 0, which has size 14}}
  %0 = kernel.contract lhs(%x : tensor<14x7xi8>) rhs(%w : tensor<3x7x9xi8>) outs(%o : tensor<7x9xi32>)
      {indexing_maps = [#rows, #weight, #mn], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 7>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<7x9xi32>
  return
}

// -----

#lhs = affine_map<(m, n, j, k) -> (m, j, k)>
#rhs = affine_map<(m, n, j, k) -> (n, j, k)>
#out = affine_map<(m, n, j, k) -> (m, n)>

func.func @f(%x: tensor<5x?x?xi8>, %w: tensor<4x?x?xi8>, %o: tensor<5x4xi32>) {
  // expected-error@+1 {{reduction sizes must have a product of at most 1099511627776}}
  %0 = kernel.contract lhs(%x : tensor<5x?x?xi8>) rhs(%w : tensor<4x?x?xi8>) outs(%o : tensor<5x4xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 2, 3>,
       reduction_sizes = array<i64: 4611686018427387904, 4>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x4xi32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @f(%x: tensor<5x3xi8>, %w: tensor<1x16xi32>, %s: tensor<16xi32>, %o: tensor<5x4xi32>) {
  // expected-error@+1 {{packed rhs must have rank 3 and rhs_sums rank 1}}
  %0 = kernel.contract lhs(%x : tensor<5x3xi8>) rhs(%w : tensor<1x16xi32>) rhs_sums(%s : tensor<16xi32>)
      outs(%o : tensor<5x4xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x4xi32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @f(%x: tensor<5x9xi8>, %w: tensor<1x2x16xi32>, %s: tensor<16xi32>, %o: tensor<5x4xi32>) {
  // expected-error@+1 {{packed rhs must have words for 9 elements of K in dimension 1}}
  %0 = kernel.contract lhs(%x : tensor<5x9xi8>) rhs(%w : tensor<1x2x16xi32>) rhs_sums(%s : tensor<16xi32>)
      outs(%o : tensor<5x4xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 9>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x4xi32>
  return
}

// -----

#pixels = affine_map<(m, n, k) -> ((m floordiv 4) * 4 + k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Only columns choose groups.
func.func @f(%x: tensor<16xi8>, %w: tensor<9x4xi8>, %o: tensor<16x9xi32>) {
  // expected-error@+1 {{map of operand 0 must index each dimension by a sum of different dimensions times positive constants, and the last one perhaps by the group of a column}}
  %0 = kernel.contract lhs(%x : tensor<16xi8>) rhs(%w : tensor<9x4xi8>) outs(%o : tensor<16x9xi32>)
      {indexing_maps = [#pixels, #weight, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 4>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<16x9xi32>
  return
}

// -----

#groups = affine_map<(m, n, k) -> (m, (n floordiv 2) * 4 + k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @f(%x: tensor<3x15xi8>, %w: tensor<8x4xi8>, %o: tensor<3x8xi32>) {
  // expected-error@+1 {{reads lhs at index 15 of dimension 1, which has size 15}}
  %0 = kernel.contract lhs(%x : tensor<3x15xi8>) rhs(%w : tensor<8x4xi8>) outs(%o : tensor<3x8xi32>)
      {indexing_maps = [#groups, #weight, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 4>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<3x8xi32>
  return
}
