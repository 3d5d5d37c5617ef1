// RUN: qcc-opt %s -split-input-file -verify-diagnostics

func.func @no_sums(%w: tensor<9x7xi8>, %p: tensor<1x2x16xi32>) {
  // expected-error@+1 {{of i32 must have sums of i32 and rank num_batch + 1}}
  %packed = kernel.pack %w : tensor<9x7xi8> outs(%p : tensor<1x2x16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>} -> tensor<1x2x16xi32>
  return
}

// -----

func.func @sums_of_floats(%w: tensor<9x7xf32>, %p: tensor<1x7x16xf32>, %s: tensor<16xi32>) {
  // expected-error@+1 {{of f32 must have KR 1, no sums, no offset and no unsigned_source}}
  %packed:2 = kernel.pack %w : tensor<9x7xf32> outs(%p, %s : tensor<1x7x16xf32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 1>} -> tensor<1x7x16xf32>, tensor<16xi32>
  return
}

// -----

func.func @bytes_as_floats(%w: tensor<9x7xi8>, %p: tensor<1x7x16xf32>) {
  // expected-error@+1 {{without a prologue the source must be 'f32' and ins empty}}
  %packed = kernel.pack %w : tensor<9x7xi8> outs(%p : tensor<1x7x16xf32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 1>} -> tensor<1x7x16xf32>
  return
}

// -----

func.func @words(%w: tensor<9x7xi8>, %p: tensor<1x2x16xi64>) {
  // expected-error@+1 {{packed must be of i32 or f32}}
  %packed = kernel.pack %w : tensor<9x7xi8> outs(%p : tensor<1x2x16xi64>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>} -> tensor<1x2x16xi64>
  return
}

// -----

func.func @accumulator(%x: tensor<4x8xi8>, %w: tensor<8x8xi8>, %o: tensor<4x8xf64>) {
  // expected-error@+1 {{epilogue must take an accumulator of i32 or f32}}
  %y = kernel.contract lhs(%x : tensor<4x8xi8>) rhs(%w : tensor<8x8xi8>) outs(%o : tensor<4x8xf64>)
    epilogue {
  ^bb0(%acc: f64):
    kernel.yield %acc : f64
  } -> tensor<4x8xf64>
  return
}

// -----

func.func @no_accumulator(%x: tensor<4x8xi8>, %w: tensor<8x8xi8>, %o: tensor<4x8xf32>) {
  // expected-error@+1 {{epilogue must take an accumulator of i32 or f32}}
  %y = kernel.contract lhs(%x : tensor<4x8xi8>) rhs(%w : tensor<8x8xi8>) outs(%o : tensor<4x8xf32>)
    epilogue {
    %c = arith.constant 0.0 : f32
    kernel.yield %c : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @integers_in_floats(%x: tensor<4x8xi8>, %w: tensor<8x8xf32>, %o: tensor<4x8xf32>) {
  // expected-error@+1 {{lhs without a prologue must have element type 'f32'}}
  %y = kernel.contract lhs(%x : tensor<4x8xi8>) rhs(%w : tensor<8x8xf32>) outs(%o : tensor<4x8xf32>)
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @zero_point_of_floats(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %z: tensor<f32>, %o: tensor<4x8xf32>) {
  // expected-error@+1 {{of floats has no zero points, rhs_sums, lhs_unsigned, rhs_unsigned or lhs_padding}}
  %y = kernel.contract lhs(%x : tensor<4x8xf32>) rhs(%w : tensor<8x8xf32>) lhs_zero_point(%z : tensor<f32>) outs(%o : tensor<4x8xf32>)
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @packed_integers(%x: tensor<4x8xi8>, %w: tensor<1x2x16xi32>, %o: tensor<4x16xi32>) {
  // expected-error@+1 {{of integers has rhs_sums where rhs is packed, not rhs_packed}}
  %y = kernel.contract lhs(%x : tensor<4x8xi8>) rhs(%w : tensor<1x2x16xi32>) outs(%o : tensor<4x16xi32>) {rhs_packed}
    epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<4x16xi32>
  return
}

// -----

func.func @few_words(%x: tensor<4x8xf32>, %w: tensor<1x2x16xf32>, %o: tensor<4x16xf32>) {
  // expected-error@+1 {{packed rhs must have words for 8 elements of K in dimension 1}}
  %y = kernel.contract lhs(%x : tensor<4x8xf32>) rhs(%w : tensor<1x2x16xf32>) outs(%o : tensor<4x16xf32>) {rhs_packed}
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<4x16xf32>
  return
}
