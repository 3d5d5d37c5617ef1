// RUN: qcc-opt %s --rewrite-amx-to-vector --expand-strided-metadata --lower-affine \
// RUN:   --convert-scf-to-cf --convert-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main --entry-point-result=i32 | FileCheck %s

// Kernels on AMX tiles, rewritten to vectors, against a plain loop nest: how many
// elements differ. In each block of 2 x 2 tiles the second row of tiles takes the
// left bytes as unsigned, the second column the right ones.
// CHECK: {{^0$}}

!t = !amx.tile<16x64xi8>
!s = !amx.tile<16x16xi32>
!a = memref<64x192xi8, strided<[200, 1], offset: 3>>
!b = memref<2x3x2x16x64xi8>
!c = memref<64x64xi32>

// C = start + A B for B = [N / 32, K / 64, 2, 16, 64]. Each block starts by storing
// the accumulators of the one before.
func.func private @gemm(%a: !a, %b: !b, %c: !c, %start: !c) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %z0 = amx.tile_zero : !s
  %z1 = amx.tile_zero : !s
  %z2 = amx.tile_zero : !s
  %z3 = amx.tile_zero : !s
  %e:6 = scf.for %m = %c0 to %c64 step %c32
      iter_args(%p0 = %z0, %p1 = %z1, %p2 = %z2, %p3 = %z3, %pm = %c0, %pn = %c0)
      -> (!s, !s, !s, !s, index, index) {
    %mh = arith.addi %m, %c16 : index
    %d:6 = scf.for %n = %c0 to %c2 step %c1
        iter_args(%q0 = %p0, %q1 = %p1, %q2 = %p2, %q3 = %p3, %qm = %pm, %qn = %pn)
        -> (!s, !s, !s, !s, index, index) {
      %qmh = arith.addi %qm, %c16 : index
      %qnh = arith.addi %qn, %c16 : index
      amx.tile_store %c[%qm, %qn], %q0 : !c, !s
      amx.tile_store %c[%qm, %qnh], %q1 : !c, !s
      amx.tile_store %c[%qmh, %qn], %q2 : !c, !s
      amx.tile_store %c[%qmh, %qnh], %q3 : !c, !s
      %n32 = arith.muli %n, %c32 : index
      %nh = arith.addi %n32, %c16 : index
      %i0 = amx.tile_load %start[%m, %n32] : !c into !s
      %i1 = amx.tile_load %start[%m, %nh] : !c into !s
      %i2 = amx.tile_load %start[%mh, %n32] : !c into !s
      %i3 = amx.tile_load %start[%mh, %nh] : !c into !s
      %r:4 = scf.for %k = %c0 to %c3 step %c1
          iter_args(%s0 = %i0, %s1 = %i1, %s2 = %i2, %s3 = %i3) -> (!s, !s, !s, !s) {
        %k64 = arith.muli %k, %c64 : index
        %a0 = amx.tile_load %a[%m, %k64] : !a into !t
        %a1 = amx.tile_load %a[%mh, %k64] : !a into !t
        %b0 = amx.tile_load %b[%n, %k, %c0, %c0, %c0] : !b into !t
        %b1 = amx.tile_load %b[%n, %k, %c1, %c0, %c0] : !b into !t
        %r0 = amx.tile_muli %a0, %b0, %s0 : !t, !t, !s
        %r1 = amx.tile_muli %a0, %b1 zext, %s1 : !t, !t, !s
        %r2 = amx.tile_muli %a1 zext, %b0, %s2 : !t, !t, !s
        %r3 = amx.tile_muli %a1 zext, %b1 zext, %s3 : !t, !t, !s
        scf.yield %r0, %r1, %r2, %r3 : !s, !s, !s, !s
      }
      scf.yield %r#0, %r#1, %r#2, %r#3, %m, %n32 : !s, !s, !s, !s, index, index
    }
    scf.yield %d#0, %d#1, %d#2, %d#3, %d#4, %d#5 : !s, !s, !s, !s, index, index
  }
  %emh = arith.addi %e#4, %c16 : index
  %enh = arith.addi %e#5, %c16 : index
  amx.tile_store %c[%e#4, %e#5], %e#0 : !c, !s
  amx.tile_store %c[%e#4, %enh], %e#1 : !c, !s
  amx.tile_store %c[%emh, %e#5], %e#2 : !c, !s
  amx.tile_store %c[%emh, %enh], %e#3 : !c, !s
  return
}

// Small tiles and pitches of their own: 5 rows of 24 bytes by 6 rows of 11 words,
// out of the same operands, into the corner of C.
!ta = !amx.tile<5x24xi8>
!tb = !amx.tile<6x44xi8>
!tc = !amx.tile<5x11xi32>
func.func private @corner(%a: memref<?xi8>, %b: !b, %c: !c, %start: !c) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c200 = arith.constant 200 : index
  %ta = amx.tile_load %a[%c3], %c200 : memref<?xi8> into !ta
  %tb = amx.tile_load %b[%c0, %c0, %c0, %c0, %c0] : !b into !tb
  %tc = amx.tile_load %start[%c0, %c0] : !c into !tc
  %r = amx.tile_muli %ta, %tb, %tc : !ta, !tb, !tc
  %c64 = arith.constant 64 : index
  amx.tile_store %c[%c0, %c0], %r, %c64 : !c, !tc
  return
}

// A pseudorandom word for each position, its high bits the best.
func.func private @random(%at: index) -> i32 {
  %word = arith.index_cast %at : index to i32
  %c1 = arith.constant 0x7feb352d : i32
  %c2 = arith.constant 0x846ca68b : i32
  %c16 = arith.constant 16 : i32
  %0 = arith.muli %word, %c1 : i32
  %1 = arith.shrui %0, %c16 : i32
  %2 = arith.xori %0, %1 : i32
  %3 = arith.muli %2, %c2 : i32
  return %3 : i32
}

func.func private @fill(%bytes: memref<?xi8>, %seed: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : i32
  %size = memref.dim %bytes, %c0 : memref<?xi8>
  scf.for %i = %c0 to %size step %c1 {
    %at = arith.addi %i, %seed : index
    %word = func.call @random(%at) : (index) -> i32
    %high = arith.shrui %word, %c24 : i32
    %byte = arith.trunci %high : i32 to i8
    memref.store %byte, %bytes[%i] : memref<?xi8>
  }
  return
}

// Elements of the leading M rows and N columns of C that are not start plus the sum
// over the leading K.
func.func private @differences(%a: !a, %b: !b, %c: !c, %start: !c, %m: index,
                               %n: index, %k: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %total = scf.for %i = %c0 to %m step %c1 iter_args(%rows = %zero) -> i32 {
    %tileRow = arith.divui %i, %c16 : index
    %mHalf = arith.remui %tileRow, %c2 : index
    %leftUnsigned = arith.cmpi eq, %mHalf, %c1 : index
    %inRow = scf.for %j = %c0 to %n step %c1 iter_args(%count = %rows) -> i32 {
      %block = arith.divui %j, %c32 : index
      %tileColumn = arith.divui %j, %c16 : index
      %nHalf = arith.remui %tileColumn, %c2 : index
      %rightUnsigned = arith.cmpi eq, %nHalf, %c1 : index
      %lane = arith.remui %j, %c16 : index
      %first = arith.muli %lane, %c4 : index
      %start0 = memref.load %start[%i, %j] : !c
      %sum = scf.for %l = %c0 to %k step %c1 iter_args(%s = %start0) -> i32 {
        %x = memref.load %a[%i, %l] : !a
        %step = arith.divui %l, %c64 : index
        %inStep = arith.remui %l, %c64 : index
        %word = arith.divui %inStep, %c4 : index
        %byte = arith.remui %l, %c4 : index
        %column = arith.addi %first, %byte : index
        %y = memref.load %b[%block, %step, %nHalf, %word, %column] : !b
        %xs = arith.extsi %x : i8 to i32
        %xu = arith.extui %x : i8 to i32
        %ys = arith.extsi %y : i8 to i32
        %yu = arith.extui %y : i8 to i32
        %left = arith.select %leftUnsigned, %xu, %xs : i32
        %right = arith.select %rightUnsigned, %yu, %ys : i32
        %product = arith.muli %left, %right : i32
        %next = arith.addi %s, %product : i32
        scf.yield %next : i32
      }
      %actual = memref.load %c[%i, %j] : !c
      %differs = arith.cmpi ne, %actual, %sum : i32
      %more = arith.extui %differs : i1 to i32
      %after = arith.addi %count, %more : i32
      scf.yield %after : i32
    }
    scf.yield %inRow : i32
  }
  return %total : i32
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c11 = arith.constant 11 : index
  %c24 = arith.constant 24 : index
  %c64 = arith.constant 64 : index
  %c192 = arith.constant 192 : index
  %seedA = arith.constant 77 : index
  %seedB = arith.constant 100000 : index
  %bytesA = memref.alloc() : memref<12803xi8>
  %bytesB = memref.alloc() : memref<12288xi8>
  %start = memref.alloc() : !c
  %c = memref.alloc() : !c
  %a = memref.reinterpret_cast %bytesA to offset: [3], sizes: [64, 192], strides: [200, 1]
      : memref<12803xi8> to !a
  %b = memref.view %bytesB[%c0][] : memref<12288xi8> to !b
  %flatA = memref.cast %bytesA : memref<12803xi8> to memref<?xi8>
  %flatB = memref.cast %bytesB : memref<12288xi8> to memref<?xi8>
  func.call @fill(%flatA, %seedA) : (memref<?xi8>, index) -> ()
  func.call @fill(%flatB, %seedB) : (memref<?xi8>, index) -> ()
  // From all of i32, so that sums wrap.
  scf.for %i = %c0 to %c64 step %c1 {
    scf.for %j = %c0 to %c64 step %c1 {
      %row = arith.muli %i, %c64 : index
      %at = arith.addi %row, %j : index
      %word = func.call @random(%at) : (index) -> i32
      memref.store %word, %start[%i, %j] : !c
    }
  }
  func.call @gemm(%a, %b, %c, %start) : (!a, !b, !c, !c) -> ()
  %whole = func.call @differences(%a, %b, %c, %start, %c64, %c64, %c192)
      : (!a, !b, !c, !c, index, index, index) -> i32
  func.call @corner(%flatA, %b, %c, %start) : (memref<?xi8>, !b, !c, !c) -> ()
  %corner = func.call @differences(%a, %b, %c, %start, %c5, %c11, %c24)
      : (!a, !b, !c, !c, index, index, index) -> i32
  %total = arith.addi %whole, %corner : i32
  return %total : i32
}
