// RUN: qcc-opt %s -hoist-narrowing -canonicalize -split-input-file -mlir-print-local-scope -mlir-print-debuginfo | FileCheck %s

// A quantization goes before a transpose and a reshape, one after the other; what is narrowed is the value before
// them, of layer fc1, and what is moved is that of the quantization.

#in = affine_map<(a, b, c) -> (b, a, c)>
#id = affine_map<(a, b, c) -> (a, b, c)>

// CHECK-LABEL: func.func @heads
// CHECK-SAME: (%{{[^:]*}}: tensor<?x768xf32> {{.*}}, %[[SCALE:[^:]*]]: tensor<f32> {{.*}}, %[[S:[^:]*]]: f32
// CHECK: %[[Y:.*]] = linalg.generic
// CHECK: tensor<?x768xf32> loc("fc1")
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[Y]], %[[SCALE]], %[[S]] : {{.*}} outs(%{{.*}} : tensor<?x768xi8>) attrs = {{ *}}{qcc.origin = "qnn.quantize"}
// CHECK: loc(fused<{layer = "fc1", type = !quant.uniform<i8:f32, 5.000000e-01>}>["q1"])
// CHECK: %[[SPLIT:.*]] = tensor.expand_shape %[[Q]]
// CHECK: linalg.generic {{.*}} ins(%[[SPLIT]] : tensor<?x12x64xi8>) {{.*}} attrs = {{ *}}{qcc.origin = "linalg.transpose"}
// CHECK: -> tensor<12x?x64xi8> loc(fused<{layer = "transpose1", type = !quant.uniform<i8:f32, 5.000000e-01>}>["q1"])
func.func @heads(%x: tensor<?x768xf32>, %scale: tensor<f32>, %s: f32, %rows: index) -> tensor<12x?x64xi8> {
  %e = tensor.empty(%rows) : tensor<?x768xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x768xf32>) outs(%e : tensor<?x768xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<?x768xf32> loc("fc1")
  %split = tensor.expand_shape %y [[0], [1, 2]] output_shape [%rows, 12, 64] : tensor<?x768xf32> into tensor<?x12x64xf32>
  %et = tensor.empty(%rows) : tensor<12x?x64xf32>
  %t = linalg.generic {indexing_maps = [#in, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%split : tensor<?x12x64xf32>) outs(%et : tensor<12x?x64xf32>) attrs = {qcc.origin = "linalg.transpose"} {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<12x?x64xf32> loc("transpose1")
  %c1 = arith.constant 1 : index
  %again = tensor.dim %t, %c1 : tensor<12x?x64xf32>
  %eq = tensor.empty(%again) : tensor<12x?x64xi8>
  %q = linalg.generic {indexing_maps = [#id, affine_map<(a, b, c) -> ()>, affine_map<(a, b, c) -> ()>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t, %scale, %s : tensor<12x?x64xf32>, tensor<f32>, f32) outs(%eq : tensor<12x?x64xi8>) attrs = {qcc.origin = "qnn.quantize"} {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: i8):
    %d = arith.divf %a, %b : f32
    %m = arith.mulf %d, %c : f32
    %r = arith.fptosi %m : f32 to i8
    linalg.yield %r : i8
  } -> tensor<12x?x64xi8> loc(fused<{layer = "transpose1", type = !quant.uniform<i8:f32, 5.000000e-01>}>["q1"])
  return %q : tensor<12x?x64xi8>
}

// -----

// What leads to a narrower value goes along; so does a splat.

#id = affine_map<(a) -> (a)>

// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:[^:]*]]: tensor<4x6xf32>
// CHECK: %[[E:.*]] = linalg.generic {{.*}} ins(%[[X]], %{{.*}} : tensor<4x6xf32>, f32)
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[E]] : tensor<4x6xf32>)
// CHECK: tensor.collapse_shape %[[Q]] {{.*}} : tensor<4x6xi8> into tensor<24xi8>
func.func @chain(%x: tensor<4x6xf32>) -> tensor<24xi8> {
  %half = arith.constant dense<0.5> : tensor<24xf32>
  %e = tensor.empty() : tensor<24xf32>
  %eq = tensor.empty() : tensor<24xi8>
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%flat, %half : tensor<24xf32>, tensor<24xf32>) outs(%e : tensor<24xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<24xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : tensor<24xf32>) outs(%eq : tensor<24xi8>) {
  ^bb0(%a: f32, %o: i8):
    %r = arith.fptosi %a : f32 to i8
    linalg.yield %r : i8
  } -> tensor<24xi8>
  return %q : tensor<24xi8>
}

// -----

// Left alone: what is not narrower, what is read elsewhere, what other tensors, the place or the order of elements
// have a part in, and a broadcast, after which there is more to compute.

#id = affine_map<(a, b) -> (a, b)>
#t = affine_map<(a, b) -> (b, a)>
#a = affine_map<(a, b) -> (a)>

