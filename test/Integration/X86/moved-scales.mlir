// REQUIRES: x86-64-v3
// Scales of channels and rows move with what they belong to: through pads at either end, slices, transposes, broadcasts and
// reshapes, known or not. What a pad adds has the scale 1, and the difference 0 whatever the zero points are.
// RUN: qcc run %s --entry=channels --weights=random:2 --input=random:1:-4:4 --check | FileCheck %s
// RUN: qcc run %s --entry=rows --weights=random:2 --input=random:1:-4:4 --dim=3 --dim=3 --check | FileCheck %s
// RUN: qcc run %s --entry=rows --weights=random:2 --input=random:1:-4:4 --dim=0 --dim=0 --check | FileCheck %s
// RUN: qcc run %s --entry=row_of_many --weights=random:2 --input=random:1:-4:4 --dim=0 --check | FileCheck %s --check-prefix=NONE
// RUN: qcc run %s --entry=row_of_many --weights=random:2 --input=random:1:-4:4 --dim=5 --check | FileCheck %s
// RUN: qcc run %s --entry=windows --weights=random:2 --input=random:1:-4:4 --check | FileCheck %s
// CHECK: check: {{[1-9][0-9]*}} elements, 0 differ
// NONE: check: 0 elements, 0 differ
!x = !quant.uniform<i8:f32, 3.7e-03:5>
!c = !quant.uniform<u8:f32:0, {0.1:3, 0.2, 0.3:255, 0.4:7}>
!h = !quant.uniform<i8:f32, 0.5:3>
!one = !quant.uniform<i8:f32:0, {0.1:3}>

