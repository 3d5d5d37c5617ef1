// RUN: qcc-opt %s -outline-steps | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>
#one = affine_map<(m) -> (m)>

// What a step writes: the layer, and the element type in the source program. A buffer of another width cannot hold it.
// CHECK: call @f.step0({{.*}}) {arg_attrs = [{}, {qcc.layer = "relu1", qcc.type = !quant.uniform<i8:f32, 5.000000e-01>}, {}, {}, {}, {}]
// CHECK: call @f.step1({{.*}}) {arg_attrs = [{}, {qcc.layer = "fc2"}, {}, {}, {}, {}]
// One attribute for each output.
// CHECK: call @f.step2({{.*}}) {arg_attrs = [{qcc.layer = "a"}, {qcc.layer = "b", qcc.type = !quant.uniform<u8:f32, 2.500000e-01>}, {}, {}, {}, {}]
func.func @f(%x: memref<4x2xf32>, %y: memref<4x2xf32> {qcc.result}, %z: memref<4x2xi8> {qcc.result}) {
  %t = memref.alloc() : memref<4x2xi8>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<4x2xf32>) outs(%t : memref<4x2xi8>) {
  ^bb0(%a: f32, %b: i8):
    %s = arith.fptosi %a : f32 to i8
    linalg.yield %s : i8
  } loc(fused<{layer = "relu1", type = !quant.uniform<i8:f32, 0.5>}>["q1"])
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%t : memref<4x2xi8>) outs(%y : memref<4x2xf32>) {
  ^bb0(%a: i8, %b: f32):
    %s = arith.sitofp %a : i8 to f32
    linalg.yield %s : f32
  } loc(fused<{type = !quant.uniform<i8:f32, 0.5>}>["fc2"])
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"], qcc.values = [{layer = "a"}, {layer = "b", type = !quant.uniform<u8:f32, 0.25>}]} outs(%y, %z : memref<4x2xf32>, memref<4x2xi8>) {
  ^bb0(%a: f32, %b: i8):
    linalg.yield %a, %b : f32, i8
  }
  return
}

// A part of a buffer is not the buffer. In another shape channels lie elsewhere, but one scale is one scale.
// CHECK: call @views.step0({{.*}}) {qcc.kernel =
// CHECK: call @views.step1({{.*}}) {arg_attrs = [{}, {qcc.layer = "q"}, {}, {}, {}, {}]
// CHECK: call @views.step2({{.*}}) {arg_attrs = [{}, {qcc.layer = "q", qcc.type = !quant.uniform<i8:f32, 5.000000e-01>}, {}, {}, {}, {}]
func.func @views(%x: memref<8xi8>, %p: memref<16xi8> {qcc.result}, %y: memref<4x2xi8> {qcc.result}, %z: memref<4x2xi8> {qcc.result}) {
  %part = memref.subview %p[8] [8] [1] : memref<16xi8> to memref<8xi8, strided<[1], offset: 8>>
  linalg.copy ins(%x : memref<8xi8>) outs(%part : memref<8xi8, strided<[1], offset: 8>>) loc(fused<{type = !quant.uniform<i8:f32, 0.5>}>["q"])
  %yv = memref.collapse_shape %y [[0, 1]] : memref<4x2xi8> into memref<8xi8>
  linalg.copy ins(%x : memref<8xi8>) outs(%yv : memref<8xi8>) loc(fused<{type = !quant.uniform<i8:f32:0, {0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.25}>}>["q"])
  %zv = memref.collapse_shape %z [[0, 1]] : memref<4x2xi8> into memref<8xi8>
  linalg.copy ins(%x : memref<8xi8>) outs(%zv : memref<8xi8>) loc(fused<{type = !quant.uniform<i8:f32, 0.5>}>["q"])
  return
}