// CHECK-LABEL: func.func @left
// CHECK: tensor.collapse_shape %{{.*}} : tensor<4x2x3xf32>
// CHECK-NEXT: linalg.generic
// CHECK: tensor.collapse_shape %{{.*}} : tensor<4x2x3xf32>
// CHECK: tensor.collapse_shape %{{.*}} : tensor<4x2x3xf32>
// CHECK: tensor.collapse_shape %{{.*}} : tensor<4x2x3xf32>
// CHECK: tensor.collapse_shape %{{.*}} : tensor<4x2x3xf32>
// CHECK: ins(%{{.*}} : tensor<4xf32>)
// CHECK: ins(%{{.*}} : tensor<4x6xf32>)
func.func @left(%x: tensor<4x2x3xf32>, %row: tensor<4xf32>) -> (tensor<4x6xf32>, tensor<4x6xi8>, tensor<4x6xf32>, tensor<4x6xi8>, tensor<4x6xi8>, tensor<6x4xi8>, tensor<4x6xi8>) {
  %e = tensor.empty() : tensor<4x6xf32>
  %eq = tensor.empty() : tensor<4x6xi8>
  %eqt = tensor.empty() : tensor<6x4xi8>
  %f0 = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x2x3xf32> into tensor<4x6xf32>
  %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%f0 : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  %f1 = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x2x3xf32> into tensor<4x6xf32>
  %two = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%f1 : tensor<4x6xf32>) outs(%eq : tensor<4x6xi8>) {
  ^bb0(%a: f32, %o: i8):
    %r = arith.fptosi %a : f32 to i8
    linalg.yield %r : i8
  } -> tensor<4x6xi8>
  %f2 = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x2x3xf32> into tensor<4x6xf32>
  %rows = linalg.generic {indexing_maps = [#id, #a, #id], iterator_types = ["parallel", "parallel"]} ins(%f2, %row : tensor<4x6xf32>, tensor<4xf32>) outs(%eq : tensor<4x6xi8>) {
  ^bb0(%a: f32, %b: f32, %o: i8):
    %d = arith.divf %a, %b : f32
    %r = arith.fptosi %d : f32 to i8
    linalg.yield %r : i8
  } -> tensor<4x6xi8>
  %f3 = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x2x3xf32> into tensor<4x6xf32>
  %place = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%f3 : tensor<4x6xf32>) outs(%eq : tensor<4x6xi8>) {
  ^bb0(%a: f32, %o: i8):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i8
    %r = arith.fptosi %a : f32 to i8
    %k = arith.addi %r, %j : i8
    linalg.yield %k : i8
  } -> tensor<4x6xi8>
  %f4 = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x2x3xf32> into tensor<4x6xf32>
  %order = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%f4 : tensor<4x6xf32>) outs(%eqt : tensor<6x4xi8>) {
  ^bb0(%a: f32, %o: i8):
    %r = arith.fptosi %a : f32 to i8
    linalg.yield %r : i8
  } -> tensor<6x4xi8>
  %wider = linalg.generic {indexing_maps = [#a, #id], iterator_types = ["parallel", "parallel"]} ins(%row : tensor<4xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x6xf32>
  %more = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%wider : tensor<4x6xf32>) outs(%eq : tensor<4x6xi8>) {
  ^bb0(%a: f32, %o: i8):
    %r = arith.fptosi %a : f32 to i8
    linalg.yield %r : i8
  } -> tensor<4x6xi8>
  return %wide, %two, %f1, %rows, %place, %order, %more : tensor<4x6xf32>, tensor<4x6xi8>, tensor<4x6xf32>, tensor<4x6xi8>, tensor<4x6xi8>, tensor<6x4xi8>, tensor<4x6xi8>
}

// -----

// Through a concatenation, if nobody else reads its parts: of a reshape, of a sum, of an argument.

#id = affine_map<(a, b) -> (a, b)>

// CHECK-LABEL: func.func @parts
// CHECK-SAME: (%[[X:[^:]*]]: tensor<4x2x3xf32> {{.*}}, %[[Y:[^:]*]]: tensor<4x6xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[Y]] :
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x2x3xf32>) outs(%{{.*}} : tensor<4x2x3xi8>)
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[A]]
// CHECK: %[[B:.*]] = linalg.generic {{.*}} ins(%[[SUM]] : tensor<4x6xf32>) outs(%{{.*}} : tensor<4x6xi8>)
// CHECK: %[[Q:.*]] = tensor.concat dim(0) %[[FLAT]], %[[B]]
// CHECK: return %[[Q]]
func.func @parts(%x: tensor<4x2x3xf32>, %y: tensor<4x6xf32>) -> tensor<8x6xi8> {
  %e = tensor.empty() : tensor<4x6xf32>
  %eq = tensor.empty() : tensor<8x6xi8>
  %flat = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x2x3xf32> into tensor<4x6xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  %c = tensor.concat dim(0) %flat, %sum : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<8x6xf32>) outs(%eq : tensor<8x6xi8>) {
  ^bb0(%a: f32, %o: i8):
    %r = arith.fptosi %a : f32 to i8
    linalg.yield %r : i8
  } -> tensor<8x6xi8>
  return %q : tensor<8x6xi8>
}

// A part that is also read by others would be computed twice.
// CHECK-LABEL: func.func @shared_part
// CHECK: %[[C:.*]] = tensor.concat
// CHECK: linalg.generic {{.*}} ins(%[[C]] : tensor<8x6xf32>)
func.func @shared_part(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> (tensor<8x6xi8>, tensor<4x6xf32>) {
  %eq = tensor.empty() : tensor<8x6xi8>
  %c = tensor.concat dim(0) %x, %y : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<8x6xf32>) outs(%eq : tensor<8x6xi8>) {
  ^bb0(%a: f32, %o: i8):
    %r = arith.fptosi %a : f32 to i8
    linalg.yield %r : i8
  } -> tensor<8x6xi8>
  return %q, %x : tensor<8x6xi8>, tensor<4x6xf32>
}
