// REQUIRES: x86-64-v3
// linalg.softmax by the steps of N8, along any dimension, of rows of any size, none among them.
// RUN: qcc run %s --entry=rows --input=random:1:-8:8 --dim=5 --dim=37 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=ROWS
// ROWS: check: 185 elements, 0 differ
// RUN: qcc run %s --entry=rows --input=random:1:-8:8 --dim=5 --dim=0 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=EMPTY
// RUN: qcc run %s --entry=rows --input=random:1:-8:8 --dim=0 --dim=5 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=EMPTY
// EMPTY: check: 0 elements, 0 differ
// RUN: qcc run %s --entry=columns --input=random:1:-8:8 --dim=3 --dim=17 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: check: 816 elements, 0 differ
// RUN: qcc run %s --entry=special --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=SPECIAL
// SPECIAL: check: 20 elements, 0 differ
// RUN: %if avx512 %{ qcc run %s --entry=columns --input=random:1:-8:8 --dim=3 --dim=17 --mcpu=skylake-avx512 --check | FileCheck %s --check-prefix=COLUMNS %}
func.func @rows(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

!h = tensor<?x?x8xf16>
!b = tensor<?x?x8xbf16>
func.func @columns(%x: tensor<?x?x8xf32>) -> (!h, !b) {
  %h = arith.truncf %x : tensor<?x?x8xf32> to !h
  %b = arith.truncf %x : tensor<?x?x8xf32> to !b
  %y = linalg.softmax dimension(1) ins(%h : !h) outs(%h : !h) -> !h
  %z = linalg.softmax dimension(0) ins(%b : !b) outs(%b : !b) -> !b
  return %y, %z : !h, !b
}

func.func @special() -> tensor<5x4xf32> {
  %x = arith.constant dense<[[0x7FC00000, 1.0, 2.0, 3.0], [0x7F800000, 1.0, 2.0, 3.0], [0xFF800000, 1.0, 2.0, 3.0],
      [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [-3.4e38, 3.4e38, 0.0, -0.0]]> : tensor<5x4xf32>
  %e = tensor.empty() : tensor<5x4xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<5x4xf32>) outs(%e : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %y : tensor<5x4xf32>
}
