// How much a step computes and moves, in terms of the dynamic sizes of
// arguments: products, and quotients where K is computed in parts of 64.

// RUN: env COLUMNS=1000 qcc explain %s --mcpu=cascadelake | FileCheck %s

// CHECK: entry matmul:
// CHECK: matmul.step5.pack
// CHECK-NEXT: 0 operations, 2112*ceil(d1/64) bytes
// CHECK: atom avx512vnni
// CHECK-NEXT: 2048*ceil(d1/64)*d3 operations, 64*ceil(d1/64)*d3 + 64*ceil(d1/64)*d0 + 1088*ceil(d1/64) + 4 bytes
// CHECK: sum of parts of K
// CHECK-NEXT: 16*ceil(d1/64)*d3 operations, 64*d3 + 64*ceil(d1/64)*d3 bytes
// CHECK-NOT: unknown
func.func @matmul(%a: tensor<?x?xi8>, %b: tensor<?x16xi8>, %init: tensor<?x16xi32>) -> tensor<?x16xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xi8>, tensor<?x16xi8>) outs(%init : tensor<?x16xi32>) -> tensor<?x16xi32>
  return %0 : tensor<?x16xi32>
}
