// RUN: qcc run %s --weights=random:7 --input=random:1:-1:1 --dim=100 --check | FileCheck %s
// CHECK: check: 1000 elements, 0 differ

// A small classifier in floats, as it was trained. classifier_int8.mlir is its quantized form; `qcc diff` compares the
// two layer by layer. A layer is what has a name, written as a location: loc("fc1").

#all = affine_map<(m, n) -> (m, n)>

func.func @classifier(%x: tensor<?x64xf32>) -> tensor<?x10xf32> {
  %w1 = arith.constant dense_resource<w1> : tensor<128x64xf32>
  %b1 = arith.constant dense_resource<b1> : tensor<128xf32>
  %w2 = arith.constant dense_resource<w2> : tensor<64x128xf32>
  %b2 = arith.constant dense_resource<b2> : tensor<64xf32>
  %w3 = arith.constant dense_resource<w3> : tensor<10x64xf32>
  %b3 = arith.constant dense_resource<b3> : tensor<10xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e1 = tensor.empty(%m) : tensor<?x128xf32>
  %e2 = tensor.empty(%m) : tensor<?x64xf32>

  %h1 = qnn.linear %x, %w1 bias(%b1 : tensor<128xf32>)
    : tensor<?x64xf32>, tensor<128x64xf32> -> tensor<?x128xf32> loc("fc1")
  %r1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%h1 : tensor<?x128xf32>) outs(%e1 : tensor<?x128xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x128xf32> loc("relu1")

  %h2 = qnn.linear %r1, %w2 bias(%b2 : tensor<64xf32>)
    : tensor<?x128xf32>, tensor<64x128xf32> -> tensor<?x64xf32> loc("fc2")
  %r2 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%h2 : tensor<?x64xf32>) outs(%e2 : tensor<?x64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x64xf32> loc("relu2")

  %y = qnn.linear %r2, %w3 bias(%b3 : tensor<10xf32>)
    : tensor<?x64xf32>, tensor<10x64xf32> -> tensor<?x10xf32> loc("fc3")
  return %y : tensor<?x10xf32>
}
