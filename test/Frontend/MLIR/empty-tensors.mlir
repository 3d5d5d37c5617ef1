// Elements that nothing wrote have no values: what is known to read one is rejected.
// RUN: split-file %s %t
// RUN: not qcc compile %t/accumulate.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=ACCUMULATE
// ACCUMULATE: accumulate.mlir:3:8: error: 'linalg.matmul' op reads a tensor.empty, whose elements have no values; give it values first, with linalg.fill
// ACCUMULATE: accumulate.mlir:2:8: note: the tensor.empty
// RUN: not qcc compile %t/return.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=RETURN
// RETURN: error: 'func.return' op reads a tensor.empty
// RUN: not qcc compile %t/extract.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=EXTRACT
// EXTRACT: error: 'tensor.extract' op reads a tensor.empty
// RUN: not qcc compile %t/operands.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=OPERANDS
// OPERANDS: error: 'arith.addf' op reads a tensor.empty
// OPERANDS: error: 'tensor.concat' op reads a tensor.empty
// OPERANDS: error: 'tensor.pad' op reads a tensor.empty
// OPERANDS: error: 'tensor.insert_slice' op reads a tensor.empty
// OPERANDS: error: 'qnn.quantize' op reads a tensor.empty
// RUN: qcc compile %t/valid.mlir --emit=import -o - | FileCheck %s --check-prefix=VALID
// VALID: func.func @valid

//--- accumulate.mlir
func.func @f(%x: tensor<4x4xi8>, %w: tensor<4x4xi8>) -> tensor<4x4xi32> {
  %e = tensor.empty() : tensor<4x4xi32>
  %r = linalg.matmul ins(%x, %w : tensor<4x4xi8>, tensor<4x4xi8>) outs(%e : tensor<4x4xi32>) -> tensor<4x4xi32>
  return %r : tensor<4x4xi32>
}
//--- return.mlir
func.func @f(%n: index) -> tensor<?x4xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %v = tensor.expand_shape %e [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  return %v : tensor<?x4xf32>
}
//--- extract.mlir
func.func @f(%i: index) -> f32 {
  %e = tensor.empty() : tensor<4xf32>
  %r = tensor.extract %e[%i] : tensor<4xf32>
  return %r : f32
}
//--- operands.mlir
func.func @add(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = arith.addf %x, %e : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @concat(%x: tensor<4xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = tensor.concat dim(0) %x, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func @pad(%z: f32) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = tensor.pad %e low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %r : tensor<6xf32>
}
func.func @insert(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = tensor.insert_slice %e into %x[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func @quantize() -> tensor<4x!quant.uniform<i8:f32, 0.5>> {
  %e = tensor.empty() : tensor<4xf32>
  %r = qnn.quantize %e : tensor<4xf32> -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %r : tensor<4x!quant.uniform<i8:f32, 0.5>>
}
//--- valid.mlir
// Its sizes alone, a tensor without elements, what is overwritten, and what may be written by somebody else.
func.func private @fill(%e: tensor<4xf32>, %v: f32) -> tensor<4xf32> {
  %r = linalg.fill ins(%v : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @valid(%x: tensor<1x4x4x1xf32>, %v: f32, %n: index) -> (tensor<1x2x2x1xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %window = tensor.empty() : tensor<3x3xf32>
  %i = tensor.empty() : tensor<1x2x2x1xf32>
  %init = linalg.fill ins(%v : f32) outs(%i : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  %p = linalg.pooling_nhwc_max ins(%x, %window : tensor<1x4x4x1xf32>, tensor<3x3xf32>) outs(%init : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  %none = tensor.empty() : tensor<0xf32>
  %e = tensor.empty() : tensor<4xf32>
  %f = func.call @fill(%e, %v) : (tensor<4xf32>, f32) -> tensor<4xf32>
  %c = tensor.concat dim(0) %f, %none : (tensor<4xf32>, tensor<0xf32>) -> tensor<4xf32>
  %l = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %e) -> tensor<4xf32> {
    %s = tensor.insert %v into %acc[%k] : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  %v1 = tensor.from_elements %v : tensor<1xf32>
  %o = tensor.insert_slice %v1 into %e[1] [1] [1] : tensor<1xf32> into tensor<4xf32>
  return %p, %c, %l, %o : tensor<1x2x2x1xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
