// RUN: qcc-opt -convert-qnn-to-linalg %s | FileCheck %s

// Entries keep the names of what they take and return.
// CHECK-LABEL: func.func @named(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4xf32> {qcc.name = "images"}, %{{[a-z0-9]+}}: tensor<4xf32>)
// CHECK-SAME: -> (tensor<4xf32> {qcc.name = "logits"}, tensor<4xf32> {qcc.name = "images"}, tensor<4xf32>)
func.func @named(%x: tensor<4xf32> loc("images"), %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y = arith.addf %x, %b : tensor<4xf32> loc("logits")
  %z = arith.addf %b, %b : tensor<4xf32>
  return %y, %x, %z : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// CHECK-LABEL: func.func private @called(%{{[a-z0-9]+}}: tensor<4xf32>) -> tensor<4xf32>
func.func private @called(%x: tensor<4xf32> loc("images")) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
