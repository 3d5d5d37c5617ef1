// RUN: qcc-opt %s -split-input-file -generalize-linalg -channels-last -canonicalize -cse -mlir-print-local-scope | FileCheck %s

// The order spreads from a convolution over ops of tensors, whose sizes, offsets and dimensions follow.

// CHECK-LABEL: func.func @movement(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4x6x6xi8>
// CHECK: %[[Y:.*]] = linalg.generic {{.*}}"reduction"{{.*}} outs(%{{.*}} : tensor<?x6x6x4xi32>)
// CHECK: %[[CAT:.*]] = tensor.concat dim(3) %[[Y]], %[[Y]] : (tensor<?x6x6x4xi32>, tensor<?x6x6x4xi32>) -> tensor<?x6x6x8xi32>
// CHECK: %[[PAD:.*]] = tensor.pad %[[CAT]] low[0, 1, 2, 0] high[0, 0, 1, 3]
// CHECK: tensor<?x6x6x8xi32> to tensor<?x7x9x11xi32>
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[PAD]][0, 1, 3, 2] [%{{.*}}, 5, 4, 6] [1, 1, 1, 1] : tensor<?x7x9x11xi32> to tensor<?x5x4x6xi32>
// CHECK: %[[INTO:.*]] = tensor.insert_slice %[[SLICE]] into %{{.*}}[0, 4, 5, 1] [%{{.*}}, 5, 4, 6] [1, 1, 1, 1] : tensor<?x5x4x6xi32> into tensor<?x9x9x7xi32>
// CHECK: %[[EXPAND:.*]] = tensor.expand_shape %[[INTO]] {{\[\[}}0], [1, 2], [3], [4]] output_shape [%{{.*}}, 3, 3, 9, 7] : tensor<?x9x9x7xi32> into tensor<?x3x3x9x7xi32>
// CHECK: linalg.generic {{.*}} -> (d0, d2, d3, d4, d1)>{{.*}} ins(%[[EXPAND]] : tensor<?x3x3x9x7xi32>) outs(%{{.*}} : tensor<?x7x3x3x9xi32>)
func.func @movement(%x: tensor<?x4x6x6xi8>, %w: tensor<4x4x1x1xi8>) -> tensor<?x7x3x3x9xi32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4x6x6xi8>
  %zero = arith.constant 0 : i32
  %e = tensor.empty(%n) : tensor<?x4x6x6xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<?x4x6x6xi32>) -> tensor<?x4x6x6xi32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x4x6x6xi8>, tensor<4x4x1x1xi8>) outs(%f : tensor<?x4x6x6xi32>) -> tensor<?x4x6x6xi32>
  %cat = tensor.concat dim(1) %y, %y : (tensor<?x4x6x6xi32>, tensor<?x4x6x6xi32>) -> tensor<?x8x6x6xi32>
  %pad = tensor.pad %cat low[0, 0, 1, 2] high[0, 3, 0, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : i32
  } : tensor<?x8x6x6xi32> to tensor<?x11x7x9xi32>
  %slice = tensor.extract_slice %pad[0, 2, 1, 3] [%n, 6, 5, 4] [1, 1, 1, 1] : tensor<?x11x7x9xi32> to tensor<?x6x5x4xi32>
  %m = tensor.dim %slice, %c0 : tensor<?x6x5x4xi32>
  %ez = tensor.empty(%m) : tensor<?x7x9x9xi32>
  %z = linalg.fill ins(%zero : i32) outs(%ez : tensor<?x7x9x9xi32>) -> tensor<?x7x9x9xi32>
  %into = tensor.insert_slice %slice into %z[0, 1, 4, 5] [%m, 6, 5, 4] [1, 1, 1, 1] : tensor<?x6x5x4xi32> into tensor<?x7x9x9xi32>
  %expand = tensor.expand_shape %into [[0], [1], [2, 3], [4]] output_shape [%m, 7, 3, 3, 9] : tensor<?x7x9x9xi32> into tensor<?x7x3x3x9xi32>
  return %expand : tensor<?x7x3x3x9xi32>
}

