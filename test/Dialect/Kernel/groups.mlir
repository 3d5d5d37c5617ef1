// RUN: qcc-opt %s | qcc-opt | FileCheck %s

// Sums of integers for groups of K, and a chain over the groups.

// CHECK-LABEL: func.func @groups
// CHECK: kernel.contract lhs(%{{.*}} : tensor<?x4x16xi8>) rhs(%{{.*}} : tensor<24x4x16xi8>) init(%{{.*}} : tensor<24xf32>)
// CHECK-SAME: group_ins(%{{.*}}, %{{.*}} : tensor<?xf32>, tensor<4x24xf32>) outs(%{{.*}} : tensor<?x24xf32>)
// CHECK-SAME: reduction_dims = array<i64: 2, 3>
// CHECK: group_epilogue {
// CHECK-NEXT: ^bb0(%{{.*}}: i32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: epilogue {
// CHECK-NEXT: ^bb0(%{{.*}}: f32):
func.func @groups(%x: tensor<?x4x16xi8>, %w: tensor<24x4x16xi8>, %b: tensor<24xf32>, %sx: tensor<?xf32>,
                  %sw: tensor<4x24xf32>, %o: tensor<?x24xf32>) -> tensor<?x24xf32> {
  %y = kernel.contract lhs(%x : tensor<?x4x16xi8>) rhs(%w : tensor<24x4x16xi8>) init(%b : tensor<24xf32>)
      group_ins(%sx, %sw : tensor<?xf32>, tensor<4x24xf32>) outs(%o : tensor<?x24xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (n)>,
                        affine_map<(m, n, g, k) -> (m)>, affine_map<(m, n, g, k) -> (g, n)>,
                        affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %s: f32, %t: f32):
        %v = arith.sitofp %acc : i32 to f32
        %p = arith.mulf %s, %t : f32
        %next = math.fma %v, %p, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      } -> tensor<?x24xf32>
  return %y : tensor<?x24xf32>
}

// A word of nibbles holds 8 elements of K. Zero points may vary along groups.
// CHECK-LABEL: func.func @nibbles
// CHECK: kernel.contract {{.*}} rhs(%{{.*}} : memref<3x8x8xi32>) rhs_zero_point(%{{.*}} : memref<4x24xi32>) group_ins
// CHECK-SAME: rhs_packed
func.func @nibbles(%x: memref<7x4x16xi8>, %w: memref<3x8x8xi32>, %z: memref<4x24xi32>, %sx: memref<7xf32>,
                   %sw: memref<4x24xf32>, %o: memref<7x24xf32>) {
  kernel.contract lhs(%x : memref<7x4x16xi8>) rhs(%w : memref<3x8x8xi32>) rhs_zero_point(%z : memref<4x24xi32>)
      group_ins(%sx, %sw : memref<7xf32>, memref<4x24xf32>) outs(%o : memref<7x24xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (g, n)>,
                        affine_map<(m, n, g, k) -> (m)>, affine_map<(m, n, g, k) -> (g, n)>,
                        affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>, rhs_packed}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %s: f32, %t: f32):
        %v = arith.sitofp %acc : i32 to f32
        %p = arith.mulf %s, %t : f32
        %next = math.fma %v, %p, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      }
  return
}
