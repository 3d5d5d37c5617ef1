// RUN: qcc compile %s --weights=random:1 --emit=import -o - | FileCheck %s
// RUN: qcc-opt %s --emit-bytecode -o %t.mlirbc
// RUN: qcc compile %t.mlirbc --weights=random:1 --emit=import -o - | FileCheck %s

// Every dialect of programs; the weight of each kind of element comes from the source.

// CHECK-DAG: dense_resource<i8> : tensor<2x4xi8>
// CHECK-DAG: dense_resource<q> : tensor<2x4x!quant.uniform<u8:f32, 5.000000e-01:3>>
// CHECK-DAG: i8: "0x40000000{{[0-9A-F]*}}"
// CHECK-DAG: u8: "0x40000000{{[0-9A-F]*}}"
// CHECK-DAG: i32: "0x40000000{{[0-9A-F]*}}"
// CHECK-DAG: f16: "0x40000000{{[0-9A-F]*}}"
// CHECK-DAG: bf16: "0x40000000{{[0-9A-F]*}}"
// CHECK-DAG: f32: "0x40000000{{[0-9A-F]*}}"
// CHECK-DAG: q: "0x40000000{{[0-9A-F]*}}"
!q = !quant.uniform<u8:f32, 0.5:3>
func.func private @dequantize(%q: tensor<2x4x!q>) -> tensor<2x4xf32> {
  %d = qnn.dequantize %q : tensor<2x4x!q> -> tensor<2x4xf32>
  return %d : tensor<2x4xf32>
}
func.func @main(%s: f32, %n: index) -> (tensor<2x4xi8>, tensor<2x4xui8>, tensor<4xi32>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<2x4xf32>, f32) {
  %i8 = arith.constant dense_resource<i8> : tensor<2x4xi8>
  %u8 = arith.constant dense_resource<u8> : tensor<2x4xui8>
  %i32 = arith.constant dense_resource<i32> : tensor<4xi32>
  %f16 = arith.constant dense_resource<f16> : tensor<4xf16>
  %bf16 = arith.constant dense_resource<bf16> : tensor<4xbf16>
  %f32 = arith.constant dense_resource<f32> : tensor<4xf32>
  %q = arith.constant dense_resource<q> : tensor<2x4x!q>
  %d = call @dequantize(%q) : (tensor<2x4x!q>) -> tensor<2x4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = affine.min affine_map<(d) -> (d, 4)>(%n)
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%a = %s) -> f32 {
    %b = math.exp %a : f32
    scf.yield %b : f32
  }
  return %i8, %u8, %i32, %f16, %bf16, %f32, %d, %r : tensor<2x4xi8>, tensor<2x4xui8>, tensor<4xi32>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<2x4xf32>, f32
}
