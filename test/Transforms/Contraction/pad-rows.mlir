// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(pad-rows{target=sapphirerapids}))' | FileCheck %s
// RUN: sed 's/amx_tiles, atom = "amx-int8"/vector_tiles, atom = "avx512vnni"/' %s | qcc-opt -pass-pipeline='builtin.module(func.func(pad-rows{target=cascadelake}))' | FileCheck %s --check-prefix=VNNI
// RUN: not qcc-opt %s -pass-pipeline='builtin.module(func.func(pad-rows{target=pentium}))' 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: pentium
// VNNI-NOT: strided

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
