// RUN: qcc-opt %s -share-steps=literals=false | FileCheck %s

#config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [4, 16, 4], block = [4, 16], lhs = in_place, source = model>

// Steps with equal literals become one; notes for people may differ. One with another literal stays.
// CHECK-LABEL: func.func private @f.step0(
// CHECK-NOT: func.func private @f.step1
// CHECK-LABEL: func.func private @f.step2(
// CHECK-LABEL: func.func @f(
// CHECK: call @f.step0(%{{.*}}) {qcc.kernel = {name = "f.step0"}}
// CHECK: call @f.step0(%{{.*}}) {qcc.kernel = {name = "f.step1"}}
// CHECK: call @f.step2(%{{.*}}) {qcc.kernel = {name = "f.step2"}}
func.func private @f.step0(%x: memref<4x8xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<4x16xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 3>} {
  kernel.contract lhs(%x : memref<4x8xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<4x16xf32>)
      {fused = ["qnn.linear"], lhs_unsigned, lowering_config = #config, qcc.values = [{layer = "a"}]}
      epilogue {
      ^bb0(%acc: i32):
        %scale = arith.constant 0.5 : f32
        %f = arith.sitofp %acc : i32 to f32
        %v = arith.mulf %f, %scale : f32
        kernel.yield %v : f32
      }
  return
}
func.func private @f.step1(%x: memref<4x8xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<4x16xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 3>} {
  kernel.contract lhs(%x : memref<4x8xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<4x16xf32>)
      {fused = ["qnn.conv2d", "qnn.dequantize"], lhs_unsigned, lowering_config = #config, qcc.origin = "linalg.generic"}
      epilogue {
      ^bb0(%acc: i32):
        %scale = arith.constant 0.5 : f32
        %f = arith.sitofp %acc : i32 to f32
        %v = arith.mulf %f, %scale : f32
        kernel.yield %v : f32
      }
  return
}
func.func private @f.step2(%x: memref<4x8xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<4x16xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 3>} {
  kernel.contract lhs(%x : memref<4x8xi8>) rhs(%w : memref<1x2x16xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<4x16xf32>)
      {fused = ["qnn.linear"], lhs_unsigned, lowering_config = #config}
      epilogue {
      ^bb0(%acc: i32):
        %scale = arith.constant 0.25 : f32
        %f = arith.sitofp %acc : i32 to f32
        %v = arith.mulf %f, %scale : f32
        kernel.yield %v : f32
      }
  return
}
func.func @f(%x: memref<4x8xi8>, %w: memref<1x2x16xi32>, %s: memref<16xi32>, %y: memref<4x16xf32>, %z: memref<4x16xf32>) attributes {qcc.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @f.step0(%x, %w, %s, %y, %c0, %c0, %c0, %c1) {qcc.kernel = {name = "f.step0"}} : (memref<4x8xi8>, memref<1x2x16xi32>, memref<16xi32>, memref<4x16xf32>, index, index, index, index) -> ()
  call @f.step1(%x, %w, %s, %z, %c0, %c0, %c0, %c1) {qcc.kernel = {name = "f.step1"}} : (memref<4x8xi8>, memref<1x2x16xi32>, memref<16xi32>, memref<4x16xf32>, index, index, index, index) -> ()
  call @f.step2(%x, %w, %s, %z, %c0, %c0, %c0, %c1) {qcc.kernel = {name = "f.step2"}} : (memref<4x8xi8>, memref<1x2x16xi32>, memref<16xi32>, memref<4x16xf32>, index, index, index, index) -> ()
  return
}
