// RUN: qcc-opt %s -select-lowering-config=target=sapphirerapids | FileCheck %s
// RUN: qcc-opt %s -select-lowering-config=target=cascadelake+emulated-amx | FileCheck %s

// Four registers of sums; a megabyte of the weight is a block; signed rows are read in place.
// CHECK-LABEL: func.func @square
// CHECK: atom = "amx-int8", tile = [32, 32, 4], block = [2048, 512], lhs = in_place, source = model
func.func @square(%x: tensor<2048x2048xi8>, %w: tensor<2048x2048xi8>,
                  %o: tensor<2048x2048xi32>) -> tensor<2048x2048xi32> {
  %y = kernel.contract lhs(%x : tensor<2048x2048xi8>) rhs(%w : tensor<2048x2048xi8>) outs(%o : tensor<2048x2048xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2048x2048xi32>
  return %y : tensor<2048x2048xi32>
}

// A register has as many rows as there are.
// CHECK-LABEL: func.func @few_rows
// CHECK: atom = "amx-int8", tile = [7, 64, 4]
func.func @few_rows(%x: tensor<7x1024xi8>, %w: tensor<1024x1024xi8>, %o: tensor<7x1024xi32>) -> tensor<7x1024xi32> {
  %y = kernel.contract lhs(%x : tensor<7x1024xi8>) rhs(%w : tensor<1024x1024xi8>) outs(%o : tensor<7x1024xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<7x1024xi32>
  return %y : tensor<7x1024xi32>
}

// K is no multiple of a step of 64: rows are copied.
// CHECK-LABEL: func.func @odd
// CHECK: atom = "amx-int8", {{.*}} lhs = panel
func.func @odd(%x: tensor<1031x1031xi8>, %w: tensor<1031x1031xi8>, %o: tensor<1031x1031xi32>) -> tensor<1031x1031xi32> {
  %y = kernel.contract lhs(%x : tensor<1031x1031xi8>) rhs(%w : tensor<1031x1031xi8>) outs(%o : tensor<1031x1031xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<1031x1031xi32>
  return %y : tensor<1031x1031xi32>
}

// Most of a step would be padding.
// CHECK-LABEL: func.func @short
// CHECK: atom = "avx512vnni"
func.func @short(%x: tensor<64x8xi8>, %w: tensor<64x8xi8>, %o: tensor<64x64xi32>) -> tensor<64x64xi32> {
  %y = kernel.contract lhs(%x : tensor<64x8xi8>) rhs(%w : tensor<64x8xi8>) outs(%o : tensor<64x64xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<64x64xi32>
  return %y : tensor<64x64xi32>
}

// One row takes as many loads with either.
// CHECK-LABEL: func.func @one_row
// CHECK: atom = "avx512vnni"
func.func @one_row(%x: tensor<1x4096xi8>, %w: tensor<4096x4096xi8>, %o: tensor<1x4096xi32>) -> tensor<1x4096xi32> {
  %y = kernel.contract lhs(%x : tensor<1x4096xi8>) rhs(%w : tensor<4096x4096xi8>) outs(%o : tensor<1x4096xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<1x4096xi32>
  return %y : tensor<1x4096xi32>
}

// A step lacks one element of K: a copy of the rows with room for it is cheaper than another atom.
// CHECK-LABEL: func.func @almost_a_step
// CHECK: atom = "amx-int8", {{.*}} lhs = panel
func.func @almost_a_step(%x: tensor<512x63xi8>, %w: tensor<512x63xi8>, %o: tensor<512x512xi32>) -> tensor<512x512xi32> {
  %y = kernel.contract lhs(%x : tensor<512x63xi8>) rhs(%w : tensor<512x63xi8>) outs(%o : tensor<512x512xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<512x512xi32>
  return %y : tensor<512x512xi32>
}

// So little to multiply that what a tile costs once is more than it saves.
// CHECK-LABEL: func.func @tiny
// CHECK: atom = "avx512vnni"
func.func @tiny(%x: tensor<4x64xi8>, %w: tensor<4x64xi8>, %o: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %y = kernel.contract lhs(%x : tensor<4x64xi8>) rhs(%w : tensor<4x64xi8>) outs(%o : tensor<4x4xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<4x4xi32>
  return %y : tensor<4x4xi32>
}

// Two rows leave most of a tile empty.
// CHECK-LABEL: func.func @two_rows
// CHECK: atom = "avx512vnni"
func.func @two_rows(%x: tensor<2x4096xi8>, %w: tensor<4096x4096xi8>, %o: tensor<2x4096xi32>) -> tensor<2x4096xi32> {
  %y = kernel.contract lhs(%x : tensor<2x4096xi8>) rhs(%w : tensor<4096x4096xi8>) outs(%o : tensor<2x4096xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<2x4096xi32>
  return %y : tensor<2x4096xi32>
}
