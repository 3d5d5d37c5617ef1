// RUN: qcc-opt %s -split-input-file -verify-diagnostics

// Every message of the verifiers.

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{has 3 operands with a map but 2 indexing_maps}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      {indexing_maps = [#mk, #nk]}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{must have one of reduction_sizes for each of reduction_dims, and at least one}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      {reduction_sizes = array<i64: 7, 8>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{must have one of reduction_sizes for each of reduction_dims, and at least one}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      {reduction_dims = array<i64>, reduction_sizes = array<i64>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{reduction dimension 3 is not one of 3 loops}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      {reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 7>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{has reduction dimension 2 twice}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      {reduction_dims = array<i64: 2, 2>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{reduction sizes must be positive}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      {reduction_sizes = array<i64: 0>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: memref<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{operands must be all tensors or all memrefs}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : memref<9x7xi8>) outs(%o : tensor<5x9xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----
#mk = affine_map<(m, n, k) -> (m, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{map of operand 1 must have 3 dimensions and no symbols}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      {indexing_maps = [#mk, affine_map<(n, k) -> (n, k)>, #mn]}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----
#mk = affine_map<(m, n, k) -> (m, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{map of operand 1 must have 3 dimensions and no symbols}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      {indexing_maps = [#mk, affine_map<(m, n, k)[s] -> (n, k)>, #mn]}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----
#mk = affine_map<(m, n, k) -> (m, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{map of operand 1 must be a projected permutation}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      {indexing_maps = [#mk, affine_map<(m, n, k) -> (n + m, k)>, #mn]}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----
#mk = affine_map<(m, n, k) -> (m, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{map of operand 1 has 1 results, the operand rank 2}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      {indexing_maps = [#mk, affine_map<(m, n, k) -> (n)>, #mn]}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>, %b: tensor<7xi32>) {
  // expected-error@+1 {{map of operand 2 must not depend on reduction dimension 2}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) init(%b : tensor<7xi32>)
      outs(%o : tensor<5x9xi32>) {indexing_maps = [#mk, #nk, affine_map<(m, n, k) -> (k)>, #mn]}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<9xi32>) {
  // expected-error@+1 {{outs must be indexed by dimension 0, which is not reduced}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<9xi32>)
      {indexing_maps = [#mk, #nk, affine_map<(m, n, k) -> (n)>]}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{dimension 2 has size 8, but operand 0 has 7}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      {reduction_sizes = array<i64: 8>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x10xi32>) {
  // expected-error@+1 {{dimension 1 has size 9, but operand 2 has 10}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x10xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x10xi32>
  return
}

// -----
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @f(%x: tensor<5x9x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{must have exactly one dimension that rhs has and lhs has not, or none, and an innermost one that lhs, rhs and outs have}}
  %y = kernel.contract lhs(%x : tensor<5x9x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, n, k)>, #nk, #mn]}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi16>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{lhs without a prologue must have element type 'i8'}}
  %y = kernel.contract lhs(%x : tensor<5x7xi16>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi16>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{rhs without a prologue must have element type 'i8'}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi16>) outs(%o : tensor<5x9xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<1x2x16xi8>, %o: tensor<5x9xi32>, %s: tensor<16xi32>) {
  // expected-error@+1 {{packed rhs must have element type 'i32'}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<1x2x16xi8>) rhs_sums(%s : tensor<16xi32>)
      outs(%o : tensor<5x9xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<1x2x16xi32>, %o: tensor<5x9xi32>, %s: tensor<16xi32>) {
  // expected-error@+1 {{packed rhs of integers has no prologue: it belongs to kernel.pack}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<1x2x16xi32>) rhs_sums(%s : tensor<16xi32>)
      outs(%o : tensor<5x9xi32>)
      rhs_prologue {
      ^bb0(%b: i32):
        %t = arith.trunci %b : i32 to i8
        kernel.yield %t : i8
      }
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>, %b: tensor<9xf32>) {
  // expected-error@+1 {{init must have element type 'i32'}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) init(%b : tensor<9xf32>)
      outs(%o : tensor<5x9xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{arguments of the lhs_prologue must be 'i8', got 'i32'}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      lhs_prologue {
      ^bb0(%b: i32):
        %t = arith.trunci %b : i32 to i8
        kernel.yield %t : i8
      }
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{lhs_prologue must yield 'i8', got 'i16'}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      lhs_prologue {
      ^bb0(%b: i8):
        %t = arith.extsi %b : i8 to i16
        kernel.yield %t : i16
      }
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{rhs_prologue must yield 'i8', got 'i16'}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      rhs_prologue {
      ^bb0(%b: i8):
        %t = arith.extsi %b : i8 to i16
        kernel.yield %t : i16
      }
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>, %s: tensor<5xf32>) {
  // expected-error@+1 {{lhs_ins without lhs_prologue}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) lhs_ins(%s : tensor<5xf32>)
      outs(%o : tensor<5x9xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>, %s: tensor<5xf32>) {
  // expected-error@+1 {{rhs_ins without rhs_prologue}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) rhs_ins(%s : tensor<5xf32>)
      outs(%o : tensor<5x9xi32>) {indexing_maps = [#mk, #nk, affine_map<(m, n, k) -> (m)>, #mn]}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{arguments of the epilogue must be 'i32', got 'i32', 'f32'}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      epilogue {
      ^bb0(%acc: i32, %s: f32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{epilogue must yield 'i32', got 'i32', 'i32'}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc, %acc : i32, i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{epilogue must end with kernel.yield}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      epilogue {
      ^bb0(%acc: i32):
        %s = arith.addi %acc, %acc : i32
      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{epilogue must end with kernel.yield}}
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      epilogue {
      ^bb0(%acc: i32):

      } -> tensor<5x9xi32>
  return
}

// -----

func.func @f(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) {
  // expected-error@+1 {{must have a result of the type of each tensor of outs}}
  kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

func.func @f(%x: memref<5x7xi8>, %w: memref<9x7xi8>) {
  // expected-error@+1 {{must have outs}}
  "kernel.contract"(%x, %w) <{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>],
      reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>,
       operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0>}> ({}, {}, {}, {
  ^bb0(%acc: i32):
    "kernel.yield"() : () -> ()
  }) : (memref<5x7xi8>, memref<9x7xi8>) -> ()
  return
}

// -----

func.func @f(%w: tensor<9x7xi8>, %p: tensor<1x2x16xi32>, %s: tensor<16xi32>, %b: tensor<9xf32>) {
  // expected-error@+1 {{must have an indexing map for source and for each of ins}}
  %packed:2 = kernel.pack %w : tensor<9x7xi8> ins(%b : tensor<9xf32>) outs(%p, %s : tensor<1x2x16xi32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>} -> tensor<1x2x16xi32>, tensor<16xi32>
  return
}

// -----

func.func @f(%w: tensor<9x7xi8>, %p: tensor<1x2x16xi32>, %s: tensor<16xi32>) {
  // expected-error@+1 {{reduction sizes must be positive}}
  %packed:2 = kernel.pack %w : tensor<9x7xi8>  outs(%p, %s : tensor<1x2x16xi32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 0>,
       tile = array<i64: 16, 4>} -> tensor<1x2x16xi32>, tensor<16xi32>
  return
}

// -----

func.func @f(%w: memref<9x7xi8>, %p: tensor<1x2x16xi32>, %s: tensor<16xi32>) {
  // expected-error@+1 {{operands must be all tensors or all memrefs}}
  %packed:2 = kernel.pack %w : memref<9x7xi8>  outs(%p, %s : tensor<1x2x16xi32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>} -> tensor<1x2x16xi32>, tensor<16xi32>
  return
}

// -----

func.func @f(%w: tensor<9x7xi8>, %p: tensor<1x2x16xi32>, %s: tensor<16xi32>) {
  // expected-error@+1 {{map affine_map<(d0, d1, d2) -> (d0, d1)> must have 2 dimensions and a result for each dimension of its operand}}
  %packed:2 = kernel.pack %w : tensor<9x7xi8>  outs(%p, %s : tensor<1x2x16xi32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k, l) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>} -> tensor<1x2x16xi32>, tensor<16xi32>
  return
}

// -----

func.func @f(%w: tensor<9x7xi8>, %p: tensor<1x2x16xi32>, %s: tensor<16xi32>) {
  // expected-error@+1 {{map affine_map<(d0, d1) -> (d0)> must have 2 dimensions and a result for each dimension of its operand}}
  %packed:2 = kernel.pack %w : tensor<9x7xi8>  outs(%p, %s : tensor<1x2x16xi32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>} -> tensor<1x2x16xi32>, tensor<16xi32>
  return
}

// -----

func.func @f(%w: tensor<9x7xi8>, %p: tensor<1x2x16xi32>, %s: tensor<16xi32>) {
  // expected-error@+1 {{map affine_map<(d0, d1) -> (d0 + d1, d1)> must be a projected permutation}}
  %packed:2 = kernel.pack %w : tensor<9x7xi8>  outs(%p, %s : tensor<1x2x16xi32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n + k, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>} -> tensor<1x2x16xi32>, tensor<16xi32>
  return
}

// -----

func.func @f(%w: tensor<9x7xi8>, %p: tensor<1x2x16xi32>, %s: tensor<16xi32>) {
  // expected-error@+1 {{source must be indexed by the column dimension}}
  %packed:2 = kernel.pack %w : tensor<9x7xi8>  outs(%p, %s : tensor<1x2x16xi32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (0, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>} -> tensor<1x2x16xi32>, tensor<16xi32>
  return
}

// -----

func.func @f(%w: tensor<9x7xi8>, %p: tensor<1x2x16xi32>, %s: tensor<16xi32>) {
  // expected-error@+1 {{tile must be [NR, KR] with KR 1, 2 or 4}}
  %packed:2 = kernel.pack %w : tensor<9x7xi8>  outs(%p, %s : tensor<1x2x16xi32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 3>} -> tensor<1x2x16xi32>, tensor<16xi32>
  return
}

// -----

func.func @f(%w: tensor<9x7xi8>, %p: tensor<1x2x16xi32>, %s: tensor<16xi32>) {
  // expected-error@+1 {{k_step must be a multiple of KR}}
  %packed:2 = kernel.pack %w : tensor<9x7xi8>  outs(%p, %s : tensor<1x2x16xi32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>, k_step = 6 : i64} -> tensor<1x2x16xi32>, tensor<16xi32>
  return
}

// -----

func.func @f(%w: tensor<9x7xi8>, %p: tensor<1x2x16xi32>, %s: tensor<16xi32>) {
  // expected-error@+1 {{packed must end in x16x16}}
  %packed:2 = kernel.pack %w : tensor<9x7xi8>  outs(%p, %s : tensor<1x2x16xi32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>, k_step = 64 : i64} -> tensor<1x2x16xi32>, tensor<16xi32>
  return
}

// -----

func.func @f(%w: tensor<9x7xf32>, %p: tensor<1x2x16xi32>, %s: tensor<16xi32>) {
  // expected-error@+1 {{without a prologue the source must be 'i8' and ins empty}}
  %packed:2 = kernel.pack %w : tensor<9x7xf32>  outs(%p, %s : tensor<1x2x16xi32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>} -> tensor<1x2x16xi32>, tensor<16xi32>
  return
}

// -----

func.func @f(%w: tensor<9x7xi8>, %p: tensor<1x2x16xi32>, %s: tensor<16xi32>, %b: tensor<9xf32>) {
  // expected-error@+1 {{without a prologue the source must be 'i8' and ins empty}}
  %packed:2 = kernel.pack %w : tensor<9x7xi8> ins(%b : tensor<9xf32>) outs(%p, %s : tensor<1x2x16xi32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>], num_batch = 0 : i64,
       reduction_sizes = array<i64: 7>, tile = array<i64: 16, 4>} -> tensor<1x2x16xi32>, tensor<16xi32>
  return
}

// -----

func.func @f(%w: tensor<9x7xf32>, %p: tensor<1x2x16xi32>, %s: tensor<16xi32>) {
  // expected-error@+1 {{prologue must yield 'i8', got 'f32'}}
  %packed:2 = kernel.pack %w : tensor<9x7xf32>  outs(%p, %s : tensor<1x2x16xi32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>}
      prologue {
      ^bb0(%a: f32):
        kernel.yield %a : f32
      } -> tensor<1x2x16xi32>, tensor<16xi32>
  return
}

// -----

func.func @f(%w: tensor<9x7xi8>, %p: tensor<2x16xi32>, %s: tensor<16xi32>) {
  // expected-error@+1 {{packed must have rank num_batch + 3}}
  %packed:2 = kernel.pack %w : tensor<9x7xi8>  outs(%p, %s : tensor<2x16xi32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>} -> tensor<2x16xi32>, tensor<16xi32>
  return
}

// -----

func.func @f(%w: tensor<9x7xi8>, %p: tensor<1x2x16xi32>, %s: tensor<16xf32>) {
  // expected-error@+1 {{of i32 must have sums of i32 and rank num_batch + 1}}
  %packed:2 = kernel.pack %w : tensor<9x7xi8>  outs(%p, %s : tensor<1x2x16xi32>, tensor<16xf32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>} -> tensor<1x2x16xi32>, tensor<16xf32>
  return
}

// -----

func.func @f(%w: tensor<9x7xi8>, %p: tensor<1x3x16xi32>, %s: tensor<16xi32>) {
  // expected-error@+1 {{packed must end in x2x16}}
  %packed:2 = kernel.pack %w : tensor<9x7xi8>  outs(%p, %s : tensor<1x3x16xi32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>} -> tensor<1x3x16xi32>, tensor<16xi32>
  return
}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{must have two epilogue_ranges for each of epilogue_ins}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {facts = #kernel.facts<epilogue_ranges = array<f64: 1.0, 2.0>>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{must have two zero_border widths for each dimension of lhs}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {facts = #kernel.facts<zero_border = [1, 0]>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{has a zero_border that is wider than dimension 0 of lhs}}
  %y = kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>)
      {facts = #kernel.facts<zero_border = [1, 2, 0, 0]>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

// What the text leaves out must follow from the types.

func.func @f(%x: tensor<2x3x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // expected-error@+1 {{'indexing_maps' must be written where the operands are not those of a product of matrices lhs [..., m, k], rhs [..., n, k] and outs [..., m, n]}}
  %y = kernel.contract lhs(%x : tensor<2x3x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>) epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x9xi32>
  return %y : tensor<2x9xi32>
}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: i8, %o: tensor<2x9xi32>) {
  // expected-error@+1 {{'indexing_maps' must be written}}
  kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : i8) outs(%o : tensor<2x9xi32>) epilogue {
      }
  return
}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %b: tensor<2x2x9xi32>, %o: tensor<2x9xi32>) {
  // expected-error@+2 {{'indexing_maps' must be written}}
  kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) init(%b : tensor<2x2x9xi32>)
      outs(%o : tensor<2x9xi32>) epilogue {
      }
  return
}

// -----

func.func @f(%x: tensor<2x?xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) {
  // expected-error@+1 {{'reduction_sizes' must be written where the type of lhs does not have them}}
  kernel.contract lhs(%x : tensor<2x?xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>) epilogue {
      }
  return
}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) {
  // expected-error@+1 {{'reduction_dims' must be written where 'indexing_maps' has no loops}}
  kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>) {indexing_maps = []}
      epilogue {
      }
  return
}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) {
  // expected-error@+1 {{'kernel.contract' op attribute 'indexing_maps' failed to satisfy constraint: AffineMap array attribute}}
  kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>) {indexing_maps = [3]}
      epilogue {
      }
  return
}

// -----

func.func @f(%x: tensor<2x7xi8>, %w: tensor<9x7xi8>, %o: tensor<2x9xi32>) {
  // expected-error@+1 {{'kernel.contract' op attribute 'reduction_dims' failed to satisfy constraint: i64 dense array attribute}}
  kernel.contract lhs(%x : tensor<2x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<2x9xi32>) {reduction_dims = 2}
      epilogue {
      }
  return
}

// -----

func.func @f(%x: i8) -> i8 {
  // expected-error@+1 {{'kernel.lookup' op table must have 256 elements, one for each byte, got 3}}
  %y = kernel.lookup %x, [1, 2, 3] : i8
  return %y : i8
}

// -----

func.func @f(%x: i32) -> i32 {
  // expected-error@+1 {{'kernel.lookup' op operand #0 must be i8 or vector of i8, but got 'i32'}}
  %y = kernel.lookup %x, [1, 2, 3] : i32
  return %y : i32
}

// -----

// expected-error@+1 {{must have a fact; leave out the attribute}}
func.func private @no_fact() attributes {facts = #kernel.facts<>}

// -----

// expected-error@+1 {{rhs_range must be the least and the greatest element of rhs}}
func.func private @range() attributes {facts = #kernel.facts<rhs_range = [7, 6]>}

// -----

// expected-error@+1 {{epilogue_ranges must have two elements for each operand}}
func.func private @ranges() attributes {facts = #kernel.facts<epilogue_ranges = array<f64: 1.0>>}

// -----

// expected-error@+1 {{zero_border must have two widths, not negative, for each dimension}}
func.func private @border() attributes {facts = #kernel.facts<zero_border = [1, -1]>}
