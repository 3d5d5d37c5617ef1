// RUN: qcc-opt %s -insert-shape-checks | FileCheck %s
// RUN: qcc-opt %s -insert-shape-checks -canonicalize -cse | FileCheck %s --check-prefix=FOLDED

#id = affine_map<(i, j) -> (i, j)>

// Operands agree about each loop. One comparison is enough for a pair of sizes, wherever it comes up again.
// CHECK-LABEL: func.func @add(
// CHECK-DAG: %[[A:.*]] = tensor.dim %arg0
// CHECK-DAG: %[[B:.*]] = tensor.dim %arg1
// CHECK: %[[EQ:.*]] = arith.cmpi eq, %[[B]], %[[A]] : index
// CHECK: cf.assert %[[EQ]], "dimension 0 of argument 1 must be equal to dimension 0 of argument 0, by 'addf' at {{.*}}insert-shape-checks.mlir:[[#@LINE+7]]:8"
// CHECK-NOT: cf.assert
// CHECK: return
func.func @add(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
  } -> tensor<?x4xf32>
  %q = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r, %b : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %s = arith.mulf %x, %y : f32
      linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %q : tensor<?x4xf32>
}

// A size that is static on one side.
// CHECK-LABEL: func.func @static(
// CHECK: cf.assert %{{.*}}, "dimension 0 of argument 1 must be equal to 3, by
func.func @static(%a: tensor<3x4xf32>, %b: tensor<?x4xf32>) -> tensor<3x4xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<?x4xf32>) outs(%a : tensor<3x4xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
  } -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// Nothing to ask for: all follows from one dimension.
