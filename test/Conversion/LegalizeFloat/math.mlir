// RUN: qcc-opt %s --legalize-float | FileCheck %s

// The steps are those of docs/Numerics.md, "The fixed sequences of N8".

// CHECK-LABEL: func @exp
func.func @exp(%x: f32) -> f32 {
  // CHECK: arith.cmpf ogt
  // CHECK: arith.cmpf olt
  // CHECK: %[[C:.*]] = arith.select
  // CHECK: %[[T:.*]] = math.fma %[[C]], %{{.*}}, %[[MAGIC:.*]] : f32
  // CHECK: arith.bitcast %[[T]] : f32 to i32
  // CHECK: arith.subf %[[T]], %[[MAGIC]]
  // CHECK-COUNT-7: math.fma
  // CHECK: arith.shrsi
  // CHECK-COUNT-2: arith.mulf
  // CHECK-NOT: math.exp
  %y = math.exp %x fastmath<fast> : f32
  return %y : f32
}

// CHECK-LABEL: func @vector
// CHECK: arith.constant dense<{{.*}}> : vector<8xf32>
// CHECK: math.fma {{.*}} : vector<8xf32>
// CHECK-NOT: math.tanh
func.func @vector(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.tanh %x : vector<8xf32>
  return %y : vector<8xf32>
}

// CHECK-LABEL: func @others
func.func @others(%x: f32) -> (f32, f32, f32, f32) {
  // CHECK-NOT: math.erf
  // CHECK: arith.constant 9.218750e-01
  // CHECK: arith.bitcast %{{.*}} {qcc.bounds = array<f64: -1.000000e+00, 1.000000e+00>} : i32 to f32
  %a = math.erf %x : f32
  // CHECK: %[[R:.*]] = math.sqrt
  // CHECK: arith.divf %{{.*}}, %[[R]]
  %b = math.rsqrt %x : f32
  // CHECK: arith.constant 0xFF800000
  // CHECK-NOT: math.log
  %c = math.log %x : f32
  // CHECK: math.trunc
  // CHECK: math.absf
  // CHECK: arith.cmpf oge
  // CHECK-NOT: math.round %
  %d = math.round %x : f32
  return %a, %b, %c, %d : f32, f32, f32, f32
}

// Those in binary64 have no fma.
// CHECK-LABEL: func @wide
func.func @wide(%x: f32, %y: f16) -> (f32, f16) {
  // CHECK: %[[X:.*]] = arith.extf %{{.*}} : f32 to f64
  // CHECK: arith.mulf %[[X]], %{{.*}} : f64
  // CHECK: math.roundeven %{{.*}} : f64
  // CHECK-NOT: math.sin
  // CHECK: arith.truncf %{{.*}} : f64 to f32
  %a = math.sin %x : f32
  // CHECK-NOT: math.powf
  // CHECK-NOT: math.fma
  // CHECK: arith.truncf %{{.*}} : f64 to f32
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %b = math.powf %y, %y : f16
  return %a, %b : f32, f16
}

// CHECK-LABEL: func @kept
func.func @kept(%x: f32, %y: f64) -> (f32, f64, f32) {
  // CHECK-NEXT: math.roundeven %{{.*}} : f32
  // CHECK-NEXT: math.sqrt %{{.*}} : f64
  // CHECK-NEXT: arith.divf
  // CHECK-NOT: fastmath
  %a = math.roundeven %x fastmath<nnan> : f32
  %b = math.sqrt %y : f64
  %c = arith.divf %x, %a fastmath<arcp> : f32
  return %a, %b, %c : f32, f64, f32
}

// A named op with a function inside becomes generic.
// CHECK-LABEL: func @named
// CHECK: linalg.generic
// CHECK: math.fma
// CHECK-NOT: math.exp
func.func @named(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
