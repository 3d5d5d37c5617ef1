// RUN: qcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(block-rows{target=x86-64-v3}))' | FileCheck %s
// RUN: not qcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(block-rows{target=pentium}))' 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: pentium

#config = #x86.config<float_tiles, atom = "avx2-f32", tile = [4, 24, 1], block = [64, 24], lhs = in_place, source = model>
#all = affine_map<(h, m, n) -> (h, m, n)>
#row = affine_map<(h, m, n) -> (h, m)>
#rows = affine_map<(h, m) -> (h, m)>

// The scores and their maxima have the rows of a block: 512 KB / 2 / (4 * 1025) = 63, a multiple of 4, and blocks of
// equal size. The fill of the maxima and the pack that the last product needs stand between members.
// CHECK-LABEL: func.func @attention(
// CHECK-NOT: memref.alloc()
// CHECK: kernel.pack
// CHECK: scf.forall (%[[H:.*]], %[[M:.*]]) = (0, 0) to (4, 300) step (1, 60) {
// CHECK-DAG: %[[S:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x60x1024xf32>
// CHECK-DAG: %[[X:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x60xf32>
// CHECK-DAG: memref.subview %{{.*}}[%[[H]], %[[M]], 0] [1, 60, 32] [1, 1, 1] : memref<4x300x32xf32>
// CHECK-DAG: memref.subview %{{.*}}[%[[H]], 0, 0, 0] [1, 43, 32, 24] [1, 1, 1, 1] : memref<4x43x32x24xf32>
// CHECK: kernel.contract {{.*}} outs(%[[S]] : memref<1x60x1024xf32>)
// CHECK: linalg.generic {{.*}} outs(%[[X]] : memref<1x60xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[S]] : memref<1x60x1024xf32>) outs(%[[X]] : memref<1x60xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[X]] : memref<1x60xf32>) outs(%[[S]] : memref<1x60x1024xf32>)
// CHECK: kernel.contract lhs(%[[S]] : memref<1x60x1024xf32>)
// CHECK-NOT: linalg.generic
func.func @attention(%q: memref<4x300x32xf32>, %k: memref<4x43x32x24xf32>, %v: memref<4x1024x24xf32>, %packed: memref<4x1x1024x24xf32>, %y: memref<4x300x24xf32>) {
  %lowest = arith.constant 0xFF800000 : f32
  %s = memref.alloc() {alignment = 64 : i64} : memref<4x300x1024xf32>
  %x = memref.alloc() {alignment = 64 : i64} : memref<4x300xf32>
  kernel.contract lhs(%q : memref<4x300x32xf32>) rhs(%k : memref<4x43x32x24xf32>) outs(%s : memref<4x300x1024xf32>)
      {indexing_maps = [affine_map<(h, m, n, k) -> (h, m, k)>, affine_map<(h, m, n, k) -> (h, n, k)>, affine_map<(h, m, n, k) -> (h, m, n)>],
       reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 32>, rhs_packed, lowering_config = #config}
    epilogue {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%x : memref<4x300xf32>) {
  ^bb0(%out: f32):
    linalg.yield %lowest : f32
  }
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : memref<4x300x1024xf32>) outs(%x : memref<4x300xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.maxnumf %a, %out : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<4x300xf32>) outs(%s : memref<4x300x1024xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.subf %out, %a : f32
    linalg.yield %r : f32
  }
  kernel.pack %v : memref<4x1024x24xf32> outs(%packed : memref<4x1x1024x24xf32>)
      {atom = "avx2-f32", indexing_maps = [affine_map<(h, n, k) -> (h, k, n)>], num_batch = 1 : i64, reduction_sizes = array<i64: 1024>, tile = array<i64: 24, 1>}
  kernel.contract lhs(%s : memref<4x300x1024xf32>) rhs(%packed : memref<4x1x1024x24xf32>) outs(%y : memref<4x300x24xf32>)
      {indexing_maps = [affine_map<(h, m, n, k) -> (h, m, k)>, affine_map<(h, m, n, k) -> (h, k, n)>, affine_map<(h, m, n, k) -> (h, m, n)>],
       reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 1024>, rhs_packed, lowering_config = #config}
    epilogue {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return
}

// -----

#config = #x86.config<float_tiles, atom = "avx2-f32", tile = [4, 24, 1], block = [64, 24], lhs = in_place, source = model>
#all = affine_map<(m, n) -> (m, n)>

// A sum down the columns reads all rows. The reason stands on the contraction.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT: scf.forall
// CHECK: qcc.refused = "its result goes through memory, since the next steps do not run by blocks of rows with it: its rows are not those of the steps before it"
func.func @columns(%q: memref<600x32xf32>, %k: memref<25x32x24xf32>, %y: memref<600xf32>) {
  %s = memref.alloc() : memref<600x600xf32>
  kernel.contract lhs(%q : memref<600x32xf32>) rhs(%k : memref<25x32x24xf32>) outs(%s : memref<600x600xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
       reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 32>, rhs_packed, lowering_config = #config}
    epilogue {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  linalg.generic {indexing_maps = [#all, affine_map<(m, n) -> (n)>], iterator_types = ["reduction", "parallel"]}
      ins(%s : memref<600x600xf32>) outs(%y : memref<600xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.addf %a, %out : f32
    linalg.yield %r : f32
  }
  return
}

// -----

#config = #x86.config<float_tiles, atom = "avx2-f32", tile = [4, 24, 1], block = [64, 24], lhs = in_place, source = model>
#all = affine_map<(m, n) -> (m, n)>

// A row whose size is not known could not be kept in scratch memory.
// CHECK-LABEL: func.func @dynamic(
// CHECK-NOT: scf.forall
// CHECK: qcc.refused = {{.*}}the size of a row of a temporary is not known before the program runs"
func.func @dynamic(%n: index, %q: memref<600x32xf32>, %k: memref<?x32x24xf32>, %y: memref<600x?xf32>) {
  %s = memref.alloc(%n) : memref<600x?xf32>
  kernel.contract lhs(%q : memref<600x32xf32>) rhs(%k : memref<?x32x24xf32>) outs(%s : memref<600x?xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
       reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 32>, rhs_packed, lowering_config = #config}
    epilogue {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<600x?xf32>) outs(%y : memref<600x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

#config = #x86.config<float_tiles, atom = "avx2-f32", tile = [4, 24, 1], block = [64, 24], lhs = in_place, source = model>
#all = affine_map<(m, n) -> (m, n)>

// The temporary fits the cache; and the right operand of the second product is a constant.
memref.global "private" constant @w : memref<25x32x24xf32> = uninitialized
// CHECK-LABEL: func.func @small(
// CHECK-NOT: scf.forall
// CHECK-NOT: qcc.refused
// CHECK-LABEL: func.func @constant(
// CHECK-NOT: scf.forall
func.func @small(%q: memref<64x32xf32>, %k: memref<25x32x24xf32>, %y: memref<64x600xf32>) {
  %s = memref.alloc() : memref<64x600xf32>
  kernel.contract lhs(%q : memref<64x32xf32>) rhs(%k : memref<25x32x24xf32>) outs(%s : memref<64x600xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
       reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 32>, rhs_packed, lowering_config = #config}
    epilogue {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<64x600xf32>) outs(%y : memref<64x600xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  return
}
func.func @constant(%q: memref<600x32xf32>, %y: memref<600x600xf32>) {
  %k = memref.get_global @w : memref<25x32x24xf32>
  %s = memref.alloc() : memref<600x600xf32>
  kernel.contract lhs(%q : memref<600x32xf32>) rhs(%k : memref<25x32x24xf32>) outs(%s : memref<600x600xf32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
       reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 32>, rhs_packed, lowering_config = #config}
    epilogue {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<600x600xf32>) outs(%y : memref<600x600xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  return
}
