// RUN: qcc-opt %s --lower-linalg-to-vector-loops -canonicalize -cse | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

// The 32 lanes of N8 are a vector; the tail is masked; the initial value is last.
// CHECK-LABEL: func @rows
func.func @rows(%x: memref<?x?xf32>, %o: memref<?xf32>) {
  // CHECK: %[[NEUTRAL:.*]] = arith.constant dense<-0.000000e+00> : vector<32xf32>
  // CHECK: scf.forall (%[[I:.*]]) in
  // CHECK: scf.for {{.*}} step %c32 iter_args(%[[ACC:.*]] = %[[NEUTRAL]])
  // CHECK: %[[E:.*]] = vector.load
  // CHECK: arith.addf %[[ACC]], %[[E]] : vector<32xf32>
  // CHECK: scf.if
  // CHECK: %[[MASK:.*]] = vector.create_mask
  // CHECK: vector.maskedload
  // CHECK: arith.select %[[MASK]]
  // CHECK: arith.addf %{{.*}} : vector<16xf32>
  // CHECK: arith.addf %{{.*}} : vector<8xf32>
  // CHECK: arith.addf %{{.*}} : vector<4xf32>
  // CHECK: arith.addf %{{.*}} : vector<2xf32>
  // CHECK: arith.addf %{{.*}} : vector<1xf32>
  // CHECK: %[[LANE0:.*]] = vector.extract
  // CHECK: %[[INIT:.*]] = memref.load %arg1[%[[I]]]
  // CHECK: %[[R:.*]] = arith.addf %[[INIT]], %[[LANE0]] : f32
  // CHECK: memref.store %[[R]], %arg1[%[[I]]]
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%o : memref<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %a, %acc {qcc.combine} : f32
    linalg.yield %0 : f32
  }
  return
}

// No tail, and the first elements are the first lanes.
// CHECK-LABEL: func @whole
func.func @whole(%x: memref<4x64xf32>, %o: memref<4xf32>) {
  // CHECK-NOT: scf.if
  // CHECK: %[[FIRST:.*]] = vector.load %arg0[%{{.*}}, %c0] {{.*}} vector<32xf32>
  // CHECK: %[[NEXT:.*]] = vector.load %arg0[%{{.*}}, %c32] {{.*}} vector<32xf32>
  // CHECK: arith.mulf %[[FIRST]], %[[NEXT]] : vector<32xf32>
  // CHECK-NOT: vector.maskedload
  linalg.reduce ins(%x : memref<4x64xf32>) outs(%o : memref<4xf32>) dimensions = [1]
    (%a: f32, %acc: f32) {
      %0 = arith.mulf %a, %acc {qcc.combine} : f32
      linalg.yield %0 : f32
    }
  return
}

// Lanes that no element reaches are left out.
// CHECK-LABEL: func @short
func.func @short(%x: memref<4x7xf32>, %y: memref<4x1xf32>, %o: memref<4xf32>) {
  // CHECK: %[[MASK:.*]] = vector.constant_mask [7] : vector<8xi1>
  // CHECK: vector.maskedload %arg0[%{{.*}}, %c0], %[[MASK]]
  // CHECK-NOT: vector<16xf32>
  // CHECK: arith.addf %{{.*}} : vector<4xf32>
  // CHECK: scf.forall
  // CHECK: vector.constant_mask [1] : vector<2xi1>
  // CHECK: arith.addf %{{.*}} : vector<1xf32>
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x7xf32>) outs(%o : memref<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %a, %acc {qcc.combine} : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : memref<4x1xf32>) outs(%o : memref<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %a, %acc {qcc.combine} : f32
    linalg.yield %0 : f32
  }
  return
}

