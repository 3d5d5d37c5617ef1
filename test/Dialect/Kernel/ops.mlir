// RUN: qcc-opt %s | qcc-opt | FileCheck %s
// RUN: qcc-opt %s -mlir-print-op-generic -mlir-print-local-scope | FileCheck %s --check-prefix=GENERIC
// RUN: qcc-opt %s -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s --check-prefix=BUFFER

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#m = affine_map<(m, n, k) -> (m)>
#n = affine_map<(m, n, k) -> (n)>
#s = affine_map<(m, n, k) -> ()>

// A bare contraction: no prologue, no initial value, an epilogue that is the identity.
// CHECK-LABEL: func.func @bare
// CHECK: kernel.contract lhs(%{{.*}} : tensor<?x512xi8>) rhs(%{{.*}} : tensor<64x512xi8>) outs(%{{.*}} : tensor<?x64xi32>) epilogue {
// CHECK: ^bb0(%[[ACC:.*]]: i32):
// CHECK: kernel.yield %[[ACC]] : i32
// CHECK: } -> tensor<?x64xi32>
// BUFFER-LABEL: func.func @bare
// BUFFER-SAME: %[[X:.*]]: memref<?x512xi8>, %[[W:.*]]: memref<64x512xi8>, %[[O:.*]]: memref<?x64xi32>)
// BUFFER: %[[COPY:.*]] = memref.alloc
// BUFFER-NOT: memref.copy
// BUFFER: kernel.contract lhs(%[[X]] : {{.*}}) rhs(%[[W]] : {{.*}}) outs(%[[COPY]] : {{.*}})
// BUFFER-NOT: ->
// BUFFER: return
func.func @bare(%x: tensor<?x512xi8>, %w: tensor<64x512xi8>,
                %o: tensor<?x64xi32> {bufferization.writable = false}) -> tensor<?x64xi32> {
  %y = kernel.contract lhs(%x : tensor<?x512xi8>) rhs(%w : tensor<64x512xi8>) outs(%o : tensor<?x64xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x64xi32>
  return %y : tensor<?x64xi32>
}

// Everything at once: zero points, prologues with operands, two results, a config.
// CHECK-LABEL: func.func @full
// CHECK: kernel.contract lhs({{.*}}) rhs({{.*}}) init({{.*}}) lhs_zero_point({{.*}}) rhs_zero_point({{.*}}) lhs_ins({{.*}}) rhs_ins({{.*}}) epilogue_ins({{.*}}) outs(%{{.*}}, %{{.*}} : tensor<5x9xf32>, tensor<5x9xi8>)
// CHECK-SAME: fused = ["a", "b"]
// CHECK-SAME: lhs_unsigned
// CHECK-SAME: lowering_config = #x86.config<vector_tiles, atom = "avx2", tile = [2, 16, 2], block = [4, 32], lhs = panel, source = pinned>
// CHECK-SAME: rhs_unsigned
// CHECK: lhs_prologue {
// CHECK: rhs_prologue {
// CHECK: epilogue {
// CHECK: } -> tensor<5x9xf32>, tensor<5x9xi8>
// BUFFER-LABEL: func.func @full
// BUFFER: kernel.contract
// BUFFER-SAME: lowering_config
// BUFFER: lhs_prologue {
// BUFFER: rhs_prologue {
// BUFFER: epilogue {
func.func @full(%x: tensor<5x7xf32>, %w: tensor<9x7xi16>, %b: tensor<9xi32>, %zx: tensor<5xi32>, %zw: tensor<i32>,
                %s: tensor<5xf32>, %h: tensor<9xi16>, %o0: tensor<5x9xf32>, %o1: tensor<5x9xi8>)
                    -> (tensor<5x9xf32>, tensor<5x9xi8>) {
  %y:2 = kernel.contract lhs(%x : tensor<5x7xf32>) rhs(%w : tensor<9x7xi16>) init(%b : tensor<9xi32>)
      lhs_zero_point(%zx : tensor<5xi32>) rhs_zero_point(%zw : tensor<i32>) lhs_ins(%s : tensor<5xf32>)
      rhs_ins(%h : tensor<9xi16>) epilogue_ins(%s : tensor<5xf32>) outs(%o0, %o1 : tensor<5x9xf32>, tensor<5x9xi8>)
      {indexing_maps = [#mk, #nk, #n, #m, #s, #m, #n, #m, #mn, #mn], lhs_unsigned, rhs_unsigned, fused = ["a", "b"],
       lowering_config = #x86.config<vector_tiles, atom = "avx2", tile = [2, 16, 2], block = [4, 32], lhs = panel,
                                     source = pinned>}
      lhs_prologue {
      ^bb0(%a: f32, %scale: f32):
        %d = arith.divf %a, %scale : f32
        %q = arith.fptoui %d : f32 to i8
        kernel.yield %q : i8
      }
      rhs_prologue {
      ^bb0(%a: i16, %shift: i16):
        %d = arith.shrui %a, %shift : i16
        %q = arith.trunci %d : i16 to i8
        kernel.yield %q : i8
      }
      epilogue {
      ^bb0(%acc: i32, %scale: f32):
        %f = arith.sitofp %acc : i32 to f32
        %v = arith.mulf %f, %scale : f32
        %t = arith.trunci %acc : i32 to i8
        kernel.yield %v, %t : f32, i8
      } -> tensor<5x9xf32>, tensor<5x9xi8>
  return %y#0, %y#1 : tensor<5x9xf32>, tensor<5x9xi8>
}

// A packed weight has the sums of its columns beside it, and no map of its own for them.
// CHECK-LABEL: func.func @packed
// CHECK: %[[P:.*]]:2 = kernel.pack %{{.*}} : tensor<9x7xi8> outs(%{{.*}}, %{{.*}} : tensor<1x2x16xi32>, tensor<16xi32>)
// CHECK-SAME: {indexing_maps = [#{{.*}}], num_batch = 0 : i64, reduction_sizes = array<i64: 7>, tile = array<i64: 16, 4>} -> tensor<1x2x16xi32>, tensor<16xi32>
// CHECK: kernel.contract lhs(%{{.*}}) rhs(%[[P]]#0 : tensor<1x2x16xi32>) rhs_sums(%[[P]]#1 : tensor<16xi32>) outs
// BUFFER-LABEL: func.func @packed
// BUFFER: kernel.pack %{{.*}} : memref<9x7xi8> outs(%[[P:.*]], %[[S:.*]] : memref<1x2x16xi32>, memref<16xi32>)
// BUFFER: kernel.contract {{.*}} rhs(%[[P]] : {{.*}}) rhs_sums(%[[S]] : {{.*}})
func.func @packed(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>) -> tensor<5x9xi32> {
  %p = tensor.empty() : tensor<1x2x16xi32>
  %s = tensor.empty() : tensor<16xi32>
  %packed:2 = kernel.pack %w : tensor<9x7xi8> outs(%p, %s : tensor<1x2x16xi32>, tensor<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>], num_batch = 0 : i64, reduction_sizes = array<i64: 7>,
       tile = array<i64: 16, 4>} -> tensor<1x2x16xi32>, tensor<16xi32>
  %o = tensor.empty() : tensor<5x9xi32>
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%packed#0 : tensor<1x2x16xi32>) rhs_sums(%packed#1 : tensor<16xi32>)
      outs(%o : tensor<5x9xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return %y : tensor<5x9xi32>
}

// A pack with a prologue: the weight is computed while it is packed.
// CHECK-LABEL: func.func @pack_prologue
// CHECK: kernel.pack %{{.*}} : memref<9x7xf32> ins(%{{.*}} : memref<9xf32>) outs
// CHECK-SAME: unsigned_source
// CHECK: prologue {
func.func @pack_prologue(%w: memref<9x7xf32>, %b: memref<9xf32>, %p: memref<1x4x16xi32>, %s: memref<16xi32>) {
  kernel.pack %w : memref<9x7xf32> ins(%b : memref<9xf32>) outs(%p, %s : memref<1x4x16xi32>, memref<16xi32>)
      {indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>], num_batch = 0 : i64,
       reduction_sizes = array<i64: 7>, tile = array<i64: 16, 2>, unsigned_source}
      prologue {
      ^bb0(%a: f32, %c: f32):
        %d = arith.addf %a, %c : f32
        %q = arith.fptoui %d : f32 to i8
        kernel.yield %q : i8
      }
  return
}

// The attributes that say which product of matrices a contraction is are left out where they have their defaults.
// CHECK-LABEL: func.func @written_defaults
// CHECK: kernel.contract {{.*}} outs(%{{.*}} : tensor<5x9xi32>) epilogue {
// GENERIC-LABEL: sym_name = "written_defaults"
// GENERIC: indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>,
// GENERIC-SAME: affine_map<(d0, d1, d2) -> (d0, d1)>],
// GENERIC-SAME: reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>
func.func @written_defaults(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) -> tensor<5x9xi32> {
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      {indexing_maps = [#mk, #nk, #mn], reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return %y : tensor<5x9xi32>
}

// CHECK-LABEL: func.func @defaults
// CHECK: kernel.contract {{.*}} outs(%{{.*}} : tensor<5x9xi32>) epilogue {
// GENERIC-LABEL: sym_name = "defaults"
// GENERIC: indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>,
// GENERIC-SAME: affine_map<(d0, d1, d2) -> (d0, d1)>],
// GENERIC-SAME: reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>
func.func @defaults(%x: tensor<5x7xi8>, %w: tensor<9x7xi8>, %o: tensor<5x9xi32>) -> tensor<5x9xi32> {
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return %y : tensor<5x9xi32>
}

// Each has a default of its own: other maps need no other dimensions and sizes.
// CHECK-LABEL: func.func @columns_last
// CHECK: kernel.contract {{.*}} {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}, #{{[a-z0-9]+}}]} epilogue {
// GENERIC-LABEL: sym_name = "columns_last"
// GENERIC: indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
// GENERIC-SAME: affine_map<(d0, d1, d2) -> (d0, d1)>],
// GENERIC-SAME: reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 7>
func.func @columns_last(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %o: tensor<5x9xi32>) -> tensor<5x9xi32> {
  %y = kernel.contract lhs(%x : tensor<5x7xi8>) rhs(%w : tensor<7x9xi8>) outs(%o : tensor<5x9xi32>)
      {indexing_maps = [#mk, affine_map<(m, n, k) -> (k, n)>, #mn]}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return %y : tensor<5x9xi32>
}

// The size of a dynamic K and dimensions that are not the last one are written.
// CHECK-LABEL: func.func @other_reductions
// CHECK: kernel.contract {{.*}} outs(%{{.*}} : tensor<5x9xi32>) {reduction_sizes = array<i64: 7>} epilogue {
// CHECK: kernel.contract {{.*}} {indexing_maps = [{{.*}}], reduction_dims = array<i64: 1>} epilogue {
func.func @other_reductions(%x: tensor<5x?xi8>, %w: tensor<9x?xi8>, %v: tensor<5x7xi8>, %u: tensor<9x7xi8>,
                            %o: tensor<5x9xi32>) -> (tensor<5x9xi32>, tensor<5x9xi32>) {
  %y = kernel.contract lhs(%x : tensor<5x?xi8>) rhs(%w : tensor<9x?xi8>) outs(%o : tensor<5x9xi32>)
      {reduction_sizes = array<i64: 7>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  %z = kernel.contract lhs(%v : tensor<5x7xi8>) rhs(%u : tensor<9x7xi8>) outs(%o : tensor<5x9xi32>)
      {indexing_maps = [affine_map<(m, k, n) -> (m, k)>, affine_map<(m, k, n) -> (n, k)>,
                        affine_map<(m, k, n) -> (m, n)>], reduction_dims = array<i64: 1>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<5x9xi32>
  return %y, %z : tensor<5x9xi32>, tensor<5x9xi32>
}

// Without rows, and with two outer loops, the first of which is a batch loop. Operands of fewer dimensions are indexed
// by the last loops of their side, those of a prologue that have as many dimensions as its operand like that operand.
// CHECK-LABEL: func.func @other_ranks
// CHECK: kernel.contract {{.*}} outs(%{{.*}} : tensor<9xi32>) epilogue {
// CHECK: kernel.contract {{.*}} outs(%{{.*}} : tensor<3x5x9xi32>) lhs_prologue {
// GENERIC-LABEL: sym_name = "other_ranks"
// GENERIC: "kernel.contract"
// GENERIC-SAME: indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>,
// GENERIC-SAME: affine_map<(d0, d1) -> (d0)>],
// GENERIC-SAME: reduction_dims = array<i64: 1>, reduction_sizes = array<i64: 7>
// GENERIC: "kernel.contract"
// GENERIC-SAME: indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>,
// GENERIC-SAME:   affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2)>,
// GENERIC-SAME:   affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d2)>,
// GENERIC-SAME:   affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>,
// GENERIC-SAME:   affine_map<(d0, d1, d2, d3) -> ()>, affine_map<(d0, d1, d2, d3) -> (d1, d2)>,
// GENERIC-SAME:   affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>],
// GENERIC-SAME: reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 7>
func.func @other_ranks(%x1: tensor<7xi8>, %w: tensor<9x7xi8>, %o1: tensor<9xi32>, %x: tensor<3x5x7xi16>,
                       %wp: tensor<3x1x2x16xi32>, %s: tensor<3x16xi32>, %b: tensor<9xi32>, %zx: tensor<5xi32>,
                       %zw: tensor<3x9xi32>, %r: tensor<3x5xi16>, %e: tensor<5x9xi32>, %t: tensor<i32>,
                       %o: tensor<3x5x9xi32>) -> (tensor<9xi32>, tensor<3x5x9xi32>) {
  %y = kernel.contract lhs(%x1 : tensor<7xi8>) rhs(%w : tensor<9x7xi8>) outs(%o1 : tensor<9xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<9xi32>
  %z = kernel.contract lhs(%x : tensor<3x5x7xi16>) rhs(%wp : tensor<3x1x2x16xi32>) rhs_sums(%s : tensor<3x16xi32>)
      init(%b : tensor<9xi32>) lhs_zero_point(%zx : tensor<5xi32>) rhs_zero_point(%zw : tensor<3x9xi32>)
      lhs_ins(%r, %x : tensor<3x5xi16>, tensor<3x5x7xi16>) epilogue_ins(%t, %e : tensor<i32>, tensor<5x9xi32>)
      outs(%o : tensor<3x5x9xi32>)
      lhs_prologue {
      ^bb0(%a: i16, %shift: i16, %again: i16):
        %d = arith.shrui %a, %shift : i16
        %q = arith.trunci %d : i16 to i8
        kernel.yield %q : i8
      }
      epilogue {
      ^bb0(%acc: i32, %c: i32, %d: i32):
        kernel.yield %acc : i32
      } -> tensor<3x5x9xi32>
  return %y, %z : tensor<9xi32>, tensor<3x5x9xi32>
}

// Windows of 3 rows, 2 rows apart, of which the last reads the last row; and of
// a size that is not known.

// CHECK-LABEL: func.func @windows
// CHECK: kernel.contract lhs(%{{.*}} : tensor<15x7xi8>)
// CHECK: kernel.contract lhs(%{{.*}} : tensor<?x7xi8>)
func.func @windows(%x: tensor<15x7xi8>, %d: tensor<?x7xi8>, %w: tensor<3x7x9xi8>, %o: tensor<7x9xi32>) {
  %0 = kernel.contract lhs(%x : tensor<15x7xi8>) rhs(%w : tensor<3x7x9xi8>) outs(%o : tensor<7x9xi32>)
      {indexing_maps = [affine_map<(m, n, r, k) -> (m * 2 + r, k)>, affine_map<(m, n, r, k) -> (r, k, n)>,
                        affine_map<(m, n, r, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 7>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<7x9xi32>
  %1 = kernel.contract lhs(%d : tensor<?x7xi8>) rhs(%w : tensor<3x7x9xi8>) outs(%o : tensor<7x9xi32>)
      {indexing_maps = [affine_map<(m, n, r, k) -> (m + r * 4, k)>, affine_map<(m, n, r, k) -> (r, k, n)>,
                        affine_map<(m, n, r, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 7>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<7x9xi32>
  return
}

// CHECK-LABEL: func.func @fill_border
// CHECK: kernel.fill_border %{{.*}} : i8 outs(%{{.*}} : tensor<6x?xi8>) low [1, 0] high [2, 7] -> tensor<6x?xi8>
// CHECK: kernel.fill_border %{{.*}} : i8 outs(%{{.*}} : memref<6x4xi8>) low [3, 0] high [3, 0]
func.func @fill_border(%v: i8, %x: tensor<6x?xi8>, %y: memref<6x4xi8>) -> tensor<6x?xi8> {
  %0 = kernel.fill_border %v : i8 outs(%x : tensor<6x?xi8>) low [1, 0] high [2, 7] -> tensor<6x?xi8>
  kernel.fill_border %v : i8 outs(%y : memref<6x4xi8>) low [3, 0] high [3, 0]
  return %0 : tensor<6x?xi8>
}
