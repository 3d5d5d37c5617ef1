// RUN: qcc-opt %s -split-input-file -verify-diagnostics -select-lowering-config=target=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: qcc-opt %s -split-input-file -verify-diagnostics -select-lowering-config=target=sapphirerapids | FileCheck %s --check-prefixes=CHECK,VNNI

// Constants of 4 bits are packed in nibbles; no sum of their products saturates. Tiles of AMX have no groups.
// CHECK-LABEL: func.func @nibbles
// AVX2: vector_tiles, atom = "avx2-bytes", {{.*}} lhs = panel, rhs = nibbles
// VNNI: vector_tiles, atom = "avx512vnni", {{.*}} lhs = panel, rhs = nibbles
func.func @nibbles(%x: tensor<40x4x32xi8>, %t: tensor<4x64xf32>, %o: tensor<40x64xf32>) -> tensor<40x64xf32> {
  %w = arith.constant dense<-8> : tensor<64x4x32xi8>
  %y = kernel.contract lhs(%x : tensor<40x4x32xi8>) rhs(%w : tensor<64x4x32xi8>) group_ins(%t : tensor<4x64xf32>)
      outs(%o : tensor<40x64xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (g, n)>, affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %u: f32):
        %v = arith.sitofp %acc : i32 to f32
        %next = math.fma %v, %u, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      } -> tensor<40x64xf32>
  return %y : tensor<40x64xf32>
}

// More bits take a byte each. Winograd's formula, whose sums are those of all K, is not used.
// CHECK-LABEL: func.func @bytes
// AVX2: vector_tiles, atom = "avx2", tile
// AVX2-NOT: nibbles
// VNNI: vector_tiles, atom = "avx512vnni", {{.*}} lhs = panel, source
func.func @bytes(%x: tensor<40x4x32xi8>, %t: tensor<4x64xf32>, %o: tensor<40x64xf32>) -> tensor<40x64xf32> {
  %w = arith.constant dense<100> : tensor<64x4x32xi8>
  %y = kernel.contract lhs(%x : tensor<40x4x32xi8>) rhs(%w : tensor<64x4x32xi8>) group_ins(%t : tensor<4x64xf32>)
      outs(%o : tensor<40x64xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (g, n)>, affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %u: f32):
        %v = arith.sitofp %acc : i32 to f32
        %next = math.fma %v, %u, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      } -> tensor<40x64xf32>
  return %y : tensor<40x64xf32>
}

// -----

#inner = #x86.config<inner_product, atom = "avx2", tile = [1, 1, 2], block = [8, 8], lhs = in_place, source = pinned>

func.func @strategy(%x: tensor<40x4x32xi8>, %t: tensor<4x64xf32>, %o: tensor<40x64xf32>) -> tensor<40x64xf32> {
  %w = arith.constant dense<100> : tensor<64x4x32xi8>
  // expected-error@+1 {{it has groups of K with sums of their own; use strategy vector_tiles}}
  %y = kernel.contract lhs(%x : tensor<40x4x32xi8>) rhs(%w : tensor<64x4x32xi8>) group_ins(%t : tensor<4x64xf32>)
      outs(%o : tensor<40x64xf32>)
      {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>,
                        affine_map<(m, n, g, k) -> (g, n)>, affine_map<(m, n, g, k) -> (m, n)>],
       reduction_dims = array<i64: 2, 3>, lowering_config = #inner}
      group_epilogue {
      ^bb0(%acc: i32, %total: f32, %u: f32):
        %v = arith.sitofp %acc : i32 to f32
        %next = math.fma %v, %u, %total : f32
        kernel.yield %next : f32
      }
      epilogue {
      ^bb0(%total: f32):
        kernel.yield %total : f32
      } -> tensor<40x64xf32>
  return %y : tensor<40x64xf32>
}

// -----

#nibbles = #x86.config<vector_tiles, atom = "avx2-bytes", tile = [1, 8, 4], block = [1, 8], lhs = panel, rhs = nibbles,
                       source = pinned>

func.func @elements(%x: tensor<40x4x32xi8>, %t: tensor<4x64xf32>, %o: tensor<40x64xf32>) -> tensor<40x64xf32> {
  %w = arith.constant dense<8> : tensor<64x4x32xi8>
  // expected-error@+1 {{rhs = nibbles needs groups of K of whole slices of 8 elements, or of floats, and a constant of 4 bits}}
  %y = kernel.contract lhs(%x : tensor<40x4x32xi8>) rhs(%w : tensor<64x4x32xi8>) group_ins(%t : tensor<4x64xf32>)
      outs(%o : tensor<40x64xf32>)
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
      } -> tensor<40x64xf32>
  return %y : tensor<40x64xf32>
}

// -----

#nibbles = #x86.config<inner_product, atom = "avx2", tile = [1, 1, 2], block = [8, 8], lhs = in_place, rhs = nibbles,
                       source = pinned>

func.func @reader(%x: tensor<4x32xi8>, %o: tensor<4x64xi32>) -> tensor<4x64xi32> {
  %w = arith.constant dense<7> : tensor<64x32xi8>
  // expected-error@+1 {{lowering_config has rhs = nibbles, but strategy 'inner_product' does not choose that; use vector_tiles}}
  %y = kernel.contract lhs(%x : tensor<4x32xi8>) rhs(%w : tensor<64x32xi8>) outs(%o : tensor<4x64xi32>)
      {lowering_config = #nibbles}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x64xi32>
  return %y : tensor<4x64xi32>
}