// Down the columns: four vectors of columns at once, the lanes of N8 in a buffer.
// CHECK-LABEL: func @columns
func.func @columns(%x: memref<?x64xf32>, %o: memref<64xf32>) {
  // CHECK: %[[BUFFER:.*]] = memref.alloca() : memref<32xvector<64xf32>>
  // CHECK: memref.store %{{.*}}, %[[BUFFER]]
  // CHECK: scf.for %{{.*}} iter_args(%[[T:.*]] = %c0)
  // CHECK: %[[L:.*]] = arith.andi %[[T]], %c31
  // CHECK: %[[ACC:.*]] = memref.load %[[BUFFER]][%[[L]]]
  // CHECK: %[[A:.*]] = vector.load
  // Instructions compare in both orders; bits tell zeros and NaN.
  // CHECK: %[[FIRST:.*]] = arith.cmpf ogt, %[[ACC]], %[[A]]
  // CHECK: arith.select %[[FIRST]], %[[ACC]], %[[A]]
  // CHECK: %[[SECOND:.*]] = arith.cmpf ogt, %[[A]], %[[ACC]]
  // CHECK: arith.select %[[SECOND]], %[[A]], %[[ACC]]
  // CHECK: %[[BOTH:.*]] = arith.andi
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[ACC]], %[[A]]
  // CHECK: %[[ONES:.*]] = arith.extsi %[[NAN]]
  // CHECK: arith.ori %[[BOTH]], %[[ONES]]
  // CHECK: memref.store %{{.*}}, %[[BUFFER]][%[[L]]]
  // CHECK: scf.for %{{.*}} = %c0 to %c16
  // CHECK: scf.for %{{.*}} = %c0 to %c8
  // CHECK: scf.for %{{.*}} = %c0 to %c4
  // CHECK: scf.for %{{.*}} = %c0 to %c2
  linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<?x64xf32>) outs(%o : memref<64xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.maximumf %a, %acc {qcc.combine} : f32
    linalg.yield %0 : f32
  }
  return
}

// The combine that legalize-float left in f16: one operation in f32, one rounding.
// CHECK-LABEL: func @half
func.func @half(%x: memref<64xf16>, %o: memref<f16>) {
  // CHECK: arith.extf %{{.*}} : vector<32xf16> to vector<32xf32>
  // CHECK: arith.addf %{{.*}} : vector<32xf32>
  // CHECK: arith.truncf %{{.*}} : vector<32xf32> to vector<32xf16>
  linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<64xf16>) outs(%o : memref<f16>) {
  ^bb0(%a: f16, %acc: f16):
    %0 = arith.addf %a, %acc {qcc.combine} : f16
    linalg.yield %0 : f16
  }
  return
}

// Two outputs, and an input that does not move along the row.
// CHECK-LABEL: func @two
func.func @two(%x: memref<?x?xf32>, %mean: memref<?xf32>, %o: memref<?xf32>, %p: memref<?xf32>) {
  // CHECK: scf.for {{.*}} -> (vector<32xf32>, vector<32xf32>)
  // CHECK: vector.broadcast
  // CHECK: arith.subf %{{.*}} : vector<32xf32>
  linalg.generic {indexing_maps = [#id, #row, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %mean : memref<?x?xf32>, memref<?xf32>) outs(%o, %p : memref<?xf32>, memref<?xf32>) {
  ^bb0(%a: f32, %m: f32, %acc: f32, %max: f32):
    %d = arith.subf %a, %m : f32
    %e = arith.mulf %d, %d : f32
    %0 = arith.addf %acc, %e {qcc.combine} : f32
    %1 = arith.maxnumf %max, %a {qcc.combine} : f32
    linalg.yield %0, %1 : f32, f32
  }
  return
}

// The five elements of a window are combined by the tree of 32 lanes, without a buffer.
// CHECK-LABEL: func @window
func.func @window(%x: memref<68xf32>, %n: memref<5xf32>, %o: memref<64xf32>) {
  // CHECK-NOT: memref.alloca
  // CHECK-COUNT-5: vector.load %arg0
  // CHECK-NOT: vector.load %arg0
  // CHECK-COUNT-5: arith.addf
  // CHECK-NOT: arith.addf
  // CHECK: return
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x, %n : memref<68xf32>, memref<5xf32>) outs(%o : memref<64xf32>) {
  ^bb0(%a: f32, %k: f32, %acc: f32):
    %s = arith.addf %acc, %a {qcc.combine} : f32
    linalg.yield %s : f32
  }
  return
}