// -----

// Groups: channels are taken apart and put together again. The batch is in front of both tensors of a reshape.

// CHECK-LABEL: func.func @groups(
// CHECK: %[[X:.*]] = linalg.generic {{.*}} -> (d0, d3, d1, d2)>{{.*}} outs(%{{.*}} : tensor<1x6x6x8xi8>)
// CHECK: %[[G:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1], [2], [3, 4]] output_shape [1, 6, 6, 2, 4] : tensor<1x6x6x8xi8> into tensor<1x6x6x2x4xi8>
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1 + d5, d2 + d6, d3, d7)>
// CHECK-SAME: ins(%[[G]], %{{.*}}) outs(%{{.*}} : tensor<1x4x4x2x3xi32>)
// CHECK: tensor.collapse_shape %[[Y]] {{\[\[}}0], [1], [2], [3, 4]] : tensor<1x4x4x2x3xi32> into tensor<1x4x4x6xi32>
func.func @groups(%x: tensor<1x8x6x6xi8>, %w: tensor<2x3x4x3x3xi8>) -> tensor<1x6x4x4xi32> {
  %zero = arith.constant 0 : i32
  %g = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [1, 2, 4, 6, 6] : tensor<1x8x6x6xi8> into tensor<1x2x4x6x6xi8>
  %e = tensor.empty() : tensor<1x2x3x4x4xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x2x3x4x4xi32>) -> tensor<1x2x3x4x4xi32>
  %y = linalg.conv_2d_ngchw_gfchw ins(%g, %w : tensor<1x2x4x6x6xi8>, tensor<2x3x4x3x3xi8>) outs(%f : tensor<1x2x3x4x4xi32>) -> tensor<1x2x3x4x4xi32>
  %z = tensor.collapse_shape %y [[0], [1, 2], [3], [4]] : tensor<1x2x3x4x4xi32> into tensor<1x6x4x4xi32>
  return %z : tensor<1x6x4x4xi32>
}

// -----

// Channels that are put together with pixels are as the program has them: the result is transposed before.

// CHECK-LABEL: func.func @flatten(
// CHECK: %[[T:.*]] = linalg.generic {{.*}} -> (d0, d2, d3, d1)>{{.*}} outs(%{{.*}} : tensor<1x4x6x6xi32>)
// CHECK: tensor.collapse_shape %[[T]] {{\[\[}}0], [1, 2, 3]] : tensor<1x4x6x6xi32> into tensor<1x144xi32>
// Of single pixels nothing has to be moved.
// CHECK: %[[Y:.*]] = linalg.generic {{.*}}"reduction"{{.*}} outs(%{{.*}} : tensor<1x1x1x4xi32>)
// CHECK: tensor.collapse_shape %[[Y]] {{\[\[}}0], [1, 2, 3]] : tensor<1x1x1x4xi32> into tensor<1x4xi32>
func.func @flatten(%x: tensor<1x4x6x6xi8>, %w: tensor<4x4x1x1xi8>, %w2: tensor<4x4x6x6xi8>) -> (tensor<1x144xi32>, tensor<1x4xi32>) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x4x6x6xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x4x6x6xi32>) -> tensor<1x4x6x6xi32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x4x6x6xi8>, tensor<4x4x1x1xi8>) outs(%f : tensor<1x4x6x6xi32>) -> tensor<1x4x6x6xi32>
  %flat = tensor.collapse_shape %y [[0], [1, 2, 3]] : tensor<1x4x6x6xi32> into tensor<1x144xi32>
  %e2 = tensor.empty() : tensor<1x4x1x1xi32>
  %f2 = linalg.fill ins(%zero : i32) outs(%e2 : tensor<1x4x1x1xi32>) -> tensor<1x4x1x1xi32>
  %y2 = linalg.conv_2d_nchw_fchw ins(%x, %w2 : tensor<1x4x6x6xi8>, tensor<4x4x6x6xi8>) outs(%f2 : tensor<1x4x1x1xi32>) -> tensor<1x4x1x1xi32>
  %flat2 = tensor.collapse_shape %y2 [[0], [1, 2, 3]] : tensor<1x4x1x1xi32> into tensor<1x4xi32>
  return %flat, %flat2 : tensor<1x144xi32>, tensor<1x4xi32>
}

