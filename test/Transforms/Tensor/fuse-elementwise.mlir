// RUN: qcc-opt %s -fuse-elementwise -split-input-file | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>

// Each element would be computed once for each column.
// CHECK-LABEL: func.func @into_contraction
// CHECK: linalg.generic {{.*}}attrs = {qcc.origin = "qnn.dequantize"}
// CHECK: linalg.generic {{.*}}attrs = {qcc.origin = "linalg.matmul", qcc.refused = "because"}
func.func @into_contraction(%q: tensor<?x?xi8>, %w: tensor<?x8xf32>, %y: tensor<?x8xf32>, %e: tensor<?x?xf32>) -> tensor<?x8xf32> {
  %x = linalg.generic {qcc.origin = "qnn.dequantize", indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<?x?xi8>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  %r = linalg.generic {qcc.origin = "linalg.matmul", qcc.refused = "because", indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?xf32>, tensor<?x8xf32>) outs(%y : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = math.fma %a, %b, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>

// With one row each element of the right operand is read once.
// CHECK-LABEL: func.func @read_once
// CHECK: linalg.generic {{.*}}attrs = {qcc.origin = "qnn.dequantize, linalg.matmul", qcc.refused = "because"}
// CHECK: sitofp
// CHECK-NEXT: fma
// CHECK-NOT: = linalg.generic
func.func @read_once(%q: tensor<?x?xi8>, %x: tensor<1x?xf32>, %y: tensor<1x?xf32>, %e: tensor<?x?xf32>) -> tensor<1x?xf32> {
  %w = linalg.generic {qcc.origin = "qnn.dequantize", indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<?x?xi8>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: i8, %o: f32):
    %0 = arith.sitofp %a : i8 to f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  %r = linalg.generic {qcc.origin = "linalg.matmul", qcc.refused = "because", indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x?xf32>, tensor<?x?xf32>) outs(%y : tensor<1x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = math.fma %a, %b, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<1x?xf32>
  return %r : tensor<1x?xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A reduction that reads each element once takes its producer in, and so does an elementwise op.
// CHECK-LABEL: func.func @into_reduction
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK-SAME: qcc.origin = "math.absf, arith.addf, linalg.reduce"
// CHECK-NOT: = linalg.generic
func.func @into_reduction(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {qcc.origin = "math.absf", indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %3 = math.absf %a : f32
    linalg.yield %3 : f32
  } -> tensor<?x?xf32>
  %1 = linalg.generic {qcc.origin = "arith.addf", indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %3 = arith.addf %a, %a : f32
    linalg.yield %3 : f32
  } -> tensor<?x?xf32>
  %2 = linalg.generic {qcc.origin = "linalg.reduce", indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<?x?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %3 = arith.maximumf %a, %o : f32
    linalg.yield %3 : f32
  } -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
#col = affine_map<(i, j) -> (j)>

// A broadcast costs nothing where it is read; a transposed operand would be gathered.
// CHECK-LABEL: func.func @movement
// CHECK: linalg.generic {{.*}}ins(%{{.*}} : tensor<?x?xf32>)
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]{{.*}}ins(%{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?x?xf32>)
// CHECK-NOT: = linalg.generic
func.func @movement(%v: tensor<?xf32>, %w: tensor<?x?xf32>, %e: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %x = linalg.generic {indexing_maps = [#col, #id], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  %wt = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %wt : tensor<?x?xf32>, tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = math.fma %a, %b, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// The operand that is given twice becomes one; there are no notes to keep.
// CHECK-LABEL: func.func @operand_given_twice
// CHECK: linalg.generic {{.*}} ins(%{{[a-z0-9]+}} : tensor<8xf32>)
func.func @operand_given_twice(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
