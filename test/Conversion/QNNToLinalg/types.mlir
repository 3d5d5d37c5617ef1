// RUN: qcc-opt -convert-qnn-to-linalg %s | FileCheck %s

// Quantized and unsigned types become their storage everywhere; constants keep
// their bytes, function boundaries the old type.

!u8 = !quant.uniform<u8:f32, 5.000000e-02:128>
!s8 = !quant.uniform<i8:f32, 1.000000e-01:3>
!i32 = !quant.uniform<i32:f32, 5.000000e-04>

// CHECK: func.func private @extern(tensor<4xi8> {qcc.type = tensor<4xui8>}) -> (tensor<4xi8> {qcc.type = tensor<4x!quant.uniform<u8:f32, 5.000000e-02:128>>})
func.func private @extern(tensor<4xui8>) -> tensor<4x!u8>

// CHECK-LABEL: func.func @constants
// CHECK-SAME:    -> (tensor<4xi8> {qcc.type = tensor<4xui8>}, tensor<2x2xi8> {qcc.type = {{.*}}}, tensor<2xi32> {qcc.type = tensor<2x!quant.uniform<i32:f32, 5.000000e-04>>}, tensor<4xi8>)
func.func @constants() -> (tensor<4xui8>, tensor<2x2x!s8>, tensor<2x!i32>, tensor<4xi8>) {
  // CHECK: arith.constant dense<[-56, 2, 3, 4]> : tensor<4xi8>
  %0 = arith.constant dense<[200, 2, 3, 4]> : tensor<4xui8>
  // CHECK: arith.constant dense_resource<w> : tensor<2x2xi8>
  %1 = arith.constant dense_resource<w> : tensor<2x2x!s8>
  // CHECK: arith.constant dense_resource<b> : tensor<2xi32>
  %2 = arith.constant dense_resource<b> : tensor<2x!i32>
  // CHECK: arith.constant dense<1> : tensor<4xi8>
  %3 = arith.constant dense<1> : tensor<4xi8>
  return %0, %1, %2, %3 : tensor<4xui8>, tensor<2x2x!s8>, tensor<2x!i32>, tensor<4xi8>
}

// CHECK-LABEL: func.func @movement(
// CHECK-SAME:    %[[X:.*]]: tensor<4x2xi8> {qcc.type = tensor<4x2xui8>}, %[[Y:.*]]: tensor<4xi8>
func.func @movement(%x: tensor<4x2xui8>, %y: tensor<4x!u8>) -> (tensor<2x4xui8>, tensor<6x!u8>) {
  // CHECK: linalg.transpose ins(%[[X]] : tensor<4x2xi8>) outs(%{{.*}} : tensor<2x4xi8>)
  %e = tensor.empty() : tensor<2x4xui8>
  %t = linalg.transpose ins(%x : tensor<4x2xui8>) outs(%e : tensor<2x4xui8>) permutation = [1, 0]
  // CHECK: %[[C:.*]] = call @extern(%{{.*}}) : (tensor<4xi8>) -> tensor<4xi8>
  %k = arith.constant dense<0> : tensor<4xui8>
  %c = func.call @extern(%k) : (tensor<4xui8>) -> tensor<4x!u8>
  // CHECK: tensor.extract_slice %[[C]][0] [2] [1] : tensor<4xi8> to tensor<2xi8>
  %s = tensor.extract_slice %c[0] [2] [1] : tensor<4x!u8> to tensor<2x!u8>
  // CHECK: tensor.insert_slice %{{.*}} into %[[Y]][2] [2] [1] : tensor<2xi8> into tensor<4xi8>
  %i = tensor.insert_slice %s into %y[2] [2] [1] : tensor<2x!u8> into tensor<4x!u8>
  // CHECK: %[[Z:.*]] = arith.constant 7 : i8
  // CHECK-NOT: quant.scast
  %z = arith.constant 7 : i8
  %zq = quant.scast %z : i8 to !u8
  // CHECK: tensor.pad
  // CHECK: tensor.yield %[[Z]] : i8
  %p = tensor.pad %i low[1] high[1] {
  ^bb0(%index: index):
    tensor.yield %zq : !u8
  } : tensor<4x!u8> to tensor<6x!u8>
  return %t, %p : tensor<2x4xui8>, tensor<6x!u8>
}

// Casts between quantized values and their storage vanish.
// CHECK-LABEL: func.func @casts(
// CHECK-SAME:    %[[X:.*]]: tensor<4xi8>
// CHECK-NEXT:    return %[[X]], %[[X]] : tensor<4xi8>, tensor<4xi8>
func.func @casts(%x: tensor<4xi8>) -> (tensor<4x!u8>, tensor<4xui8>) {
  %0 = quant.scast %x : tensor<4xi8> to tensor<4x!u8>
  %1 = tensor.bitcast %x : tensor<4xi8> to tensor<4xui8>
  return %0, %1 : tensor<4x!u8>, tensor<4xui8>
}

// CHECK-LABEL: func.func @control_flow
func.func @control_flow(%x: tensor<4x!u8>, %y: tensor<4x!u8>, %c: i1, %n: index) -> tensor<4x!u8> {
  // CHECK: scf.if %{{.*}} -> (tensor<4xi8>)
  %i = scf.if %c -> tensor<4x!u8> {
    scf.yield %x : tensor<4x!u8>
  } else {
    scf.yield %y : tensor<4x!u8>
  }
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<4xi8>)
  %f = scf.for %j = %c0 to %n step %c1 iter_args(%a = %i) -> tensor<4x!u8> {
    // CHECK: arith.select %{{.*}} : tensor<4xi8>
    %s = arith.select %c, %a, %x : tensor<4x!u8>
    scf.yield %s : tensor<4x!u8>
  }
  return %f : tensor<4x!u8>
}

// CHECK: w: "0x0100000001020304"
// CHECK: b: "0x040000000100000002000000"
{-#
  dialect_resources: {
    builtin: {
      w: "0x0100000001020304",
      b: "0x040000000100000002000000"
    }
  }
#-}
