// RUN: qcc-opt %s -convert-qnn-to-linalg | FileCheck %s

// Why a contraction is literal stays with its sum.
// CHECK-LABEL: func.func @linear
// CHECK: linalg.generic {{.*}}attrs = {{{.*}}qcc.refused = "because"}
func.func @linear(%x: tensor<5x7xf32>, %w: tensor<9x7xf32>) -> tensor<5x9xf32> {
  %y = qnn.linear %x, %w {qcc.refused = "because"} : tensor<5x7xf32>, tensor<9x7xf32> -> tensor<5x9xf32>
  return %y : tensor<5x9xf32>
}
