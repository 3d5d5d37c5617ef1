// RUN: qcc-opt %s -select-lowering-config=target=sm_80 -split-input-file -verify-diagnostics

// What rows are decides how many registers the same tiles need: one dimension needs none for its index, and dimensions
// whose sizes are known are divided by multiplications.
func.func @one(%x: tensor<?x64xi8>, %w: tensor<128x64xi8>, %o: tensor<?x128xi32>) -> tensor<?x128xi32> {
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<128x64xi8>) outs(%o : tensor<?x128xi32>)
    {lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [128, 128, 64], warp = [64, 64], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x128xi32>
  return %y : tensor<?x128xi32>
}

func.func @known(%x: tensor<?x7x64xi8>, %w: tensor<128x64xi8>, %o: tensor<?x7x128xi32>) -> tensor<?x7x128xi32> {
  %y = kernel.contract lhs(%x : tensor<?x7x64xi8>) rhs(%w : tensor<128x64xi8>) outs(%o : tensor<?x7x128xi32>)
    {indexing_maps = [affine_map<(a, m, n, k) -> (a, m, k)>, affine_map<(a, m, n, k) -> (n, k)>, affine_map<(a, m, n, k) -> (a, m, n)>],
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [128, 128, 64], warp = [64, 64], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x7x128xi32>
  return %y : tensor<?x7x128xi32>
}

// -----

func.func @divided(%x: tensor<2x?x64xi8>, %w: tensor<128x64xi8>, %o: tensor<2x?x128xi32>) -> tensor<2x?x128xi32> {
  // expected-error@+1 {{lowering_config needs about 248 registers for each thread, of which there are 240; choose smaller tiles for warps, or other blocks}}
  %y = kernel.contract lhs(%x : tensor<2x?x64xi8>) rhs(%w : tensor<128x64xi8>) outs(%o : tensor<2x?x128xi32>)
    {indexing_maps = [affine_map<(a, m, n, k) -> (a, m, k)>, affine_map<(a, m, n, k) -> (n, k)>, affine_map<(a, m, n, k) -> (a, m, n)>],
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [128, 128, 64], warp = [64, 64], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<2x?x128xi32>
  return %y : tensor<2x?x128xi32>
}

// -----

// What differs by row stays until the last column is stored.
func.func @scales_of_rows(%x: tensor<?x55xi8>, %w: tensor<128x55xi8>, %s: tensor<?xf32>, %o: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@+1 {{lowering_config needs about 246 registers for each thread, of which there are 240; choose smaller tiles for warps, or other blocks}}
  %y = kernel.contract lhs(%x : tensor<?x55xi8>) rhs(%w : tensor<128x55xi8>) epilogue_ins(%s : tensor<?xf32>) outs(%o : tensor<?x128xf32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m)>, affine_map<(m, n, k) -> (m, n)>],
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [128, 256, 64], warp = [64, 64], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32, %f: f32):
    %0 = arith.sitofp %acc : i32 to f32
    %1 = arith.mulf %0, %f : f32
    kernel.yield %1 : f32
  } -> tensor<?x128xf32>
  return %y : tensor<?x128xf32>
}