// FOLDED-LABEL: func.func @alone(
// FOLDED-NOT: cf.assert
// FOLDED: return
func.func @alone(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x4xf32>
  %c = tensor.collapse_shape %a [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %x = tensor.expand_shape %c [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
    ^bb0(%i: f32, %o: f32):
      linalg.yield %i : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// A window over a dynamic image: the last one must lie inside, unless there is none at all.
// CHECK-LABEL: func.func @window(
// CHECK-DAG: %[[IN:.*]] = tensor.dim %arg0
// CHECK-DAG: %[[OUT:.*]] = tensor.dim %arg1
// CHECK: %[[END:.*]] = affine.apply #{{.*}}()[%[[OUT]]]
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[END]], %[[IN]]
// CHECK: %[[NONE:.*]] = arith.cmpi sle, %[[OUT]],
// CHECK: %[[OK:.*]] = arith.ori %[[FITS]], %[[NONE]]
// CHECK: cf.assert %[[OK]], "an operand is too small, having dimension 0 of argument 0, by
func.func @window(%x: tensor<?xi32>, %init: tensor<?xi32>) -> tensor<?xi32> {
  %w = tensor.empty() : tensor<3xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(o, k) -> (o * 2 + k)>, affine_map<(o, k) -> (k)>, affine_map<(o, k) -> (o)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<?xi32>, tensor<3xi32>) outs(%init : tensor<?xi32>) {
    ^bb0(%i: i32, %k: i32, %o: i32):
      %s = arith.addi %i, %o : i32
      linalg.yield %s : i32
  } -> tensor<?xi32>
  return %r : tensor<?xi32>
}

// Slices stay inside of their tensors.
// CHECK-LABEL: func.func @slices(
// CHECK: cf.assert %{{.*}}, "a slice leaves its tensor, of dimension 0 of argument 0, by 'tensor.extract_slice'
// CHECK: cf.assert %{{.*}}, "a slice leaves its tensor, of dimension 0 of argument 1, by 'tensor.insert_slice'
func.func @slices(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %s = tensor.extract_slice %a[2] [3] [1] : tensor<?xf32> to tensor<3xf32>
  %r = tensor.insert_slice %s into %b[4] [3] [1] : tensor<3xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @shapes(
// CHECK: cf.assert %{{.*}}, "dimension 0 of argument 0 must be equal to 4 * floor((dimension 0 of argument 0) / 4), by 'tensor.expand_shape'
// CHECK: cf.assert %{{.*}}, "dimension 0 of argument 1 must be equal to 8, by 'tensor.cast'
// CHECK: cf.assert %{{.*}}, "dimension 1 of argument 2 must be equal to 5, by 'tensor.concat'
// CHECK: cf.assert %{{.*}}, "a tensor has a negative size, by 'tensor.empty'
func.func @shapes(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<2x?xf32>)
    -> (tensor<?x4xf32>, tensor<8xf32>, tensor<4x5xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %rows = arith.divsi %n, %c4 : index
  %x = tensor.expand_shape %a [[0, 1]] output_shape [%rows, 4] : tensor<?xf32> into tensor<?x4xf32>
  %y = tensor.cast %b : tensor<?xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<2x5xf32>
  %z = tensor.concat dim(0) %e, %c : (tensor<2x5xf32>, tensor<2x?xf32>) -> tensor<4x5xf32>
  %less = arith.subi %n, %c4 : index
  %w = tensor.empty(%less) : tensor<?xf32>
  return %x, %y, %z, %w : tensor<?x4xf32>, tensor<8xf32>, tensor<4x5xf32>, tensor<?xf32>
}

// Inside of a loop, sizes are those of what the loop started with. Offsets that the loop computes are not checked.
// CHECK-LABEL: func.func @loop(
// CHECK: cf.assert %{{.*}}, "dimension 0 of argument 1 must be equal to dimension 0 of argument 0, by
// CHECK: scf.for
// CHECK-NOT: cf.assert
// CHECK: return
func.func @loop(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %a) -> tensor<?x4xf32> {
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%b : tensor<?x4xf32>) outs(%acc : tensor<?x4xf32>) {
      ^bb0(%x: f32, %o: f32):
        %t = arith.addf %x, %o : f32
        linalg.yield %t : f32
    } -> tensor<?x4xf32>
    %row = tensor.extract_slice %s[%i, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<1x4xf32>
    %u = tensor.insert_slice %row into %s[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
    scf.yield %u : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// Known indices are asked for where the access surely happens; of the others only that there is an element, if the loop
// has an iteration.
// CHECK-LABEL: func.func @elements(
// CHECK: cf.assert %{{.*}}, "index 2 is outside of dimension 0 of argument 0, by 'tensor.extract'
// CHECK: cf.assert %{{.*}}, "an element of an empty tensor is accessed, having dimension 0 of argument 0, by 'tensor.extract'
// CHECK: %[[ANY:.*]] = arith.cmpi sle, %{{.*}}, %[[M:.*]] : index
// CHECK: %[[NONE:.*]] = arith.cmpi sle, %{{.*}}, %{{.*}} : index
// CHECK: %[[OK:.*]] = arith.ori %[[ANY]], %[[NONE]]
// CHECK: cf.assert %[[OK]], "an element of an empty tensor is accessed, having dimension 0 of argument 1
// CHECK-NOT: cf.assert
// CHECK: return
func.func @elements(%a: tensor<?xf32>, %b: tensor<?xf32>, %i: index, %o: tensor<?xf32>) -> (f32, f32, tensor<?xf32>) {
  %c2 = arith.constant 2 : index
  %0 = tensor.extract %a[%c2] : tensor<?xf32>
  %1 = tensor.extract %a[%i] : tensor<?xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%o : tensor<?xf32>) {
    ^bb0(%x: f32):
      %v = tensor.extract %b[%c2] : tensor<?xf32>
      linalg.yield %v : f32
  } -> tensor<?xf32>
  return %0, %1, %2 : f32, f32, tensor<?xf32>
}

// What is read backwards starts at the last element.
// CHECK-LABEL: func.func @reverse(
// CHECK: cf.assert %{{.*}}, "an operand is read before its first element, by
// CHECK-NOT: cf.assert
// CHECK: return
func.func @reverse(%x: tensor<8xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (7 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%o : tensor<?xf32>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @pad(
// CHECK: cf.assert %{{.*}}, "a width of padding is negative, by 'tensor.pad'
// CHECK: cf.assert %{{.*}}, "{{.*}} must be equal to 8, by 'tensor.pad'
func.func @pad(%x: tensor<?xf32>, %v: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %low = arith.subi %c6, %n : index
  %e = tensor.pad %x low[%low] high[2] {
    ^bb0(%i: index):
      tensor.yield %v : f32
  } : tensor<?xf32> to tensor<8xf32>
  return %e : tensor<8xf32>
}

// [n] as [n, times] and [n * times], where times is m if n is 1 and 1 otherwise: a size that may be 1, or that of the other.
// CHECK-LABEL: func.func @repeated(
// CHECK: cf.assert %{{.*}}, "floor((dimension 0 of argument 0) / (dimension 0 of argument 1)) must be 1 or equal to dimension 1 of argument 1, by 'addf'
// CHECK-NOT: cf.assert
// CHECK: return
func.func @repeated(%x: tensor<?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tensor.dim %x, %c0 : tensor<?xf32>
  %p = tensor.dim %y, %c0 : tensor<?x?xf32>
  %m = tensor.dim %y, %c1 : tensor<?x?xf32>
  %n = arith.divsi %k, %p : index
  %is = arith.cmpi eq, %n, %c1 : index
  %times = arith.select %is, %m, %c1 : index
  %e = tensor.empty(%n, %times) : tensor<?x?xf32>
  %z = arith.constant 1.0 : f32
  %w = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = tensor.collapse_shape %w [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %o = tensor.empty(%m) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%c : tensor<?xf32>) outs(%o : tensor<?xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// A model, whose sizes can be fixed by their names, could repeat a size of 1.
// CHECK-LABEL: func.func @named(
// CHECK: cf.assert %{{.*}}, "dimension 0 of argument 1 must be equal to dimension 0 of argument 0, by 'addf' at {{.*}}; to repeat what has the size 1, fix it: qcc compile --dim=NAME=1"
func.func @named(%a: tensor<?xf32> {qcc.dim_names = ["n"]}, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Only entries: other functions have been inlined.
// CHECK-LABEL: func.func private @helper(
// CHECK-NOT: cf.assert
func.func private @helper(%a: tensor<3xf32>, %b: tensor<?xf32>) -> tensor<3xf32> {
  %y = tensor.cast %b : tensor<?xf32> to tensor<3xf32>
  return %y : tensor<3xf32>
}

// A loop keeps the memory of what it carries, and so its shape.
// CHECK-LABEL: func.func @carried(
// CHECK-DAG: %[[A:.*]] = tensor.dim %arg0
// CHECK-DAG: %[[B:.*]] = tensor.dim %arg1
// CHECK: %[[EQ:.*]] = arith.cmpi eq, %[[B]], %[[A]] : index
// CHECK: cf.assert %[[EQ]], "dimension 0 of argument 1 must be equal to dimension 0 of argument 0, by 'scf.for' at {{.*}}"
// CHECK-NOT: cf.assert
// CHECK: return
func.func @carried(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index, %k: i1) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %y, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %s = linalg.exp ins(%y : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  // The sizes are those of the arguments, in both regions and behind them.
  %w = scf.while (%a = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    %s = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.condition(%k) %a : tensor<?xf32>
  } do {
  ^bb0(%a: tensor<?xf32>):
    %s = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  %q = linalg.exp ins(%w : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r, %q : tensor<?xf32>, tensor<?xf32>
}

// What a lowering asked is asked of dimensions of arguments.
// CHECK-LABEL: func.func @assertion(
// CHECK: %[[H:.*]] = tensor.dim %arg0
// CHECK: %[[ENOUGH:.*]] = arith.cmpi sle, %{{.*}}, %[[H]] : index
// CHECK: cf.assert %[[ENOUGH]], "the input needs at least 3 elements along H, having dimension 0 of argument 0, by 'qnn.conv2d' at {{.*}}insert-shape-checks.mlir:[[#@LINE+11]]:3"
// CHECK-NOT: cf.assert
// CHECK: return
func.func @assertion(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %h = tensor.dim %y, %c0 : tensor<?xf32>
  %enough = arith.cmpi sle, %c3, %h : index
  cf.assert %enough, "the input needs at least 3 elements along H" {qcc.origin = "qnn.conv2d"}
  return %y : tensor<?xf32>
}

// A loop over a dimension takes no element of an empty one.
// CHECK-LABEL: func.func @over_itself(
// CHECK-NOT: cf.assert
// CHECK: linalg.generic
func.func @over_itself(%x: tensor<?x4xf32>, %j: tensor<4xi32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%j : tensor<4xi32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: i32, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %a : i32 to index
    %v = tensor.extract %x[%i, %k] : tensor<?x4xf32>
    linalg.yield %v : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// A condition of the program stays as it is, unless it always holds.
// CHECK-LABEL: func.func @condition(
// CHECK: %[[EVEN:.*]] = arith.cmpi eq
// CHECK: cf.assert %[[EVEN]], "the size is even"
// CHECK-NOT: cf.assert
// CHECK: return
func.func @condition(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %c2 = arith.constant 2 : index
  %rest = arith.remsi %n, %c2 : index
  %even = arith.cmpi eq, %rest, %c0 : index
  cf.assert %even, "the size is even"
  %true = arith.constant true
  cf.assert %true, "yes"
  return %x : tensor<?xf32>
}
