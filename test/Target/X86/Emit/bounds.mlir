// RUN: qcc-opt %s -convert-kernel-to-x86 -split-input-file | FileCheck %s

// What legalize-float says of the results of erf and tanh bounds what is computed from them: the clamps of u8 are those of
// the packing, and no NaN is asked for, since the argument is a number.

// CHECK-LABEL: func.func @bounded(
// CHECK: arith.ori
// CHECK-NOT: arith.maximumf
// CHECK-NOT: arith.minimumf
// CHECK-NOT: arith.select
// CHECK: packuswb
func.func @bounded(%x: memref<1x8xi8>, %w: memref<1x2x64xi32>, %s: memref<64xi32>, %y: memref<1x64xi8>) {
  kernel.contract lhs(%x : memref<1x8xi8>) rhs(%w : memref<1x2x64xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y : memref<1x64xi8>)
      {facts = #kernel.facts<epilogue_ranges = array<f64>>,
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 64, 4], block = [1, 64], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32):
        %magnitude = arith.constant 2147483647 : i32
        %sign = arith.constant -2147483648 : i32
        %scale = arith.constant 0.01 : f32
        %up = arith.constant 100.0 : f32
        %low = arith.constant -0.5 : f32
        %high = arith.constant 256.0 : f32
        %zero = arith.constant 0.0 : f32
        %v = arith.sitofp %acc : i32 to f32
        %a = arith.mulf %v, %scale : f32
        %big = arith.divf %a, %a : f32
        %abits = arith.bitcast %a : f32 to i32
        %bbits = arith.bitcast %big : f32 to i32
        %m = arith.andi %bbits, %magnitude : i32
        %n = arith.andi %abits, %sign : i32
        %e = arith.ori %m, %n : i32
        %f = arith.bitcast %e {qcc.bounds = array<f64: -1.0, 1.0>} : i32 to f32
        %g = arith.mulf %f, %up : f32
        %h = arith.maximumf %g, %low : f32
        %i = arith.minimumf %h, %high : f32
        %ordered = arith.cmpf ord, %i, %i : f32
        %j = arith.select %ordered, %i, %zero : f32
        %r = math.roundeven %j : f32
        %t = arith.fptosi %r : f32 to i32
        %q = arith.trunci %t : i32 to i8
        kernel.yield %q : i8
      }
  return
}

// -----

// Of an argument that may be NaN the result may be.

// CHECK-LABEL: func.func @unbounded(
// CHECK: arith.ori
// CHECK: arith.cmpf ord
// CHECK: arith.select
func.func @unbounded(%x: memref<1x8xi8>, %w: memref<1x2x64xi32>, %s: memref<64xi32>, %f: memref<64xf32>,
                     %y: memref<1x64xi8>) {
  kernel.contract lhs(%x : memref<1x8xi8>) rhs(%w : memref<1x2x64xi32>) rhs_sums(%s : memref<64xi32>)
      epilogue_ins(%f : memref<64xf32>) outs(%y : memref<1x64xi8>)
      {
       lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 64, 4], block = [1, 64], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32, %b: f32):
        %sign = arith.constant -2147483648 : i32
        %up = arith.constant 100.0 : f32
        %zero = arith.constant 0.0 : f32
        %v = arith.sitofp %acc : i32 to f32
        %a = arith.addf %v, %b : f32
        %abits = arith.bitcast %a : f32 to i32
        %n = arith.andi %abits, %sign : i32
        %e = arith.ori %abits, %n : i32
        %c = arith.bitcast %e {qcc.bounds = array<f64: -1.0, 1.0>} : i32 to f32
        %g = arith.mulf %c, %up : f32
        %ordered = arith.cmpf ord, %g, %g : f32
        %j = arith.select %ordered, %g, %zero : f32
        %r = math.roundeven %j : f32
        %t = arith.fptosi %r : f32 to i32
        %q = arith.trunci %t : i32 to i8
        kernel.yield %q : i8
      }
  return
}

// -----

// A byte that is read again needs its clamps, and is the i32 that it was truncated from.

