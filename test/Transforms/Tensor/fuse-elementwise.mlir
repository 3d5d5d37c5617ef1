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

// -----

#x = affine_map<(b, h, w, c, kh, kw) -> (b, h * 2 + kh, w * 2 + kw, c)>
#w = affine_map<(b, h, w, c, kh, kw) -> (c, kh, kw)>
#y = affine_map<(b, h, w, c, kh, kw) -> (b, h, w, c)>
#id = affine_map<(b, h, w, c) -> (b, h, w, c)>
#channel = affine_map<(b, h, w, c) -> (c)>

// A depthwise convolution by 1 x 1 is elementwise, and fused with what follows. The weights are contiguous along the
// channels.
// CHECK-DAG: #[[$X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 * 2, d2 * 2, d3)>
// CHECK-DAG: #[[$C:.*]] = affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @unit_reduction
// CHECK: %[[W:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0] [43, 1, 1] [1, 1, 1] : tensor<43x1x1xi8> to tensor<43xi8>
// CHECK: linalg.generic {indexing_maps = [#[[$X]], #[[$C]], #[[$C]], #[[$ID]]],
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
// CHECK-SAME: ins(%{{.*}}, %[[W]], %{{.*}} : tensor<3x17x47x43xi8>, tensor<43xi8>, tensor<43xi32>)
// CHECK: arith.sitofp
// CHECK-NOT: linalg.generic
func.func @unit_reduction(%x: tensor<3x17x47x43xi8>, %w: tensor<43x1x1xi8>, %bias: tensor<43xi32>) -> tensor<3x9x24x43xf32> {
  %e = tensor.empty() : tensor<3x9x24x43xi32>
  %f = tensor.empty() : tensor<3x9x24x43xf32>
  %init = linalg.generic {indexing_maps = [#channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bias : tensor<43xi32>) outs(%e : tensor<3x9x24x43xi32>) {
  ^bb0(%a: i32, %o: i32):
    linalg.yield %a : i32
  } -> tensor<3x9x24x43xi32>
  %p = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<3x17x47x43xi8>, tensor<43x1x1xi8>) outs(%init : tensor<3x9x24x43xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %acc, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<3x9x24x43xi32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p : tensor<3x9x24x43xi32>) outs(%f : tensor<3x9x24x43xf32>) {
  ^bb0(%a: i32, %o: f32):
    %0 = arith.sitofp %a : i32 to f32
    linalg.yield %0 : f32
  } -> tensor<3x9x24x43xf32>
  return %r : tensor<3x9x24x43xf32>
}

// -----

#x = affine_map<(i, k) -> (i + k)>
#w = affine_map<(i, k) -> (k)>
#y = affine_map<(i, k) -> (i)>

// The window does not reach the end of what it slides over, which a single loop would.
// CHECK-LABEL: func.func @shorter_than_operand
// CHECK: iterator_types = ["parallel", "reduction"]
func.func @shorter_than_operand(%x: tensor<9xi32>, %w: tensor<1xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<9xi32>, tensor<1xi32>) outs(%y : tensor<8xi32>) {
  ^bb0(%a: i32, %b: i32, %acc: i32):
    %0 = arith.muli %a, %b : i32
    %1 = arith.addi %acc, %0 : i32
    linalg.yield %1 : i32
  } -> tensor<8xi32>
  return %r : tensor<8xi32>
}

// -----

#x = affine_map<(i, k) -> (i, k)>
#y = affine_map<(i, k) -> (i)>

