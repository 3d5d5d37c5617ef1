// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(pad-rows{target=sapphirerapids}))' | FileCheck %s
// RUN: sed 's/amx_tiles, atom = "amx-int8"/vector_tiles, atom = "avx512vnni"/' %s | qcc-opt -pass-pipeline='builtin.module(func.func(pad-rows{target=cascadelake}))' | FileCheck %s --check-prefix=VNNI
// RUN: not qcc-opt %s -pass-pipeline='builtin.module(func.func(pad-rows{target=pentium}))' 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: pentium
// VNNI-NOT: strided<[1088

#all = affine_map<(d0, d1) -> (d0, d1)>
#amx = #x86.config<amx_tiles, atom = "amx-int8", tile = [32, 32, 4], block = [32, 32], lhs = in_place, source = model>
#panel = #x86.config<amx_tiles, atom = "amx-int8", tile = [32, 32, 4], block = [32, 32], lhs = panel, source = model>

// What a kernel reads in place: 16 lines, and one more. An elementwise op may write it.
// CHECK-LABEL: func.func @read(
// CHECK: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?x1024xi8, strided<[1088, 1]>>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : memref<?x1024xi8, strided<[1088, 1]>>)
// CHECK: kernel.contract lhs(%{{.*}} : memref<?x1024xi8, strided<[1088, 1]>>)
func.func @read(%m: index, %a: memref<?x1024xi8>, %w: memref<2x256x32xi32>, %s: memref<64xi32>, %y: memref<?x64xi32>) {
  %x = memref.alloc(%m) {alignment = 64 : i64} : memref<?x1024xi8>
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<?x1024xi8>) outs(%x : memref<?x1024xi8>) {
  ^bb0(%e: i8, %out: i8):
    linalg.yield %e : i8
  }
  kernel.contract lhs(%x : memref<?x1024xi8>) rhs(%w : memref<2x256x32xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y : memref<?x64xi32>) {lowering_config = #amx}
    epilogue {
  ^bb0(%v: i32):
    kernel.yield %v : i32
  }
  return
}

