// RUN: qcc-opt %s -generalize-linalg -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

#id = affine_map<(m) -> (m)>

// The last op of a layer computes its value, the ones before only parts. The value in another form, which what
// quantizes it says, does not count; neither do ops without a name.
// CHECK-LABEL: func.func @f
// CHECK: } -> tensor<4xf32> loc(fused<{part}>["fc1"("f.py":15:0)])
// CHECK: } -> tensor<4xf32> loc("fc1")
// CHECK: } -> tensor<4xi8> loc(fused<{layer = "fc1"}>["fc1"])
// CHECK: } -> tensor<4xf32> loc(fused<{part}>["act"])
// CHECK: } -> tensor<4xf32> loc("{{.*}}.mlir":
// CHECK: } -> tensor<4xf32> loc("act")
func.func @f(%x: tensor<4xf32>, %q: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xi8>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc("fc1"("f.py":15:0))
  %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc("fc1")
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%1 : tensor<4xf32>) outs(%q : tensor<4xi8>) {
  ^bb0(%a: f32, %b: i8):
    %i = arith.fptosi %a : f32 to i8
    linalg.yield %i : i8
  } -> tensor<4xi8> loc(fused<{layer = "fc1"}>["fc1"])
  %3 = linalg.exp ins(%1 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc("act")
  %4 = linalg.exp ins(%3 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %5 = linalg.exp ins(%4 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc("act")
  return %5, %2 : tensor<4xf32>, tensor<4xi8>
}