// Dimensions in another order. They are not those of the value where the buffer has other ones.
// CHECK: call @orders.step0({{.*}}) {arg_attrs = [{}, {qcc.layer = "q", qcc.order = array<i64: 1, 0>, qcc.type = !quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>}, {}, {}, {}, {}]
// CHECK: call @orders.step1({{.*}}) {qcc.kernel =
// CHECK: call @orders.step2({{.*}}) {qcc.kernel =
func.func @orders(%x: memref<4x2xi8>, %line: memref<8xi8>, %y: memref<4x2xi8> {qcc.result}, %z: memref<4x2xi8> {qcc.result}, %v: memref<8xi8> {qcc.result}) {
  linalg.copy ins(%x : memref<4x2xi8>) outs(%y : memref<4x2xi8>) loc(fused<{order = array<i64: 1, 0>, type = !quant.uniform<i8:f32:0, {0.5,0.25}>}>["q"])
  %zv = memref.collapse_shape %z [[0, 1]] : memref<4x2xi8> into memref<8xi8>
  linalg.copy ins(%line : memref<8xi8>) outs(%zv : memref<8xi8>) loc(fused<{order = array<i64: 1, 0>, type = !quant.uniform<i8:f32, 0.5>}>["q"])
  linalg.copy ins(%line : memref<8xi8>) outs(%v : memref<8xi8>) loc(fused<{order = array<i64: 1, 0>, type = !quant.uniform<i8:f32, 0.5>}>["q"])
  return
}

// Padding fills the whole before it copies what it surrounds: neither has its value.
// CHECK: call @padded.step0({{.*}}) {qcc.kernel =
// CHECK: call @padded.step1({{.*}}) {qcc.kernel =
func.func @padded(%x: memref<8xi8>, %y: memref<16xi8> {qcc.result}) {
  %c0 = arith.constant 0 : i8
  linalg.fill ins(%c0 : i8) outs(%y : memref<16xi8>) loc("pad")
  %part = memref.subview %y[4] [8] [1] : memref<16xi8> to memref<8xi8, strided<[1], offset: 4>> loc("pad")
  linalg.copy ins(%x : memref<8xi8>) outs(%part : memref<8xi8, strided<[1], offset: 4>>) loc("pad")
  return
}

// A value inside of a border, in the order of memory, with its name in the model.
// CHECK: call @bordered.step0({{.*}}) {arg_attrs = [{}, {qcc.border = array<i64: 1, 2, 0, 3>, qcc.layer = "relu", qcc.name = "r", qcc.order = array<i64: 1, 0>}, {}, {}, {}, {}]
// Not if another value is inside of it as well.
// CHECK: call @shared.step0({{.*}}) {qcc.kernel =
// CHECK: call @shared.step1({{.*}}) {qcc.kernel =
func.func @bordered(%x: memref<4x8xi8>, %y: memref<5x13xi8> {qcc.result}) {
  %c0 = arith.constant 0 : i8
  kernel.fill_border %c0 : i8 outs(%y : memref<5x13xi8>) low [1, 2] high [0, 3]
  %part = memref.subview %y[1, 2] [4, 8] [1, 1] : memref<5x13xi8> to memref<4x8xi8, strided<[13, 1], offset: 15>>
  linalg.copy ins(%x : memref<4x8xi8>) outs(%part : memref<4x8xi8, strided<[13, 1], offset: 15>>) loc(fused<{layer = "relu", name = "r", order = array<i64: 1, 0>}>["q"])
  return
}
func.func @shared(%x: memref<4x8xi8>, %y: memref<9x8xi8> {qcc.result}) {
  %c0 = arith.constant 0 : i8
  kernel.fill_border %c0 : i8 outs(%y : memref<9x8xi8>) low [1, 0] high [0, 0]
  %upper = memref.subview %y[1, 0] [4, 8] [1, 1] : memref<9x8xi8> to memref<4x8xi8, strided<[8, 1], offset: 8>>
  %lower = memref.subview %y[5, 0] [4, 8] [1, 1] : memref<9x8xi8> to memref<4x8xi8, strided<[8, 1], offset: 40>>
  linalg.copy ins(%x : memref<4x8xi8>) outs(%upper : memref<4x8xi8, strided<[8, 1], offset: 8>>) loc("a")
  linalg.copy ins(%x : memref<4x8xi8>) outs(%lower : memref<4x8xi8, strided<[8, 1], offset: 40>>) loc("b")
  return
}
