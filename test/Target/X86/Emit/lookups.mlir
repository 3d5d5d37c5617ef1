// RUN: qcc-opt %s -convert-kernel-to-x86 -canonicalize -cse | FileCheck %s

#zmm = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 64, 4], block = [1, 64], lhs = in_place, source = pinned>

// A table is looked up after the vectors are packed, once for all of them; packing still does the clamps of what is looked
// up. The byte itself is stored, too.
// CHECK-LABEL: func.func @last(
// CHECK-NOT: arith.maximumf
// CHECK: llvm.intr.lrint
// CHECK: %[[P:.*]] = llvm.call_intrinsic "llvm.x86.avx512.packsswb.512"
// CHECK: %[[Q:.*]] = vector.bitcast %{{.*}} : vector<16xi32> to vector<64xi8>
// CHECK: vector.transfer_write %[[Q]], %arg3
// CHECK: %[[Y:.*]] = kernel.lookup %{{.*}}, [1, 2, {{.*}}] : vector<64xi8>
// CHECK: vector.transfer_write %[[Y]], %arg4
// CHECK-NOT: kernel.lookup
func.func @last(%x: memref<1x8xi8>, %w: memref<1x2x64xi32>, %s: memref<64xi32>, %q: memref<1x64xi8>, %y: memref<1x64xi8>) {
  kernel.contract lhs(%x : memref<1x8xi8>) rhs(%w : memref<1x2x64xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%q, %y : memref<1x64xi8>, memref<1x64xi8>) {facts = #kernel.facts<epilogue_ranges = array<f64>>, lhs_unsigned, lowering_config = #zmm}
      epilogue {
      ^bb0(%acc: i32):
        %scale = arith.constant 0.125 : f32
        %low = arith.constant -128.0 : f32
        %high = arith.constant 127.0 : f32
        %f = arith.sitofp %acc : i32 to f32
        %m = arith.mulf %f, %scale : f32
        %a = arith.maximumf %m, %low : f32
        %b = arith.minimumf %a, %high : f32
        %r = math.roundeven %b : f32
        %i = arith.fptosi %r : f32 to i32
        %t = arith.trunci %i : i32 to i8
        %l = kernel.lookup %t, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
            33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64,
            65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96,
            97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, -128,
            -127, -126, -125, -124, -123, -122, -121, -120, -119, -118, -117, -116, -115, -114, -113, -112, -111, -110, -109, -108, -107, -106, -105, -104, -103, -102, -101, -100, -99, -98, -97, -96,
            -95, -94, -93, -92, -91, -90, -89, -88, -87, -86, -85, -84, -83, -82, -81, -80, -79, -78, -77, -76, -75, -74, -73, -72, -71, -70, -69, -68, -67, -66, -65, -64,
            -63, -62, -61, -60, -59, -58, -57, -56, -55, -54, -53, -52, -51, -50, -49, -48, -47, -46, -45, -44, -43, -42, -41, -40, -39, -38, -37, -36, -35, -34, -33, -32,
            -31, -30, -29, -28, -27, -26, -25, -24, -23, -22, -21, -20, -19, -18, -17, -16, -15, -14, -13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0] : i8
        kernel.yield %t, %l : i8, i8
      }
  return
}

// Where something computes with what was looked up, it is looked up in each vector, and clamped before.
// CHECK-LABEL: func.func @read(
// CHECK: arith.maximumf
// CHECK: arith.minimumf
// CHECK: %[[T:.*]] = arith.trunci %{{.*}} : vector<16xi32> to vector<16xi8>
// CHECK: %[[L:.*]] = kernel.lookup %[[T]], {{.*}} : vector<16xi8>
// CHECK: arith.extsi %[[L]] : vector<16xi8> to vector<16xi32>
func.func @read(%x: memref<1x8xi8>, %w: memref<1x2x64xi32>, %s: memref<64xi32>, %y: memref<1x64xi32>) {
  kernel.contract lhs(%x : memref<1x8xi8>) rhs(%w : memref<1x2x64xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y : memref<1x64xi32>) {facts = #kernel.facts<epilogue_ranges = array<f64>>, lhs_unsigned, lowering_config = #zmm}
      epilogue {
      ^bb0(%acc: i32):
        %low = arith.constant -128.0 : f32
        %high = arith.constant 127.0 : f32
        %f = arith.sitofp %acc : i32 to f32
        %a = arith.maximumf %f, %low : f32
        %b = arith.minimumf %a, %high : f32
        %r = math.roundeven %b : f32
        %i = arith.fptosi %r : f32 to i32
        %t = arith.trunci %i : i32 to i8
        %l = kernel.lookup %t, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
            33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64,
            65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96,
            97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, -128,
            -127, -126, -125, -124, -123, -122, -121, -120, -119, -118, -117, -116, -115, -114, -113, -112, -111, -110, -109, -108, -107, -106, -105, -104, -103, -102, -101, -100, -99, -98, -97, -96,
            -95, -94, -93, -92, -91, -90, -89, -88, -87, -86, -85, -84, -83, -82, -81, -80, -79, -78, -77, -76, -75, -74, -73, -72, -71, -70, -69, -68, -67, -66, -65, -64,
            -63, -62, -61, -60, -59, -58, -57, -56, -55, -54, -53, -52, -51, -50, -49, -48, -47, -46, -45, -44, -43, -42, -41, -40, -39, -38, -37, -36, -35, -34, -33, -32,
            -31, -30, -29, -28, -27, -26, -25, -24, -23, -22, -21, -20, -19, -18, -17, -16, -15, -14, -13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0] : i8
        %e = arith.extsi %l : i8 to i32
        kernel.yield %e : i32
      }
  return
}
