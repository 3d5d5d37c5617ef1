// Attentions whose scores exceed the L2 cache run block of rows by block of rows and give the bits of the reference: with
// rests of blocks, a mask, scores that are infinite or NaN, one head, rows that are dynamic, and products of bytes.
// REQUIRES: x86-64-v3
// RUN: split-file %s %t
// RUN: qcc run %t/masked.mlir --mcpu=x86-64-v3 --input=random:1:-2:2 --threads=3 --check | FileCheck %s
// RUN: qcc run %t/masked.mlir --input=random:2:-300:300 --check | FileCheck %s
// RUN: qcc run %t/masked.mlir --mcpu=x86-64-v3 --input=random:3:-3e38:3e38 --check | FileCheck %s
// RUN: qcc run %t/bytes.mlir --mcpu=x86-64-v3 --input=random:1 --threads=2 --check | FileCheck %s
// RUN: qcc run %t/bytes.mlir --input=random:2 --check | FileCheck %s
// RUN: qcc run %t/queries.mlir --mcpu=x86-64-v3 --input=random:1:-2:2 --dim=1 --check | FileCheck %s
// RUN: qcc run %t/queries.mlir --mcpu=x86-64-v3 --input=random:1:-2:2 --dim=203 --threads=2 --check | FileCheck %s
// RUN: qcc run %t/queries.mlir --mcpu=x86-64-v3 --input=random:1:-2:2 --dim=0 --check | FileCheck %s --check-prefix=EMPTY
// CHECK: check: {{.*}} elements, 0 differ
// EMPTY: check: 0 elements, 0 differ

// Scores and probabilities are temporaries of a thread.
// RUN: qcc compile %t/masked.mlir --mcpu=x86-64-v3 --emit=buffer -o - | FileCheck %s --check-prefix=BUFFER
// RUN: qcc compile %t/bytes.mlir --mcpu=x86-64-v3 --emit=buffer -o - | FileCheck %s --check-prefix=BUFFER
// RUN: qcc compile %t/queries.mlir --mcpu=x86-64-v3 --emit=buffer -o - | FileCheck %s --check-prefix=BUFFER
// BUFFER: scf.forall
// BUFFER: memref.alloca
// BUFFER: kernel.contract
// BUFFER: kernel.contract
// The value of each layer is to be seen.
// RUN: qcc compile %t/masked.mlir --mcpu=x86-64-v3 --unfused --emit=buffer -o - | FileCheck %s --check-prefix=UNFUSED
// UNFUSED-NOT: scf.forall
// RUN: qcc explain %t/masked.mlir --mcpu=x86-64-v3 --json=- | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN-DAG: "config": "{{.*}}float_tiles{{.*}}, then {{.*}}float_tiles{{.*}}, by blocks of {{[0-9]+}} rows"
// EXPLAIN-DAG: "kind": "rows"
// RUN: qcc explain %t/bytes.mlir --mcpu=x86-64-v3 --json=- | tr -d ' \n' | FileCheck %s --check-prefix=MADE
// MADE: "fused":["qnn.matmul","maxnumf","subf+exp","addf","divf","qnn.quantize","qnn.matmul"

//--- masked.mlir
#all = affine_map<(h, m, n) -> (h, m, n)>
#mask = affine_map<(h, m, n) -> (m, n)>
func.func @masked(%q: tensor<2x301x40xf32>, %k: tensor<2x700x40xf32>, %v: tensor<2x700x33xf32>, %mask: tensor<301x700xf32>) -> tensor<301x2x33xf32> {
  %scale = arith.constant 0.158113883 : f32
  %empty = tensor.empty() : tensor<2x301x700xf32>
  %scores = qnn.matmul %q, %k {transpose_rhs} : tensor<2x301x40xf32>, tensor<2x700x40xf32> -> tensor<2x301x700xf32>
  %masked = linalg.generic {indexing_maps = [#all, #mask, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %mask : tensor<2x301x700xf32>, tensor<301x700xf32>) outs(%empty : tensor<2x301x700xf32>) {
  ^bb0(%score: f32, %hides: f32, %out: f32):
    %scaled = arith.mulf %score, %scale : f32
    %r = arith.addf %scaled, %hides : f32
    linalg.yield %r : f32
  } -> tensor<2x301x700xf32>
  %p = linalg.softmax dimension(2) ins(%masked : tensor<2x301x700xf32>) outs(%empty : tensor<2x301x700xf32>) -> tensor<2x301x700xf32>
  %y = qnn.matmul %p, %v : tensor<2x301x700xf32>, tensor<2x700x33xf32> -> tensor<2x301x33xf32>
  %lines = tensor.empty() : tensor<301x2x33xf32>
  %t = linalg.transpose ins(%y : tensor<2x301x33xf32>) outs(%lines : tensor<301x2x33xf32>) permutation = [1, 0, 2]
  return %t : tensor<301x2x33xf32>
}

//--- bytes.mlir
!q = !quant.uniform<i8:f32, 2.5e-02:3>
!p = !quant.uniform<u8:f32, 3.921569e-03>
!v = !quant.uniform<i8:f32, 2.4e-02>
!y = !quant.uniform<i8:f32, 1.0e-02>
func.func @bytes(%q8: tensor<517x32x!q>, %k8: tensor<517x32x!q>, %v8: tensor<517x32x!v>) -> tensor<517x32x!y> {
  %q = qnn.dequantize %q8 : tensor<517x32x!q> -> tensor<517x32xf32>
  %k = qnn.dequantize %k8 : tensor<517x32x!q> -> tensor<517x32xf32>
  %v = qnn.dequantize %v8 : tensor<517x32x!v> -> tensor<517x32xf32>
  %empty = tensor.empty() : tensor<517x517xf32>
  %scores = qnn.matmul %q, %k {transpose_rhs} : tensor<517x32xf32>, tensor<517x32xf32> -> tensor<517x517xf32>
  %p = linalg.softmax dimension(1) ins(%scores : tensor<517x517xf32>) outs(%empty : tensor<517x517xf32>) -> tensor<517x517xf32>
  %p8 = qnn.quantize %p : tensor<517x517xf32> -> tensor<517x517x!p>
  %pd = qnn.dequantize %p8 : tensor<517x517x!p> -> tensor<517x517xf32>
  %y = qnn.matmul %pd, %v : tensor<517x517xf32>, tensor<517x32xf32> -> tensor<517x32xf32>
  %y8 = qnn.quantize %y : tensor<517x32xf32> -> tensor<517x32x!y>
  return %y8 : tensor<517x32x!y>
}

//--- queries.mlir
func.func @queries(%q: tensor<?x32xf32>, %k: tensor<900x32xf32>, %v: tensor<900x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %q, %c0 : tensor<?x32xf32>
  %empty = tensor.empty(%rows) : tensor<?x900xf32>
  %scores = qnn.matmul %q, %k {transpose_rhs} : tensor<?x32xf32>, tensor<900x32xf32> -> tensor<?x900xf32>
  %p = linalg.softmax dimension(1) ins(%scores : tensor<?x900xf32>) outs(%empty : tensor<?x900xf32>) -> tensor<?x900xf32>
  %y = qnn.matmul %p, %v : tensor<?x900xf32>, tensor<900x16xf32> -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
