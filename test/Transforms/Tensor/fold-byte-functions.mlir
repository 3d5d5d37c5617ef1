// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(fold-byte-functions{target=icelake-server}))' | FileCheck %s --check-prefixes=CHECK,VBMI
// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(fold-byte-functions{target=cascadelake}))' | FileCheck %s --check-prefixes=CHECK,WORDS
// RUN: qcc-opt %s -pass-pipeline='builtin.module(func.func(fold-byte-functions{target=x86-64-v3}))' | FileCheck %s --check-prefixes=CHECK,AVX2

#id = affine_map<(a) -> (a)>
#s = affine_map<(a) -> ()>
#ab = affine_map<(a, b) -> (a, b)>
#ba = affine_map<(a, b) -> (b, a)>

// 64 / (q + 2) / 0.5 and 10 more: each op is taken in, and leaves nothing behind. The table begins with q = 0, for which
// it is 74; the last elements are those of q = -3, of -2, where the quotient is infinite, and of -1.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:.*]]: tensor<8xi8>
// CHECK: %[[O:.*]] = tensor.empty() : tensor<8xi8>
// CHECK-NOT: tensor<8xf32>
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel"]} ins(%[[X]] : tensor<8xi8>) outs(%[[O]] : tensor<8xi8>) attrs = {{.*}}qcc.origin = "lookup of dequantize + divf + quantize"}
// CHECK: ^bb0(%[[B:.*]]: i8, %{{.*}}: i8):
// CHECK: %[[L:.*]] = kernel.lookup %[[B]], [74, 53, 42, 36, 31, {{.*}}, -118, 127, 127] : i8
// CHECK: linalg.yield %[[L]]
// CHECK: return %[[Y]]
func.func @chain(%x: tensor<8xi8>) -> tensor<8xi8> {
  %e = tensor.empty() : tensor<8xf32>
  %o = tensor.empty() : tensor<8xi8>
  %n = arith.constant dense<64.0> : tensor<f32>
  %v = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xi8>) outs(%e : tensor<8xf32>) attrs = {qcc.origin = "dequantize"} {
  ^bb0(%a: i8, %b: f32):
    %c2 = arith.constant 2 : i32
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.addi %0, %c2 : i32
    %2 = arith.sitofp %1 : i32 to f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  %w = linalg.generic {indexing_maps = [#s, #id, #id], iterator_types = ["parallel"]} ins(%n, %v : tensor<f32>, tensor<8xf32>) outs(%e : tensor<8xf32>) attrs = {qcc.origin = "divf"} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %half = arith.constant 0.5 : f32
    %0 = arith.divf %a, %b : f32
    %1 = arith.divf %0, %half : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : tensor<8xf32>) outs(%o : tensor<8xi8>) attrs = {qcc.origin = "quantize"} {
  ^bb0(%a: f32, %b: i8):
    %c10 = arith.constant 10.0 : f32
    %low = arith.constant -128.0 : f32
    %high = arith.constant 127.0 : f32
    %0 = math.roundeven %a : f32
    %1 = arith.addf %0, %c10 : f32
    %2 = arith.maximumf %1, %low : f32
    %3 = arith.minimumf %2, %high : f32
    %4 = arith.fptosi %3 : f32 to i32
    %5 = arith.trunci %4 : i32 to i8
    linalg.yield %5 : i8
  } -> tensor<8xi8>
  return %y : tensor<8xi8>
}

// Two bytes on the way are of one byte, and nothing else reads them; the memory of one of them is not needed either.
// CHECK-LABEL: func.func @through(
// CHECK-COUNT-1: linalg.generic {{.*}} ins(%arg0 : tensor<8xi8>)
// CHECK: kernel.lookup %{{.*}}, [5, 8, 11, {{.*}}, 2] : i8
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @through(%x: tensor<8xi8>) -> tensor<8xi8> {
  %o = tensor.empty() : tensor<8xi8>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xi8>) outs(%o : tensor<8xi8>) {
  ^bb0(%a: i8, %b: i8):
    %0 = arith.addi %a, %a : i8
    linalg.yield %0 : i8
  } -> tensor<8xi8>
  %u = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xi8>) outs(%o : tensor<8xi8>) {
  ^bb0(%a: i8, %b: i8):
    %c5 = arith.constant 5 : i8
    %0 = arith.addi %a, %c5 : i8
    linalg.yield %0 : i8
  } -> tensor<8xi8>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%t, %u : tensor<8xi8>, tensor<8xi8>) outs(%t : tensor<8xi8>) {
  ^bb0(%a: i8, %b: i8, %c: i8):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.sitofp %0 : i32 to f32
    %3 = arith.sitofp %1 : i32 to f32
    %4 = arith.addf %2, %3 : f32
    %one = arith.constant 1.0 : f32
    %5 = arith.divf %4, %one : f32
    %6 = math.sqrt %one : f32
    %7 = arith.mulf %5, %6 : f32
    %8 = arith.fptosi %7 : f32 to i32
    %9 = arith.trunci %8 : i32 to i8
    linalg.yield %9 : i8
  } -> tensor<8xi8>
  return %y : tensor<8xi8>
}