func.func @channels(%x: tensor<5x62x!x>, %w: tensor<62x60xi8>, %s: tensor<62xf32>, %z: tensor<62xi8>, %v: tensor<4x60x!c>, %o: tensor<1x60x!one>)
    -> (tensor<5x64xf32>, tensor<5x64xf32>, tensor<5x7xf32>, tensor<5x5xf32>, tensor<5x12xf32>, tensor<5x6xf32>, tensor<5x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %xd = qnn.dequantize %x : tensor<5x62x!x> -> tensor<5x62xf32>
  // Scales at run time, without and with zero points of their own.
  %wd = qnn.dequantize %w scale(%s : tensor<62xf32>) {axis = 0 : i64} : tensor<62x60xi8> -> tensor<62x60xf32>
  %p = tensor.pad %wd low[2, 2] high[0, 0] {
  ^bb0(%p0: index, %p1: index):
    tensor.yield %zero : f32
  } : tensor<62x60xf32> to tensor<64x62xf32>
  %y0 = qnn.linear %xd, %p : tensor<5x62xf32>, tensor<64x62xf32> -> tensor<5x64xf32>
  %we = qnn.dequantize %w scale(%s : tensor<62xf32>) zero_point(%z : tensor<62xi8>) {axis = 0 : i64} : tensor<62x60xi8> -> tensor<62x60xf32>
  %q = tensor.pad %we low[1, 1] high[1, 1] {
  ^bb0(%q0: index, %q1: index):
    tensor.yield %zero : f32
  } : tensor<62x60xf32> to tensor<64x62xf32>
  %y1 = qnn.linear %xd, %q : tensor<5x62xf32>, tensor<64x62xf32> -> tensor<5x64xf32>

  // Known scales; only a part of what is padded.
  %vd = qnn.dequantize %v : tensor<4x60x!c> -> tensor<4x60xf32>
  %r = tensor.pad %vd low[2, 1] high[1, 1] {
  ^bb0(%r0: index, %r1: index):
    tensor.yield %zero : f32
  } : tensor<4x60xf32> to tensor<7x62xf32>
  %y2 = qnn.linear %xd, %r : tensor<5x62xf32>, tensor<7x62xf32> -> tensor<5x7xf32>
  %part = tensor.extract_slice %r[1, 0] [5, 62] [1, 1] : tensor<7x62xf32> to tensor<5x62xf32>
  %y3 = qnn.linear %xd, %part : tensor<5x62xf32>, tensor<5x62xf32> -> tensor<5x5xf32>

  // A padded matrix for each of several heads, which are joined: the scale is repeated.
  %e = tensor.empty() : tensor<6x2x62xf32>
  %t = tensor.pad %vd low[0, 2] high[2, 0] {
  ^bb0(%t0: index, %t1: index):
    tensor.yield %zero : f32
  } : tensor<4x60xf32> to tensor<6x62xf32>
  %b = linalg.broadcast ins(%t : tensor<6x62xf32>) outs(%e : tensor<6x2x62xf32>) dimensions = [1]
  %joined = tensor.collapse_shape %b [[0, 1], [2]] : tensor<6x2x62xf32> into tensor<12x62xf32>
  %y4 = qnn.linear %xd, %joined : tensor<5x62xf32>, tensor<12x62xf32> -> tensor<5x12xf32>

  // Transposed, taken apart and joined in another order.
  %te = tensor.empty() : tensor<62x6xf32>
  %tt = linalg.transpose ins(%t : tensor<6x62xf32>) outs(%te : tensor<62x6xf32>) permutation = [1, 0]
  %apart = tensor.expand_shape %tt [[0], [1, 2]] output_shape [62, 3, 2] : tensor<62x6xf32> into tensor<62x3x2xf32>
  %me = tensor.empty() : tensor<2x3x62xf32>
  %mixed = linalg.transpose ins(%apart : tensor<62x3x2xf32>) outs(%me : tensor<2x3x62xf32>) permutation = [2, 1, 0]
  %again = tensor.collapse_shape %mixed [[0, 1], [2]] : tensor<2x3x62xf32> into tensor<6x62xf32>
  %y5 = qnn.linear %xd, %again : tensor<5x62xf32>, tensor<6x62xf32> -> tensor<5x6xf32>

  // One channel does not vary, and gives its scale to what is added.
  %od = qnn.dequantize %o : tensor<1x60x!one> -> tensor<1x60xf32>
  %u = tensor.pad %od low[1, 0] high[1, 2] {
  ^bb0(%u0: index, %u1: index):
    tensor.yield %zero : f32
  } : tensor<1x60xf32> to tensor<3x62xf32>
  %y6 = qnn.linear %xd, %u : tensor<5x62xf32>, tensor<3x62xf32> -> tensor<5x3xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6 : tensor<5x64xf32>, tensor<5x64xf32>, tensor<5x7xf32>, tensor<5x5xf32>, tensor<5x12xf32>, tensor<5x6xf32>, tensor<5x3xf32>
}

// Rows with scales of their own, as many as there are, padded by as many as there are.
func.func @rows(%x: tensor<?x60xi8>, %s: tensor<?x1xf32>, %w: tensor<4x62x!x>) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x60xi8>
  %xd = qnn.dequantize %x scale(%s : tensor<?x1xf32>) : tensor<?x60xi8> -> tensor<?x60xf32>
  %p = tensor.pad %xd low[%m, 1] high[1, 1] {
  ^bb0(%p0: index, %p1: index):
    tensor.yield %zero : f32
  } : tensor<?x60xf32> to tensor<?x62xf32>
  %wd = qnn.dequantize %w : tensor<4x62x!x> -> tensor<4x62xf32>
  %y = qnn.linear %p, %wd : tensor<?x62xf32>, tensor<4x62xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// One row of several, with its scale, repeated along K: all rows of the product have that scale, also none.
