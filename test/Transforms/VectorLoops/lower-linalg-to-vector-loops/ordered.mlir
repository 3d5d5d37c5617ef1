// RUN: qcc-opt %s --lower-linalg-to-vector-loops -canonicalize -cse | FileCheck %s

// Vectors across outputs, k in order for each of them; four rows of four vectors at once, then the
// rows that are left, each of sixteen vectors.
// CHECK-LABEL: func @contraction
func.func @contraction(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %o: memref<?x?xf32>) {
  // CHECK: scf.forall
  // CHECK: scf.for %{{.*}} step %c4
  // CHECK-COUNT-4: math.fma %{{.*}} : vector<64xf32>
  // CHECK-COUNT-4: vector.store
  // CHECK: scf.for %[[M:.*]] = %{{.*}} step %c1 {
  // CHECK: scf.for %{{.*}} step %c256
  // CHECK: math.fma %{{.*}} : vector<256xf32>
  // CHECK: scf.for %[[N:.*]] = {{.*}} step %c64
  // CHECK: %[[INIT:.*]] = vector.load %arg2[%[[M]], %[[N]]] : memref<?x?xf32>, vector<64xf32>
  // CHECK: scf.for %[[K:.*]] = %c0 to %{{.*}} iter_args(%[[ACC:.*]] = %[[INIT]])
  // CHECK: %[[A:.*]] = memref.load %arg0[%[[M]], %[[K]]]
  // CHECK: %[[B:.*]] = vector.load %arg1[%[[K]], %[[N]]]
  // CHECK: %[[S:.*]] = vector.broadcast %[[A]]
  // CHECK: math.fma %[[S]], %[[B]], %[[ACC]] : vector<64xf32>
  // CHECK: vector.store
  // CHECK: math.fma %{{.*}} : vector<16xf32>
  // CHECK: scf.if
  // CHECK: %[[MASK:.*]] = vector.create_mask
  // CHECK: vector.maskedload %arg2[%{{.*}}], %[[MASK]]
  // CHECK: vector.maskedload %arg1[%{{.*}}], %[[MASK]]
  // CHECK: math.fma %{{.*}} : vector<16xf32>
  // CHECK: vector.maskedstore %arg2[%{{.*}}], %[[MASK]]
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<?x?xf32>, memref<?x?xf32>) outs(%o : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = math.fma %a, %b, %acc : f32
    linalg.yield %0 : f32
  }
  return
}

// The number of rows m may be 1, that of heads h is not: four heads at once.
// CHECK-LABEL: func @heads
func.func @heads(%x: memref<?x8x?xf32>, %w: memref<?x64xf32>, %o: memref<8x?x64xf32>) {
  // CHECK: scf.forall
  // CHECK: scf.for %[[H:.*]] = %{{.*}} step %c4
  // CHECK: scf.for %[[K:.*]] = %c0 to %{{.*}}
  // CHECK: memref.load %arg0[%[[M:.*]], %[[H]], %[[K]]]
  // CHECK: math.fma %{{.*}} : vector<64xf32>
  // CHECK: memref.load %arg0[%[[M]], %{{.*}}, %[[K]]]
  // CHECK-COUNT-3: math.fma %{{.*}} : vector<64xf32>
  // CHECK-NOT: math.fma
  linalg.generic {indexing_maps = [affine_map<(h, m, n, k) -> (m, h, k)>, affine_map<(h, m, n, k) -> (k, n)>, affine_map<(h, m, n, k) -> (h, m, n)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<?x8x?xf32>, memref<?x64xf32>) outs(%o : memref<8x?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = math.fma %a, %b, %acc : f32
    linalg.yield %0 : f32
  }
  return
}

// A convolution of integers: the filter is contiguous along the last output
// dimension, the image does not move along it.
// CHECK-LABEL: func @conv
func.func @conv(%x: memref<1x9x9x3xi8>, %w: memref<3x3x3x64xi8>, %o: memref<1x7x7x64xi32>) {
  // CHECK: scf.forall (%{{.*}}) in (7)
  // CHECK: scf.for %{{.*}} = %c0 to %c3
  // CHECK: scf.for %{{.*}} = %c0 to %c3
  // CHECK: scf.for %{{.*}} = %c0 to %c3
  // CHECK: vector.load %{{.*}} vector<64xi8>
  // CHECK: arith.muli %{{.*}} : vector<64xi32>
  linalg.conv_2d_nhwc_hwcf ins(%x, %w : memref<1x9x9x3xi8>, memref<3x3x3x64xi8>) outs(%o : memref<1x7x7x64xi32>)
  return
}

// Not a combine of N8: literal, in order, a scalar at a time.
// CHECK-LABEL: func @literal
func.func @literal(%x: memref<?xf32>, %o: memref<f32>) {
  // CHECK: %[[INIT:.*]] = memref.load %arg1[]
  // CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[INIT]])
  // CHECK: arith.mulf %[[ACC]]
  // CHECK: memref.store %[[R]], %arg1[]
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<?xf32>) outs(%o : memref<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.mulf %acc, %a : f32
    %1 = arith.addf %0, %acc : f32
    linalg.yield %1 : f32
  }
  return
}

