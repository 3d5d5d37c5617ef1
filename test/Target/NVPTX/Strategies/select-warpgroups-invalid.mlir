// RUN: qcc-opt %s -select-lowering-config=target=sm_90a -split-input-file -verify-diagnostics

func.func @atom(%x: tensor<256x128xi8>, %w: tensor<64x128xi8>, %o: tensor<256x64xi32>) -> tensor<256x64xi32> {
  // expected-error@+1 {{lowering_config has atom "mma-m16n8k32", by which single warps multiply and not strategy warpgroups; choose another atom}}
  %y = kernel.contract lhs(%x : tensor<256x128xi8>) rhs(%w : tensor<64x128xi8>) outs(%o : tensor<256x64xi32>)
    {lowering_config = #nvptx.config<warpgroups, atom = "mma-m16n8k32", tile = [128, 64, 128], warp = [16, 64], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<256x64xi32>
  return %y : tensor<256x64xi32>
}

// -----

func.func @strategy(%x: tensor<256x128xi8>, %w: tensor<64x128xi8>, %o: tensor<256x64xi32>) -> tensor<256x64xi32> {
  // expected-error@+1 {{lowering_config has atom "wgmma-m64k32", by which warpgroups multiply and not strategy multistage; choose another atom}}
  %y = kernel.contract lhs(%x : tensor<256x128xi8>) rhs(%w : tensor<64x128xi8>) outs(%o : tensor<256x64xi32>)
    {lowering_config = #nvptx.config<multistage, atom = "wgmma-m64k32", tile = [64, 64, 64], warp = [64, 64], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<256x64xi32>
  return %y : tensor<256x64xi32>
}

// -----

func.func @tile(%x: tensor<256x128xi8>, %w: tensor<64x128xi8>, %o: tensor<256x64xi32>) -> tensor<256x64xi32> {
  // expected-error@+1 {{lowering_config has tiles of 128x32x128 and warps of 16x32, but warpgroups have tiles of 128xNx128 and warps of 16xN, N being a multiple of 64 up to 256}}
  %y = kernel.contract lhs(%x : tensor<256x128xi8>) rhs(%w : tensor<64x128xi8>) outs(%o : tensor<256x64xi32>)
    {lowering_config = #nvptx.config<warpgroups, atom = "wgmma-m64k32", tile = [128, 32, 128], warp = [16, 32], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<256x64xi32>
  return %y : tensor<256x64xi32>
}

// -----

func.func @shared(%x: tensor<256x128xi8>, %w: tensor<256x128xi8>, %o: tensor<256x256xi32>) -> tensor<256x256xi32> {
  // expected-error@+1 {{lowering_config needs 245840 bytes of shared memory, but a block on chip sm_90a has 232448 at most; choose a smaller tile or fewer stages}}
  %y = kernel.contract lhs(%x : tensor<256x128xi8>) rhs(%w : tensor<256x128xi8>) outs(%o : tensor<256x256xi32>)
    {lowering_config = #nvptx.config<warpgroups, atom = "wgmma-m64k32", tile = [128, 256, 128], warp = [16, 256], stages = 5, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<256x256xi32>
  return %y : tensor<256x256xi32>
}

// -----

func.func @stages(%x: tensor<256x128xi8>, %w: tensor<64x128xi8>, %o: tensor<256x64xi32>) -> tensor<256x64xi32> {
  // expected-error@+1 {{lowering_config has 1 stages, but warpgroups have 2 or more}}
  %y = kernel.contract lhs(%x : tensor<256x128xi8>) rhs(%w : tensor<64x128xi8>) outs(%o : tensor<256x64xi32>)
    {lowering_config = #nvptx.config<warpgroups, atom = "wgmma-m64k32", tile = [128, 64, 128], warp = [16, 64], stages = 1, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<256x64xi32>
  return %y : tensor<256x64xi32>
}

// -----

func.func @columns(%x: tensor<256x128xi8>, %w: tensor<72x128xi8>, %o: tensor<256x72xi32>) -> tensor<256x72xi32> {
  // expected-error@+1 {{lowering_config has strategy warpgroups, which needs a multiple of 16 columns; use strategy multistage}}
  %y = kernel.contract lhs(%x : tensor<256x128xi8>) rhs(%w : tensor<72x128xi8>) outs(%o : tensor<256x72xi32>)
    {lowering_config = #nvptx.config<warpgroups, atom = "wgmma-m64k32", tile = [128, 64, 128], warp = [16, 64], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<256x72xi32>
  return %y : tensor<256x72xi32>
}

// -----

func.func @rows(%x: tensor<256x120xi8>, %w: tensor<64x120xi8>, %o: tensor<256x64xi32>) -> tensor<256x64xi32> {
  // expected-error@+1 {{lowering_config has strategy warpgroups, which copies rows of the left operand that start at multiples of 16 bytes; use strategy multistage}}
  %y = kernel.contract lhs(%x : tensor<256x120xi8>) rhs(%w : tensor<64x120xi8>) outs(%o : tensor<256x64xi32>)
    {lowering_config = #nvptx.config<warpgroups, atom = "wgmma-m64k32", tile = [128, 64, 128], warp = [16, 64], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<256x64xi32>
  return %y : tensor<256x64xi32>
}

// -----

func.func @prologue(%x: tensor<256x128xf32>, %w: tensor<64x128xi8>, %o: tensor<256x64xi32>) -> tensor<256x64xi32> {
  // expected-error@+1 {{lowering_config has strategy warpgroups, which copies the left operand as it is, without a prologue and with its elements of K side by side; use strategy multistage}}
  %y = kernel.contract lhs(%x : tensor<256x128xf32>) rhs(%w : tensor<64x128xi8>) outs(%o : tensor<256x64xi32>)
    {lowering_config = #nvptx.config<warpgroups, atom = "wgmma-m64k32", tile = [128, 64, 128], warp = [16, 64], stages = 2, source = pinned>} lhs_prologue {
  ^bb0(%v: f32):
    %q = arith.fptosi %v : f32 to i8
    kernel.yield %q : i8
  } epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<256x64xi32>
  return %y : tensor<256x64xi32>
}
