// Constants of contractions of floats that are packed as they are stored.
// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(pack-operands{target=x86-64-v3}))' | FileCheck %s

#narrow = #x86.config<float_tiles, atom = "avx2-f32", tile = [2, 8, 1], block = [2, 8], lhs = in_place, rhs = narrow,
                      source = model>
#nibbles = #x86.config<float_tiles, atom = "avx2-f32", tile = [2, 8, 1], block = [2, 8], lhs = in_place, rhs = nibbles,
                       source = model>
#maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
         affine_map<(m, n, g, k) -> (n, g, 0)>, affine_map<(m, n, g, k) -> (m, n)>]

// Bytes stay bytes. Columns of the scales get innermost.
// CHECK-DAG: #[[SCALE:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, 0, d1)>
// CHECK-LABEL: func.func @bytes(
// CHECK-DAG: %[[W:.*]] = arith.constant dense_resource<bytes_packed> : tensor<1x4x8xi8>
// CHECK-DAG: %[[S:.*]] = arith.constant dense<{{\[\[\[}}1.000000e+00, 3.000000e+00]], {{\[\[}}2.000000e+00, 4.000000e+00]]]> : tensor<2x1x2xf32>
// CHECK: kernel.contract lhs(%arg0 : tensor<3x2x2xf32>) rhs(%[[W]] : tensor<1x4x8xi8>) rhs_ins(%[[S]] : tensor<2x1x2xf32>)
// CHECK-SAME: #[[SCALE]]
// CHECK-SAME: rhs_packed
// CHECK: rhs_prologue
// CHECK-NEXT: ^bb0(%[[A:.*]]: i8, %{{.*}}: f32):
// CHECK-NEXT: arith.sitofp %[[A]] : i8 to f32
func.func @bytes(%x: tensor<3x2x2xf32>, %o: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense<[[[1, 2], [3, 4]], [[5, 6], [-7, 100]]]> : tensor<2x2x2xi8>
  %s = arith.constant dense<[[[1.0], [2.0]], [[3.0], [4.0]]]> : tensor<2x2x1xf32>
  %y = kernel.contract lhs(%x : tensor<3x2x2xf32>) rhs(%w : tensor<2x2x2xi8>) rhs_ins(%s : tensor<2x2x1xf32>)
      outs(%o : tensor<3x2xf32>) {indexing_maps = #maps, reduction_dims = array<i64: 2, 3>, lowering_config = #narrow}
    rhs_prologue {
  ^bb0(%a: i8, %b: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    kernel.yield %1 : f32
  }
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// Eight nibbles of a column are a word: -8, -7, ..., -1, the first in the low bits.
// CHECK-LABEL: func.func @signed(
// CHECK: kernel.contract {{.*}} rhs(%{{.*}} : tensor<1x1x8xi32>)
// CHECK: rhs_prologue
// CHECK-NEXT: ^bb0(%[[A:.*]]: i8):
// CHECK-NEXT: arith.sitofp %[[A]] : i8 to f32
func.func @signed(%x: tensor<3x8xf32>, %o: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %w = arith.constant dense<[[-8, -7, -6, -5, -4, -3, -2, -1]]> : tensor<1x8xi8>
  %y = kernel.contract lhs(%x : tensor<3x8xf32>) rhs(%w : tensor<1x8xi8>) outs(%o : tensor<3x1xf32>)
      {lowering_config = #nibbles}
    rhs_prologue {
  ^bb0(%a: i8):
    %0 = arith.sitofp %a : i8 to f32
    kernel.yield %0 : f32
  }
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

// Unsigned ones are stored minus 8, which the prologue takes back.
// CHECK-LABEL: func.func @unsigned(
// CHECK: rhs_prologue
// CHECK-NEXT: ^bb0(%[[A:.*]]: i8):
// CHECK-NEXT: %[[EXTENDED:.*]] = arith.extsi %[[A]] : i8 to i32
// CHECK-NEXT: %[[OFFSET:.*]] = arith.constant -8 : i32
// CHECK-NEXT: %[[MOVED:.*]] = arith.subi %[[EXTENDED]], %[[OFFSET]] : i32
// CHECK-NEXT: %[[ELEMENT:.*]] = arith.trunci %[[MOVED]] : i32 to i8
// CHECK-NEXT: arith.uitofp %[[ELEMENT]] : i8 to f32
func.func @unsigned(%x: tensor<3x8xf32>, %o: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %w = arith.constant dense<[[15, 0, 1, 2, 3, 4, 5, 6]]> : tensor<1x8xi8>
  %y = kernel.contract lhs(%x : tensor<3x8xf32>) rhs(%w : tensor<1x8xi8>) outs(%o : tensor<3x1xf32>)
      {lowering_config = #nibbles}
    rhs_prologue {
  ^bb0(%a: i8):
    %0 = arith.uitofp %a : i8 to f32
    kernel.yield %0 : f32
  }
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

// The words: 8 9 a b c d e f of the first, and 7 8 9 a b c d e of 15 - 8, 0 - 8, ...
// CHECK-DAG: bytes_packed: "0x400000000105000000000000020600000000000003F9000000000000046400000000000
// CHECK-DAG: signed_packed: "0x4000000098BADCFE
// CHECK-DAG: unsigned_packed: "0x4000000087A9CBED
