// RUN: qcc-opt %s -select-lowering-config=cpu=sm_75 -split-input-file -verify-diagnostics

// What a chip does not have is refused before LLVM sees it, which would end the process.
func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has atom "mma-m16n8k32", which chip sm_75 does not have in PTX 6.5; choose another atom}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<mma_tiles, atom = "mma-m16n8k32", tile = [16, 32], source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has atom "mma", which no chip has; choose another atom}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<mma_tiles, atom = "mma", tile = [16, 32], source = pinned>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// -----

func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  // expected-error@+1 {{lowering_config has tile 12x32, but with atom "mma-m8n8k16" rows are a multiple of 8 and columns of 8}}
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>)
    {lowering_config = #nvptx.config<mma_tiles, atom = "mma-m8n8k16", tile = [12, 32], source = pinned>} epilogue {
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
