// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(collapse-rows))' -split-input-file | FileCheck %s

// All of them are rows; what an operand does not have does not matter. The maps
// are the usual ones of a matmul then, which are not printed.

#lhs = affine_map<(b, h, w, n, k) -> (b, h, w, k)>
#rhs = affine_map<(b, h, w, n, k) -> (n, k)>
#column = affine_map<(b, h, w, n, k) -> (n)>
#row = affine_map<(b, h, w, n, k) -> (b, h, w)>
#out = affine_map<(b, h, w, n, k) -> (b, h, w, n)>

// CHECK-LABEL: func.func @all
// CHECK: %[[X:.*]] = memref.collapse_shape %{{.*}} {{\[}}[0, 1, 2], [3]] : memref<?x7x7x64xi8> into memref<?x64xi8>
// CHECK: %[[Z:.*]] = memref.collapse_shape %{{.*}} {{\[}}[0, 1, 2]] : memref<?x7x7xi32> into memref<?xi32>
// CHECK: %[[Y:.*]] = memref.collapse_shape %{{.*}} {{\[}}[0, 1, 2], [3]] : memref<?x7x7x32xi32> into memref<?x32xi32>
// CHECK: kernel.contract lhs(%[[X]] : memref<?x64xi8>) rhs(%{{.*}} : memref<32x64xi8>)
// CHECK-SAME: init(%{{.*}} : memref<32xi32>) lhs_zero_point(%[[Z]] : memref<?xi32>)
// CHECK-SAME: epilogue_ins(%{{.*}} : memref<32xf32>) outs(%[[Y]] : memref<?x32xi32>)
// CHECK-SAME: {facts = #kernel.facts<epilogue_ranges = array<f64: -1.000000e+00, 2.000000e+00>>,
// CHECK-SAME: qcc.refused = "kept"} epilogue
func.func @all(%x: memref<?x7x7x64xi8>, %w: memref<32x64xi8>, %b: memref<32xi32>, %z: memref<?x7x7xi32>, %s: memref<32xf32>, %y: memref<?x7x7x32xi32>) {
  kernel.contract lhs(%x : memref<?x7x7x64xi8>) rhs(%w : memref<32x64xi8>) init(%b : memref<32xi32>)
      lhs_zero_point(%z : memref<?x7x7xi32>) epilogue_ins(%s : memref<32xf32>) outs(%y : memref<?x7x7x32xi32>)
      {indexing_maps = [#lhs, #rhs, #column, #row, #column, #out], reduction_dims = array<i64: 4>, reduction_sizes = array<i64: 64>,
       facts = #kernel.facts<epilogue_ranges = array<f64: -1.0, 2.0>>, qcc.refused = "kept"}
      epilogue {
      ^bb0(%acc: i32, %scale: f32):
        %f = arith.sitofp %acc : i32 to f32
        %p = arith.mulf %f, %scale : f32
        %r = arith.fptosi %p : f32 to i32
        kernel.yield %r : i32
      }
  return
}

// -----

// What varies along some of the rows alone keeps these apart: one scale for
// each image.

#lhs = affine_map<(b, h, w, n, k) -> (b, h, w, k)>
#rhs = affine_map<(b, h, w, n, k) -> (n, k)>
#image = affine_map<(b, h, w, n, k) -> (b)>
#out = affine_map<(b, h, w, n, k) -> (b, h, w, n)>

// CHECK-LABEL: func.func @images
// CHECK: %[[X:.*]] = memref.collapse_shape %{{.*}} {{\[}}[0], [1, 2], [3]] : memref<2x7x7x64xi8> into memref<2x49x64xi8>
// CHECK: %[[Y:.*]] = memref.collapse_shape %{{.*}} {{\[}}[0], [1, 2], [3]] : memref<2x7x7x32xi32> into memref<2x49x32xi32>
// CHECK: kernel.contract lhs(%[[X]] : memref<2x49x64xi8>) {{.*}}lhs_zero_point(%{{.*}} : memref<2xi32>) outs(%[[Y]] : memref<2x49x32xi32>)
func.func @images(%x: memref<2x7x7x64xi8>, %w: memref<32x64xi8>, %z: memref<2xi32>, %y: memref<2x7x7x32xi32>) {
  kernel.contract lhs(%x : memref<2x7x7x64xi8>) rhs(%w : memref<32x64xi8>)
      lhs_zero_point(%z : memref<2xi32>) outs(%y : memref<2x7x7x32xi32>)
      {indexing_maps = [#lhs, #rhs, #image, #out], reduction_dims = array<i64: 4>, reduction_sizes = array<i64: 64>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

// Channels first: pixels are rows, images are not beside them. A unit dimension
// between two that are one is part of it.

#lhs = affine_map<(b, n, h, w, k) -> (b, k, h, 0, w)>
#rhs = affine_map<(b, n, h, w, k) -> (n, k)>
#out = affine_map<(b, n, h, w, k) -> (b, n, h, w)>

// CHECK-LABEL: func.func @channels_first
// CHECK: memref.collapse_shape %{{.*}} {{\[}}[0], [1], [2, 3, 4]] : memref<2x64x7x1x7xi8> into memref<2x64x49xi8>
// CHECK: memref.collapse_shape %{{.*}} {{\[}}[0], [1], [2, 3]] : memref<2x32x7x7xi32> into memref<2x32x49xi32>
func.func @channels_first(%x: memref<2x64x7x1x7xi8>, %w: memref<32x64xi8>, %y: memref<2x32x7x7xi32>) {
  kernel.contract lhs(%x : memref<2x64x7x1x7xi8>) rhs(%w : memref<32x64xi8>) outs(%y : memref<2x32x7x7xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 4>, reduction_sizes = array<i64: 64>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

// An index of 0 into a dimension that is larger: the rows are apart.

#lhs = affine_map<(b, n, h, w, k) -> (b, k, h, 0, w)>
#rhs = affine_map<(b, n, h, w, k) -> (n, k)>
#out = affine_map<(b, n, h, w, k) -> (b, n, h, w)>

// CHECK-LABEL: func.func @one_of_two
// CHECK-NOT: collapse_shape
func.func @one_of_two(%x: memref<2x64x7x2x7xi8>, %w: memref<32x64xi8>, %y: memref<2x32x7x7xi32>) {
  kernel.contract lhs(%x : memref<2x64x7x2x7xi8>) rhs(%w : memref<32x64xi8>) outs(%y : memref<2x32x7x7xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 4>, reduction_sizes = array<i64: 64>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

// In memory, a view of which rows have a pitch is one still; one of which
// images have other strides is not.

#lhs = affine_map<(b, h, n, k) -> (b, h, k)>
#rhs = affine_map<(b, h, n, k) -> (n, k)>
#out = affine_map<(b, h, n, k) -> (b, h, n)>

// CHECK-LABEL: func.func @pitch
// CHECK: memref.collapse_shape %{{.*}} : memref<2x7x64xi8, strided<[560, 80, 1]>> into memref<14x64xi8, strided<[80, 1]>>
// CHECK-NOT: collapse_shape %{{.*}} strided<[640, 80, 1]>
func.func @pitch(%x: memref<2x7x64xi8, strided<[560, 80, 1]>>, %v: memref<2x7x64xi8, strided<[640, 80, 1]>>, %w: memref<32x64xi8>, %y: memref<2x7x32xi32>) {
  kernel.contract lhs(%x : memref<2x7x64xi8, strided<[560, 80, 1]>>) rhs(%w : memref<32x64xi8>) outs(%y : memref<2x7x32xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 64>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  kernel.contract lhs(%v : memref<2x7x64xi8, strided<[640, 80, 1]>>) rhs(%w : memref<32x64xi8>) outs(%y : memref<2x7x32xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 64>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

// A dimension of rhs is a batch, and no row.

#lhs = affine_map<(b, h, m, n, k) -> (b, h, m, k)>
#rhs = affine_map<(b, h, m, n, k) -> (b, n, k)>
#out = affine_map<(b, h, m, n, k) -> (b, h, m, n)>

// CHECK-LABEL: func.func @batch
// CHECK: memref.collapse_shape %{{.*}} {{\[}}[0], [1, 2], [3]] : memref<2x3x5x64xi8> into memref<2x15x64xi8>
func.func @batch(%x: memref<2x3x5x64xi8>, %w: memref<2x32x64xi8>, %y: memref<2x3x5x32xi32>) {
  kernel.contract lhs(%x : memref<2x3x5x64xi8>) rhs(%w : memref<2x32x64xi8>) outs(%y : memref<2x3x5x32xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 4>, reduction_sizes = array<i64: 64>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}

// -----

// Results in another order of rows.

#lhs = affine_map<(b, h, n, k) -> (b, h, k)>
#rhs = affine_map<(b, h, n, k) -> (n, k)>
#out = affine_map<(b, h, n, k) -> (h, b, n)>

// CHECK-LABEL: func.func @other_order
// CHECK-NOT: collapse_shape
func.func @other_order(%x: memref<2x7x64xi8>, %w: memref<32x64xi8>, %y: memref<7x2x32xi32>) {
  kernel.contract lhs(%x : memref<2x7x64xi8>) rhs(%w : memref<32x64xi8>) outs(%y : memref<7x2x32xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 3>, reduction_sizes = array<i64: 64>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      }
  return
}
