// RUN: qcc-opt %s -convert-kernel-to-nvptx -canonicalize -cse | FileCheck %s

// A block has a tile of 32 rows by 32 columns, and four warps. Two of three stages are filled first. Before the loop, a warp
// loads the fragments of the first half of a slice: 16 rows, two times 8 columns.
// CHECK-LABEL: func.func @stages(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x256xi8>, %[[W:[a-z0-9]+]]: memref<20x64x1xi32>
// CHECK: nvptx.blocks %{{.*}} threads 128 shared 12288 {
// CHECK-NEXT: ^bb0(%[[BLOCK:.*]]: index, %[[THREAD:.*]]: index, %[[SHARED:.*]]: !llvm.ptr<3>):
// CHECK-COUNT-2: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg :
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-COUNT-2: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg :
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.barrier
// CHECK-COUNT-2: nvvm.ldmatrix
// Each slice loads the fragments of its second half, copies the slice behind the next, and multiplies its first half. Then it
// waits for the next slice and loads the fragments of its first half, before it multiplies the second half of its own.
// CHECK: scf.for %[[SLICE:.*]] = %c0 to %c2 step %c1 iter_args(%[[READ:[a-z0-9]+]] = %c0, %[[FILL:[a-z0-9]+]] = %c8192,
// CHECK-NOT: nvvm.{{barrier|cp.async|mma.sync}}
// CHECK-COUNT-2: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK-COUNT-2: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg :
// CHECK-NOT: nvvm.{{barrier|cp.async|ldmatrix}}
// CHECK-COUNT-2: nvvm.mma.sync {{.*}}intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>{{.*}}multiplicandAPtxType = #nvvm.mma_type<u8>, multiplicandBPtxType = #nvvm.mma_type<s8>, shape = #nvvm.shape<m = 16, n = 8, k = 32>}
// CHECK: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.barrier
// CHECK-COUNT-2: nvvm.ldmatrix
// CHECK-COUNT-2: nvvm.mma.sync
// CHECK-NOT: nvvm.{{barrier|cp.async|ldmatrix|mma.sync}}
// CHECK: } {loop_annotation = #{{.*}}}
// The last two slices have nothing to copy, and the last one nothing to wait for.
// CHECK-COUNT-2: nvvm.ldmatrix
// CHECK-COUNT-2: nvvm.mma.sync
// CHECK: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.barrier
// CHECK-COUNT-2: nvvm.ldmatrix
// CHECK-COUNT-2: nvvm.mma.sync
// CHECK-COUNT-2: nvvm.ldmatrix
// CHECK-NOT: nvvm.{{barrier|cp.async|ldmatrix}}
// CHECK-COUNT-4: nvvm.mma.sync
// CHECK-NOT: nvvm.{{barrier|cp.async|ldmatrix|mma.sync}}
// A thread has four columns of two rows: 16 bytes.
// CHECK: vector.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : memref<?x20xi32>, vector<4xi32>
// CHECK: vector.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : memref<?x20xi32>, vector<4xi32>
// CHECK-NOT: vector.store
func.func @stages(%x: memref<?x256xi8>, %w: memref<20x64x1xi32>, %s: memref<20xi32>, %y: memref<?x20xi32>) {
  kernel.contract lhs(%x : memref<?x256xi8>) rhs(%w : memref<20x64x1xi32>) rhs_sums(%s : memref<20xi32>) outs(%y : memref<?x20xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 256>, lhs_unsigned,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [32, 32, 64], warp = [16, 16], stages = 3, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// With two stages, the copies of a slice have only one slice of time: all of them come first, and each product follows its
// fragments.
// CHECK-LABEL: func.func @in_order(
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: nvvm.barrier
// CHECK-COUNT-2: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-2: nvvm.ldmatrix
// CHECK-COUNT-2: nvvm.mma.sync
// CHECK-COUNT-2: nvvm.ldmatrix
// CHECK-COUNT-2: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
// CHECK: } {loop_annotation = #{{.*}}}
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: nvvm.barrier
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-COUNT-4: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
func.func @in_order(%x: memref<?x256xi8>, %w: memref<20x64x1xi32>, %s: memref<20xi32>, %y: memref<?x20xi32>) {
  kernel.contract lhs(%x : memref<?x256xi8>) rhs(%w : memref<20x64x1xi32>) rhs_sums(%s : memref<20xi32>) outs(%y : memref<?x20xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 256>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [32, 32, 64], warp = [16, 16], stages = 2, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// Zero points: a product by ones sums up rows, the sums of columns come with the packed operand.
// CHECK-LABEL: func.func @zero_points(
// CHECK-SAME: %[[S:[a-z0-9]+]]: memref<16xi32>, %[[ZX:[a-z0-9]+]]: memref<i32>, %[[ZW:[a-z0-9]+]]: memref<16xi32>
// CHECK-DAG: %[[ONES:.*]] = arith.constant 16843009 : i32
// CHECK: nvvm.mma.sync
// CHECK: nvvm.mma.sync
// CHECK: nvvm.mma.sync A[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] B[%[[ONES]], %[[ONES]]]
// CHECK: %[[LZ:.*]] = memref.load %[[ZX]][]
// CHECK-DAG: vector.load %[[S]]{{.*}} {alignment = 16 : i64} : memref<16xi32>, vector<4xi32>
// CHECK-DAG: vector.load %[[ZW]]{{.*}} {alignment = 16 : i64} : memref<16xi32>, vector<4xi32>
// CHECK: arith.muli %[[LZ]],
// CHECK: arith.subi
func.func @zero_points(%x: memref<16x64xi8>, %w: memref<16x16x1xi32>, %s: memref<16xi32>, %zx: memref<i32>, %zw: memref<16xi32>, %y: memref<16x16xi32>) {
  kernel.contract lhs(%x : memref<16x64xi8>) rhs(%w : memref<16x16x1xi32>) rhs_sums(%s : memref<16xi32>)
    lhs_zero_point(%zx : memref<i32>) rhs_zero_point(%zw : memref<16xi32>) outs(%y : memref<16x16xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> ()>,
                      affine_map<(m, n, k) -> (n)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 64>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 2, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// sm_75 has no asynchronous copies, and atoms of 8 rows by 16 elements of K: chunks are loaded before the products of a
// step, and stored after them.
// CHECK-LABEL: func.func @registers(
// CHECK: scf.for
// CHECK-NOT: nvvm.cp.async
// CHECK: nvvm.barrier
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: nvvm.mma.sync {{.*}}shape = #nvvm.shape<m = 8, n = 8, k = 16>}
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
func.func @registers(%x: memref<16x256xi8>, %w: memref<16x64x1xi32>, %s: memref<16xi32>, %y: memref<16x16xi32>) {
  kernel.contract lhs(%x : memref<16x256xi8>) rhs(%w : memref<16x64x1xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<16x16xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 256>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m8n8k16", tile = [16, 16, 64], warp = [16, 16], stages = 2, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// Rows of 101 bytes start anywhere: words are shifted out of aligned ones, and near the end of the operand put together
// of bytes.
// CHECK-LABEL: func.func @anywhere(
// CHECK: %[[FITS:.*]] = llvm.intr.expect %{{.*}}, %true : i1
// CHECK: scf.if %[[FITS]] -> (i32, i32, i32, i32, i32,
// CHECK-COUNT-5: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: } else {
// CHECK-COUNT-20: llvm.load volatile %{{.*}} {alignment = 1 : i64} : !llvm.ptr<1> -> i8
// CHECK: llvm.intr.fshr
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
func.func @anywhere(%x: memref<16x101xi8>, %w: memref<16x32x1xi32>, %s: memref<16xi32>, %y: memref<16x16xi32>) {
  kernel.contract lhs(%x : memref<16x101xi8>) rhs(%w : memref<16x32x1xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<16x16xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 101>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 3, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// A prologue quantizes vectors of elements, an epilogue packs saturated bytes: rounding and clamping are those of the
// instructions.
// CHECK-LABEL: func.func @quantize(
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<16x128xf32>, vector<4xf32>
// CHECK: llvm.call_intrinsic "llvm.nvvm.f2i.rn"
// CHECK: llvm.inline_asm {{.*}}"cvt.pack.sat.s8.s32.b32 $0, $1, $2, $3;"
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: scf.for
// CHECK: } {loop_annotation
// CHECK: %[[F:.*]] = arith.sitofp
// CHECK: %[[V:.*]] = arith.mulf %[[F]],
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.f2i.rn"(%[[V]])
// CHECK-NOT: math.roundeven
// CHECK-NOT: arith.minimumf
// CHECK: vector.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : memref<16x16xi8>, vector<4xi8>
func.func @quantize(%x: memref<16x128xf32>, %w: memref<16x32x1xi32>, %s: memref<16xi32>, %y: memref<16x16xi8>) {
  kernel.contract lhs(%x : memref<16x128xf32>) rhs(%w : memref<16x32x1xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<16x16xi8>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 128>, facts = #kernel.facts<epilogue_ranges = array<f64>>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 3, source = model>}
  lhs_prologue {
  ^bb0(%element: f32):
    %low = arith.constant -128.0 : f32
    %high = arith.constant 127.0 : f32
    %a = arith.maximumf %element, %low : f32
    %b = arith.minimumf %a, %high : f32
    %zero = arith.constant 0.0 : f32
    %ordered = arith.cmpf ord, %b, %b : f32
    %c = arith.select %ordered, %b, %zero : f32
    %d = math.roundeven %c : f32
    %e = arith.fptosi %d : f32 to i32
    %byte = arith.trunci %e : i32 to i8
    kernel.yield %byte : i8
  } epilogue {
  ^bb0(%acc: i32):
    %scale = arith.constant 0.01 : f32
    %low = arith.constant -128.0 : f32
    %high = arith.constant 127.0 : f32
    %f = arith.sitofp %acc : i32 to f32
    %v = arith.mulf %f, %scale : f32
    %a = arith.maximumf %v, %low : f32
    %b = arith.minimumf %a, %high : f32
    %d = math.roundeven %b : f32
    %e = arith.fptosi %d : f32 to i32
    %byte = arith.trunci %e : i32 to i8
    kernel.yield %byte : i8
  }
  return
}

// A maximum with 0 before rounding and saturation to an unsigned byte is left out, whatever the range of numbers: ptxas makes
// one instruction of the three, which Hopper refuses as illegal. Of two clamps, the last one is such a maximum.
// CHECK-LABEL: func.func @unsigned_maximum(
// CHECK: nvvm.mma.sync
// CHECK: %[[V:.*]] = arith.minimumf
// CHECK: llvm.call_intrinsic "llvm.nvvm.f2i.rn"(%[[V]])
// CHECK: llvm.inline_asm {{.*}}"cvt.pack.sat.u8.s32.b32 $0, $1, $2, $3;"
func.func @unsigned_maximum(%x: memref<16x128xi8>, %w: memref<16x32x1xi32>, %s: memref<16xi32>, %y: memref<16x16xi8>) {
  kernel.contract lhs(%x : memref<16x128xi8>) rhs(%w : memref<16x32x1xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<16x16xi8>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 128>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 3, source = model>} epilogue {
  ^bb0(%acc: i32):
    %scale = arith.constant 1.0e+5 : f32
    %low = arith.constant 0.0 : f32
    %high = arith.constant 255.0 : f32
    %f = arith.sitofp %acc : i32 to f32
    %v = arith.mulf %f, %scale : f32
    %a = arith.minimumf %v, %high : f32
    %b = arith.maximumf %a, %low : f32
    %d = math.roundeven %b : f32
    %e = arith.fptosi %d : f32 to i32
    %byte = arith.trunci %e : i32 to i8
    kernel.yield %byte : i8
  }
  return
}

// The same of a number that is truncated.
// CHECK-LABEL: func.func @unsigned_maximum_truncated(
// CHECK: nvvm.mma.sync
// CHECK: %[[V:.*]] = arith.minimumf
// CHECK: llvm.call_intrinsic "llvm.nvvm.f2i.rz"(%[[V]])
// CHECK: llvm.inline_asm {{.*}}"cvt.pack.sat.u8.s32.b32 $0, $1, $2, $3;"
func.func @unsigned_maximum_truncated(%x: memref<16x128xi8>, %w: memref<16x32x1xi32>, %s: memref<16xi32>, %y: memref<16x16xi8>) {
  kernel.contract lhs(%x : memref<16x128xi8>) rhs(%w : memref<16x32x1xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<16x16xi8>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 128>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 3, source = model>} epilogue {
  ^bb0(%acc: i32):
    %scale = arith.constant 1.0e+5 : f32
    %low = arith.constant 0.0 : f32
    %high = arith.constant 255.0 : f32
    %f = arith.sitofp %acc : i32 to f32
    %v = arith.mulf %f, %scale : f32
    %a = arith.minimumf %v, %high : f32
    %b = arith.maximumf %a, %low : f32
    %e = arith.fptosi %b : f32 to i32
    %byte = arith.trunci %e : i32 to i8
    kernel.yield %byte : i8
  }
  return
}

// Elements of K do not follow each other where a row has a size that is not known: each is loaded by itself.
// CHECK-LABEL: func.func @transposed(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<64x?xi8>
// CHECK: memref.load %[[X]][
// CHECK-NOT: llvm.intr.fshr
// CHECK: nvvm.mma.sync
func.func @transposed(%x: memref<64x?xi8>, %w: memref<20x16x1xi32>, %s: memref<20xi32>, %y: memref<?x20xi32>) {
  kernel.contract lhs(%x : memref<64x?xi8>) rhs(%w : memref<20x16x1xi32>) rhs_sums(%s : memref<20xi32>) outs(%y : memref<?x20xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 64>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 2, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// Bytes of rows that start anywhere are stored one by one, each saturated by the conversion that rounds it.
// CHECK-LABEL: func.func @odd_columns(
// CHECK: %[[F:.*]] = arith.sitofp
// CHECK: %[[V:.*]] = arith.mulf %[[F]],
// CHECK: %[[BYTE:.*]] = llvm.inline_asm {{.*}}"cvt.rni.s8.f32 $0, $1;", "=h,f" %[[V]] : (f32) -> i16
// CHECK-NOT: arith.maxsi
// CHECK: memref.store %{{.*}} : memref<16x17xi8>
func.func @odd_columns(%x: memref<16x64xi8>, %w: memref<17x16x1xi32>, %s: memref<17xi32>, %y: memref<16x17xi8>) {
  kernel.contract lhs(%x : memref<16x64xi8>) rhs(%w : memref<17x16x1xi32>) rhs_sums(%s : memref<17xi32>) outs(%y : memref<16x17xi8>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 64>, facts = #kernel.facts<epilogue_ranges = array<f64>>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 3, source = model>}
  epilogue {
  ^bb0(%acc: i32):
    %scale = arith.constant 0.01 : f32
    %low = arith.constant -128.0 : f32
    %high = arith.constant 127.0 : f32
    %f = arith.sitofp %acc : i32 to f32
    %v = arith.mulf %f, %scale : f32
    %a = arith.maximumf %v, %low : f32
    %b = arith.minimumf %a, %high : f32
    %d = math.roundeven %b : f32
    %e = arith.fptosi %d : f32 to i32
    %byte = arith.trunci %e : i32 to i8
    kernel.yield %byte : i8
  }
  return
}

// Of a view that begins anywhere, and whose rows are a number of bytes apart that is known at run time only, elements are
// loaded one by one.
// CHECK-LABEL: func.func @view(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<16x64xi8, strided<[?, 1], offset: ?>>
// CHECK: memref.load %[[X]][
// CHECK: nvvm.mma.sync
func.func @view(%x: memref<16x64xi8, strided<[?, 1], offset: ?>>, %w: memref<16x16x1xi32>, %s: memref<16xi32>, %y: memref<16x16xi32>) {
  kernel.contract lhs(%x : memref<16x64xi8, strided<[?, 1], offset: ?>>) rhs(%w : memref<16x16x1xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<16x16xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 64>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 2, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// Rows of a view that begins at a multiple of 4 bytes are copied in units of 4.
// CHECK-LABEL: func.func @offset(
// CHECK: arith.addi %{{.*}}, %c36_i64
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = ca
func.func @offset(%x: memref<16x64xi8, strided<[128, 1], offset: 36>>, %w: memref<16x16x1xi32>, %s: memref<16xi32>, %y: memref<16x16xi32>) {
  kernel.contract lhs(%x : memref<16x64xi8, strided<[128, 1], offset: 36>>) rhs(%w : memref<16x16x1xi32>) rhs_sums(%s : memref<16xi32>) outs(%y : memref<16x16xi32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 64>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [16, 16, 64], warp = [16, 16], stages = 2, source = model>} epilogue {
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  }
  return
}

// Elements of a residual whose rows start anywhere have an address each: those of one row are loaded, and its results are
// stored before those of the next.
// CHECK-LABEL: func.func @residual_anywhere(
// CHECK-SAME: %[[R:[a-z0-9]+]]: memref<16x61xf32>, %[[Y:[a-z0-9]+]]: memref<16x61xf32>
// CHECK: nvvm.mma.sync
// CHECK-COUNT-16: memref.load %[[R]][
// CHECK-NOT: memref.load %[[R]][
// CHECK: memref.store %{{.*}}, %[[Y]][
// CHECK: memref.load %[[R]][
func.func @residual_anywhere(%x: memref<16x64xi8>, %w: memref<61x16x1xi32>, %s: memref<61xi32>, %r: memref<16x61xf32>, %y: memref<16x61xf32>) {
  kernel.contract lhs(%x : memref<16x64xi8>) rhs(%w : memref<61x16x1xi32>) rhs_sums(%s : memref<61xi32>) epilogue_ins(%r : memref<16x61xf32>) outs(%y : memref<16x61xf32>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 64>,
     lowering_config = #nvptx.config<multistage, atom = "mma-m16n8k32", tile = [16, 64, 64], warp = [16, 64], stages = 2, source = model>} epilogue {
  ^bb0(%acc: i32, %other: f32):
    %f = arith.sitofp %acc : i32 to f32
    %sum = arith.addf %f, %other : f32
    kernel.yield %sum : f32
  }
  return
}
