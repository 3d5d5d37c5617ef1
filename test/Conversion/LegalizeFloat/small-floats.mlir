// RUN: qcc-opt %s --legalize-float | FileCheck %s
// RUN: qcc-opt %s --legalize-float=bf16-instructions | FileCheck %s --check-prefix=INSTRUCTIONS

// One operation in f32, one rounding.
// CHECK-LABEL: func @f16
func.func @f16(%a: f16, %b: f16) -> (f16, i1) {
  // CHECK: %[[A:.*]] = arith.extf %{{.*}} : f16 to f32
  // CHECK: %[[B:.*]] = arith.extf %{{.*}} : f16 to f32
  // CHECK: %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK: arith.truncf %[[S]] : f32 to f16
  %s = arith.addf %a, %b : f16
  // CHECK: arith.cmpf olt, %{{.*}} : f32
  %c = arith.cmpf olt, %s, %b : f16
  return %s, %c : f16, i1
}

// CHECK-LABEL: func @bf16
// INSTRUCTIONS-LABEL: func @bf16
// INSTRUCTIONS-NEXT: %[[X:.*]] = arith.extf %{{.*}} : bf16 to f32
// INSTRUCTIONS-NEXT: %[[R:.*]] = math.sqrt %[[X]] : f32
// INSTRUCTIONS-NEXT: %[[Y:.*]] = arith.truncf %[[R]] : f32 to bf16
// INSTRUCTIONS-NEXT: return %[[Y]]
func.func @bf16(%a: bf16) -> bf16 {
  // CHECK: %[[I:.*]] = arith.bitcast %{{.*}} : bf16 to i16
  // CHECK: arith.extui %[[I]] : i16 to i32
  // CHECK: arith.shli
  // CHECK: %[[R:.*]] = math.sqrt %{{.*}} : f32
  // CHECK: arith.cmpf uno, %[[R]], %[[R]]
  // CHECK: arith.trunci
  // CHECK: arith.bitcast %{{.*}} : i16 to bf16
  // CHECK-NOT: arith.truncf
  %r = math.sqrt %a : bf16
  return %r : bf16
}

// Rounded to odd in f32 on the way.
// CHECK-LABEL: func @f64_to_f16
func.func @f64_to_f16(%a: f64) -> f16 {
  // CHECK: %[[N:.*]] = arith.truncf %{{.*}} : f64 to f32
  // CHECK: %[[B:.*]] = arith.extf %[[N]] : f32 to f64
  // CHECK: arith.cmpf one, %[[B]]
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %r = arith.truncf %a : f64 to f16
  return %r : f16
}

// CHECK-LABEL: func @bf16_to_f64
// INSTRUCTIONS-LABEL: func @bf16_to_f64
// INSTRUCTIONS-NEXT: %[[X:.*]] = arith.extf %{{.*}} : bf16 to f32
// INSTRUCTIONS-NEXT: arith.extf %[[X]] : f32 to f64
func.func @bf16_to_f64(%a: bf16) -> f64 {
  // CHECK: arith.shli
  // CHECK: arith.extf %{{.*}} : f32 to f64
  %r = arith.extf %a : bf16 to f64
  return %r : f64
}

// CHECK-LABEL: func @hardware
func.func @hardware(%a: f16, %b: f32) -> (f32, f16) {
  // CHECK-NEXT: arith.extf %{{.*}} : f16 to f32
  // CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
  // CHECK-NEXT: return
  %x = arith.extf %a : f16 to f32
  %y = arith.truncf %b : f32 to f16
  return %x, %y : f32, f16
}

// CHECK-LABEL: func @to_small
// INSTRUCTIONS-LABEL: func @to_small
// INSTRUCTIONS-COUNT-2: arith.truncf %{{.*}} : f32 to bf16
func.func @to_small(%a: i16, %b: i32, %c: i64) -> (f16, bf16, bf16) {
  // CHECK: %[[A:.*]] = arith.sitofp %{{.*}} : i16 to f32
  // CHECK: arith.truncf %[[A]] : f32 to f16
  %x = arith.sitofp %a : i16 to f16
  // CHECK: %[[B:.*]] = arith.uitofp %{{.*}} : i32 to f32
  // CHECK: arith.bitcast %[[B]] : f32 to i32
  %y = arith.uitofp %b : i32 to bf16
  // CHECK: %[[C:.*]] = arith.sitofp %{{.*}} : i64 to f32
  // CHECK: arith.bitcast %[[C]] : f32 to i32
  %z = arith.sitofp %c : i64 to bf16
  return %x, %y, %z : f16, bf16, bf16
}
