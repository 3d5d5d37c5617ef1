// RUN: split-file %s %t
// RUN: not qcc compile %t/a.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=A
// RUN: not qcc compile %t/b.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=B
// RUN: not qcc compile %t/c.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=C
// RUN: not qcc compile %t/d.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=D
// RUN: not qcc compile %t/e.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=E

//--- a.mlir
// A: a.mlir:3:8: error: 'stablehlo.reshape' moves elements of type '!quant.uniform<i8:f32, 1.000000e-01>' into '!quant.uniform<i8:f32, 2.000000e-01>', which has other parameters; use uniform_quantize
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.1>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.2>> {
  %0 = stablehlo.reshape %x : (tensor<4x!quant.uniform<i8:f32, 0.1>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.2>>
  return %0 : tensor<2x2x!quant.uniform<i8:f32, 0.2>>
}

//--- b.mlir
// B: b.mlir:3:8: error: 'stablehlo.uniform_quantize' has a value of type 'tensor<4x!quant.uniform<i4:f32, 1.000000e-01>>', which is not supported; use !quant.uniform per tensor or per axis of i8, u8, i16 or i32 and bf16, f16 or f32
func.func @main(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<i4:f32, 0.1>> {
  %0 = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i4:f32, 0.1>>
  return %0 : tensor<4x!quant.uniform<i4:f32, 0.1>>
}

//--- c.mlir
// C: c.mlir:3:8: error: 'stablehlo.uniform_dequantize' has no quantized type; correct the program
func.func @main(%x: tensor<4xi8>) -> tensor<4xf32> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<4xi8>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- d.mlir
// D: d.mlir:3:8: error: 'stablehlo.uniform_dequantize' has 2 scales along dimension 1, which its tensor does not have; correct the type
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32:1, {0.1, 0.2}>>) -> tensor<2x3xf32> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<2x3x!quant.uniform<i8:f32:1, {0.1, 0.2}>>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

//--- e.mlir
// E: e.mlir:3:8: error: 'stablehlo.uniform_quantize' has a value of type 'tensor<4x!quant.uniform<i8:f32, {{.*}}>>', whose scales are not all normal positive numbers, or whose zero points are not all among its integers; correct the type
func.func @main(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 1.0e-40>> {
  %0 = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 1.0e-40>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 1.0e-40>>
}
