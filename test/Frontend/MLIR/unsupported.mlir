// RUN: split-file %s %t
// RUN: not qcc compile %t/bitcast.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=BITCAST
// BITCAST: error: 'tensor.bitcast' op is not supported; use arith.bitcast
// RUN: not qcc compile %t/reshape.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RESHAPE: error: 'tensor.reshape' op is not supported; use tensor.expand_shape and tensor.collapse_shape
// RUN: not qcc compile %t/gather.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=GATHER
// GATHER: error: 'tensor.gather' op is not supported; write it as linalg.generic
// RUN: not qcc compile %t/remf.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=REMF
// REMF: error: 'arith.remf' op has no fixed sequence of operations (N8); write x - trunc(x / y) * y
// RUN: not qcc compile %t/pack.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=PACK
// PACK: error: 'linalg.pack' op is not supported; write it as linalg.generic
// RUN: not qcc compile %t/dim.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=DIM
// DIM: error: 'tensor.dim' op asks for dimension 7 of a tensor of rank 1
// RUN: not qcc compile %t/divide-by-zero.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: 'arith.divsi' op divides an index by the constant 0; divide by a constant that is not 0
// RUN: not qcc compile %t/affine-division.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=AFFINE
// AFFINE: error: 'affine.apply' op divides by what is not a positive constant, and is not defined where that is 0; use arith.divsi, arith.floordivsi, arith.ceildivsi or arith.remsi

//--- bitcast.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xi32> {
  %r = tensor.bitcast %x : tensor<4xf32> to tensor<4xi32>
  return %r : tensor<4xi32>
}
//--- reshape.mlir
func.func @f(%x: tensor<4x3xf32>, %s: tensor<1xi32>) -> tensor<12xf32> {
  %r = tensor.reshape %x(%s) : (tensor<4x3xf32>, tensor<1xi32>) -> tensor<12xf32>
  return %r : tensor<12xf32>
}
//--- gather.mlir
func.func @f(%x: tensor<4x3xf32>, %i: tensor<2x1xindex>) -> tensor<2x1x3xf32> {
  %r = tensor.gather %x[%i] gather_dims([0]) : (tensor<4x3xf32>, tensor<2x1xindex>) -> tensor<2x1x3xf32>
  return %r : tensor<2x1x3xf32>
}
//--- remf.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = arith.remf %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
//--- pack.mlir
func.func @f(%x: tensor<8x8xi8>) -> tensor<2x2x4x4xi8> {
  %e = tensor.empty() : tensor<2x2x4x4xi8>
  %r = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %e : tensor<8x8xi8> -> tensor<2x2x4x4xi8>
  return %r : tensor<2x2x4x4xi8>
}
//--- dim.mlir
func.func @f(%x: tensor<?xf32>) -> index {
  %c7 = arith.constant 7 : index
  %d = tensor.dim %x, %c7 : tensor<?xf32>
  return %d : index
}
//--- divide-by-zero.mlir
func.func @f(%x: tensor<?xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.divsi %n, %c0 : index
  %e = tensor.expand_shape %x [[0, 1]] output_shape [%m, 4] : tensor<?xf32> into tensor<?x4xf32>
  return %e : tensor<?x4xf32>
}
//--- affine-division.mlir
func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %k = tensor.dim %y, %c0 : tensor<?xf32>
  %m = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%n)[%k]
  %e = tensor.extract_slice %x[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  return %e : tensor<?xf32>
}