func.func @row_of_many(%x: tensor<3x?xi8>, %s: tensor<3x1xf32>, %w: tensor<16x33x!x>) -> tensor<?x33xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c1 : tensor<3x?xi8>
  %xd = qnn.dequantize %x scale(%s : tensor<3x1xf32>) : tensor<3x?xi8> -> tensor<3x?xf32>
  %e0 = tensor.empty(%m) : tensor<?xf32>
  %row = linalg.generic {indexing_maps = [affine_map<(d0) -> (1, d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%xd : tensor<3x?xf32>) outs(%e0 : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?xf32>
  %e1 = tensor.empty(%m) : tensor<?x16xf32>
  %all = linalg.broadcast ins(%row : tensor<?xf32>) outs(%e1 : tensor<?x16xf32>) dimensions = [1]
  %wd = qnn.dequantize %w : tensor<16x33x!x> -> tensor<16x33xf32>
  %e2 = tensor.empty(%m) : tensor<?x33xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x33xf32>) -> tensor<?x33xf32>
  %y = linalg.matmul ins(%all, %wd : tensor<?x16xf32>, tensor<16x33xf32>) outs(%zeros : tensor<?x33xf32>) -> tensor<?x33xf32>
  return %y : tensor<?x33xf32>
}

// Channels that overlap, and others that no movement but linalg.generic makes.
func.func @windows(%x: tensor<5x8x!h>, %w: tensor<4x8xi8>, %s: tensor<4xf32>, %z: tensor<4xi8>, %p: tensor<4x4xi8>, %ps: tensor<4x1xf32>) -> (tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x4xf32>, tensor<4x3xf32>) {
  %xd = qnn.dequantize %x : tensor<5x8x!h> -> tensor<5x8xf32>
  %wd = qnn.dequantize %w scale(%s : tensor<4xf32>) zero_point(%z : tensor<4xi8>) {axis = 0 : i64} : tensor<4x8xi8> -> tensor<4x8xf32>
  %e = tensor.empty() : tensor<3x2x8xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(a,b,k) -> (a+b,k)>, affine_map<(a,b,k) -> (a,b,k)>], iterator_types = ["parallel","parallel","parallel"]} ins(%wd : tensor<4x8xf32>) outs(%e : tensor<3x2x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<3x2x8xf32>
  %c = tensor.collapse_shape %g [[0,1],[2]] : tensor<3x2x8xf32> into tensor<6x8xf32>
  %y = qnn.linear %xd, %c : tensor<5x8xf32>, tensor<6x8xf32> -> tensor<5x6xf32>

  // In another order.
  %e2 = tensor.empty() : tensor<2x3x8xf32>
  %g2 = linalg.generic {indexing_maps = [affine_map<(a,b,k) -> (3 - a - b,k)>, affine_map<(a,b,k) -> (b,a,k)>], iterator_types = ["parallel","parallel","parallel"]} ins(%wd : tensor<4x8xf32>) outs(%e2 : tensor<2x3x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<2x3x8xf32>
  %c2 = tensor.collapse_shape %g2 [[0,1],[2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %y2 = qnn.linear %xd, %c2 : tensor<5x8xf32>, tensor<6x8xf32> -> tensor<5x6xf32>

  // One channel of several.
  %e3 = tensor.empty() : tensor<4x8xf32>
  %g3 = linalg.generic {indexing_maps = [affine_map<(a,k) -> (2,k)>, affine_map<(a,k) -> (a,k)>], iterator_types = ["parallel","parallel"]} ins(%wd : tensor<4x8xf32>) outs(%e3 : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<4x8xf32>
  %y3 = qnn.linear %xd, %g3 : tensor<5x8xf32>, tensor<4x8xf32> -> tensor<5x4xf32>

  // The diagonal, each element with the scale of its row; every second channel of overlapping ones.
  %pd = qnn.dequantize %p scale(%ps : tensor<4x1xf32>) : tensor<4x4xi8> -> tensor<4x4xf32>
  %e4 = tensor.empty() : tensor<4x8xf32>
  %g4 = linalg.generic {indexing_maps = [affine_map<(a,k) -> (a,a)>, affine_map<(a,k) -> (a,k)>], iterator_types = ["parallel","parallel"]} ins(%pd : tensor<4x4xf32>) outs(%e4 : tensor<4x8xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<4x8xf32>
  %sl = tensor.extract_slice %c[1,0][3,8][2,1] : tensor<6x8xf32> to tensor<3x8xf32>
  %y4 = qnn.linear %g4, %sl : tensor<4x8xf32>, tensor<3x8xf32> -> tensor<4x3xf32>
  return %y, %y2, %y3, %y4 : tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x4xf32>, tensor<4x3xf32>
}
