// RUN: qcc-opt %s -divide-contractions | FileCheck %s

// The sums of each part, and their sum. The packed operand is not copied: parts are views of it.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3 * 256 + d2)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d1, d2)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d0, d1)>
// CHECK-LABEL: func.func @parts(
// CHECK: %[[SUMS:.*]] = memref.alloc(%{{.*}}) : memref<2x?x32xi32>
// CHECK: %[[EXPANDED:.*]] = memref.expand_shape %{{.*}} {{.*}} : memref<32x128x1xi32> into memref<32x2x64x1xi32>
// CHECK: %[[PARTS:.*]] = memref.transpose %[[EXPANDED]] (d0, d1, d2, d3) -> (d1, d0, d2, d3) : memref<32x2x64x1xi32> to memref<2x32x64x1xi32, strided<[64, 128, 1, 1]>>
// CHECK: kernel.contract lhs(%{{.*}} : memref<?x512xi8>) rhs(%[[PARTS]] : {{.*}}) outs(%[[SUMS]] : memref<2x?x32xi32>) {fused = ["2 parts of K"], indexing_maps = [#[[X]], #[[W]], #[[Y]]],
// CHECK-SAME: lowering_config = #nvptx.config<multistage, {{[^>]*}} stages = 2, source = model>, reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 256>} epilogue {
// CHECK-NEXT: ^bb0(%[[ACC:.*]]: i32):
// CHECK-NEXT:   kernel.yield %[[ACC]] : i32
// CHECK: %[[FIRST:.*]] = memref.subview %[[SUMS]][0, 0, 0]
// CHECK: %[[SECOND:.*]] = memref.subview %[[SUMS]][1, 0, 0]
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[FIRST]], %[[SECOND]], %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} :
// CHECK-SAME: outs(%{{.*}} : memref<?x32xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32, %[[INIT:.*]]: i32, %[[ZERO:.*]]: i32, %[[COLUMN:.*]]: i32, %[[SCALE:.*]]: f32,
// CHECK-NEXT:   %[[AB:.*]] = arith.addi %[[A]], %[[B]]
// CHECK-NEXT:   %[[OFFSET:.*]] = arith.muli %[[ZERO]], %[[COLUMN]]
// CHECK-NEXT:   %[[PRODUCTS:.*]] = arith.subi %[[AB]], %[[OFFSET]]
// CHECK-NEXT:   %[[TOTAL:.*]] = arith.addi %[[PRODUCTS]], %[[INIT]]
// CHECK-NEXT:   %[[F:.*]] = arith.sitofp %[[TOTAL]]
// CHECK-NEXT:   arith.mulf %[[F]], %[[SCALE]]
func.func @parts(%x: memref<?x512xi8>, %w: memref<32x128x1xi32>, %s: memref<32xi32>, %b: memref<32xi32>, %z: memref<i32>, %scale: memref<f32>, %y: memref<?x32xf32>) {
  kernel.contract lhs(%x : memref<?x512xi8>) rhs(%w : memref<32x128x1xi32>) rhs_sums(%s : memref<32xi32>) init(%b : memref<32xi32>)
    lhs_zero_point(%z : memref<i32>) epilogue_ins(%scale : memref<f32>) outs(%y : memref<?x32xf32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (n)>, affine_map<(m, n, k) -> ()>, affine_map<(m, n, k) -> ()>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 512>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [32, 32, 64], warp = [16, 16], stages = 2, parts = 2, source = model>} epilogue {
  ^bb0(%acc: i32, %f: f32):
    %0 = arith.sitofp %acc : i32 to f32
    %1 = arith.mulf %0, %f : f32
    kernel.yield %1 : f32
  }
  return
}

// The lines of a window are parts of K as they are.
// CHECK-LABEL: func.func @window(
// CHECK: memref.expand_shape %{{.*}} : memref<8x48x1xi32> into memref<8x3x16x1xi32>
// CHECK: kernel.contract
// CHECK-SAME: reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 1, 24>
// CHECK: linalg.generic
func.func @window(%x: memref<10x24xi8>, %w: memref<8x48x1xi32>, %s: memref<8xi32>, %y: memref<8x8xi32>) {
  kernel.contract lhs(%x : memref<10x24xi8>) rhs(%w : memref<8x48x1xi32>) rhs_sums(%s : memref<8xi32>) outs(%y : memref<8x8xi32>)
    {indexing_maps = [affine_map<(m, n, h, k) -> (m + h, k)>, affine_map<(m, n, h, k) -> (n, h, k)>, affine_map<(m, n, h, k) -> (m, n)>],
     reduction_dims = array<i64: 2, 3>, reduction_sizes = array<i64: 3, 24>,
     lowering_config = #nvptx.config<decode, atom = "mma-m16n8k32", tile = [16, 8, 64], warp = [16, 8], stages = 1, parts = 3, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// Each part subtracts what the right zero point adds to it; the sum has the products of both zero points.
// CHECK-LABEL: func.func @right_zero_point(
// CHECK: kernel.contract {{.*}} rhs_zero_point(%{{.*}} : memref<i32>) outs(
// CHECK: linalg.generic
// CHECK: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32, %[[LEFT:.*]]: i32, %[[COLUMN:.*]]: i32, %[[RIGHT:.*]]: i32, %{{.*}}: i32):
// CHECK-NEXT:   %[[AB:.*]] = arith.addi %[[A]], %[[B]]
// CHECK-NEXT:   %[[K:.*]] = arith.constant 512 : i32
// CHECK-NEXT:   %[[ZEROS:.*]] = arith.muli %[[K]], %[[RIGHT]]
// CHECK-NEXT:   %[[SUM:.*]] = arith.subi %[[COLUMN]], %[[ZEROS]]
// CHECK-NEXT:   %[[OFFSET:.*]] = arith.muli %[[LEFT]], %[[SUM]]
// CHECK-NEXT:   arith.subi %[[AB]], %[[OFFSET]]
func.func @right_zero_point(%x: memref<?x512xi8>, %w: memref<32x128x1xi32>, %s: memref<32xi32>, %zx: memref<i32>, %zw: memref<i32>, %y: memref<?x32xi32>) {
  kernel.contract lhs(%x : memref<?x512xi8>) rhs(%w : memref<32x128x1xi32>) rhs_sums(%s : memref<32xi32>)
    lhs_zero_point(%zx : memref<i32>) rhs_zero_point(%zw : memref<i32>) outs(%y : memref<?x32xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> ()>, affine_map<(m, n, k) -> ()>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 512>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [32, 32, 64], warp = [16, 16], stages = 2, parts = 2, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// A kernel for each range of rows.
// CHECK-LABEL: func.func @rows(
// CHECK: kernel.contract {{.*}} #nvptx.config<decode, {{[^>]*}} rows_up_to = 16, source = model>
// CHECK: kernel.contract {{.*}} #nvptx.config<multistage, {{[^>]*}} rows_above = 16, source = model>
// CHECK-NOT: kernel.contract
func.func @rows(%x: memref<?x64xi8>, %w: memref<32x16x1xi32>, %s: memref<32xi32>, %y: memref<?x32xi32>) {
  kernel.contract lhs(%x : memref<?x64xi8>) rhs(%w : memref<32x16x1xi32>) rhs_sums(%s : memref<32xi32>) outs(%y : memref<?x32xi32>)
    {lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [32, 32, 64], warp = [16, 16], stages = 2, rows_above = 16,
       few_rows = [#nvptx.config<decode, atom = "mma-m16n8k32", tile = [16, 8, 64], warp = [16, 8], stages = 1, rows_up_to = 16, source = model>], source = model>,
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 64>,
     indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}