// What fills a tensor is taken in wherever it stands, before the byte is a part of the chain that need not be.
// CHECK-LABEL: func.func @filled(
// CHECK: arith.trunci
// CHECK: kernel.lookup %{{.*}}, [0, {{.*}}] : i8
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @filled(%x: tensor<8xi32>) -> tensor<8xi8> {
  %c = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %o = tensor.empty() : tensor<8xi8>
  %two = linalg.generic {indexing_maps = [#s, #id], iterator_types = ["parallel"]} ins(%c : f32) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xi32>) outs(%o : tensor<8xi8>) {
  ^bb0(%a: i32, %b: i8):
    %0 = arith.trunci %a : i32 to i8
    linalg.yield %0 : i8
  } -> tensor<8xi8>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%q, %two : tensor<8xi8>, tensor<8xf32>) outs(%o : tensor<8xi8>) {
  ^bb0(%a: i8, %b: f32, %c0: i8):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.divf %0, %b : f32
    %2 = arith.divf %1, %b : f32
    %3 = arith.fptosi %2 : f32 to i8
    linalg.yield %3 : i8
  } -> tensor<8xi8>
  return %y : tensor<8xi8>
}

// A byte that is a result, too, is where the chain begins.
// CHECK-LABEL: func.func @read(
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<8xi8>)
// CHECK: arith.addi
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[T]] : tensor<8xi8>)
// CHECK: kernel.lookup
// CHECK: return %[[T]], %[[Y]]
func.func @read(%x: tensor<8xi8>) -> (tensor<8xi8>, tensor<8xi8>) {
  %o = tensor.empty() : tensor<8xi8>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xi8>) outs(%o : tensor<8xi8>) {
  ^bb0(%a: i8, %b: i8):
    %0 = arith.addi %a, %a : i8
    linalg.yield %0 : i8
  } -> tensor<8xi8>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%t : tensor<8xi8>) outs(%o : tensor<8xi8>) {
  ^bb0(%a: i8, %b: i8):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = math.sqrt %1 : f32
    %3 = arith.divf %1, %2 : f32
    %4 = arith.divf %3, %2 : f32
    %5 = arith.fptosi %4 : f32 to i32
    %6 = arith.trunci %5 : i32 to i8
    linalg.yield %6 : i8
  } -> tensor<8xi8>
  return %t, %y : tensor<8xi8>, tensor<8xi8>
}

