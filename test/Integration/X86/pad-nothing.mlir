// Padding of tensors without elements, and to tensors without elements.
// RUN: qcc run %s --entry=main --input=random:1 --check | FileCheck %s
// RUN: qcc run %s --entry=b --input=random:1 --check | FileCheck %s
// RUN: qcc run %s --entry=c --input=random:1 --check | FileCheck %s
// CHECK: 0 differ

func.func @main(%x: tensor<4x0xi8>) -> tensor<6x0xi8> {
  %z = arith.constant 3 : i8
  %p = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : i8
  } : tensor<4x0xi8> to tensor<6x0xi8>
  return %p : tensor<6x0xi8>
}
func.func @b(%x: tensor<0x3xi8>) -> tensor<2x3xi8> {
  %z = arith.constant 3 : i8
  %p = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : i8
  } : tensor<0x3xi8> to tensor<2x3xi8>
  return %p : tensor<2x3xi8>
}
func.func @c(%x: tensor<0x3xi8>) -> tensor<1x3xi8> {
  %z = arith.constant 3 : i8
  %p = tensor.pad %x low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : i8
  } : tensor<0x3xi8> to tensor<1x3xi8>
  return %p : tensor<1x3xi8>
}
