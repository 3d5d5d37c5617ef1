// RUN: qcc-opt %s -drop-nan-checks | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>

// An integer times constant scales is a number: NaN is not asked for, and nobody sees the sign of a zero.
// CHECK-LABEL: func.func @constant_scales
// CHECK: %[[P:.*]] = arith.mulf
// CHECK-NEXT: %[[L:.*]] = arith.maximumf %[[P]], %{{.*}} fastmath<nnan,nsz> : f32
// CHECK-NEXT: %[[H:.*]] = arith.minimumf %[[L]], %{{.*}} fastmath<nnan,nsz> : f32
// CHECK-NEXT: %[[R:.*]] = math.roundeven %[[H]]
// CHECK-NEXT: arith.fptosi %[[R]]
func.func @constant_scales(%x: tensor<4x3xi32>, %o: tensor<4x3xi8>) -> tensor<4x3xi8> {
  %scales = arith.constant dense<[0.5, 0.25, -2.0]> : tensor<3xf32>
  %low = arith.constant 0.0 : f32
  %high = arith.constant 255.0 : f32
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scales : tensor<4x3xi32>, tensor<3xf32>) outs(%o : tensor<4x3xi8>) {
  ^bb0(%a: i32, %s: f32, %b: i8):
    %f = arith.sitofp %a : i32 to f32
    %p = arith.mulf %f, %s : f32
    %l = arith.maximumf %p, %low : f32
    %h = arith.minimumf %l, %high : f32
    %r = math.roundeven %h : f32
    %n = arith.cmpf uno, %r, %r : f32
    %c = arith.select %n, %low, %r : f32
    %i = arith.fptosi %c : f32 to i32
    %t = arith.trunci %i : i32 to i8
    linalg.yield %t : i8
  } -> tensor<4x3xi8>
  return %y : tensor<4x3xi8>
}

// A scale that may be NaN or infinite: 0 times it is NaN. The second maximum sees the sign of a zero, since it is stored.
// CHECK-LABEL: func.func @unknown_scales
// CHECK: arith.maximumf %{{.*}}, %{{.*}} fastmath<nsz> : f32
// CHECK: arith.cmpf uno
// CHECK: arith.select
// CHECK: arith.maximumf %{{.*}}, %{{.*}} : f32
func.func @unknown_scales(%x: tensor<4x3xi32>, %scales: tensor<3xf32>, %o: tensor<4x3xi8>, %q: tensor<4x3xf32>)
    -> (tensor<4x3xi8>, tensor<4x3xf32>) {
  %low = arith.constant 0.0 : f32
  %y:2 = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scales : tensor<4x3xi32>, tensor<3xf32>) outs(%o, %q : tensor<4x3xi8>, tensor<4x3xf32>) {
  ^bb0(%a: i32, %s: f32, %b: i8, %d: f32):
    %f = arith.sitofp %a : i32 to f32
    %p = arith.mulf %f, %s : f32
    %l = arith.maximumf %p, %low : f32
    %n = arith.cmpf uno, %l, %l : f32
    %c = arith.select %n, %low, %l : f32
    %i = arith.fptosi %c : f32 to i32
    %t = arith.trunci %i : i32 to i8
    %m = arith.maximumf %p, %low : f32
    linalg.yield %t, %m : i8, f32
  } -> (tensor<4x3xi8>, tensor<4x3xf32>)
  return %y#0, %y#1 : tensor<4x3xi8>, tensor<4x3xf32>
}
