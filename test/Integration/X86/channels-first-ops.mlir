// REQUIRES: x86-64-v3
// Ops between convolutions with their channels first: groups, concatenation, slices, a resize, a pool, a product and a
// sum of all pixels, of images of any height.
// RUN: qcc run %s --mcpu=x86-64-v3 --weights=random:7 --input=random:1 --dim=2 --dim=7 --check | FileCheck %s
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake --weights=random:7 --input=random:1 --dim=1 --dim=1 --check | FileCheck %s %}
// RUN: qcc run %s --mcpu=x86-64-v3 --weights=random:7 --input=random:1 --dim=3 --dim=5 --check-steps | FileCheck %s
// CHECK: 0 differ

#in = affine_map<(n, g, f, oh, ow, c, kh, kw) -> (n, g, c, oh + kh, ow + kw)>
#we = affine_map<(n, g, f, oh, ow, c, kh, kw) -> (g, f, c, kh, kw)>
#ou = affine_map<(n, g, f, oh, ow, c, kh, kw) -> (n, g, f, oh, ow)>
#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#c = affine_map<(n, c, h, w) -> (c)>
#col = affine_map<(n, c, h, w) -> (w)>

func.func @mixed(%x: tensor<?x32x?x10xi8>) -> (tensor<?x64xi32>, tensor<?x32x?x10xi8>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x32x?x10xi8>
  %h = tensor.dim %x, %c2 : tensor<?x32x?x10xi8>
  %zero = arith.constant 0 : i32
  %z = arith.constant 5 : i8
  %zp = arith.constant 5 : i32
  %least = arith.constant -128 : i8
  // Two groups.
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %cc: index, %d: index):
    tensor.yield %z : i8
  } : tensor<?x32x?x10xi8> to tensor<?x32x?x12xi8>
  %ph = tensor.dim %p, %c2 : tensor<?x32x?x12xi8>
  %g = tensor.expand_shape %p [[0], [1, 2], [3], [4]] output_shape [%n, 2, 16, %ph, 12] : tensor<?x32x?x12xi8> into tensor<?x2x16x?x12xi8>
  %w1 = arith.constant dense_resource<w1> : tensor<2x16x16x3x3xi8>
  %e1 = tensor.empty(%n, %h) : tensor<?x2x16x?x10xi32>
  %f1 = linalg.fill ins(%zero : i32) outs(%e1 : tensor<?x2x16x?x10xi32>) -> tensor<?x2x16x?x10xi32>
  %y1 = linalg.generic {indexing_maps = [#in, #we, #ou], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%g, %w1 : tensor<?x2x16x?x12xi8>, tensor<2x16x16x3x3xi8>) outs(%f1 : tensor<?x2x16x?x10xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %a32 = arith.extsi %a : i8 to i32
    %az = arith.subi %a32, %zp : i32
    %b32 = arith.extsi %b : i8 to i32
    %m = arith.muli %az, %b32 : i32
    %s = arith.addi %acc, %m : i32
    linalg.yield %s : i32
  } -> tensor<?x2x16x?x10xi32>
  %u1 = tensor.collapse_shape %y1 [[0], [1, 2], [3], [4]] : tensor<?x2x16x?x10xi32> into tensor<?x32x?x10xi32>
  %e8 = tensor.empty(%n, %h) : tensor<?x32x?x10xi8>
  %b1 = arith.constant dense_resource<b1> : tensor<32xi32>
  %q1 = linalg.generic {indexing_maps = [#id, #c, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%u1, %b1 : tensor<?x32x?x10xi32>, tensor<32xi32>) outs(%e8 : tensor<?x32x?x10xi8>) {
  ^bb0(%a: i32, %b: i32, %o: i8):
    %k = arith.constant 9 : i32
    %ab = arith.addi %a, %b : i32
    %sh = arith.shrsi %ab, %k : i32
    %t = arith.trunci %sh : i32 to i8
    linalg.yield %t : i8
  } -> tensor<?x32x?x10xi8> loc("q1")
  // Concatenated with the input, and half of it taken.
  %cat = tensor.concat dim(1) %q1, %x : (tensor<?x32x?x10xi8>, tensor<?x32x?x10xi8>) -> tensor<?x64x?x10xi8>
  %half = tensor.extract_slice %cat[0, 16, 0, 0] [%n, 32, %h, 10] [1, 1, 1, 1] : tensor<?x64x?x10xi8> to tensor<?x32x?x10xi8>
  // Nearest neighbours: columns backwards.
  %cols = arith.constant dense<[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]> : tensor<10xi32>
  %back = linalg.generic {indexing_maps = [#col, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%cols : tensor<10xi32>) outs(%e8 : tensor<?x32x?x10xi8>) {
  ^bb0(%j: i32, %o: i8):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %i3 = arith.index_cast %j : i32 to index
    %v = tensor.extract %half[%i0, %i1, %i2, %i3] : tensor<?x32x?x10xi8>
    linalg.yield %v : i8
  } -> tensor<?x32x?x10xi8>
  // A pool of 1 x 2, padded so that sizes stay.
  %pp = tensor.pad %back low[0, 0, 0, 0] high[0, 0, 0, 1] {
  ^bb0(%a: index, %b: index, %cc: index, %d: index):
    tensor.yield %least : i8
  } : tensor<?x32x?x10xi8> to tensor<?x32x?x11xi8>
  %low = linalg.fill ins(%least : i8) outs(%e8 : tensor<?x32x?x10xi8>) -> tensor<?x32x?x10xi8>
  %win = tensor.empty() : tensor<1x2xi8>
  %pool = linalg.pooling_nchw_max {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%pp, %win : tensor<?x32x?x11xi8>, tensor<1x2xi8>) outs(%low : tensor<?x32x?x10xi8>) -> tensor<?x32x?x10xi8>
  // 1 x 1, then a global sum.
  %w2 = arith.constant dense_resource<w2> : tensor<64x32x1x1xi8>
  %e2 = tensor.empty(%n, %h) : tensor<?x64x?x10xi32>
  %f2 = linalg.fill ins(%zero : i32) outs(%e2 : tensor<?x64x?x10xi32>) -> tensor<?x64x?x10xi32>
  %y2 = linalg.conv_2d_nchw_fchw_q {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%pool, %w2, %zp, %zero : tensor<?x32x?x10xi8>, tensor<64x32x1x1xi8>, i32, i32) outs(%f2 : tensor<?x64x?x10xi32>) -> tensor<?x64x?x10xi32>
  %e3 = tensor.empty(%n) : tensor<?x64xi32>
  %f3 = linalg.fill ins(%zero : i32) outs(%e3 : tensor<?x64xi32>) -> tensor<?x64xi32>
  %y3 = linalg.reduce ins(%y2 : tensor<?x64x?x10xi32>) outs(%f3 : tensor<?x64xi32>) dimensions = [2, 3]
    (%a: i32, %acc: i32) {
      %s = arith.addi %a, %acc : i32
      linalg.yield %s : i32
    }
  return %y3, %pool : tensor<?x64xi32>, tensor<?x32x?x10xi8>
}