// A sum of one float may have another zero than the float.
// CHECK-LABEL: func.func @float_sum
// CHECK: iterator_types = ["parallel", "reduction"]
func.func @float_sum(%x: tensor<8x1xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [#x, #y], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x1xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>
#window = affine_map<(i, k) -> (i * 2 + k)>
#k = affine_map<(i, k) -> (k)>
#i = affine_map<(i, k) -> (i)>

// Windows of bytes that are dequantized: computing an element twice costs less than to write and read it as a float.
// CHECK-LABEL: func.func @window_of_bytes
// CHECK-COUNT-1: linalg.generic
// CHECK: arith.sitofp
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
func.func @window_of_bytes(%x: tensor<33xi8>, %init: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<33xf32>
  %real = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<33xi8>) outs(%e : tensor<33xf32>) {
  ^bb0(%a: i8, %o: f32):
    %v = arith.sitofp %a : i8 to f32
    linalg.yield %v : f32
  } -> tensor<33xf32>
  %w = tensor.empty() : tensor<3xf32>
  %r = linalg.generic {indexing_maps = [#window, #k, #i], iterator_types = ["parallel", "reduction"]}
      ins(%real, %w : tensor<33xf32>, tensor<3xf32>) outs(%init : tensor<16xf32>) {
  ^bb0(%a: f32, %n: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

#id = affine_map<(i) -> (i)>
#window = affine_map<(i, k) -> (i + k)>
#k = affine_map<(i, k) -> (k)>
#i = affine_map<(i, k) -> (i)>

// Windows that overlap more read each element too often.
// CHECK-LABEL: func.func @dense_windows
// CHECK-COUNT-2: linalg.generic
func.func @dense_windows(%x: tensor<18xi8>, %init: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<18xf32>
  %real = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<18xi8>) outs(%e : tensor<18xf32>) {
  ^bb0(%a: i8, %o: f32):
    %v = arith.sitofp %a : i8 to f32
    linalg.yield %v : f32
  } -> tensor<18xf32>
  %w = tensor.empty() : tensor<3xf32>
  %r = linalg.generic {indexing_maps = [#window, #k, #i], iterator_types = ["parallel", "reduction"]}
      ins(%real, %w : tensor<18xf32>, tensor<3xf32>) outs(%init : tensor<16xf32>) {
  ^bb0(%a: f32, %n: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (i, 0)>
#i = affine_map<(i) -> (i)>
#j = affine_map<(i, j) -> (j)>

// Dimensions of one element that a reduction keeps need no loop: its reader reads what they expand.
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @kept_dimension(
// CHECK-SAME: %[[X:.*]]: tensor<8x16xf32>, %[[M:.*]]: tensor<8xf32>)
// CHECK-NOT: tensor.expand_shape
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[ROW]], #{{.*}}], {{.*}} ins(%[[X]], %[[M]] :
// CHECK: qcc.origin = "divf, subf"
// CHECK-NOT: linalg.generic
func.func @kept_dimension(%x: tensor<8x16xf32>, %m: tensor<8xf32>) -> tensor<8x16xf32> {
  %three = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %mean = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%m : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.divf %a, %three : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %kept = tensor.expand_shape %mean [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %d = tensor.empty() : tensor<8x16xf32>
  %y = linalg.generic {indexing_maps = [#all, #first, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %kept : tensor<8x16xf32>, tensor<8x1xf32>) outs(%d : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.subf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// Two dimensions of several elements, and one that alone gives a loop its size, stay.
// CHECK-LABEL: func.func @needed_dimensions(
// CHECK-COUNT-2: tensor.expand_shape
func.func @needed_dimensions(%x: tensor<128xf32>, %m: tensor<8xf32>) -> (tensor<16xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = tensor.expand_shape %x [[0, 1]] output_shape [8, 16] : tensor<128xf32> into tensor<8x16xf32>
  %b = tensor.expand_shape %m [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %g = tensor.empty() : tensor<8xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#all, #j], iterator_types = ["reduction", "parallel"]} ins(%a : tensor<8x16xf32>) outs(%f : tensor<16xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %t = linalg.generic {indexing_maps = [#all, #j], iterator_types = ["reduction", "parallel"]} ins(%b : tensor<1x8xf32>) outs(%h : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r, %t : tensor<16xf32>, tensor<8xf32>
}
