// RUN: qcc-opt %s -select-lowering-config=target=sm_75 -split-input-file -verify-diagnostics

// What a chip does not have is refused before LLVM sees it, which would end the process.
func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has atom "mma-m16n8k32", which chip sm_75 does not have in PTX 6.5; choose another atom}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [16, 32, 64], warp = [16, 32], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has atom "mma", which no chip has; choose another atom}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<multistage, atom = "mma", tile = [16, 32, 64], warp = [16, 32], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has warps of 24x32, but their rows are a multiple of 16, and their columns a power of two from 16 on}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<multistage, atom = "mma-m8n8k16", tile = [24, 32, 64], warp = [24, 32], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has warps of 16x48, but their rows are a multiple of 16, and their columns a power of two from 16 on}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<multistage, atom = "mma-m8n8k16", tile = [16, 48, 64], warp = [16, 48], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has warps of 128x64, more results than registers hold; make them 4096 at most}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<multistage, atom = "mma-m8n8k16", tile = [128, 64, 64], warp = [128, 64], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has 3 warps for each block; make them a power of two up to 32}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<multistage, atom = "mma-m8n8k16", tile = [48, 16, 64], warp = [16, 16], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has stages of 32 elements of K, but they are 64, or 128 where runs of K, here 64, have as many}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<multistage, atom = "mma-m8n8k16", tile = [16, 16, 32], warp = [16, 16], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has stages of 128 elements of K, but they are 64, or 128 where runs of K, here 64, have as many}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<multistage, atom = "mma-m8n8k16", tile = [16, 16, 128], warp = [16, 16], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has 3 stages, but with atom "mma-m8n8k16" there are 2}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<multistage, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 3, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config needs 98304 bytes of shared memory, but a block on chip sm_75 has 65536 at most; choose a smaller tile or fewer stages}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<multistage, atom = "mma-m8n8k16", tile = [256, 512, 64], warp = [64, 64], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config needs about 304 registers for each thread, of which there are 240; choose smaller tiles for warps, or other blocks}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<multistage, atom = "mma-m8n8k16", tile = [64, 64, 64], warp = [64, 64], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config needs about 108 registers for each thread, of which there are 64; choose smaller tiles for warps, or other blocks}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<multistage, atom = "mma-m8n8k16", tile = [128, 256, 64], warp = [32, 32], stages = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has atom "mma-m8n8k16", but strategy 'threads' multiplies by "mad"; name that atom}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<threads, atom = "mma-m8n8k16", source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has tiles of 32x16 and warps of 16x16, but with strategy decode both are 16 by 8, 16 or 32}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<decode, atom = "mma-m8n8k16", tile = [32, 16, 64], warp = [16, 16], stages = 1, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has tiles with 192 elements of K, but with strategy decode they are 64 for each of 1, 2, 4, 8 or 16 warps}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<decode, atom = "mma-m8n8k16", tile = [16, 16, 192], warp = [16, 16], stages = 1, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has 16 steps of K loaded ahead, more than registers hold; choose fewer of them}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<decode, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 16, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has 2 parts of K, but its outermost dimension has 64 elements, which are not as many parts of whole steps of 64; choose another number}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<decode, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 1, parts = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x128xi8>, %w: tensor<32x128xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has both a guard and parts of K, whose sums are added whatever the rows are; leave out one}}
  %y = kernel.contract lhs(%x : tensor<?x128xi8>) rhs(%w : tensor<32x128xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<decode, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 1, parts = 2, rows_above = 16, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has atom "mma-m16n8k32", which chip sm_75 does not have in PTX 6.5; choose another atom}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<decode, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 1, rows_above = 16, few_rows = [#nvptx.config<decode, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 1, rows_up_to = 16, source = pinned>], source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x128xi8>, %w: tensor<32x128xi8>, %o: tensor<?x32xi32>, %z: tensor<i32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has 2 parts of K, but with a zero point of the right operand all sizes have to be known; leave parts out}}
  %y = kernel.contract lhs(%x : tensor<?x128xi8>) rhs(%w : tensor<32x128xi8>) rhs_zero_point(%z : tensor<i32>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<decode, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 1, parts = 2, source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}