// -----

// The loops of a pool of floats keep the order of their reductions, since it says which bits come out (N8); those of a
// greatest integer go along the input. What a body takes elements of has its channels last, too, and indices follow.

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>

// CHECK-LABEL: func.func @reductions(
// CHECK: %[[Y:.*]] = linalg.generic {{.*}}"reduction"{{.*}} outs(%{{.*}} : tensor<1x6x6x4xi32>)
// CHECK: %[[F:.*]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<1x6x6x4xi32>) outs(%{{.*}} : tensor<1x6x6x4xf32>)
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}}(d0, d1 * 2 + d5, d2 * 2 + d4, d3)>{{.*}} outs(%{{.*}} : tensor<1x3x3x4xf32>)
// CHECK: arith.addf
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}}(d0, d1 * 2 + d4, d2 * 2 + d5, d3)>{{.*}} outs(%{{.*}} : tensor<1x3x3x4xi32>)
// CHECK: arith.maxsi
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], {{.*}} outs(%{{.*}} : tensor<1x6x6x4xi32>)
// CHECK: %[[C:.*]] = linalg.index 3
// CHECK: %[[H:.*]] = linalg.index 1
// CHECK: tensor.extract %[[MAX]][%{{.*}}, %[[H]], %[[H]], %[[C]]] : tensor<1x3x3x4xi32>
func.func @reductions(%x: tensor<1x4x6x6xi8>, %w: tensor<4x4x1x1xi8>) -> (tensor<1x4x3x3xf32>, tensor<1x4x6x6xi32>) {
  %zero = arith.constant 0 : i32
  %real = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x6x6xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x4x6x6xi32>) -> tensor<1x4x6x6xi32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x4x6x6xi8>, tensor<4x4x1x1xi8>) outs(%f : tensor<1x4x6x6xi32>) -> tensor<1x4x6x6xi32>
  %ef = tensor.empty() : tensor<1x4x6x6xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<1x4x6x6xi32>) outs(%ef : tensor<1x4x6x6xf32>) {
  ^bb0(%a: i32, %o: f32):
    %v = arith.sitofp %a : i32 to f32
    linalg.yield %v : f32
  } -> tensor<1x4x6x6xf32>
  %es = tensor.empty() : tensor<1x4x3x3xf32>
  %fs = linalg.fill ins(%real : f32) outs(%es : tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  %win = tensor.empty() : tensor<2x2xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(n, c, oh, ow, kw, kh) -> (n, c, oh * 2 + kh, ow * 2 + kw)>,
                                          affine_map<(n, c, oh, ow, kw, kh) -> (kh, kw)>,
                                          affine_map<(n, c, oh, ow, kw, kh) -> (n, c, oh, ow)>],
                         iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%r, %win : tensor<1x4x6x6xf32>, tensor<2x2xf32>) outs(%fs : tensor<1x4x3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %v = arith.addf %acc, %a : f32
    linalg.yield %v : f32
  } -> tensor<1x4x3x3xf32>
  %em = tensor.empty() : tensor<1x4x3x3xi32>
  %fm = linalg.fill ins(%zero : i32) outs(%em : tensor<1x4x3x3xi32>) -> tensor<1x4x3x3xi32>
  %max = linalg.generic {indexing_maps = [affine_map<(n, c, oh, ow, kw, kh) -> (n, c, oh * 2 + kh, ow * 2 + kw)>,
                                          affine_map<(n, c, oh, ow, kw, kh) -> (kh, kw)>,
                                          affine_map<(n, c, oh, ow, kw, kh) -> (n, c, oh, ow)>],
                         iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%y, %win : tensor<1x4x6x6xi32>, tensor<2x2xf32>) outs(%fm : tensor<1x4x3x3xi32>) {
  ^bb0(%a: i32, %b: f32, %acc: i32):
    %v = arith.maxsi %acc, %a : i32
    linalg.yield %v : i32
  } -> tensor<1x4x3x3xi32>
  %back = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%e : tensor<1x4x6x6xi32>) {
  ^bb0(%o: i32):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %h = linalg.index 2 : index
    %v = tensor.extract %max[%n, %c, %h, %h] : tensor<1x4x3x3xi32>
    linalg.yield %v : i32
  } -> tensor<1x4x6x6xi32>
  return %sum, %back : tensor<1x4x3x3xf32>, tensor<1x4x6x6xi32>
}

