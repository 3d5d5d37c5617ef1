// REQUIRES: x86-64-v3
// Divisions and remainders are defined for every pair of operands (N8): by zero they give 0, and the least integer
// divided by -1 wraps. The lanes of a mask read 0 as padding, so the sizes are no multiple of a vector's.
// RUN: rm -rf %t && mkdir %t && sed 's/!e = i8/!e = i1/; s/dense<\[.*\]>/dense<[0, 1, 0, 1, 1, 0, 0, 1, 1]>/; s/dense<-128>/dense<1>/' %s > %t/i1.mlir
// RUN: sed 's/!e = i8/!e = i16/; s/-128/-32768/; s/127/32767/' %s > %t/i16.mlir
// RUN: sed 's/!e = i8/!e = i32/; s/-128/-2147483648/; s/127/2147483647/' %s > %t/i32.mlir
// RUN: sed 's/!e = i8/!e = i64/; s/-128/-9223372036854775808/; s/127/9223372036854775807/' %s > %t/i64.mlir
// RUN: sed 's/!e = i8/!e = index/; s/-128/-9223372036854775808/; s/127/9223372036854775807/' %s > %t/index.mlir
// RUN: qcc run %s --input=random --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %t/i1.mlir --input=random --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %t/i16.mlir --input=random --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %t/i32.mlir --input=random --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %t/i64.mlir --input=random --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %t/index.mlir --input=random --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: %if avx512 %{ qcc run %s --input=random --mcpu=skylake-avx512 --check | FileCheck %s %}
// RUN: %if avx512 %{ qcc run %t/i32.mlir --input=random --mcpu=skylake-avx512 --check | FileCheck %s %}
// RUN: %if avx512 %{ qcc run %t/i64.mlir --input=random --mcpu=skylake-avx512 --check | FileCheck %s %}
// CHECK: check: 378 elements, 0 differ
!e = i8
!t = tensor<3x9x!e>

func.func private @all(%x: !t, %y: !t) -> (!t, !t, !t, !t, !t, !t, !t) {
  %a = arith.divsi %x, %y : !t
  %b = arith.divui %x, %y : !t
  %c = arith.remsi %x, %y : !t
  %d = arith.remui %x, %y : !t
  %e = arith.floordivsi %x, %y : !t
  %f = arith.ceildivsi %x, %y : !t
  %g = arith.ceildivui %x, %y : !t
  return %a, %b, %c, %d, %e, %f, %g : !t, !t, !t, !t, !t, !t, !t
}

func.func @main(%x: !t) -> (!t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t) {
  %row = arith.constant dense<[0, -1, 1, -128, 127, 3, -3, 2, 0]> : tensor<9x!e>
  %least = arith.constant dense<-128> : !t
  %empty = tensor.empty() : !t
  %y = linalg.broadcast ins(%row : tensor<9x!e>) outs(%empty : !t) dimensions = [0]
  %a:7 = func.call @all(%x, %y) : (!t, !t) -> (!t, !t, !t, !t, !t, !t, !t)
  %b:7 = func.call @all(%least, %y) : (!t, !t) -> (!t, !t, !t, !t, !t, !t, !t)
  return %a#0, %a#1, %a#2, %a#3, %a#4, %a#5, %a#6, %b#0, %b#1, %b#2, %b#3, %b#4, %b#5, %b#6
      : !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t, !t
}
