// RUN: qcc-opt %s -convert-kernel-to-nvptx -split-input-file -verify-diagnostics

func.func @tensors(%x: tensor<2x4xi8>, %w: tensor<3x4xi8>, %o: tensor<2x3xi32>) -> tensor<2x3xi32> {
  // expected-error@+1 {{is not bufferized; run one-shot-bufferize first}}
  %y = kernel.contract lhs(%x : tensor<2x4xi8>) rhs(%w : tensor<3x4xi8>) outs(%o : tensor<2x3xi32>) epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<2x3xi32>
  return %y : tensor<2x3xi32>
}

// -----

func.func @no_config(%x: memref<2x4xi8>, %w: memref<3x4xi8>, %y: memref<2x3xi32>) {
  // expected-error@+1 {{has no lowering_config; run select-lowering-config first}}
  kernel.contract lhs(%x : memref<2x4xi8>) rhs(%w : memref<3x4xi8>) outs(%y : memref<2x3xi32>) epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// -----

func.func @not_packed(%x: memref<2x4xi8>, %w: memref<3x4xi8>, %y: memref<2x3xi32>) {
  // expected-error@+1 {{has strategy multistage, which needs a right operand that is packed}}
  kernel.contract lhs(%x : memref<2x4xi8>) rhs(%w : memref<3x4xi8>) outs(%y : memref<2x3xi32>)
    {lowering_config = #nvptx.config<multistage, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 2, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// -----

func.func @packed(%x: memref<2x4xi8>, %w: memref<3x16x1xi32>, %s: memref<3xi32>, %y: memref<2x3xi32>) {
  // expected-error@+1 {{has strategy threads, which needs a right operand that is not packed}}
  kernel.contract lhs(%x : memref<2x4xi8>) rhs(%w : memref<3x16x1xi32>) rhs_sums(%s : memref<3xi32>) outs(%y : memref<2x3xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 4>,
     lowering_config = #nvptx.config<threads, atom = "mad", source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// -----

func.func @parts(%x: memref<2x128xi8>, %w: memref<3x32x1xi32>, %s: memref<3xi32>, %y: memref<2x3xi32>) {
  // expected-error@+1 {{has parts of K, or configs for few rows; run divide-contractions first}}
  kernel.contract lhs(%x : memref<2x128xi8>) rhs(%w : memref<3x32x1xi32>) rhs_sums(%s : memref<3xi32>) outs(%y : memref<2x3xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 128>,
     lowering_config = #nvptx.config<decode, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 2, parts = 2, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// -----

func.func @unknown_atom(%x: memref<2x4xi8>, %w: memref<3x16x1xi32>, %s: memref<3xi32>, %y: memref<2x3xi32>) {
  // expected-error@+1 {{lowering_config has atom "mma-m8n8k8", which no chip has; choose another atom}}
  kernel.contract lhs(%x : memref<2x4xi8>) rhs(%w : memref<3x16x1xi32>) rhs_sums(%s : memref<3xi32>) outs(%y : memref<2x3xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 4>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m8n8k8", tile = [16, 16, 64], warp = [16, 16], stages = 2, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// -----

func.func @tile(%x: memref<2x4xi8>, %w: memref<3x16x1xi32>, %s: memref<3xi32>, %y: memref<2x3xi32>) {
  // expected-error@+1 {{lowering_config has warps of 8x8, but their rows are a multiple of 16, and their columns a power of two from 16 on}}
  kernel.contract lhs(%x : memref<2x4xi8>) rhs(%w : memref<3x16x1xi32>) rhs_sums(%s : memref<3xi32>) outs(%y : memref<2x3xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 4>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [8, 8, 64], warp = [8, 8], stages = 3, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// -----

func.func @pack(%w: memref<8x4xi8>, %p: memref<1x1x8xi32>, %s: memref<8xi32>) {
  // expected-error@+1 {{packs an operand otherwise than atoms of nvptx read it: NR must be 1, KR 4, and there must be no offset}}
  kernel.pack %w : memref<8x4xi8> outs(%p, %s : memref<1x1x8xi32>, memref<8xi32>)
    {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 4>, tile = array<i64: 8, 4>}
  return
}

// -----

#lhs = affine_map<(m, n, i, k) -> (m + i, k)>
#rhs = affine_map<(m, n, i, k) -> (n, i, k)>
#out = affine_map<(m, n, i, k) -> (m, n)>

func.func @padded(%x: memref<4x8xi8>, %w: memref<16x3x8xi8>, %y: memref<4x16xi32>) {
  // expected-error@+1 {{has lhs_padding, which no strategy of nvptx reads; pad the left operand in memory}}
  kernel.contract lhs(%x : memref<4x8xi8>) rhs(%w : memref<16x3x8xi8>) outs(%y : memref<4x16xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 8>,
       lhs_padding = #kernel.padding<[1, 1, 0, 0], 3>,
       lowering_config = #nvptx.config<threads, atom = "mad", source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

#groups = affine_map<(m, n, k) -> (m, (n floordiv 4) * 4 + k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

func.func @groups(%x: memref<4x8xi8>, %w: memref<8x4xi8>, %y: memref<4x8xi32>) {
  // expected-error@+1 {{has columns with a left operand group by group, which no strategy of nvptx reads; make groups a loop of their own}}
  kernel.contract lhs(%x : memref<4x8xi8>) rhs(%w : memref<8x4xi8>) outs(%y : memref<4x8xi32>)
      {indexing_maps = [#groups, #rhs, #out], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 4>,
       lowering_config = #nvptx.config<threads, atom = "mad", source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}
