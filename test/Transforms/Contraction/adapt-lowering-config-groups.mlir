// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(adapt-lowering-config{target=cascadelake}))' | FileCheck %s

// Another tile of rows reads the right operand as it was packed: in nibbles.
// CHECK: kernel.contract {{.*}} lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [{{[3-9]}}, 64, 4], {{.*}} rhs = nibbles, source = model>
func.func @nibbles(%x: memref<40x8x32xi8>, %w: memref<4x32x64xi32>, %t: memref<8x256xf32>, %y: memref<40x256xf32>) {
  kernel.contract lhs(%x : memref<40x8x32xi8>) rhs(%w : memref<4x32x64xi32>) group_ins(%t : memref<8x256xf32>)
      outs(%y : memref<40x256xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (g, n)>, affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>, rhs_packed,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [2, 64, 4], block = [8, 64], lhs = panel, rhs = nibbles, source = model>}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %u: f32):
        %v = arith.sitofp %acc : i32 to f32
        %next = math.fma %v, %u, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      }
  return
}
