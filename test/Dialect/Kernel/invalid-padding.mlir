// RUN: qcc-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{must have two widths, not negative, for each dimension}}
func.func private @odd() attributes {padding = #kernel.padding<[1, 2, 3], 0>}

// -----

// expected-error@+1 {{must have two widths, not negative, for each dimension}}
func.func private @negative() attributes {padding = #kernel.padding<[0, 0, 0, -1], 1>}

// -----

// expected-error@+1 {{must have a value from -128 to 127, but has 128}}
func.func private @value() attributes {padding = #kernel.padding<[0, 0], 128>}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{must have two lhs_padding widths for each dimension of lhs}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {lhs_padding = #kernel.padding<[0, 0], 1>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{has lhs_padding in dimension 0, which is indexed by one loop alone}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {lhs_padding = #kernel.padding<[1, 0, 0, 0], 1>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{has lhs_padding and lhs_prologue; a padded left operand has no prologue}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {lhs_padding = #kernel.padding<[0, 0, 0, 0], 1>}
      lhs_prologue {
      ^bb0(%e: i8):
        kernel.yield %e : i8
      }
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

#x = affine_map<(m, n, r) -> (m + r, n)>
#w = affine_map<(m, n, r) -> (n, r)>
#y = affine_map<(m, n, r) -> (m, n)>

func.func @f(%x: tensor<8x16xi8>, %w: tensor<16x3xi8>, %o: tensor<10x16xi32>) -> tensor<10x16xi32> {
  // expected-error@+1 {{reads lhs at index 11 of dimension 0, which has size 8 and 3 elements of padding}}
  %y = kernel.contract lhs(%x : tensor<8x16xi8>) rhs(%w : tensor<16x3xi8>) outs(%o : tensor<10x16xi32>)
      {indexing_maps = [#x, #w, #y], lhs_padding = #kernel.padding<[1, 2, 0, 0], 0>,
       reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<10x16xi32>
  return %y : tensor<10x16xi32>
}
