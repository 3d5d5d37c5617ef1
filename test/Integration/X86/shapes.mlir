// REQUIRES: x86-64-v3
// Shapes that are computed, and corner cases of contractions, against the reference interpreter.
// RUN: qcc run %s --entry=collapse --input=random:1 --dim=4 --dim=5 --check | FileCheck %s --check-prefix=COLLAPSE
// COLLAPSE: check: 60 elements, 0 differ
// RUN: qcc run %s --entry=integers --input=random:1 --dim=4 --check | FileCheck %s --check-prefix=INTEGERS
// INTEGERS: check: 8 elements, 0 differ
// RUN: qcc run %s --entry=division --input=random:1 --dim=0 --check | FileCheck %s --check-prefix=DIVISION
// DIVISION: check: 0 elements, 0 differ
// RUN: qcc run %s --entry=rows --input=random:1 --dim=12 --dim=3 --check | FileCheck %s --check-prefix=ROWS
// ROWS: check: 12 elements, 0 differ
// RUN: not qcc run %s --entry=rows --input=random:1 --dim=12 --dim=0 2>&1 | FileCheck %s --check-prefix=NO-ROWS
// NO-ROWS: must be equal to
// RUN: qcc run %s --entry=overwrite --input=random:1 --dim=4 --check | FileCheck %s --check-prefix=OVERWRITE
// OVERWRITE: check: 36 elements, 0 differ
// RUN: qcc run %s --entry=units --input=random:1 --check | FileCheck %s --check-prefix=UNITS
// UNITS: check: 45 elements, 0 differ
// RUN: qcc run %s --entry=index --input=random:1 --check | FileCheck %s --check-prefix=INDEX
// INDEX: check: 45 elements, 0 differ
// RUN: qcc run %s --entry=columns --input=random:1 --check | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: check: 45 elements, 0 differ
// RUN: qcc run %s --entry=none --input=random:1 --dim=3 --dim=0 --check | FileCheck %s --check-prefix=NONE
// NONE: check: 0 elements, 0 differ

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(m, n) -> (m, n)>

func.func @collapse(%x: tensor<?x?x3xf32>) -> tensor<?x3xf32> {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x3xf32> into tensor<?x3xf32>
  %r = arith.addf %c, %c : tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

func.func @integers(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %j = arith.addi %i, %i : i64
  %k = arith.index_cast %j : i64 to index
  %e = tensor.empty(%k) : tensor<?xf32>
  %one = arith.constant 1.0 : f32
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %f : tensor<?xf32>
}

// A division by 0 gives 0 where it decides sizes, too.
func.func @division(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %k = arith.divui %c3, %n : index
  %e = tensor.empty(%k) : tensor<?xf32>
  %one = arith.constant 1.0 : f32
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %f : tensor<?xf32>
}

// The quotient of two sizes is a size that is checked before anything runs.
func.func @rows(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %k = tensor.dim %y, %c0 : tensor<?xf32>
  %m = arith.divsi %n, %k : index
  %q = arith.remsi %n, %k : index
  %rows = arith.subi %m, %q : index
  %t = arith.constant 1 : index
  %u = arith.subi %rows, %t : index
  %e = tensor.expand_shape %x [[0, 1]] output_shape [%u, 4] : tensor<?xf32> into tensor<?x4xf32>
  %r = arith.addf %e, %e : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

func.func @overwrite(%x: tensor<?x7xi8>, %w: tensor<7x9xi8>) -> tensor<?x9xi32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %m = tensor.dim %x, %c0 : tensor<?x7xi8>
  %e = tensor.empty(%m) : tensor<?x9xi32>
  %init = linalg.fill ins(%zero : i32) outs(%e : tensor<?x9xi32>) -> tensor<?x9xi32>
  %acc = linalg.matmul ins(%x, %w : tensor<?x7xi8>, tensor<7x9xi8>) outs(%init : tensor<?x9xi32>) -> tensor<?x9xi32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%acc : tensor<?x9xi32>) outs(%acc : tensor<?x9xi32>) {
  ^bb0(%a: i32, %o: i32):
    %s = arith.addi %a, %o : i32
    linalg.yield %s : i32
  } -> tensor<?x9xi32>
  return %y : tensor<?x9xi32>
}

// More dimensions than loops.
func.func @units(%x: tensor<1x1x5x7xi8>, %w: tensor<7x1x1x9xi8>) -> tensor<5x9xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<5x9xi32>
  %init = linalg.fill ins(%zero : i32) outs(%e : tensor<5x9xi32>) -> tensor<5x9xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (0, 0, m, k)>, affine_map<(m, n, k) -> (k, 0, 0, n)>, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x1x5x7xi8>, tensor<7x1x1x9xi8>) outs(%init : tensor<5x9xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %ea = arith.extsi %a : i8 to i32
    %eb = arith.extsi %b : i8 to i32
    %p = arith.muli %ea, %eb : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<5x9xi32>
  return %y : tensor<5x9xi32>
}

// Lane numbers.
func.func @index(%x: tensor<5x9xi32>) -> tensor<5x9xi32> {
  %e = tensor.empty() : tensor<5x9xi32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<5x9xi32>) outs(%e : tensor<5x9xi32>) {
  ^bb0(%a: i32, %o: i32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %s = arith.addi %a, %j : i32
    linalg.yield %s : i32
  } -> tensor<5x9xi32>
  return %y : tensor<5x9xi32>
}

// A float contraction of integers keeps vectors in its scratch memory.
func.func @columns(%x: tensor<5x7xi8>, %w: tensor<7x9xi8>, %o: tensor<5x9xf32>) -> tensor<5x9xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<5x7xi8>, tensor<7x9xi8>) outs(%o : tensor<5x9xf32>) -> tensor<5x9xf32>
  return %y : tensor<5x9xf32>
}

// No columns.
func.func @none(%x: tensor<?x7xi8>, %w: tensor<7x?xi8>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = tensor.dim %x, %c0 : tensor<?x7xi8>
  %n = tensor.dim %w, %c1 : tensor<7x?xi8>
  %e = tensor.empty(%m, %n) : tensor<?x?xi32>
  %init = linalg.fill ins(%zero : i32) outs(%e : tensor<?x?xi32>) -> tensor<?x?xi32>
  %y = linalg.matmul ins(%x, %w : tensor<?x7xi8>, tensor<7x?xi8>) outs(%init : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}
