// Attributes that nothing would look at, and those that passes write.
// RUN: split-file %s %t
// RUN: not qcc compile %t/clamp.mlir --weights=random:1 --emit=import -o - 2>&1 | FileCheck %s --check-prefix=CLAMP
// CLAMP: clamp.mlir:5:8: error: 'qnn.linear' op has no attribute 'clamp_mn'; did you mean 'clamp_min'?
// RUN: not qcc compile %t/far.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: error: 'qnn.quantize' op has no attribute 'channels'; it has axis, zero_point_before_rounding; give notes of other tools a prefix, as in 'tool.channels'
// RUN: not qcc compile %t/none.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: 'tensor.extract' op has no attribute 'bounds'; give notes of other tools a prefix, as in 'tool.bounds'
// RUN: not qcc compile %t/linalg.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=LINALG
// LINALG: error: 'linalg.generic' op has no attribute 'library_cal'; did you mean 'library_call'?
// RUN: not qcc compile %t/function.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: 'func.func' op has no attribute 'inline'
// RUN: not qcc compile %t/own.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: error: 'arith.addf' op has the attribute 'qcc.refused', by which passes of qcc talk to each other; remove it
// RUN: not qcc compile %t/argument.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: error: 'func.func' op has the attribute 'qcc.result'
// RUN: not qcc compile %t/dims.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=DIMS
// DIMS: error: 'arith.addf' op has the attribute 'qcc.metadata'
// DIMS: error: 'func.func' op has the attribute 'qcc.dim_names'
// RUN: not qcc compile %t/cast.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=CAST
// CAST: cast.mlir:2:8: error: 'linalg.batch_reduce_matmul' op does not extend elements as its attribute 'cast' says, but as signed ones; use linalg.contract
// RUN: qcc compile %t/notes.mlir --emit=import -o - | FileCheck %s --check-prefix=NOTES
// NOTES: module attributes {qcc.metadata = {author = "me"}}
// NOTES: tensor<4xf32> {qcc.dim_names = ["features"]}
// NOTES: arith.addf {{.*}} {my.note = 1 : i64}

//--- clamp.mlir
!x = !quant.uniform<i8:f32, 0.05>
!w = !quant.uniform<i8:f32, 0.01>
func.func @main(%x: tensor<4x8x!x>) -> tensor<4x8xf32> {
  %w = arith.constant dense_resource<w> : tensor<8x8x!w>
  %y = qnn.linear %x, %w {clamp_mn = 0.0 : f32} : tensor<4x8x!x>, tensor<8x8x!w> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
//--- far.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>> {
  %y = qnn.quantize %x {channels} : tensor<4xf32> -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %y : tensor<4x!quant.uniform<i8:f32, 0.5>>
}
//--- none.mlir
func.func @f(%x: tensor<4xf32>, %i: index) -> f32 {
  %y = tensor.extract %x[%i] {bounds} : tensor<4xf32>
  return %y : f32
}
//--- linalg.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"], library_cal = "f"} outs(%x : tensor<4xf32>) {
    ^bb0(%a: f32):
      linalg.yield %a : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
//--- function.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {inline} {
  return %x : tensor<4xf32>
}
//--- own.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x {qcc.refused = "by hand"} : tensor<4xf32>
  return %y : tensor<4xf32>
}
//--- argument.mlir
func.func @f(%x: tensor<4xf32> {qcc.result}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
//--- notes.mlir
module attributes {qcc.metadata = {author = "me"}} {
func.func @f(%x: tensor<4xf32> {qcc.dim_names = ["features"]}) -> tensor<4xf32> {
  %y = arith.addf %x, %x {my.note = 1 : i64} : tensor<4xf32>
  return %y : tensor<4xf32>
}
}
//--- dims.mlir
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32> {qcc.dim_names = ["features"]}) {
  %y = arith.addf %x, %x {qcc.metadata = {author = "me"}} : tensor<4xf32>
  return %y : tensor<4xf32>
}
//--- cast.mlir
func.func @main(%x: tensor<2x3x4xi8>, %w: tensor<2x4x5xi8>, %i: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %r = linalg.batch_reduce_matmul {cast = #linalg.type_fn<cast_unsigned>}
      ins(%x, %w : tensor<2x3x4xi8>, tensor<2x4x5xi8>) outs(%i : tensor<3x5xi32>) -> tensor<3x5xi32>
  return %r : tensor<3x5xi32>
}
