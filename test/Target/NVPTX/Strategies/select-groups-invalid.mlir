// RUN: qcc-opt %s -select-lowering-config=target=sm_90a -split-input-file -verify-diagnostics

#lhs = affine_map<(m, n, g, k) -> (m, g, k)>
#rhs = affine_map<(m, n, g, k) -> (n, g, k)>
#scale = affine_map<(m, n, g, k) -> (g, n)>
#out = affine_map<(m, n, g, k) -> (m, n)>

func.func @f(%x: tensor<4x4x128xi8>, %s: tensor<4x16xf32>, %o: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %w = arith.constant dense<9> : tensor<16x4x128xi8>
  // expected-error@+1 {{lowering_config has rhs_bits = 4, but the right operand is not known to have elements from -8 to 7, or unsigned ones up to 15; leave rhs_bits out}}
  %y = kernel.contract lhs(%x : tensor<4x4x128xi8>) rhs(%w : tensor<16x4x128xi8>) group_ins(%s : tensor<4x16xf32>) outs(%o : tensor<4x16xf32>)
    {indexing_maps = [#lhs, #rhs, #scale, #out], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 4, 128>,
     lowering_config = #nvptx.config<decode, atom = "mma-m16n8k32", tile = [16, 16, 512], warp = [16, 16], stages = 4, rhs_bits = 4, source = pinned>} group_epilogue {
  ^bb0(%acc: i32, %total: f32, %scale: f32):
    %f = arith.sitofp %acc : i32 to f32
    %v = math.fma %f, %scale, %total : f32
    kernel.yield %v : f32
  } epilogue {
  ^bb0(%total: f32):
    kernel.yield %total : f32
  } -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

#lhs = affine_map<(m, n, g, k) -> (m, g, k)>
#rhs = affine_map<(m, n, g, k) -> (n, g, k)>
#scale = affine_map<(m, n, g, k) -> (g, n)>
#out = affine_map<(m, n, g, k) -> (m, n)>

func.func @f(%x: tensor<4x4x128xi8>, %s: tensor<4x16xf32>, %o: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %w = arith.constant dense<9> : tensor<16x4x128xi8>
  // expected-error@+1 {{lowering_config has 2 parts of K, but the chain over groups of K has one order; leave parts out}}
  %y = kernel.contract lhs(%x : tensor<4x4x128xi8>) rhs(%w : tensor<16x4x128xi8>) group_ins(%s : tensor<4x16xf32>) outs(%o : tensor<4x16xf32>)
    {indexing_maps = [#lhs, #rhs, #scale, #out], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 4, 128>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [32, 32, 64], warp = [16, 16], stages = 2, parts = 2, source = pinned>} group_epilogue {
  ^bb0(%acc: i32, %total: f32, %scale: f32):
    %f = arith.sitofp %acc : i32 to f32
    %v = math.fma %f, %scale, %total : f32
    kernel.yield %v : f32
  } epilogue {
  ^bb0(%total: f32):
    kernel.yield %total : f32
  } -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

#lhs = affine_map<(m, n, g, k) -> (m, g, k)>
#rhs = affine_map<(m, n, g, k) -> (n, g, k)>
#scale = affine_map<(m, n, g, k) -> (g, n)>
#out = affine_map<(m, n, g, k) -> (m, n)>

func.func @f(%x: tensor<4x4x128xi8>, %s: tensor<4x16xf32>, %o: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %w = arith.constant dense<9> : tensor<16x4x128xi8>
  // expected-error@+1 {{lowering_config has strategy warpgroups, which has one sum for all of K, not one for each group; use strategy multistage}}
  %y = kernel.contract lhs(%x : tensor<4x4x128xi8>) rhs(%w : tensor<16x4x128xi8>) group_ins(%s : tensor<4x16xf32>) outs(%o : tensor<4x16xf32>)
    {indexing_maps = [#lhs, #rhs, #scale, #out], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 4, 128>,
     lowering_config = #nvptx.config<warpgroups, atom = "wgmma-m64k32", tile = [128, 64, 128], warp = [16, 64], stages = 2, source = pinned>} group_epilogue {
  ^bb0(%acc: i32, %total: f32, %scale: f32):
    %f = arith.sitofp %acc : i32 to f32
    %v = math.fma %f, %scale, %total : f32
    kernel.yield %v : f32
  } epilogue {
  ^bb0(%total: f32):
    kernel.yield %total : f32
  } -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

func.func @f(%x: tensor<4x64xi8>, %w: tensor<16x64xi8>, %o: tensor<4x16xi32>) -> tensor<4x16xi32> {
  // expected-error@+1 {{lowering_config has sums or rhs_bits, but there are no groups of K; leave them out}}
  %y = kernel.contract lhs(%x : tensor<4x64xi8>) rhs(%w : tensor<16x64xi8>) outs(%o : tensor<4x16xi32>)
    {lowering_config = #nvptx.config<decode, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 1, sums = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<4x16xi32>
  return %y : tensor<4x16xi32>
}
