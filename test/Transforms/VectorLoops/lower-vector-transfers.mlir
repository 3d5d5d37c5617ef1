// RUN: qcc-opt %s -lower-vector-transfers | FileCheck %s

// CHECK-LABEL: func.func @whole
// CHECK: %[[V:.*]] = vector.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<4x64xf32>, vector<16xf32>
// CHECK: vector.store %[[V]]
func.func @whole(%x: memref<4x64xf32>, %i: index) {
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%i, %i], %p {in_bounds = [true]} : memref<4x64xf32>, vector<16xf32>
  vector.transfer_write %v, %x[%i, %i] {in_bounds = [true]} : vector<16xf32>, memref<4x64xf32>
  return
}

// A partial transfer is masked, by 32-bit lane numbers.
// CHECK-LABEL: func.func @partial
// CHECK: arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi32>
// CHECK: %[[M:.*]] = arith.cmpi sgt, {{.*}} : vector<16xi32>
// CHECK: vector.maskedload %{{.*}}[%{{.*}}, %{{.*}}], %[[M]]
// CHECK-NOT: vector.create_mask
func.func @partial(%x: memref<4x?xf32>, %i: index) -> vector<16xf32> {
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%i, %i], %p : memref<4x?xf32>, vector<16xf32>
  return %v : vector<16xf32>
}

// Along another dimension elements are gathered in a loop.
// CHECK-LABEL: func.func @strided
// CHECK: scf.for
// CHECK: memref.load
// CHECK-NOT: vector.transfer_read
func.func @strided(%x: memref<?x4xf32>, %i: index) -> vector<16xf32> {
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%i, %i], %p {permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<?x4xf32>, vector<16xf32>
  return %v : vector<16xf32>
}

// Lane numbers are a constant.
// CHECK-LABEL: func.func @step
// CHECK: arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
// CHECK-NOT: vector.step
func.func @step() -> vector<4xindex> {
  %s = vector.step : vector<4xindex>
  return %s : vector<4xindex>
}
