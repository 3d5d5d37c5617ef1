// RUN: qcc-opt %s -split-input-file -verify-diagnostics -select-lowering-config=target=x86-64-v3

#bytes = #x86.config<vector_tiles, atom = "avx2-bytes", tile = [1, 8, 4], block = [1, 8], lhs = panel, source = pinned>

func.func @argument(%x: tensor<?x4xi8>, %w: tensor<2x4xi8>, %o: tensor<?x2xi32>) -> tensor<?x2xi32> {
  // expected-error@+1 {{lowering_config does not fit atom "avx2-bytes": sums of two products could saturate: the right operand is not a constant; choose another atom}}
  %y = kernel.contract lhs(%x : tensor<?x4xi8>) rhs(%w : tensor<2x4xi8>) outs(%o : tensor<?x2xi32>)
      {lowering_config = #bytes}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x2xi32>
  return %y : tensor<?x2xi32>
}

// -----

#bytes = #x86.config<vector_tiles, atom = "avx2-bytes", tile = [1, 8, 4], block = [1, 8], lhs = panel, source = pinned>

func.func @elements(%x: tensor<?x4xi8>, %o: tensor<?x2xi32>) -> tensor<?x2xi32> {
  %w = arith.constant dense<[[-3, 65, 0, 1], [1, 2, 3, 64]]> : tensor<2x4xi8>
  // expected-error@+1 {{lowering_config does not fit atom "avx2-bytes": sums of two products could saturate: the right operand has elements from -3 to 65, not within -64 and 64; choose another atom}}
  %y = kernel.contract lhs(%x : tensor<?x4xi8>) rhs(%w : tensor<2x4xi8>) outs(%o : tensor<?x2xi32>)
      {lowering_config = #bytes}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x2xi32>
  return %y : tensor<?x2xi32>
}

// -----

#bytes = #x86.config<vector_tiles, atom = "avx2-bytes", tile = [1, 8, 4], block = [1, 8], lhs = panel, source = pinned>

func.func @unsigned(%x: tensor<?x4xi8>, %o: tensor<?x2xi32>) -> tensor<?x2xi32> {
  %w = arith.constant dense<[[63, 65, -63, 127], [127, 127, 127, 64]]> : tensor<2x4xi8>
  // expected-error@+1 {{elements from 63 to 193, not within 64 and 192}}
  %y = kernel.contract lhs(%x : tensor<?x4xi8>) rhs(%w : tensor<2x4xi8>) outs(%o : tensor<?x2xi32>)
      {rhs_unsigned, lowering_config = #bytes}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x2xi32>
  return %y : tensor<?x2xi32>
}
