// RUN: env COLUMNS=1000 qcc explain %s --mcpu=x86-64-v3 | FileCheck %s
// RUN: not qcc compile %S/Inputs/layer-names-invalid.mlir --emit=import -o - 2>&1 | FileCheck %s --check-prefix=INVALID

// A name for the layer, written as a location, leaves the position as it is, in reports and in messages.
// CHECK: f.step0.generic  double, layer-names.mlir:[[@LINE+4]]:8
// CHECK: f.step1.generic  triple, net.py:3:1
// INVALID: layer-names-invalid.mlir:2:8: error: {{.*}}qnn.linear
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = arith.addf %x, %x : tensor<4xf32> loc("double")
  %1 = arith.addf %0, %x : tensor<4xf32> loc("triple"("net.py":3:1))
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
