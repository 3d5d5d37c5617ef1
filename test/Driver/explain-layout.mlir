// Images are stored with their channels innermost, so qcc moves what it takes and returns. No edit of the program avoids
// that: it has no transposition.

// RUN: env COLUMNS=1000 qcc explain %s --mcpu=x86-64-v3 | FileCheck %s --implicit-check-not=Transpose

#image = affine_map<(n, f, y, x, c, i, j) -> (n, c, y + i, x + j)>
#filter = affine_map<(n, f, y, x, c, i, j) -> (f, c, i, j)>
#out = affine_map<(n, f, y, x, c, i, j) -> (n, f, y, x)>

// CHECK: change of layout
// CHECK: why: it moves data, since qcc computes the steps around it in another order of dimensions, such as channels innermost
func.func @convolution(%x: tensor<1x16x10x10xf32>, %y: tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> {
  %w = arith.constant dense<0.5> : tensor<8x16x3x3xf32>
  %r = linalg.generic {indexing_maps = [#image, #filter, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x16x10x10xf32>, tensor<8x16x3x3xf32>) outs(%y : tensor<1x8x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x8x8x8xf32>
  return %r : tensor<1x8x8x8xf32>
}