#vnni = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 64, 4], block = [1, 64], lhs = in_place,
                    source = pinned>

// CHECK-LABEL: func.func @read_again(
// CHECK: %[[LOW:.*]] = arith.maximumf
// CHECK: %[[HIGH:.*]] = arith.minimumf %[[LOW]]
// CHECK: %[[INTEGER:.*]] = llvm.intr.lrint(%[[HIGH]])
// CHECK: arith.sitofp %[[INTEGER]]
// CHECK: packsswb
func.func @read_again(%x: memref<1x8xi8>, %w: memref<1x2x64xi32>, %s: memref<64xi32>, %y: memref<1x64xi8>,
                      %z: memref<1x64xf32>) {
  kernel.contract lhs(%x : memref<1x8xi8>) rhs(%w : memref<1x2x64xi32>) rhs_sums(%s : memref<64xi32>)
      outs(%y, %z : memref<1x64xi8>, memref<1x64xf32>) {lhs_unsigned, lowering_config = #vnni}
      epilogue {
      ^bb0(%acc: i32):
        %c = arith.constant 1.000000e-02 : f32
        %lo = arith.constant -1.280000e+02 : f32
        %hi = arith.constant 1.270000e+02 : f32
        %a = arith.sitofp %acc : i32 to f32
        %v = arith.mulf %a, %c : f32
        %max = arith.maximumf %v, %lo : f32
        %min = arith.minimumf %max, %hi : f32
        %n = math.roundeven %min : f32
        %i = arith.fptosi %n : f32 to i32
        %t = arith.trunci %i : i32 to i8
        %e = arith.extsi %t : i8 to i32
        %r = arith.sitofp %e : i32 to f32
        kernel.yield %t, %r : i8, f32
      }
  return
}

// -----

// A NaN becomes the byte 0 here, which a clamp of the packed bytes would make 20.

// CHECK-LABEL: func.func @clamped_before_nan(
// CHECK: arith.maximumf
// CHECK: arith.cmpf ord
// CHECK: packsswb
// CHECK-NOT: arith.maxsi
func.func @clamped_before_nan(%x: memref<1x8xi8>, %w: memref<1x2x64xi32>, %s: memref<64xi32>, %f: memref<64xf32>,
                              %y: memref<1x64xi8>) {
  kernel.contract lhs(%x : memref<1x8xi8>) rhs(%w : memref<1x2x64xi32>) rhs_sums(%s : memref<64xi32>)
      epilogue_ins(%f : memref<64xf32>) outs(%y : memref<1x64xi8>)
      {lowering_config = #x86.config<vector_tiles, atom = "avx512vnni", tile = [1, 64, 4], block = [1, 64], lhs = panel,
                                     source = pinned>}
      epilogue {
      ^bb0(%acc: i32, %v: f32):
        %up = arith.constant 100.0 : f32
        %least = arith.constant 20.0 : f32
        %low = arith.constant -128.0 : f32
        %high = arith.constant 127.0 : f32
        %zero = arith.constant 0.0 : f32
        %magnitude = arith.constant 2147483647 : i32
        %sign = arith.constant -2147483648 : i32
        %vbits = arith.bitcast %v : f32 to i32
        %m = arith.andi %vbits, %magnitude : i32
        %n = arith.andi %vbits, %sign : i32
        %e = arith.ori %m, %n : i32
        %t = arith.bitcast %e {qcc.bounds = array<f64: -1.0, 1.0>} : i32 to f32
        %g = arith.mulf %t, %up : f32
        %relu = arith.maximumf %g, %least : f32
        %h = arith.maximumf %relu, %low : f32
        %i = arith.minimumf %h, %high : f32
        %ordered = arith.cmpf ord, %i, %i : f32
        %j = arith.select %ordered, %i, %zero : f32
        %r = math.roundeven %j : f32
        %k = arith.fptosi %r : f32 to i32
        %q = arith.trunci %k : i32 to i8
        kernel.yield %q : i8
      }
  return
}
