// What qcc adds to the messages of MLIR's parsers, and where its own point to.
// RUN: split-file %s %t
// RUN: not qcc compile %t/misspelled.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=MISSPELLED
// MISSPELLED: misspelled.mlir:2:8: error: custom op 'qnn.dequantise' is unknown
// MISSPELLED: note: did you mean 'qnn.dequantize'?
// RUN: not qcc compile %t/unknown.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: note: the ops of qnn are qnn.add, qnn.avg_pool2d, qnn.clamp, qnn.conv2d, qnn.conv_transpose2d, qnn.dequantize, qnn.linear,
// RUN: not qcc compile %t/scale.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=SCALE
// SCALE: error: {{.*}}out of expressed type range
// SCALE: note: scales are positive, finite and normal f32 (N9); a number in hexadecimal is the bits of an f64
// RUN: not qcc compile %t/arguments.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=ARGUMENTS
// ARGUMENTS: arguments.mlir:1:14: error: argument 0 of 'f' has type 'complex<f32>', which is not supported
// ARGUMENTS-NOT: error:
// ARGUMENTS: arguments.mlir:1:51: error: argument 2 of 'f' has type 'vector<4xf32>', which is not supported
// ARGUMENTS-NOT: error:
// ARGUMENTS: arguments.mlir:1:1: error: result 0 of 'f' has type 'complex<f32>', which is not supported
// ARGUMENTS-NOT: error:

//--- misspelled.mlir
func.func @f(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xf32> {
  %y = qnn.dequantise %x : tensor<4x!quant.uniform<i8:f32, 0.5>> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
//--- unknown.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = qnn.convolution2d %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
//--- scale.mlir
func.func @f(%x: tensor<4x!quant.uniform<i8:f32, 0x7FC00000>>) -> tensor<4x!quant.uniform<i8:f32, 0x7FC00000>> {
  return %x : tensor<4x!quant.uniform<i8:f32, 0x7FC00000>>
}
//--- arguments.mlir
func.func @f(%a: complex<f32>, %b: tensor<4xf32>, %c: vector<4xf32>) -> complex<f32> {
  return %a : complex<f32>
}
