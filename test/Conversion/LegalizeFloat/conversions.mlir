// RUN: qcc-opt %s --legalize-float --canonicalize | FileCheck %s

// CHECK-LABEL: func @saturate
func.func @saturate(%x: f32) -> i8 {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.0
  // CHECK-DAG: %[[LOW:.*]] = arith.constant -1.280000e+02
  // CHECK-DAG: %[[HIGH:.*]] = arith.constant 1.270000e+02
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[X:.*]], %[[X]]
  // CHECK: arith.select %[[NAN]], %[[ZERO]], %[[X]]
  // CHECK: arith.select %{{.*}}, %[[LOW]]
  // CHECK: %[[C:.*]] = arith.select %{{.*}}, %[[HIGH]]
  // CHECK-NEXT: arith.fptosi %[[C]] : f32 to i8
  %y = arith.fptosi %x : f32 to i8
  return %y : i8
}

// The largest i32 is no f32.
// CHECK-LABEL: func @wide
func.func @wide(%x: f32) -> i32 {
  // CHECK-DAG: %[[MAX:.*]] = arith.constant 2147483647 : i32
  // CHECK-DAG: arith.constant 2.14748352E+9 : f32
  // CHECK-DAG: %[[LIMIT:.*]] = arith.constant 2.14748365E+9 : f32
  // CHECK: %[[I:.*]] = arith.fptosi
  // CHECK: %[[B:.*]] = arith.cmpf oge, %{{.*}}, %[[LIMIT]]
  // CHECK: arith.select %[[B]], %[[MAX]], %[[I]]
  %y = arith.fptosi %x : f32 to i32
  return %y : i32
}

// In range already.
// CHECK-LABEL: func @clamped
func.func @clamped(%x: f32) -> i8 {
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %zero = arith.constant 0.0 : f32
  %nan = arith.cmpf uno, %x, %x : f32
  %n = arith.select %nan, %zero, %x : f32
  %a = arith.maximumf %n, %low : f32
  %b = arith.minimumf %a, %high : f32
  // CHECK: %[[R:.*]] = math.roundeven
  // CHECK-NEXT: %[[I:.*]] = arith.fptosi %[[R]] : f32 to i8
  // CHECK-NEXT: return %[[I]]
  %r = math.roundeven %b : f32
  %y = arith.fptosi %r : f32 to i8
  return %y : i8
}

// Only the NaN is left to care for.
// CHECK-LABEL: func @clamped_nan
func.func @clamped_nan(%x: f32) -> i8 {
  %low = arith.constant 0.0 : f32
  %high = arith.constant 255.0 : f32
  %a = arith.maximumf %x, %low : f32
  %b = arith.minimumf %a, %high : f32
  // CHECK: %[[M:.*]] = arith.minimumf
  // CHECK-NEXT: %[[N:.*]] = arith.cmpf uno, %[[M]], %[[M]]
  // CHECK-NEXT: %[[S:.*]] = arith.select %[[N]]
  // CHECK-NEXT: arith.fptoui %[[S]] : f32 to i8
  %y = arith.fptoui %b : f32 to i8
  return %y : i8
}
