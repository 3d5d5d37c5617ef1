// RUN: qcc-opt %s -expand-divisions -canonicalize -split-input-file | FileCheck %s

// The dividend is clamped a little beyond 128 * 3.3 and 127 * 3.3, so that the quotient rounds to what it was clamped to.
// CHECK-LABEL: func.func @quantize
// CHECK-SAME: %[[X:.*]]: f32
// CHECK-DAG: %[[LOW:.*]] = arith.constant -422.8125 : f32
// CHECK-DAG: %[[HIGH:.*]] = arith.constant 419.509277 : f32
// CHECK-DAG: %[[T:.*]] = arith.constant -4.65233674E-9 : f32
// CHECK-DAG: %[[R:.*]] = arith.constant 0.303030312 : f32
// CHECK: %[[A:.*]] = arith.maximumf %[[X]], %[[LOW]]
// CHECK: %[[B:.*]] = arith.minimumf %[[A]], %[[HIGH]]
// CHECK: %[[P:.*]] = arith.mulf %[[B]], %[[T]]
// CHECK: %[[Q:.*]] = math.fma %[[B]], %[[R]], %[[P]]
// CHECK-NOT: arith.divf
// CHECK-NOT: arith.maximumf
// CHECK: arith.cmpf ord, %[[Q]], %[[Q]]
func.func @quantize(%x: f32) -> i32 {
  %s = arith.constant 3.3 : f32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %zero = arith.constant 0.0 : f32
  %q = arith.divf %x, %s : f32
  %a = arith.maximumf %q, %low : f32
  %b = arith.minimumf %a, %high : f32
  %ordered = arith.cmpf ord, %b, %b : f32
  %n = arith.select %ordered, %b, %zero : f32
  %r = math.roundeven %n : f32
  %i = arith.fptosi %r : f32 to i32
  return %i : i32
}

// -----

// Where the sign of a rounded zero is used, both products of -0 are -0. A clamp at -0 keeps its sign.
// CHECK-LABEL: func.func @real
// CHECK-DAG: arith.constant -0.000000e+00 : f32
// CHECK-DAG: %[[T:.*]] = arith.constant 2.51499852E-8 : f32
// CHECK-DAG: %[[R:.*]] = arith.constant 0.303030282 : f32
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %[[T]]
// CHECK: math.fma %{{.*}}, %[[R]], %[[P]]
func.func @real(%x: f32) -> f32 {
  %s = arith.constant 3.3 : f32
  %low = arith.constant -128.0 : f32
  %high = arith.constant -0.0 : f32
  %q = arith.divf %x, %s : f32
  %a = arith.maximumf %q, %low : f32
  %b = arith.minimumf %a, %high : f32
  %r = math.roundeven %b : f32
  return %r : f32
}

// -----

// By a power of 2, one product. The clamps may come in either order.
// CHECK-LABEL: func.func @power
// CHECK-DAG: %[[R:.*]] = arith.constant 3.200000e+01 : f32
// CHECK: %[[B:.*]] = arith.minimumf
// CHECK: %[[Q:.*]] = arith.mulf %[[B]], %[[R]]
// CHECK: math.roundeven %[[Q]]
func.func @power(%x: f32) -> f32 {
  %s = arith.constant 0.03125 : f32
  %low = arith.constant 0.0 : f32
  %high = arith.constant 100.0 : f32
  %q = arith.divf %x, %s : f32
  %b = arith.minimumf %q, %high : f32
  %a = arith.maximumf %low, %b : f32
  %r = math.roundeven %a : f32
  return %r : f32
}

// -----

// What is not a quantization stays: the quotient itself is a result, it is clamped to a fraction, it is added to, the
// divisor is not constant, negative, or tiny.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-6: arith.divf
// CHECK-NOT: math.fma
func.func @others(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32, f32) {
  %s = arith.constant 3.3 : f32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %fraction = arith.constant 127.5 : f32
  %negative = arith.constant -3.3 : f32
  %tiny = arith.constant 1.0e-30 : f32
  %q0 = arith.divf %x, %s : f32
  %a0 = arith.maximumf %q0, %low : f32
  %b0 = arith.minimumf %a0, %high : f32
  %r0 = math.roundeven %b0 : f32
  %q1 = arith.divf %x, %s : f32
  %a1 = arith.maximumf %q1, %low : f32
  %b1 = arith.minimumf %a1, %fraction : f32
  %r1 = math.roundeven %b1 : f32
  %q2 = arith.divf %x, %s : f32
  %a2 = arith.maximumf %q2, %low : f32
  %b2 = arith.minimumf %a2, %high : f32
  %c2 = arith.addf %b2, %x : f32
  %r2 = math.roundeven %c2 : f32
  %q3 = arith.divf %x, %y : f32
  %a3 = arith.maximumf %q3, %low : f32
  %b3 = arith.minimumf %a3, %high : f32
  %r3 = math.roundeven %b3 : f32
  %q4 = arith.divf %x, %negative : f32
  %a4 = arith.maximumf %q4, %low : f32
  %b4 = arith.minimumf %a4, %high : f32
  %r4 = math.roundeven %b4 : f32
  %q5 = arith.divf %x, %tiny : f32
  %a5 = arith.maximumf %q5, %low : f32
  %b5 = arith.minimumf %a5, %high : f32
  %r5 = math.roundeven %b5 : f32
  return %q0, %r0, %r1, %r2, %r3, %r4, %r5 : f32, f32, f32, f32, f32, f32, f32
}
