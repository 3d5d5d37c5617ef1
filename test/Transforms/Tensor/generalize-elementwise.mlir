// RUN: qcc-opt %s --generalize-elementwise | FileCheck %s

// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<?xf32>) outs(%{{.*}} : tensor<?xf32>)
// CHECK: math.exp %{{.*}} : f32
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.exp %x : tensor<?xf32>
  return %y : tensor<?xf32>
}

// Constants are not folded: the host's exp is not the one of N8.
// CHECK-LABEL: func.func @constant
// CHECK: linalg.generic
// CHECK: math.exp
func.func @constant() -> tensor<2xf32> {
  %c = arith.constant dense<[1.1, 2.2]> : tensor<2xf32>
  %y = math.exp %c : tensor<2xf32>
  return %y : tensor<2xf32>
}

// Nor are fast-math flags obeyed.
// CHECK-LABEL: func.func @flags
// CHECK: arith.mulf
func.func @flags(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %y = arith.mulf %x, %zero fastmath<fast> : tensor<4xf32>
  return %y : tensor<4xf32>
}

// What is known to be zero everywhere is no constant where sizes are not known.
// CHECK-LABEL: func.func @zero
// CHECK: arith.xori
func.func @zero(%x: tensor<?xi16>) -> tensor<?xi16> {
  %y = arith.xori %x, %x : tensor<?xi16>
  return %y : tensor<?xi16>
}
