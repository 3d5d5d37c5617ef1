// RUN: qcc-opt %s -form-contractions -canonicalize | FileCheck %s
// RUN: qcc-opt %s -form-contractions=fuse=false -canonicalize | FileCheck %s --check-prefix=UNFUSED

// What the results of a fused contraction are: each the value of the last op that was fused into it.

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// CHECK-LABEL: func.func @layers
// CHECK: kernel.contract
// CHECK-SAME: outs(%{{.*}}, %{{.*}} : tensor<5x9xf32>, tensor<5x9xi8>)
// CHECK-SAME: qcc.values = [{layer = "relu1"}, {layer = "relu1", type = !quant.uniform<i8:f32, 5.000000e-01>}]

// Where nothing is fused, the contraction is bare, and the rest stays as it is.
// UNFUSED-LABEL: func.func @layers
// UNFUSED: kernel.contract {{.*}} outs(%{{.*}} : tensor<5x9xi32>)
// UNFUSED-NOT: qcc.values
// UNFUSED-COUNT-3: linalg.generic
func.func @layers(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>) -> (tensor<5x9xf32>, tensor<5x9xi8>) {
  %zero = arith.constant 0 : i32
  %f0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x9xi32>
  %ef = tensor.empty() : tensor<5x9xf32>
  %eq = tensor.empty() : tensor<5x9xi8>
  %init = linalg.fill ins(%zero : i32) outs(%e : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %l = arith.extsi %a : i8 to i32
    %r = arith.extsi %b : i8 to i32
    %p = arith.muli %l, %r : i32
    %s = arith.addi %c, %p : i32
    linalg.yield %s : i32
  } -> tensor<5x9xi32> loc(fused<{part}>["fc1"])
  %fc1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<5x9xi32>) outs(%ef : tensor<5x9xf32>) {
  ^bb0(%a: i32, %o: f32):
    %f = arith.sitofp %a : i32 to f32
    linalg.yield %f : f32
  } -> tensor<5x9xf32> loc("fc1")
  %relu = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%fc1 : tensor<5x9xf32>) outs(%ef : tensor<5x9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %f = arith.maximumf %a, %f0 : f32
    linalg.yield %f : f32
  } -> tensor<5x9xf32> loc("relu1")
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%relu : tensor<5x9xf32>) outs(%eq : tensor<5x9xi8>) {
  ^bb0(%a: f32, %o: i8):
    %i = arith.fptosi %a : f32 to i8
    linalg.yield %i : i8
  } -> tensor<5x9xi8> loc(fused<{layer = "relu1", type = !quant.uniform<i8:f32, 5.000000e-01>}>["q1"])
  return %relu, %q : tensor<5x9xf32>, tensor<5x9xi8>
}

// A consumer without a name computes no layer's value, and sums that are all there is are the layer's value.
// CHECK-LABEL: func.func @unnamed
// CHECK: kernel.contract
// CHECK-SAME: qcc.values = [{layer = "fc1"}, {}]
// UNFUSED-LABEL: func.func @unnamed
func.func @unnamed(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>) -> (tensor<5x9xi32>, tensor<5x9xf32>) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<5x9xi32>
  %ef = tensor.empty() : tensor<5x9xf32>
  %init = linalg.fill ins(%zero : i32) outs(%e : tensor<5x9xi32>) -> tensor<5x9xi32>
  %acc = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %l = arith.extsi %a : i8 to i32
    %r = arith.extsi %b : i8 to i32
    %p = arith.muli %l, %r : i32
    %s = arith.addi %c, %p : i32
    linalg.yield %s : i32
  } -> tensor<5x9xi32> loc("fc1")
  %f = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%acc : tensor<5x9xi32>) outs(%ef : tensor<5x9xf32>) {
  ^bb0(%a: i32, %o: f32):
    %v = arith.sitofp %a : i32 to f32
    linalg.yield %v : f32
  } -> tensor<5x9xf32>
  return %acc, %f : tensor<5x9xi32>, tensor<5x9xf32>
}
