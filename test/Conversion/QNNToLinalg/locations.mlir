// RUN: qcc-opt %s --convert-qnn-to-linalg --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// Locations say what values were: their quantized types, and whose values quantization passes on.

!x = !quant.uniform<i8:f32, 5.000000e-01:3>
!c = !quant.uniform<i8:f32:1, {5.000000e-01, 2.500000e-01}>
!w = !quant.uniform<i8:f32, 2.500000e-01>

// CHECK-LABEL: func.func @quantize
// CHECK: linalg.yield
// CHECK: } -> tensor<4x2xi8> loc(fused<{type = !quant.uniform<i8:f32, 5.000000e-01:3>}>["q"])
func.func @quantize(%x: tensor<4x2xf32>) -> tensor<4x2x!x> {
  %q = qnn.quantize %x : tensor<4x2xf32> -> tensor<4x2x!x> loc("q")
  return %q : tensor<4x2x!x>
}

// CHECK-LABEL: func.func @per_channel
// CHECK: } -> tensor<4x2xi8> loc(fused<{type = !quant.uniform<i8:f32:1, {5.000000e-01,2.500000e-01}>}>["q"])
func.func @per_channel(%x: tensor<4x2xf32>) -> tensor<4x2x!c> {
  %q = qnn.quantize %x : tensor<4x2xf32> -> tensor<4x2x!c> loc("q")
  return %q : tensor<4x2x!c>
}

// Quantized again it is still the value of its layer; what clamps or dequantizes it is not. Sums without a bias are
// named like their layer, and marked by generalize-linalg.
// CHECK-LABEL: func.func @layers
// CHECK: } -> tensor<4x3xi32> loc("fc1")
// CHECK: } -> tensor<4x3xf32> loc("fc1")
// CHECK: } -> tensor<4x3xi8> loc(fused<{layer = "fc1", type = !quant.uniform<i8:f32, 5.000000e-01:3>}>["q1"])
// CHECK: } -> tensor<4x3xi8> loc(fused<{layer = "fc1", type = !quant.uniform<i8:f32, 2.500000e-01>}>["q2"])
// CHECK: } -> tensor<4x3xi8> loc(fused<{type = !quant.uniform<i8:f32, 2.500000e-01>}>["clamp"])
// CHECK: } -> tensor<4x3xf32> loc("d")
func.func @layers(%x: tensor<4x2x!x>, %w: tensor<3x2x!w>) -> tensor<4x3xf32> {
  %h = qnn.linear %x, %w : tensor<4x2x!x>, tensor<3x2x!w> -> tensor<4x3xf32> loc("fc1")
  %q1 = qnn.quantize %h : tensor<4x3xf32> -> tensor<4x3x!x> loc("q1")
  %q2 = qnn.requantize %q1 : tensor<4x3x!x> -> tensor<4x3x!w> loc("q2")
  %c = qnn.clamp %q2 {min = 0.0 : f32} : tensor<4x3x!w> loc("clamp")
  %d = qnn.dequantize %c : tensor<4x3x!w> -> tensor<4x3xf32> loc("d")
  return %d : tensor<4x3xf32>
}

// A view is no value of its own. What only moves quantized values keeps their type.
// CHECK-LABEL: func.func @views
// CHECK: loc(fused<{layer = "sum", type = !quant.uniform<i8:f32, 5.000000e-01:3>}>["q"])
// CHECK: tensor.extract_slice {{.*}} loc(fused<{type = !quant.uniform<i8:f32, 5.000000e-01:3>}>["slice"])
func.func @views(%x: tensor<4x2xf32>) -> tensor<3x!x> {
  %s = arith.addf %x, %x : tensor<4x2xf32> loc("sum")
  %v = tensor.collapse_shape %s [[0, 1]] : tensor<4x2xf32> into tensor<8xf32> loc("flat")
  %q = qnn.quantize %v : tensor<8xf32> -> tensor<8x!x> loc("q")
  %t = tensor.extract_slice %q[1] [3] [1] : tensor<8x!x> to tensor<3x!x> loc("slice")
  return %t : tensor<3x!x>
}

// Scales and zero points may be constant operands; those that are not are known only at run time. The name that the
// model has for the value stays with it, also where the model dequantizes it.
// CHECK-LABEL: func.func @operands
// CHECK: } -> tensor<4x2xi8> loc(fused<{layer = "relu", name = "r", type = !quant.uniform<u8:f32, 5.000000e-01:3>}>["q"(
// CHECK: } -> tensor<4x2xf32> loc(fused<{layer = "relu", name = "r"}>["d"("onnx:DequantizeLinear")])
// CHECK: } -> tensor<4x2xi8> loc(fused<{layer = "relu", name = "r", type = !quant.uniform<i8:f32:1, {5.000000e-01,2.500000e-01}>}>["c"])
// CHECK: } -> tensor<4x2xi8> loc(fused<{layer = "relu", name = "r"}>["dynamic"])
func.func @operands(%x: tensor<4x2xf32>, %given: tensor<f32>) -> (tensor<4x2xf32>, tensor<4x2xi8>, tensor<4x2xi8>) {
  %s = arith.constant dense<0.5> : tensor<f32>
  %z = arith.constant dense<3> : tensor<ui8>
  %scales = arith.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %r = arith.addf %x, %x : tensor<4x2xf32> loc("relu"("onnx:Relu"("value:r")))
  %q = qnn.quantize %r scale(%s : tensor<f32>) zero_point(%z : tensor<ui8>) : tensor<4x2xf32> -> tensor<4x2xui8> loc("q"("onnx:QuantizeLinear"("value:r_quantized")))
  %d = qnn.dequantize %q scale(%s : tensor<f32>) zero_point(%z : tensor<ui8>) : tensor<4x2xui8> -> tensor<4x2xf32> loc("d"("onnx:DequantizeLinear"))
  %c = qnn.quantize %r scale(%scales : tensor<2xf32>) {axis = 1 : i64} : tensor<4x2xf32> -> tensor<4x2xi8> loc("c")
  %u = qnn.quantize %r scale(%given : tensor<f32>) : tensor<4x2xf32> -> tensor<4x2xi8> loc("dynamic")
  return %d, %c, %u : tensor<4x2xf32>, tensor<4x2xi8>, tensor<4x2xi8>
}