// -----

// A product of the channels of pixels goes along; what a loop carries does not.

// CHECK-LABEL: func.func @product(
// CHECK: %[[X:.*]] = linalg.generic {{.*}}(d0, d3, d1, d2)>{{.*}} outs(%{{.*}} : tensor<1x6x6x8xi8>)
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d3, d4)>
// CHECK-SAME: ins(%[[X]], %{{.*}}) outs(%{{.*}} : tensor<1x6x6x16xi32>)
// CHECK: %[[Y:.*]] = linalg.generic {{.*}}ins(%[[T:.*]], %{{.*}} : tensor<1x6x6x16xi8>, {{.*}}) outs(%{{.*}} : tensor<1x6x6x4xi32>)
// CHECK: %[[BACK:.*]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<1x6x6x4xi32>) outs(%{{.*}} : tensor<1x4x6x6xi32>)
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[BACK]]) -> (tensor<1x4x6x6xi32>)
func.func @product(%real: tensor<1x8x6x6xf32>, %w: tensor<16x8xi8>, %w2: tensor<4x16x1x1xi8>, %n: index) -> tensor<1x4x6x6xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %ex = tensor.empty() : tensor<1x8x6x6xi8>
  %x = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%real : tensor<1x8x6x6xf32>) outs(%ex : tensor<1x8x6x6xi8>) {
  ^bb0(%a: f32, %o: i8):
    %r = arith.fptosi %a : f32 to i8
    linalg.yield %r : i8
  } -> tensor<1x8x6x6xi8>
  %ep = tensor.empty() : tensor<1x16x6x6xi32>
  %fp = linalg.fill ins(%zero : i32) outs(%ep : tensor<1x16x6x6xi32>) -> tensor<1x16x6x6xi32>
  %p = linalg.generic {indexing_maps = [affine_map<(n, f, h, w, c) -> (n, c, h, w)>, affine_map<(n, f, h, w, c) -> (f, c)>,
                                        affine_map<(n, f, h, w, c) -> (n, f, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x8x6x6xi8>, tensor<16x8xi8>) outs(%fp : tensor<1x16x6x6xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %a32 = arith.extsi %a : i8 to i32
    %b32 = arith.extsi %b : i8 to i32
    %m = arith.muli %a32, %b32 : i32
    %s = arith.addi %acc, %m : i32
    linalg.yield %s : i32
  } -> tensor<1x16x6x6xi32>
  %e8 = tensor.empty() : tensor<1x16x6x6xi8>
  %t = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p : tensor<1x16x6x6xi32>) outs(%e8 : tensor<1x16x6x6xi8>) {
  ^bb0(%a: i32, %o: i8):
    %r = arith.trunci %a : i32 to i8
    linalg.yield %r : i8
  } -> tensor<1x16x6x6xi8>
  %e = tensor.empty() : tensor<1x4x6x6xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x4x6x6xi32>) -> tensor<1x4x6x6xi32>
  %y = linalg.conv_2d_nchw_fchw ins(%t, %w2 : tensor<1x16x6x6xi8>, tensor<4x16x1x1xi8>) outs(%f : tensor<1x4x6x6xi32>) -> tensor<1x4x6x6xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %y) -> tensor<1x4x6x6xi32> {
    %next = arith.addi %v, %v : tensor<1x4x6x6xi32>
    scf.yield %next : tensor<1x4x6x6xi32>
  }
  return %r : tensor<1x4x6x6xi32>
}