// A product with a transposed matrix: sums of integers have their lanes along K, four columns at once.
// CHECK-LABEL: func @lanes_along_k
func.func @lanes_along_k(%x: memref<?x?xi8>, %w: memref<?x?xi8>, %o: memref<?x?xi32>) {
  // CHECK: scf.forall
  // CHECK: scf.for %{{.*}} step %c4
  // CHECK: %[[SUMS:.*]]:4 = scf.for %{{.*}} step %c32
  // CHECK-COUNT-4: arith.muli %{{.*}} : vector<32xi32>
  // CHECK: %[[ALL:.*]]:4 = scf.if
  // CHECK: vector.create_mask
  // CHECK: arith.select
  // CHECK: scf.yield %[[SUMS]]#0, %[[SUMS]]#1, %[[SUMS]]#2, %[[SUMS]]#3
  // CHECK: vector.reduction <add>, %[[ALL]]#0
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<?x?xi8>, memref<?x?xi8>) outs(%o : memref<?x?xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %acc, %2 : i32
    linalg.yield %3 : i32
  }
  return
}

// A body of more than 32 operations, whose chain is long: four vectors at once, then single ones.
// CHECK-LABEL: func @long_chain
func.func @long_chain(%x: memref<?xf32>, %o: memref<?xf32>) {
  // CHECK: scf.for %{{.*}} step %c64 {
  // CHECK: math.fma %{{.*}} : vector<64xf32>
  // CHECK: scf.for %{{.*}} step %c16 {
  // CHECK: math.fma %{{.*}} : vector<16xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%o : memref<?xf32>) {
  ^bb0(%a: f32, %old: f32):
    %0 = math.fma %a, %a, %a : f32
    %1 = math.fma %0, %a, %a : f32
    %2 = math.fma %1, %a, %a : f32
    %3 = math.fma %2, %a, %a : f32
    %4 = math.fma %3, %a, %a : f32
    %5 = math.fma %4, %a, %a : f32
    %6 = math.fma %5, %a, %a : f32
    %7 = math.fma %6, %a, %a : f32
    %8 = math.fma %7, %a, %a : f32
    %9 = math.fma %8, %a, %a : f32
    %10 = math.fma %9, %a, %a : f32
    %11 = math.fma %10, %a, %a : f32
    %12 = math.fma %11, %a, %a : f32
    %13 = math.fma %12, %a, %a : f32
    %14 = math.fma %13, %a, %a : f32
    %15 = math.fma %14, %a, %a : f32
    %16 = math.fma %15, %a, %a : f32
    %17 = math.fma %16, %a, %a : f32
    %18 = math.fma %17, %a, %a : f32
    %19 = math.fma %18, %a, %a : f32
    %20 = math.fma %19, %a, %a : f32
    %21 = math.fma %20, %a, %a : f32
    %22 = math.fma %21, %a, %a : f32
    %23 = math.fma %22, %a, %a : f32
    %24 = math.fma %23, %a, %a : f32
    %25 = math.fma %24, %a, %a : f32
    %26 = math.fma %25, %a, %a : f32
    %27 = math.fma %26, %a, %a : f32
    %28 = math.fma %27, %a, %a : f32
    %29 = math.fma %28, %a, %a : f32
    %30 = math.fma %29, %a, %a : f32
    %31 = math.fma %30, %a, %a : f32
    %32 = math.fma %31, %a, %a : f32
    linalg.yield %32 : f32
  }
  return
}

// A short one is computed for one vector.
// CHECK-LABEL: func @short_chain
func.func @short_chain(%x: memref<?xf32>, %o: memref<?xf32>) {
  // CHECK-NOT: vector<64xf32>
  // CHECK: math.fma %{{.*}} : vector<16xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%o : memref<?xf32>) {
  ^bb0(%a: f32, %old: f32):
    %0 = math.fma %a, %a, %a : f32
    linalg.yield %0 : f32
  }
  return
}
