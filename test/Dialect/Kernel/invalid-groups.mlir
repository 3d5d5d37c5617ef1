// RUN: qcc-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<7x4x16xi8>, %w: tensor<24x4x16xi8>, %b: tensor<24xf32>, %i: tensor<24xi32>, %sx: tensor<7xf32>, %sw: tensor<4x24xf32>, %o: tensor<7x24xf32>) {
  // expected-error@+1 {{has group_ins without group_epilogue}}
  %y = kernel.contract lhs(%x : tensor<7x4x16xi8>) rhs(%w : tensor<24x4x16xi8>) group_ins(%sx, %b : tensor<7xf32>, tensor<24xf32>)
      outs(%o : tensor<7x24xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (m)>, affine_map<(m, n, g, k) -> (n)>,
                        affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>}
      epilogue {
      ^bb0(%acc: i32):
        %v = arith.sitofp %acc : i32 to f32
        kernel.yield %v : f32
      } -> tensor<7x24xf32>
  return
}

// -----

func.func @f(%x: tensor<7x4x16xi8>, %w: tensor<24x4x16xi8>, %b: tensor<24xf32>, %i: tensor<24xi32>, %sx: tensor<7xf32>, %sw: tensor<4x24xf32>, %o: tensor<7x24xf32>) {
  // expected-error@+1 {{group_epilogue must take an accumulator of i32 and a total of f32}}
  %y = kernel.contract lhs(%x : tensor<7x4x16xi8>) rhs(%w : tensor<24x4x16xi8>) group_ins(%sx, %sw : tensor<7xf32>, tensor<4x24xf32>)
      outs(%o : tensor<7x24xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (m)>, affine_map<(m, n, g, k) -> (g, n)>,
                        affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>}
      group_epilogue {
      ^bb0(%acc: i32):
        %v = arith.sitofp %acc : i32 to f32
        kernel.yield %v : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      } -> tensor<7x24xf32>
  return
}

// -----

func.func @f(%x: tensor<7x4x16xi8>, %w: tensor<24x4x16xi8>, %b: tensor<24xf32>, %i: tensor<24xi32>, %sx: tensor<7xf32>, %sw: tensor<4x24xf32>, %o: tensor<7x24xf32>) {
  // expected-error@+1 {{with groups must have accumulators of i32 and an epilogue that takes an f32}}
  %y = kernel.contract lhs(%x : tensor<7x4x16xi8>) rhs(%w : tensor<24x4x16xi8>) group_ins(%sx, %sw : tensor<7xf32>, tensor<4x24xf32>)
      outs(%o : tensor<7x24xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (m)>, affine_map<(m, n, g, k) -> (g, n)>,
                        affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %s: f32, %t: f32):
        %v = arith.sitofp %acc : i32 to f32
        %p = arith.mulf %s, %t : f32
        %next = math.fma %v, %p, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: i32):
        %r = arith.sitofp %total : i32 to f32
        kernel.yield %r : f32
      } -> tensor<7x24xf32>
  return
}

// -----

func.func @f(%x: tensor<7x4x16xi8>, %w: tensor<24x4x16xi8>, %b: tensor<24xf32>, %i: tensor<24xi32>, %sx: tensor<7xf32>, %sw: tensor<4x24xf32>, %o: tensor<7x24xf32>) {
  // expected-error@+1 {{arguments of the group_epilogue must be 'i32', 'f32', 'f32', 'f32', got 'i32', 'f32', 'f32'}}
  %y = kernel.contract lhs(%x : tensor<7x4x16xi8>) rhs(%w : tensor<24x4x16xi8>) group_ins(%sx, %sw : tensor<7xf32>, tensor<4x24xf32>)
      outs(%o : tensor<7x24xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (m)>, affine_map<(m, n, g, k) -> (g, n)>,
                        affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %s: f32):
        %v = arith.sitofp %acc : i32 to f32
        %p = arith.mulf %s, %s : f32
        %next = math.fma %v, %p, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      } -> tensor<7x24xf32>
  return
}

// -----

func.func @f(%x: tensor<7x4x16xi8>, %w: tensor<24x4x16xi8>, %sx: tensor<7xf32>, %sw: tensor<4x24xf32>, %o3: tensor<7x24x4xf32>) {
  // expected-error@+1 {{with groups must have a reduction dimension of groups and one of their elements}}
  %y = kernel.contract lhs(%x : tensor<7x4x16xi8>) rhs(%w : tensor<24x4x16xi8>) group_ins(%sx, %sw : tensor<7xf32>, tensor<4x24xf32>)
      outs(%o3 : tensor<7x24x4xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (m)>, affine_map<(m, n, g, k) -> (g, n)>,
                        affine_map<(m, n, g, k) -> (m, n, g)>],
       reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 16>}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %s: f32, %t: f32):
        %v = arith.sitofp %acc : i32 to f32
        %p = arith.mulf %s, %t : f32
        %next = math.fma %v, %p, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      } -> tensor<7x24x4xf32>
  return
}

// -----

func.func @f(%x: tensor<7x4x16xi8>, %w: tensor<24x4x16xi8>, %b: tensor<24xf32>, %i: tensor<24xi32>, %sx: tensor<7xf32>, %sw: tensor<4x24xf32>, %o: tensor<7x24xf32>) {
  // expected-error@+1 {{init must have element type 'f32'}}
  %y = kernel.contract lhs(%x : tensor<7x4x16xi8>) rhs(%w : tensor<24x4x16xi8>) init(%i : tensor<24xi32>) group_ins(%sx, %sw : tensor<7xf32>, tensor<4x24xf32>)
      outs(%o : tensor<7x24xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (n)>,
                        affine_map<(m, n, g, k) -> (m)>, affine_map<(m, n, g, k) -> (g, n)>,
                        affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %s: f32, %t: f32):
        %v = arith.sitofp %acc : i32 to f32
        %p = arith.mulf %s, %t : f32
        %next = math.fma %v, %p, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      } -> tensor<7x24xf32>
  return
}

// -----

func.func @f(%x: tensor<7x4x16xi8>, %w: tensor<24x4x16xi8>, %b: tensor<24xf32>, %i: tensor<24xi32>, %sx: tensor<7xf32>, %sw: tensor<4x24xf32>, %o: tensor<7x24xf32>) {
  // expected-error@+1 {{map of operand 4 must not depend on reduction dimension 2}}
  %y = kernel.contract lhs(%x : tensor<7x4x16xi8>) rhs(%w : tensor<24x4x16xi8>) group_ins(%sx, %sw : tensor<7xf32>, tensor<4x24xf32>)
      epilogue_ins(%sw : tensor<4x24xf32>) outs(%o : tensor<7x24xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (m)>, affine_map<(m, n, g, k) -> (g, n)>,
                        affine_map<(m, n, g, k) -> (g, n)>,
                        affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %s: f32, %t: f32):
        %v = arith.sitofp %acc : i32 to f32
        %p = arith.mulf %s, %t : f32
        %next = math.fma %v, %p, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32, %u: f32):
        kernel.yield %total : f32
      } -> tensor<7x24xf32>
  return
}