// Another scale: looking it up is faster in memory.
// CHECK-LABEL: func.func @in_memory(
// CHECK: kernel.lookup
func.func @in_memory(%x: tensor<8x8xi8>) -> tensor<8x8xi8> {
  %o = tensor.empty() : tensor<8x8xi8>
  %y = linalg.generic {indexing_maps = [#ab, #ab], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xi8>) outs(%o : tensor<8x8xi8>) {
  ^bb0(%a: i8, %b: i8):
    %three = arith.constant 3 : i32
    %scale = arith.constant 0.3 : f32
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.addi %0, %three : i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %2, %scale : f32
    %4 = math.roundeven %3 : f32
    %5 = arith.addf %4, %scale : f32
    %6 = arith.fptosi %5 : f32 to i32
    %7 = arith.trunci %6 : i32 to i8
    linalg.yield %7 : i8
  } -> tensor<8x8xi8>
  return %y : tensor<8x8xi8>
}

// The same where something computes with it: only if bytes can be permuted.
// CHECK-LABEL: func.func @among_operations(
// VBMI: kernel.lookup
// WORDS: arith.mulf
// AVX2: arith.mulf
// CHECK: arith.divsi
func.func @among_operations(%x: tensor<8x8xi8>, %z: tensor<8x8xi8>) -> tensor<8x8xi8> {
  %o = tensor.empty() : tensor<8x8xi8>
  %y = linalg.generic {indexing_maps = [#ab, #ab], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xi8>) outs(%o : tensor<8x8xi8>) {
  ^bb0(%a: i8, %b: i8):
    %three = arith.constant 3 : i32
    %scale = arith.constant 0.3 : f32
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.addi %0, %three : i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %2, %scale : f32
    %4 = math.roundeven %3 : f32
    %5 = arith.addf %4, %scale : f32
    %6 = arith.fptosi %5 : f32 to i32
    %7 = arith.trunci %6 : i32 to i8
    linalg.yield %7 : i8
  } -> tensor<8x8xi8>
  %r = linalg.generic {indexing_maps = [#ab, #ab, #ab], iterator_types = ["parallel", "parallel"]} ins(%y, %z : tensor<8x8xi8>, tensor<8x8xi8>) outs(%o : tensor<8x8xi8>) {
  ^bb0(%a: i8, %b: i8, %c: i8):
    %0 = arith.divsi %a, %b : i8
    linalg.yield %0 : i8
  } -> tensor<8x8xi8>
  return %r : tensor<8x8xi8>
}

// The same in what will be an epilogue: not if a table needs many registers.
// CHECK-LABEL: func.func @in_epilogue(
// VBMI: kernel.lookup
// WORDS: kernel.lookup
// AVX2: arith.mulf
// CHECK: return
func.func @in_epilogue(%x: tensor<8x8xi8>, %w: tensor<8x8xi8>, %acc: tensor<8x8xi32>) -> tensor<8x8xi8> {
  %o = tensor.empty() : tensor<8x8xi8>
  %m = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<8x8xi8>, tensor<8x8xi8>) outs(%acc : tensor<8x8xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %c, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<8x8xi32>
  %q = linalg.generic {indexing_maps = [#ab, #ab], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<8x8xi32>) outs(%o : tensor<8x8xi8>) {
  ^bb0(%a: i32, %b: i8):
    %0 = arith.trunci %a : i32 to i8
    linalg.yield %0 : i8
  } -> tensor<8x8xi8>
  %y = linalg.generic {indexing_maps = [#ab, #ab], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<8x8xi8>) outs(%o : tensor<8x8xi8>) {
  ^bb0(%a: i8, %b: i8):
    %three = arith.constant 3 : i32
    %scale = arith.constant 0.3 : f32
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.addi %0, %three : i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %2, %scale : f32
    %4 = math.roundeven %3 : f32
    %5 = arith.addf %4, %scale : f32
    %6 = arith.fptosi %5 : f32 to i32
    %7 = arith.trunci %6 : i32 to i8
    linalg.yield %7 : i8
  } -> tensor<8x8xi8>
  return %y : tensor<8x8xi8>
}

// What stays as it is: a clamp of bytes; another order of elements; a second byte; a scale of run time; weights, which are
// computed when the program is compiled; an op that the evaluator does not know.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: kernel.lookup
func.func @others(%x: tensor<8x8xi8>, %y: tensor<8x8xi8>, %f: tensor<f32>) -> (
    tensor<8x8xi8>, tensor<8x8xi8>, tensor<8x8xi8>, tensor<8x8xi8>, tensor<2xi8>, tensor<8x8xi8>) {
  %o = tensor.empty() : tensor<8x8xi8>
  %w = arith.constant dense<[7, 9]> : tensor<2xi8>
  %p = tensor.empty() : tensor<2xi8>
  %0 = linalg.generic {indexing_maps = [#ab, #ab], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xi8>) outs(%o : tensor<8x8xi8>) {
  ^bb0(%a: i8, %b: i8):
    %c3 = arith.constant 3 : i8
    %v = arith.maxsi %a, %c3 : i8
    linalg.yield %v : i8
  } -> tensor<8x8xi8>
  %1 = linalg.generic {indexing_maps = [#ba, #ab], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xi8>) outs(%o : tensor<8x8xi8>) {
  ^bb0(%a: i8, %b: i8):
    %v0 = arith.sitofp %a : i8 to f32
    %v1 = math.sqrt %v0 : f32
    %v2 = arith.divf %v0, %v1 : f32
    %v3 = arith.divf %v2, %v1 : f32
    %v4 = arith.fptosi %v3 : f32 to i8
    linalg.yield %v4 : i8
  } -> tensor<8x8xi8>
  %2 = linalg.generic {indexing_maps = [#ab, #ab, #ab], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<8x8xi8>, tensor<8x8xi8>) outs(%o : tensor<8x8xi8>) {
  ^bb0(%a: i8, %s: i8, %b: i8):
    %v0 = arith.sitofp %a : i8 to f32
    %v1 = arith.sitofp %s : i8 to f32
    %v2 = arith.divf %v0, %v1 : f32
    %v3 = arith.divf %v2, %v1 : f32
    %v4 = arith.divf %v3, %v1 : f32
    %v5 = arith.fptosi %v4 : f32 to i8
    linalg.yield %v5 : i8
  } -> tensor<8x8xi8>
  %3 = linalg.generic {indexing_maps = [#ab, affine_map<(a, b) -> ()>, #ab], iterator_types = ["parallel", "parallel"]} ins(%x, %f : tensor<8x8xi8>, tensor<f32>) outs(%o : tensor<8x8xi8>) {
  ^bb0(%a: i8, %s: f32, %b: i8):
    %v0 = arith.sitofp %a : i8 to f32
    %v1 = arith.divf %v0, %s : f32
    %v2 = arith.divf %v1, %s : f32
    %v3 = arith.divf %v2, %s : f32
    %v4 = arith.fptosi %v3 : f32 to i8
    linalg.yield %v4 : i8
  } -> tensor<8x8xi8>
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : tensor<2xi8>) outs(%p : tensor<2xi8>) {
  ^bb0(%a: i8, %b: i8):
    %v0 = arith.sitofp %a : i8 to f32
    %v1 = math.sqrt %v0 : f32
    %v2 = arith.divf %v0, %v1 : f32
    %v3 = arith.divf %v2, %v1 : f32
    %v4 = arith.fptosi %v3 : f32 to i8
    linalg.yield %v4 : i8
  } -> tensor<2xi8>
  %5 = linalg.generic {indexing_maps = [#ab, #ab], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xi8>) outs(%o : tensor<8x8xi8>) {
  ^bb0(%a: i8, %b: i8):
    %v0 = arith.sitofp %a : i8 to f32
    %v1 = math.exp %v0 : f32
    %v2 = arith.divf %v0, %v1 : f32
    %v3 = arith.divf %v2, %v1 : f32
    %v4 = arith.fptosi %v3 : f32 to i8
    linalg.yield %v4 : i8
  } -> tensor<8x8xi8>
  return %0, %1, %2, %3, %4, %5 : tensor<8x8xi8>, tensor<8x8xi8>, tensor<8x8xi8>, tensor<8x8xi8>, tensor<2xi8>, tensor<8x8xi8>
}

// A byte that becomes itself is read where it is; a target need not have tables.
// CHECK-LABEL: func.func @identity(
// CHECK-SAME: %[[X:.*]]: tensor<8xi8>
// CHECK-NOT: linalg.generic
// CHECK: return %[[X]]
func.func @identity(%x: tensor<8xi8>) -> tensor<8xi8> {
  %e = tensor.empty() : tensor<8xf32>
  %o = tensor.empty() : tensor<8xi8>
  %v = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xi8>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: i8, %b: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%v : tensor<8xf32>) outs(%o : tensor<8xi8>) {
  ^bb0(%a: f32, %b: i8):
    %0 = arith.fptosi %a : f32 to i8
    linalg.yield %0 : i8
  } -> tensor<8xi8>
  return %y : tensor<8xi8>
}
