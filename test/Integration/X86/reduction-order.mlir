// REQUIRES: x86-64-v3
// Whether a body is a float reduction, computed in 32 lanes, or runs in order is decided by N8 on the program as it is
// written. What rewrites bodies afterwards changes nothing.
// RUN: qcc run %s --entry=neutral_addition --input=random:1 --dim=17 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %s --entry=neutral_product --input=random:1 --dim=17 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %s --entry=known_choice --input=random:1 --dim=17 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %s --entry=known_branch --input=random:1 --dim=17 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %s --entry=difference --input=random:1 --dim=17 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %s --entry=sum --input=random:1 --dim=17 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %s --entry=dead --input=random:1 --dim=17 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %s --entry=neutral_element --input=random:1 --dim=17 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %s --entry=fused --input=random:1 --dim=17 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: %if avx512 %{ qcc run %s --entry=dead --input=random:1 --dim=17 --mcpu=skylake-avx512 --check | FileCheck %s %}
// RUN: %if avx512 %{ qcc run %s --entry=fused --input=random:1 --dim=17 --mcpu=skylake-avx512 --check | FileCheck %s %}
// RUN: %if avx512 %{ qcc run %s --entry=neutral_product --input=random:1 --dim=17 --mcpu=skylake-avx512 --check | FileCheck %s %}
// CHECK: check: {{17|34}} elements, 0 differ
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
!x = tensor<?x100xf32>
!y = tensor<?xf32>

// A body that adds -0.0 to the sum is no combination, until canonicalization has removed the addition.
func.func @neutral_addition(%x: !x) -> !y {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : !x
  %e = tensor.empty(%m) : !y
  %z = arith.constant 0.0 : f32
  %k = arith.constant -0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%e : !y) -> !y
  %y = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%i : !y) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    %r = arith.addf %s, %k : f32
    linalg.yield %r : f32
  } -> !y
  return %y : !y
}

func.func @neutral_product(%x: !x) -> !y {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : !x
  %e = tensor.empty(%m) : !y
  %z = arith.constant 0.0 : f32
  %k = arith.constant 1.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%e : !y) -> !y
  %y = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%i : !y) {
  ^bb0(%a: f32, %acc: f32):
    %d = arith.mulf %acc, %k : f32
    %r = arith.addf %d, %a : f32
    linalg.yield %r : f32
  } -> !y
  return %y : !y
}

func.func @known_choice(%x: !x) -> !y {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : !x
  %e = tensor.empty(%m) : !y
  %z = arith.constant 0.0 : f32
  %k = arith.constant true
  %i = linalg.fill ins(%z : f32) outs(%e : !y) -> !y
  %y = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%i : !y) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    %r = arith.select %k, %s, %a : f32
    linalg.yield %r : f32
  } -> !y
  return %y : !y
}

func.func @known_branch(%x: !x) -> !y {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : !x
  %e = tensor.empty(%m) : !y
  %z = arith.constant 0.0 : f32
  %k = arith.constant true
  %i = linalg.fill ins(%z : f32) outs(%e : !y) -> !y
  %y = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%i : !y) {
  ^bb0(%a: f32, %acc: f32):
    %r = scf.if %k -> f32 {
      %s = arith.addf %acc, %a : f32
      scf.yield %s : f32
    } else {
      scf.yield %a : f32
    }
    linalg.yield %r : f32
  } -> !y
  return %y : !y
}

func.func @difference(%x: !x) -> !y {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : !x
  %e = tensor.empty(%m) : !y
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%e : !y) -> !y
  %y = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%i : !y) {
  ^bb0(%a: f32, %acc: f32):
    %n = arith.negf %a : f32
    %r = arith.subf %acc, %n : f32
    linalg.yield %r : f32
  } -> !y
  return %y : !y
}

// A reduction stays one when an elementwise op is fused into it.
func.func @sum(%x: !x) -> !y {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : !x
  %e = tensor.empty(%m) : !y
  %z = arith.constant 0.0 : f32
  %k = arith.constant 3.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%e : !y) -> !y
  %y = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%i : !y) {
  ^bb0(%a: f32, %acc: f32):
    %p = arith.mulf %a, %k : f32
    %r = arith.addf %p, %acc : f32
    linalg.yield %r : f32
  } -> !y
  return %y : !y
}

// An output that is not combined makes the other one run in order too, though nobody reads it.
func.func @dead(%x: !x) -> !y {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : !x
  %e = tensor.empty(%m) : !y
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%e : !y) -> !y
  %y:2 = linalg.generic {indexing_maps = [#mn, #m, #m], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%i, %i : !y, !y) {
  ^bb0(%a: f32, %acc: f32, %other: f32):
    %s = arith.addf %acc, %a : f32
    %d = arith.subf %other, %a : f32
    linalg.yield %s, %d : f32, f32
  } -> (!y, !y)
  return %y#0 : !y
}

// An output to which nothing is added leaves the other one a reduction.
func.func @neutral_element(%x: !x) -> (!y, !y) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : !x
  %e = tensor.empty(%m) : !y
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%e : !y) -> !y
  %k = arith.constant -0.0 : f32
  %y:2 = linalg.generic {indexing_maps = [#mn, #m, #m], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%i, %i : !y, !y) {
  ^bb0(%a: f32, %acc: f32, %other: f32):
    %s = arith.addf %acc, %a : f32
    %d = arith.addf %other, %k : f32
    linalg.yield %d, %s : f32, f32
  } -> (!y, !y)
  return %y#0, %y#1 : !y, !y
}

// One op runs in order and one in lanes; both take in what computes their input.
func.func @fused(%x: !x) -> (!y, !y) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : !x
  %e = tensor.empty(%m) : !y
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%e : !y) -> !y
  %ex = math.exp %x : !x
  %s = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%ex : !x) outs(%i : !y) {
  ^bb0(%a: f32, %acc: f32):
    %r = arith.addf %acc, %a : f32
    linalg.yield %r : f32
  } -> !y
  %t = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]} ins(%ex : !x) outs(%i : !y) {
  ^bb0(%a: f32, %acc: f32):
    %n = arith.negf %a : f32
    %r = arith.subf %acc, %n : f32
    linalg.yield %r : f32
  } -> !y
  return %s, %t : !y, !y
}
