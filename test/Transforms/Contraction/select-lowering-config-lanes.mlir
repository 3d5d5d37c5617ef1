// RUN: qcc-opt %s -select-lowering-config=target=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: qcc-opt %s -select-lowering-config=target=cascadelake | FileCheck %s --check-prefixes=CHECK,VNNI

#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>

// One column leaves most lanes of a vector of columns empty: lanes lie along K, results along rows.
// CHECK-LABEL: func.func @one_column
// AVX2: lowering_config = #x86.config<inner_product, atom = "avx2", tile = [8, 1, 2], block = [32, 1], lhs = in_place, source = model>
// VNNI: lowering_config = #x86.config<inner_product, atom = "avx512vnni", tile = [8, 1, 4], block = [64, 1], lhs = in_place, source = model>
func.func @one_column(%x: tensor<?x512xi8>, %o: tensor<?x1xi32>) -> tensor<?x1xi32> {
  %w = arith.constant dense<3> : tensor<1x512xi8>
  %y = kernel.contract lhs(%x : tensor<?x512xi8>) rhs(%w : tensor<1x512xi8>) outs(%o : tensor<?x1xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x1xi32>
  return %y : tensor<?x1xi32>
}

// One row times an activation: packing it would cost more than the product.
// CHECK-LABEL: func.func @one_row
// CHECK: rhs = in_place, source = model>
func.func @one_row(%x: tensor<32x1x64xi8>, %w: tensor<32x256x64xi8>, %o: tensor<32x1x256xi32>) -> tensor<32x1x256xi32> {
  %y = kernel.contract lhs(%x : tensor<32x1x64xi8>) rhs(%w : tensor<32x256x64xi8>) outs(%o : tensor<32x1x256xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<32x1x256xi32>
  return %y : tensor<32x1x256xi32>
}

// One row and weights that fit into the L2 cache: lanes along K need not broadcast.
// CHECK-LABEL: func.func @one_row_in_cache
// VNNI: lowering_config = #x86.config<inner_product, {{.*}} source = model>
func.func @one_row_in_cache(%x: tensor<1x1024xi8>, %o: tensor<1x1024xi32>) -> tensor<1x1024xi32> {
  %w = arith.constant dense<3> : tensor<1024x1024xi8>
  %y = kernel.contract lhs(%x : tensor<1x1024xi8>) rhs(%w : tensor<1024x1024xi8>) outs(%o : tensor<1x1024xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<1x1024xi32>
  return %y : tensor<1x1024xi32>
}

// More weights come as one stream, which lanes along K would cut.
// CHECK-LABEL: func.func @one_row_beyond_cache
// CHECK-NOT: lanes
// CHECK: return
func.func @one_row_beyond_cache(%x: tensor<1x1024xi8>, %o: tensor<1x1040xi32>) -> tensor<1x1040xi32> {
  %w = arith.constant dense<3> : tensor<1040x1024xi8>
  %y = kernel.contract lhs(%x : tensor<1x1024xi8>) rhs(%w : tensor<1040x1024xi8>) outs(%o : tensor<1x1040xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<1x1040xi32>
  return %y : tensor<1x1040xi32>
}

// Where K does not lie along its rows, lanes stay columns.
// CHECK-LABEL: func.func @one_row_times_rows
// AVX2: interleaved_columns, {{.*}} tile = [1, 16, 2], block = [1, 16], lhs = panel, source = model>
// VNNI: interleaved_columns, {{.*}} tile = [1, 64, 4], block = [1, 64], lhs = panel, source = model>
func.func @one_row_times_rows(%x: tensor<32x1x256xi8>, %w: tensor<32x256x64xi8>,
                              %o: tensor<32x1x64xi32>) -> tensor<32x1x64xi32> {
  %y = kernel.contract lhs(%x : tensor<32x1x256xi8>) rhs(%w : tensor<32x256x64xi8>) outs(%o : tensor<32x1x64xi32>)
      {indexing_maps = [#bmk, affine_map<(b, m, n, k) -> (b, k, n)>, #bmn]}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<32x1x64xi32>
  return %y : tensor<32x1x64xi32>
}

// Many of both.
// CHECK-LABEL: func.func @square
// CHECK-NOT: lanes
// CHECK: return
func.func @square(%x: tensor<256x256xi8>, %w: tensor<256x256xi8>, %o: tensor<256x256xi32>) -> tensor<256x256xi32> {
  %y = kernel.contract lhs(%x : tensor<256x256xi8>) rhs(%w : tensor<256x256xi8>) outs(%o : tensor<256x256xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<256x256xi32>
  return %y : tensor<256x256xi32>
}
