// RUN: qcc-opt %s -select-lowering-config=target=sm_80 | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: qcc-opt %s -select-lowering-config=target=sm_75 | FileCheck %s --check-prefixes=CHECK,SM75
// RUN: qcc-opt %s -select-lowering-config=target=sm_90 | FileCheck %s --check-prefix=SM90
// RUN: qcc-opt %s -select-lowering-config=target=sm_90a | FileCheck %s --check-prefix=SM90A

// Each chip takes its best matrix instruction.
// CHECK-LABEL: func.func @matmul(
// SM80: lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", {{.*}} source = model>
// SM75: lowering_config = #nvptx.config<multistage, atom = "mma-m8n8k16", {{.*}} stages = 2, {{.*}}source = model>
func.func @matmul(%x: tensor<?x64xi8>, %w: tensor<32x64xi8>, %o: tensor<?x32xi32>) -> tensor<?x32xi32> {
  %y = kernel.contract lhs(%x : tensor<?x64xi8>) rhs(%w : tensor<32x64xi8>) outs(%o : tensor<?x32xi32>) epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

// Of rows that are not known there are kernels for few of them.
// CHECK-LABEL: func.func @rows(
// CHECK: lowering_config = #nvptx.config<multistage, {{[^>]*}}rows_above = [[ROWS:[0-9]+]], few_rows = [#nvptx.config<decode, {{.*}}rows_up_to = [[ROWS]], source = model>], source = model>
func.func @rows(%x: tensor<?x1024xi8>, %w: tensor<512x1024xi8>, %o: tensor<?x512xi32>) -> tensor<?x512xi32> {
  %y = kernel.contract lhs(%x : tensor<?x1024xi8>) rhs(%w : tensor<512x1024xi8>) outs(%o : tensor<?x512xi32>) epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<?x512xi32>
  return %y : tensor<?x512xi32>
}

// Few rows: warps share K, and no kernel is for more of them.
// CHECK-LABEL: func.func @few(
// CHECK: lowering_config = #nvptx.config<decode, atom = "mma-{{[^>]*}}, stages = {{[0-9]+}}, source = model>
func.func @few(%x: tensor<4x1024xi8>, %w: tensor<512x1024xi8>, %o: tensor<4x512xi32>) -> tensor<4x512xi32> {
  %y = kernel.contract lhs(%x : tensor<4x1024xi8>) rhs(%w : tensor<512x1024xi8>) outs(%o : tensor<4x512xi32>) epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<4x512xi32>
  return %y : tensor<4x512xi32>
}

// A long K and few tiles: parts of it give work to more multiprocessors.
// CHECK-LABEL: func.func @deep(
// CHECK: lowering_config = #nvptx.config<multistage, {{[^>]*}} parts = {{[0-9]+}}, source = model>
func.func @deep(%x: tensor<128x16384xi8>, %w: tensor<128x16384xi8>, %o: tensor<128x128xi32>) -> tensor<128x128xi32> {
  %y = kernel.contract lhs(%x : tensor<128x16384xi8>) rhs(%w : tensor<128x16384xi8>) outs(%o : tensor<128x128xi32>) epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<128x128xi32>
  return %y : tensor<128x128xi32>
}

// Columns with left operands of their own have no matrix.
// CHECK-LABEL: func.func @depthwise(
// CHECK: lowering_config = #nvptx.config<threads, atom = "mad", source = model>
func.func @depthwise(%x: tensor<1x10x8x16xi8>, %w: tensor<16x3xi8>, %o: tensor<1x8x8x16xi32>) -> tensor<1x8x8x16xi32> {
  %y = kernel.contract lhs(%x : tensor<1x10x8x16xi8>) rhs(%w : tensor<16x3xi8>) outs(%o : tensor<1x8x8x16xi32>)
    {indexing_maps = [affine_map<(b, h, w, c, k) -> (b, h + k, w, c)>, affine_map<(b, h, w, c, k) -> (c, k)>, affine_map<(b, h, w, c, k) -> (b, h, w, c)>],
     reduction_dims = array<i64: 4>, reduction_sizes = array<i64: 3>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<1x8x8x16xi32>
  return %y : tensor<1x8x8x16xi32>
}

// Warpgroups multiply large tiles; few rows, they do not.
// SM90A: lowering_config = #nvptx.config<decode, atom = "mma-m16n8k32",
// SM90-LABEL: func.func @large(
// SM90: lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32",
// SM90A-LABEL: func.func @large(
// SM90A: lowering_config = #nvptx.config<warpgroups, atom = "wgmma-m64k32", tile = [128, 256, 128], warp = [16, 256], stages = {{[34]}}, source = model>
func.func @large(%x: tensor<4096x4096xi8>, %w: tensor<4096x4096xi8>, %o: tensor<4096x4096xi32>) -> tensor<4096x4096xi32> {
  %y = kernel.contract lhs(%x : tensor<4096x4096xi8>) rhs(%w : tensor<4096x4096xi8>) outs(%o : tensor<4096x4096xi32>) epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<4096x4096xi32>
  return %y : tensor<4096x4096xi32>
}
