// RUN: qcc-opt %s -pack-operands=target=sapphirerapids | FileCheck %s

// CHECK-DAG: #[[$COLUMNS:.*]] = affine_map<()[s0] -> (s0 ceildiv 16)>
// CHECK-DAG: #[[$PADDED:.*]] = affine_map<()[s0] -> ((s0 ceildiv 16) * 16)>
// CHECK-DAG: #[[$BNK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>

#amx = #x86.config<amx_tiles, atom = "amx-int8", tile = [16, 16, 4], block = [16, 16], lhs = panel, source = model>
#cfg = #x86.config<vector_tiles, atom = "avx512vnni", tile = [2, 16, 4], block = [2, 16], lhs = panel, source = model>

// Four bytes of K in a word, sixteen columns beside each other, zeros past the end; the sums of the columns.
// CHECK-LABEL: func.func @constant
// CHECK-NOT: kernel.pack
// CHECK-DAG: %[[P:.*]] = arith.constant dense_resource<constant_packed> : tensor<1x2x16xi32>
// CHECK-DAG: %[[S:.*]] = arith.constant dense_resource<constant_sums> : tensor<16xi32>
// CHECK: kernel.contract lhs({{.*}}) rhs(%[[P]] : tensor<1x2x16xi32>) rhs_sums(%[[S]] : tensor<16xi32>)
func.func @constant(%x: tensor<2x5xi8>, %o: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %w = arith.constant dense<[[1, 2, 3, 4, 5], [-1, -2, -3, -4, -5], [127, -128, 0, 0, 1]]> : tensor<3x5xi8>
  %y = kernel.contract lhs(%x : tensor<2x5xi8>) rhs(%w : tensor<3x5xi8>) outs(%o : tensor<2x3xi32>)
      {lowering_config = #cfg}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x3xi32>
  return %y : tensor<2x3xi32>
}

// Unsigned elements are stored minus 128 where words hold four; a splat is written out.
// CHECK-LABEL: func.func @splat
// CHECK-NOT: kernel.pack
// CHECK: kernel.contract {{.*}} rhs_unsigned
func.func @splat(%x: tensor<2x5xi8>, %o: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %w = arith.constant dense<255> : tensor<5x3xi8>
  %y = kernel.contract lhs(%x : tensor<2x5xi8>) rhs(%w : tensor<5x3xi8>) outs(%o : tensor<2x3xi32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                        affine_map<(m, n, k) -> (m, n)>],
       rhs_unsigned, lowering_config = #cfg}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x3xi32>
  return %y : tensor<2x3xi32>
}

// A weight that is not constant is packed at run time, its prologue with it.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[N:.*]] = tensor.dim %arg1
// CHECK: %[[C:.*]] = affine.apply #[[$COLUMNS]]()[%[[N]]]
// CHECK: %[[A:.*]] = affine.apply #[[$PADDED]]()[%[[N]]]
// CHECK: %[[P:.*]] = tensor.empty(%[[C]]) : tensor<?x2x16xi32>
// CHECK: %[[S:.*]] = tensor.empty(%[[A]]) : tensor<?xi32>
// CHECK: %[[R:.*]]:2 = kernel.pack %arg1 : tensor<?x5xf32> ins(%arg2 : tensor<?xf32>) outs(%[[P]], %[[S]] : {{.*}}) {atom = "avx512vnni", indexing_maps = [#{{.*}}, #{{.*}}], num_batch = 0 : i64, reduction_sizes = array<i64: 5>, tile = array<i64: 16, 4>} prologue {
// CHECK: arith.divf
// CHECK: kernel.contract lhs({{.*}}) rhs(%[[R]]#0 : {{.*}}) rhs_sums(%[[R]]#1 : {{.*}}) outs
// CHECK-NOT: rhs_prologue
func.func @dynamic(%x: tensor<2x5xi8>, %w: tensor<?x5xf32>, %s: tensor<?xf32>, %o: tensor<2x?xi32>) -> tensor<2x?xi32> {
  %y = kernel.contract lhs(%x : tensor<2x5xi8>) rhs(%w : tensor<?x5xf32>) rhs_ins(%s : tensor<?xf32>)
      outs(%o : tensor<2x?xi32>) {lowering_config = #cfg}
      rhs_prologue {
      ^bb0(%a: f32, %b: f32):
        %d = arith.divf %a, %b : f32
        %q = arith.fptosi %d : f32 to i8
        kernel.yield %q : i8
      }
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x?xi32>
  return %y : tensor<2x?xi32>
}

// Tiles keep the sign of elements, and K is padded to their 64 bytes.
// CHECK-LABEL: func.func @tiles
// CHECK: kernel.contract {{.*}} rhs({{.*}} : tensor<1x16x16xi32>)
// CHECK: kernel.pack %arg1 : {{.*}} outs({{.*}} : tensor<1x32x16xi32>, tensor<16xi32>) {atom = "amx-int8", indexing_maps = {{.*}}, k_step = 64 : i64, num_batch = 0 : i64, reduction_sizes = array<i64: 65>, tile = array<i64: 16, 4>, unsigned_source}
func.func @tiles(%x: tensor<2x1xi8>, %w: tensor<65x3xi8>, %v: tensor<2x65xi8>,
                 %o: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
  %c = arith.constant dense<[[255, 2, 128]]> : tensor<1x3xi8>
  %y = kernel.contract lhs(%x : tensor<2x1xi8>) rhs(%c : tensor<1x3xi8>) outs(%o : tensor<2x3xi32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                        affine_map<(m, n, k) -> (m, n)>],
       rhs_unsigned, lowering_config = #amx}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x3xi32>
  %z = kernel.contract lhs(%v : tensor<2x65xi8>) rhs(%w : tensor<65x3xi8>) outs(%o : tensor<2x3xi32>)
      {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                        affine_map<(m, n, k) -> (m, n)>],
       rhs_unsigned, lowering_config = #amx}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x3xi32>
  return %y, %z : tensor<2x3xi32>, tensor<2x3xi32>
}

// Batch dimensions come first.
// CHECK-LABEL: func.func @batch
// CHECK: kernel.pack %arg1 : tensor<4x5x3xi8> outs({{.*}} : tensor<4x1x2x16xi32>, tensor<4x16xi32>) {atom = "avx512vnni", indexing_maps = [#[[$BNK]]], num_batch = 1
func.func @batch(%x: tensor<4x2x5xi8>, %w: tensor<4x5x3xi8>, %o: tensor<4x2x3xi32>) -> tensor<4x2x3xi32> {
  %y = kernel.contract lhs(%x : tensor<4x2x5xi8>) rhs(%w : tensor<4x5x3xi8>) outs(%o : tensor<4x2x3xi32>)
      {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>,
                        affine_map<(b, m, n, k) -> (b, m, n)>],
       lowering_config = #cfg}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x2x3xi32>
  return %y : tensor<4x2x3xi32>
}

// Neither columns nor K lie side by side: that it will be slow is noted.
// CHECK-LABEL: func.func @strided
// CHECK: kernel.pack {{.*}} qcc.refused = "its innermost dimension is neither the columns nor the innermost one of K; store it so that one of them is contiguous"
func.func @strided(%x: tensor<4x2x5xi8>, %w: tensor<5x3x4xi8>, %o: tensor<4x2x3xi32>) -> tensor<4x2x3xi32> {
  %y = kernel.contract lhs(%x : tensor<4x2x5xi8>) rhs(%w : tensor<5x3x4xi8>) outs(%o : tensor<4x2x3xi32>)
      {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n, b)>,
                        affine_map<(b, m, n, k) -> (b, m, n)>],
       lowering_config = #cfg}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x2x3xi32>
  return %y : tensor<4x2x3xi32>
}

// CHECK: constant_packed: "0x4000000001020304FFFEFDFC7F800000{{0*}}05000000FB00000001000000{{0*}}"
// CHECK: constant_sums: "0x400000000F000000F1FFFFFF{{0*}}"
// CHECK: splat_packed: "0x400000007F7F7F7F7F7F7F7F7F7F7F7F{{0*}}7F0000007F0000007F000000{{0*}}"
// CHECK: splat_sums: "0x400000007B0200007B0200007B020000{{0*}}"
// CHECK: tiles_packed: "0x40000000FF0000000200000080000000{{0*}}"
// CHECK: tiles_sums: "0x40000000FF0000000200000080000000{{0*}}"
