// RUN: qcc-opt %s -pack-operands=target=cascadelake | FileCheck %s

#nibbles = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 16, 4], block = [1, 16], lhs = panel, rhs = nibbles,
                       source = model>
#bytes = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 16, 4], block = [1, 16], lhs = panel, source = model>

// Two groups of 8 elements, plus 8, two elements in a byte. Nobody reads sums of columns.
// CHECK-LABEL: func.func @nibbles
// CHECK: kernel.contract {{.*}} rhs(%{{.*}} : tensor<1x2x16xi32>) group_ins
// CHECK-SAME: rhs_packed
func.func @nibbles(%x: tensor<3x2x8xi8>, %t: tensor<2x1xf32>, %o: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %w = arith.constant dense<[[[-8, -7, -6, -5, -4, -3, -2, -1], [0, 1, 2, 3, 4, 5, 6, 7]]]> : tensor<1x2x8xi8>
  %y = kernel.contract lhs(%x : tensor<3x2x8xi8>) rhs(%w : tensor<1x2x8xi8>) group_ins(%t : tensor<2x1xf32>)
      outs(%o : tensor<3x1xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (g, n)>, affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>, lowering_config = #nibbles}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %u: f32):
        %v = arith.sitofp %acc : i32 to f32
        %next = math.fma %v, %u, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      } -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

// The left operand is stored plus 128: sums of columns for each group.
// CHECK-LABEL: func.func @bytes
// CHECK: kernel.contract {{.*}} rhs(%{{.*}} : tensor<1x4x16xi32>) rhs_sums(%{{.*}} : tensor<2x16xi32>) group_ins
// CHECK-NOT: rhs_packed
func.func @bytes(%x: tensor<3x2x8xi8>, %t: tensor<2x1xf32>, %o: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %w = arith.constant dense<[[[1, 2, 3, 4, 5, 6, 7, 8], [0, 1, 2, 3, 4, 5, 6, 100]]]> : tensor<1x2x8xi8>
  %y = kernel.contract lhs(%x : tensor<3x2x8xi8>) rhs(%w : tensor<1x2x8xi8>) group_ins(%t : tensor<2x1xf32>)
      outs(%o : tensor<3x1xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (g, n)>, affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>, lowering_config = #bytes}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %u: f32):
        %v = arith.sitofp %acc : i32 to f32
        %next = math.fma %v, %u, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      } -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

// Elements 0 and 4, 1 and 5, ... of each group share a byte.
// CHECK: nibbles_packed: "0x4000000040516273{{0*}}C8D9EAFB
// CHECK: bytes_sums: "0x4000000024{{0*}}79
