// RUN: qcc-opt %s -select-lowering-config=target=sapphirerapids --split-input-file --verify-diagnostics

// 31 rows are no two registers of equally many.
func.func @f(%x: tensor<64x64xi8>, %w: tensor<128x64xi8>, %o: tensor<64x128xi32>) -> tensor<64x128xi32> {
  // expected-error@+1 {{lowering_config does not fit atom "amx-int8": MR must be a number of registers of equally many rows, at most 16, and with their operands at most 8 registers; choose MR = 32 and NR = 32}}
  %y = kernel.contract lhs(%x : tensor<64x64xi8>) rhs(%w : tensor<128x64xi8>) outs(%o : tensor<64x128xi32>)
      {
       lowering_config = #x86.config<amx_tiles, atom = "amx-int8", tile = [31, 16, 4], block = [31, 16], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<64x128xi32>
  return %y : tensor<64x128xi32>
}

// -----

// Eight registers of sums leave none for operands.
func.func @f(%x: tensor<64x64xi8>, %w: tensor<128x64xi8>, %o: tensor<64x128xi32>) -> tensor<64x128xi32> {
  // expected-error@+1 {{lowering_config does not fit atom "amx-int8": MR must be a number of registers of equally many rows, at most 16, and with their operands at most 8 registers; choose MR = 32 and NR = 32}}
  %y = kernel.contract lhs(%x : tensor<64x64xi8>) rhs(%w : tensor<128x64xi8>) outs(%o : tensor<64x128xi32>)
      {
       lowering_config = #x86.config<amx_tiles, atom = "amx-int8", tile = [32, 64, 4], block = [32, 64], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<64x128xi32>
  return %y : tensor<64x128xi32>
}

// -----

// The last step would read past the rows.
func.func @f(%x: tensor<64x70xi8>, %w: tensor<128x70xi8>, %o: tensor<64x128xi32>) -> tensor<64x128xi32> {
  // expected-error@+1 {{lowering_config reads the left operand in place, but atom "amx-int8" takes it as a copy; use lhs = panel}}
  %y = kernel.contract lhs(%x : tensor<64x70xi8>) rhs(%w : tensor<128x70xi8>) outs(%o : tensor<64x128xi32>)
      {
       lowering_config = #x86.config<amx_tiles, atom = "amx-int8", tile = [32, 32, 4], block = [32, 32], lhs = in_place,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<64x128xi32>
  return %y : tensor<64x128xi32>
}
