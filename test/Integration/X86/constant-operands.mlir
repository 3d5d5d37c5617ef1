// REQUIRES: x86-64-v3
// An operation on constants gives the bits of N4, N7 and N8 like one on data: nothing folds it by other rules before it is
// legalized, and what folds it afterwards is exact.
// RUN: qcc run %s --entry=constants --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %s --entry=flags --input=random:1:-4:4 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=FLAGS
// RUN: qcc run %s --entry=scalars --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=SCALARS
// CHECK: check: 481 elements, 0 differ
// FLAGS: check: 132 elements, 0 differ
// SCALARS: check: 8 elements, 0 differ
!t = tensor<13xf32>
!h = tensor<13xf16>
!b = tensor<13xbf16>
!i = tensor<13xi32>
!i8 = tensor<13xi8>
!i1 = tensor<13xi1>

func.func @constants() -> (!t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !h, !b, !h, !b, !h, !b, !i, !i, !i8, !h, !b, !b, !t, !i1) {
  %c = arith.constant dense<[1.1, -0.3, 2.5, -3.5, 0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.0e-41, 300.0, 3.4e38, 1.00390637]> : !t
  %d = arith.constant dense<[0x7FC00000, 0.7, -2.5, 3.0, 0x7FC00000, -1.0, 0xFF800000, 0.0, -0.0, -1.0e-45, 0x7F800000, 3.4e38, 1.00390625]> : !t
  %i = arith.constant dense<[16842753, 2049, -16842753, 65519, 0, -1, 2147483647, -2147483648, 33554433, 127, -128, 65535, 16777217]> : !i
  %u0 = math.exp %c : !t
  %u1 = math.tanh %c : !t
  %u2 = math.erf %c : !t
  %u3 = math.rsqrt %c : !t
  %u4 = math.log %c : !t
  %u5 = math.sqrt %c : !t
  %u6 = math.round %c : !t
  %u7 = math.roundeven %c : !t
  %u8 = math.floor %c : !t
  %u9 = math.ceil %c : !t
  %u10 = math.trunc %c : !t
  %u11 = math.absf %c : !t
  %u12 = arith.negf %c : !t
  %b0 = arith.addf %c, %d : !t
  %b1 = arith.subf %c, %d : !t
  %b2 = arith.mulf %c, %d : !t
  %b3 = arith.divf %c, %d : !t
  %b4 = arith.maximumf %c, %d : !t
  %b5 = arith.minimumf %c, %d : !t
  %b6 = arith.maxnumf %c, %d : !t
  %b7 = arith.minnumf %c, %d : !t
  %b8 = math.copysign %c, %d : !t
  %fma = math.fma %c, %d, %d : !t
  %h = arith.truncf %c : !t to !h
  %g = arith.truncf %c : !t to !b
  %he = math.exp %h : !h
  %ge = math.tanh %g : !b
  %hs = arith.addf %h, %h : !h
  %gs = arith.divf %g, %g : !b
  %si = arith.fptosi %c : !t to !i
  %ui = arith.fptoui %c : !t to !i
  %s8 = arith.fptosi %c : !t to !i8
  %ih = arith.sitofp %i : !i to !h
  %ub = arith.uitofp %i : !i to !b
  %ig = arith.sitofp %i : !i to !b
  %if = arith.sitofp %i : !i to !t
  %cmp = arith.cmpf ule, %c, %d : !t
  return %u0, %u1, %u2, %u3, %u4, %u5, %u6, %u7, %u8, %u9, %u10, %u11, %u12, %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7, %b8, %fma, %h, %g, %he, %ge, %hs, %gs, %si, %ui, %s8, %ih, %ub, %ig, %if, %cmp
      : !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !h, !b, !h, !b, !h, !b, !i, !i, !i8, !h, !b, !b, !t, !i1
}

// Fast-math flags count for nothing (N4), nor do assumptions about overflow (N8).
func.func @flags(%x: tensor<33xf32>) -> (tensor<33xf32>, tensor<33xf32>, tensor<33xf32>, tensor<33xi8>) {
  %zero = arith.constant dense<0.0> : tensor<33xf32>
  %most = arith.constant dense<127> : tensor<33xi8>
  %p = arith.mulf %x, %zero fastmath<fast> : tensor<33xf32>
  %s = arith.addf %x, %zero fastmath<fast> : tensor<33xf32>
  %q = arith.subf %s, %s fastmath<fast> : tensor<33xf32>
  %n = arith.truncf %x fastmath<contract> : tensor<33xf32> to tensor<33xf16>
  %w = arith.extf %n fastmath<contract> : tensor<33xf16> to tensor<33xf32>
  %i = arith.fptosi %x : tensor<33xf32> to tensor<33xi8>
  %j = arith.addi %i, %most overflow<nsw, nuw> : tensor<33xi8>
  %k = arith.subi %j, %most overflow<nsw, nuw> : tensor<33xi8>
  %m = arith.shrui %k, %most exact : tensor<33xi8>
  %o = arith.addi %k, %m : tensor<33xi8>
  return %p, %q, %w, %o : tensor<33xf32>, tensor<33xf32>, tensor<33xf32>, tensor<33xi8>
}

func.func @scalars() -> (f32, f32, bf16, f16, i8, f32, f32, f32) {
  %a = arith.constant 1.1 : f32
  %i = arith.constant 16842753 : i32
  %nan = arith.constant 0x7FC00000 : f32
  %inf = arith.constant 0x7F800000 : f32
  %low = arith.constant 0xFF800000 : f32
  %x = math.exp %a : f32
  %y = math.tanh %x : f32
  %g = arith.sitofp %i : i32 to bf16
  %h = arith.truncf %a : f32 to f16
  %c = arith.fptosi %inf : f32 to i8
  %m = arith.maxnumf %nan, %low : f32
  %n = arith.minnumf %inf, %nan : f32
  %z = arith.maximumf %nan, %a : f32
  return %x, %y, %g, %h, %c, %m, %n, %z : f32, f32, bf16, f16, i8, f32, f32, f32
}

// What is the same everywhere is no constant where sizes are not known.
// RUN: qcc run %s --entry=dynamic --input=random:1 --dim=17 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: check: 85 elements, 0 differ
func.func @dynamic(%x: tensor<?xi16>) -> (tensor<?xi16>, tensor<?xi16>, tensor<?xi16>, tensor<?xi1>, tensor<?xi16>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i16
  %n = tensor.dim %x, %c0 : tensor<?xi16>
  %zeros = tensor.splat %zero[%n] : tensor<?xi16>
  %a = arith.xori %x, %x : tensor<?xi16>
  %b = arith.subi %x, %x : tensor<?xi16>
  %c = arith.muli %x, %zeros : tensor<?xi16>
  %d = arith.cmpi sle, %x, %x : tensor<?xi16>
  %e = arith.divsi %x, %x : tensor<?xi16>
  return %a, %b, %c, %d, %e : tensor<?xi16>, tensor<?xi16>, tensor<?xi16>, tensor<?xi1>, tensor<?xi16>
}
