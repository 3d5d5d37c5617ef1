// Tiles of floats fill the registers of the target; few rows take more vectors of columns.
// RUN: qcc-opt %s -select-lowering-config=target=x86-64-v3 | FileCheck %s --check-prefix=AVX2
// RUN: qcc-opt %s -select-lowering-config=target=skylake-avx512 | FileCheck %s --check-prefix=AVX512

// AVX2-LABEL: func.func @rows(
// AVX2: lowering_config = #x86.config<float_tiles, atom = "avx2-f32", tile = [6, 16, 1], block = [66, 16], lhs = in_place, source = model>
// AVX512-LABEL: func.func @rows(
// AVX512: lowering_config = #x86.config<float_tiles, atom = "avx512-f32", tile = [{{9, 48|14, 32}}, 1], block = [{{[0-9]+, [0-9]+}}], lhs = in_place, source = model>
func.func @rows(%x: tensor<?x512xf32>, %w: tensor<512x512xf32>, %o: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %y = kernel.contract lhs(%x : tensor<?x512xf32>) rhs(%w : tensor<512x512xf32>) outs(%o : tensor<?x512xf32>)
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}

// AVX2-LABEL: func.func @row(
// AVX2: tile = [1, {{32|40|48|56}}, 1]
func.func @row(%x: tensor<1x512xf32>, %w: tensor<512x512xf32>, %o: tensor<1x512xf32>) -> tensor<1x512xf32> {
  %y = kernel.contract lhs(%x : tensor<1x512xf32>) rhs(%w : tensor<512x512xf32>) outs(%o : tensor<1x512xf32>)
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<1x512xf32>
  return %y : tensor<1x512xf32>
}

// What a prologue computes is copied.
// AVX2-LABEL: func.func @widened(
// AVX2: lhs = panel
func.func @widened(%x: tensor<64x512xf16>, %w: tensor<512x512xf32>, %o: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %y = kernel.contract lhs(%x : tensor<64x512xf16>) rhs(%w : tensor<512x512xf32>) outs(%o : tensor<64x512xf32>)
    lhs_prologue {
  ^bb0(%a: f16):
    %0 = arith.extf %a : f16 to f32
    kernel.yield %0 : f32
  }
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}

// A short K along which elements of the right operand lie side by side is turned in place: for few rows, and for a number of
// rows that is not known. Many rows take a packed operand.
// AVX2-LABEL: func.func @few_turned(
// AVX2: rhs = in_place
func.func @few_turned(%x: tensor<4x64xf32>, %w: tensor<?x64xf32>, %o: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %y = kernel.contract lhs(%x : tensor<4x64xf32>) rhs(%w : tensor<?x64xf32>) outs(%o : tensor<4x?xf32>)
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// So are bytes that become floats, such as keys in a cache of int8.
// AVX2-LABEL: func.func @bytes_turned(
// AVX2: rhs = in_place
func.func @bytes_turned(%x: tensor<4x64xf32>, %w: tensor<?x64xi8>, %o: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %y = kernel.contract lhs(%x : tensor<4x64xf32>) rhs(%w : tensor<?x64xi8>) outs(%o : tensor<4x?xf32>)
    rhs_prologue {
  ^bb0(%a: i8):
    %0 = arith.sitofp %a : i8 to f32
    kernel.yield %0 : f32
  }
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// AVX2-LABEL: func.func @some_turned(
// AVX2: block = [{{25[0-9]}}, {{[0-9]+}}], lhs = in_place, rhs = in_place
func.func @some_turned(%x: tensor<?x64xf32>, %w: tensor<?x64xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = kernel.contract lhs(%x : tensor<?x64xf32>) rhs(%w : tensor<?x64xf32>) outs(%o : tensor<?x?xf32>)
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// AVX2-LABEL: func.func @many_packed(
// AVX2-NOT: rhs = in_place
// AVX2: return
func.func @many_packed(%x: tensor<4096x64xf32>, %w: tensor<1024x64xf32>, %o: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %y = kernel.contract lhs(%x : tensor<4096x64xf32>) rhs(%w : tensor<1024x64xf32>) outs(%o : tensor<4096x1024xf32>)
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  } -> tensor<4096x1024xf32>
  return %y : tensor<4096x1024xf32>
}
