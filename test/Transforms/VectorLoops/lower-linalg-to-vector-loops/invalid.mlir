// RUN: qcc-opt %s --lower-linalg-to-vector-loops -split-input-file -verify-diagnostics

func.func @softmax(%x: memref<4x8xf32>, %o: memref<4x8xf32>) {
  // expected-error@+1 {{'linalg.softmax' op has no loops of its own; decompose it into linalg.generic ops before bufferization}}
  linalg.softmax dimension(1) ins(%x : memref<4x8xf32>) outs(%o : memref<4x8xf32>)
  return
}

// -----

func.func @tensor(%x: tensor<4xf32>, %v: f32) -> tensor<4xf32> {
  // expected-error@+1 {{'linalg.fill' op is not on memrefs; bufferize before this pass}}
  %0 = linalg.fill ins(%v : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unranked(%x: memref<*xf32>, %o: memref<*xf32>) {
  // expected-error@+1 {{'memref.copy' op copies a memref of unknown rank, for which there are no loops; cast it to a ranked one}}
  memref.copy %x, %o : memref<*xf32> to memref<*xf32>
  return
}

// -----

func.func @scan(%x: memref<4xi32>, %o: memref<4xi32>) {
  // expected-error@+1 {{'linalg.generic' op has an output that depends on a reduction dimension; make the dimension parallel}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["reduction"]}
      ins(%x : memref<4xi32>) outs(%o : memref<4xi32>) {
  ^bb0(%a: i32, %acc: i32):
    %0 = arith.addi %a, %acc : i32
    linalg.yield %0 : i32
  }
  return
}
