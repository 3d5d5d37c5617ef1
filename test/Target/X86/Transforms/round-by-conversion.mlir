// RUN: qcc-opt %s -round-by-conversion | FileCheck %s

// CHECK-LABEL: func.func @rounded
// CHECK: %[[H:.*]] = arith.minimumf
// CHECK: llvm.intr.lrint(%[[H]]) : (vector<16xf32>) -> vector<16xi32>
func.func @rounded(%x: vector<16xf32>) -> vector<16xi32> {
  %low = arith.constant dense<0.0> : vector<16xf32>
  %high = arith.constant dense<255.0> : vector<16xf32>
  %l = arith.maximumf %x, %low fastmath<nnan> : vector<16xf32>
  %h = arith.minimumf %l, %high fastmath<nnan> : vector<16xf32>
  %r = math.roundeven %h : vector<16xf32>
  %i = arith.fptosi %r : vector<16xf32> to vector<16xi32>
  return %i : vector<16xi32>
}

// What stands for NaN is chosen before.
// CHECK-LABEL: func.func @nan
// CHECK: %[[H:.*]] = arith.minimumf
// CHECK: %[[O:.*]] = arith.cmpf ord, %[[H]], %[[H]]
// CHECK: %[[S:.*]] = arith.select %[[O]], %[[H]], %{{.*}}
// CHECK: llvm.intr.lrint(%[[S]])
func.func @nan(%x: vector<8xf32>) -> vector<8xi32> {
  %other = arith.constant dense<3.0> : vector<8xf32>
  %low = arith.constant dense<0.0> : vector<8xf32>
  %high = arith.constant dense<255.0> : vector<8xf32>
  %l = arith.maximumf %x, %low : vector<8xf32>
  %h = arith.minimumf %l, %high : vector<8xf32>
  %r = math.roundeven %h : vector<8xf32>
  %n = arith.cmpf uno, %r, %r : vector<8xf32>
  %c = arith.select %n, %other, %r : vector<8xi1>, vector<8xf32>
  %i = arith.fptosi %c : vector<8xf32> to vector<8xi32>
  return %i : vector<8xi32>
}

// A number that may not fit an i32, one in place of NaN that is not whole, what is not rounded, and other types stay.
// CHECK-LABEL: func.func @others
// CHECK-NOT: lrint
func.func @others(%x: vector<16xf32>, %d: vector<8xf64>) -> (vector<16xi32>, vector<16xi32>, vector<16xi32>, vector<8xi32>) {
  %half = arith.constant dense<0.5> : vector<16xf32>
  %low = arith.constant dense<0.0> : vector<16xf32>
  %high = arith.constant dense<255.0> : vector<16xf32>
  %r = math.roundeven %x : vector<16xf32>
  %unbounded = arith.fptosi %r : vector<16xf32> to vector<16xi32>
  %l = arith.maximumf %x, %low : vector<16xf32>
  %h = arith.minimumf %l, %high : vector<16xf32>
  %q = math.roundeven %h : vector<16xf32>
  %n = arith.cmpf uno, %q, %q : vector<16xf32>
  %c = arith.select %n, %half, %q : vector<16xi1>, vector<16xf32>
  %fraction = arith.fptosi %c : vector<16xf32> to vector<16xi32>
  %m = arith.minimumf %x, %high fastmath<nnan> : vector<16xf32>
  %k = arith.maximumf %m, %low fastmath<nnan> : vector<16xf32>
  %unrounded = arith.fptosi %k : vector<16xf32> to vector<16xi32>
  %e = math.roundeven %d : vector<8xf64>
  %double = arith.fptosi %e : vector<8xf64> to vector<8xi32>
  return %unbounded, %fraction, %unrounded, %double : vector<16xi32>, vector<16xi32>, vector<16xi32>, vector<8xi32>
}