// Matrices follow one another; 17 lines are odd already, 7 lines too few.
// CHECK-LABEL: func.func @ranks(
// CHECK: memref.alloc() : memref<3x5x512xi8, strided<[2880, 576, 1]>>
// CHECK: memref.alloc() : memref<3x5x1088xi8>
// CHECK: memref.alloc() : memref<3x5x384xi8>
func.func @ranks(%w: memref<2x128x32xi32>, %w17: memref<2x272x32xi32>, %w7: memref<2x96x32xi32>, %s: memref<64xi32>,
                 %y: memref<3x5x64xi32>) {
  %x = memref.alloc() : memref<3x5x512xi8>
  %x17 = memref.alloc() : memref<3x5x1088xi8>
  %x7 = memref.alloc() : memref<3x5x384xi8>
  kernel.contract lhs(%x : memref<3x5x512xi8>) rhs(%w : memref<2x128x32xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y : memref<3x5x64xi32>) {lowering_config = #amx}
    epilogue {
  ^bb0(%v: i32):
    kernel.yield %v : i32
  }
  kernel.contract lhs(%x17 : memref<3x5x1088xi8>) rhs(%w17 : memref<2x272x32xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y : memref<3x5x64xi32>) {lowering_config = #amx}
    epilogue {
  ^bb0(%v: i32):
    kernel.yield %v : i32
  }
  kernel.contract lhs(%x7 : memref<3x5x384xi8>) rhs(%w7 : memref<2x96x32xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y : memref<3x5x64xi32>) {lowering_config = #amx}
    epilogue {
  ^bb0(%v: i32):
    kernel.yield %v : i32
  }
  return
}

// Rows that are copied, a temporary that a view looks at, matrices of dynamic size, an argument.
// CHECK-LABEL: func.func @compact(
// CHECK-NOT: strided<[1088
func.func @compact(%m: index, %arg: memref<32x1024xi8>, %w: memref<2x256x32xi32>, %s: memref<64xi32>,
                   %y: memref<32x64xi32>, %y3: memref<2x?x64xi32>) {
  %copied = memref.alloc() : memref<32x1024xi8>
  %viewed = memref.alloc() : memref<32x1024xi8>
  %view = memref.expand_shape %viewed [[0, 1], [2]] output_shape [2, 16,
                                                                  1024] : memref<32x1024xi8> into memref<2x16x1024xi8>
  %dynamic = memref.alloc(%m) : memref<2x?x1024xi8>
  kernel.contract lhs(%copied : memref<32x1024xi8>) rhs(%w : memref<2x256x32xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y : memref<32x64xi32>) {lowering_config = #panel}
    epilogue {
  ^bb0(%v: i32):
    kernel.yield %v : i32
  }
  kernel.contract lhs(%viewed : memref<32x1024xi8>) rhs(%w : memref<2x256x32xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y : memref<32x64xi32>) {lowering_config = #amx}
    epilogue {
  ^bb0(%v: i32):
    kernel.yield %v : i32
  }
  kernel.contract lhs(%dynamic : memref<2x?x1024xi8>) rhs(%w : memref<2x256x32xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y3 : memref<2x?x64xi32>) {lowering_config = #amx}
    epilogue {
  ^bb0(%v: i32):
    kernel.yield %v : i32
  }
  kernel.contract lhs(%arg : memref<32x1024xi8>) rhs(%w : memref<2x256x32xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y : memref<32x64xi32>) {lowering_config = #amx}
    epilogue {
  ^bb0(%v: i32):
    kernel.yield %v : i32
  }
  return
}

#float = #x86.config<float_tiles, atom = "avx2-f32", tile = [4, 8, 1], block = [4, 8], lhs = in_place, source = model>

// Pixels of floats, with a border; views follow. Bytes with views stay.
// CHECK-LABEL: func.func @views(
// CHECK: %[[X:.*]] = memref.alloc() : memref<8x8x128xf32, strided<[1152, 144, 1]>>
// CHECK: kernel.fill_border %{{.*}} : f32 outs(%[[X]] : memref<8x8x128xf32, strided<[1152, 144, 1]>>)
// CHECK: %[[V:.*]] = memref.subview %[[X]][1, 1, 0] [6, 6, 128] [1, 1, 1] : memref<8x8x128xf32, strided<[1152, 144, 1]>> to memref<6x6x128xf32, strided<[1152, 144, 1], offset: 1296>>
// CHECK: linalg.generic {{.*}} outs(%[[V]] : memref<6x6x128xf32, strided<[1152, 144, 1], offset: 1296>>)
// CHECK: kernel.contract lhs(%[[X]] : memref<8x8x128xf32, strided<[1152, 144, 1]>>)
// CHECK: memref.alloc() : memref<8x1024xi8>
func.func @views(%a: memref<6x6x128xf32>, %b: memref<8x1024xi8>, %w: memref<1x1152x8xf32>, %y: memref<6x6x8xf32>, %wi: memref<2x256x32xi32>,
                 %s: memref<64xi32>, %yi: memref<8x64xi32>) {
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : memref<8x8x128xf32>
  kernel.fill_border %zero : f32 outs(%x : memref<8x8x128xf32>) low [1, 1, 0] high [1, 1, 0]
  %v = memref.subview %x[1, 1, 0] [6, 6, 128] [1, 1, 1] : memref<8x8x128xf32> to memref<6x6x128xf32, strided<[1024, 128, 1], offset: 1152>>
  linalg.generic {indexing_maps = [affine_map<(h, w, c) -> (h, w, c)>, affine_map<(h, w, c) -> (h, w, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%a : memref<6x6x128xf32>) outs(%v : memref<6x6x128xf32, strided<[1024, 128, 1], offset: 1152>>) {
  ^bb0(%e: f32, %out: f32):
    linalg.yield %e : f32
  }
  kernel.contract lhs(%x : memref<8x8x128xf32>) rhs(%w : memref<1x1152x8xf32>) outs(%y : memref<6x6x8xf32>)
      {indexing_maps = [affine_map<(h, w, n, c, i, j) -> (h + i, w + j, c)>, affine_map<(h, w, n, c, i, j) -> (n, c, i, j)>, affine_map<(h, w, n, c, i, j) -> (h, w, n)>],
       reduction_dims = array<i64: 3, 4, 5>, reduction_sizes = array<i64: 128, 3, 3>, rhs_packed, lowering_config = #float}
    epilogue {
  ^bb0(%acc: f32):
    kernel.yield %acc : f32
  }
  %xi = memref.alloc() : memref<8x1024xi8>
  %vi = memref.subview %xi[0, 0] [8, 1024] [1, 1] : memref<8x1024xi8> to memref<8x1024xi8, strided<[1024, 1]>>
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
    ins(%b : memref<8x1024xi8>) outs(%vi : memref<8x1024xi8, strided<[1024, 1]>>) {
  ^bb0(%e: i8, %out: i8):
    linalg.yield %e : i8
  }
  kernel.contract lhs(%xi : memref<8x1024xi8>) rhs(%wi : memref<2x256x32xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%yi : memref<8x64xi32>) {lowering_config = #amx}
    epilogue {
  ^bb0(%v1: i32):
    kernel.yield %v1 : i32
  }
  return
}
