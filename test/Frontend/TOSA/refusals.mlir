// RUN: rm -rf %t && split-file %s %t
// RUN: not qcc compile %t/custom.mlir -o - 2>&1 | FileCheck %s --check-prefix=CUSTOM
// RUN: not qcc compile %t/unranked.mlir -o - 2>&1 | FileCheck %s --check-prefix=UNRANKED
// RUN: not qcc compile %t/wide.mlir -o - 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not qcc compile %t/undeclared.mlir -o - 2>&1 | FileCheck %s --check-prefix=UNDECLARED
// RUN: not qcc compile %t/left.mlir -o - 2>&1 | FileCheck %s --check-prefix=LEFT

//--- left.mlir
// LEFT: model.tflite: error: 'tfl.topk_v2' of layer 'TopKV2' is an op that TOSA does not define; write it in terms of others
func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  %k = "tosa.const"() <{values = dense<2> : tensor<i32>}> : () -> tensor<i32>
  %0:2 = "tfl.topk_v2"(%x, %k) : (tensor<4xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>) loc("TopKV2"("model.tflite":0:0))
  return %0#0 : tensor<2xf32>
}
//--- custom.mlir
// CUSTOM: custom.mlir:3:8: error: 'tosa.custom' 'nms' is an op that TOSA does not define; write it in terms of others
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.custom %x {operator_name = "nms", domain_name = "tf", implementation_attrs = ""} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- unranked.mlir
// UNRANKED: unranked.mlir:3:8: error: 'tosa.abs' has a value of 'tensor<*xf32>'; give it a rank
func.func @main(%x: tensor<*xf32>) -> tensor<*xf32> {
  %0 = tosa.abs %x : (tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}
//--- wide.mlir
// WIDE: wide.mlir:3:8: error: 'tosa.add' sums in 48 bits (16-bit activations), which is not supported; use activations of 8 bits
func.func @main(%x: tensor<4xi48>) -> tensor<4xi48> {
  %0 = tosa.add %x, %x : (tensor<4xi48>, tensor<4xi48>) -> tensor<4xi48>
  return %0 : tensor<4xi48>
}
//--- undeclared.mlir
// UNDECLARED: undeclared.mlir:5:10: error: 'tosa.variable_read' op 'b' has not been declared by 'tosa.variable'
module {
  tosa.variable @a = dense<0> : tensor<4xi32>
  func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
    %0 = tosa.variable_read @b : tensor<4xi32>
    return %0 : tensor<4xi32>
  }
}
