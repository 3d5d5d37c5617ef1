// RUN: qcc-opt %s --legalize-float -split-input-file -verify-diagnostics

func.func @cbrt(%x: f32) -> f32 {
  // expected-error@+1 {{'math.cbrt' op has no fixed sequence of operations (N8); write it with functions that have one, such as exp, log and sqrt, and arithmetic, or as a qnn.lookup table}}
  %y = math.cbrt %x : f32
  return %y : f32
}

// -----

func.func @exp_f64(%x: f64) -> f64 {
  // expected-error@+1 {{'math.exp' op on f64 has no fixed sequence of operations (N8); truncate the operand to f32}}
  %y = math.exp %x : f64
  return %y : f64
}

// -----

func.func @rem(%x: f32) -> f32 {
  // expected-error@+1 {{'arith.remf' op has no fixed sequence of operations (N8); write x - trunc(x / y) * y}}
  %y = arith.remf %x, %x : f32
  return %y : f32
}

// -----

func.func @fp8(%x: f8E4M3FN) -> f32 {
  // expected-error@+1 {{'arith.extf' op has the element type 'f8E4M3FN', for which no arithmetic is defined (N4); use f16, bf16, f32 or f64}}
  %y = arith.extf %x : f8E4M3FN to f32
  return %y : f32
}

// -----

func.func @i128(%x: f32) -> i128 {
  // expected-error@+1 {{'arith.fptosi' op converts 'i128', which no target does without a library; use at most i64}}
  %y = arith.fptosi %x : f32 to i128
  return %y : i128
}

// -----

func.func @mode(%x: f32) -> f16 {
  // expected-error@+1 {{'arith.truncf' op rounds otherwise than to nearest even (N4); drop the rounding mode}}
  %y = arith.truncf %x to_nearest_away : f32 to f16
  return %y : f16
}

// -----

func.func @scaling(%x: f16, %s: f16) -> f32 {
  // expected-error@+1 {{'arith.scaling_extf' op is not defined (N4); multiply by the scale and use arith.extf or arith.truncf}}
  %y = arith.scaling_extf %x, %s : f16, f16 to f32
  return %y : f32
}

// -----

func.func @tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'math.exp' op computes on whole tensors here; run generalize-elementwise before this pass}}
  %y = math.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
