// REQUIRES: x86-64-v3
// What a reduction without elements gives is its initial value, and what nothing wrote is 0: no result depends on what
// memory held before.
// RUN: qcc run %s --entry=last --input=random:1 --dim=5 --dim=0 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=LAST
// RUN: qcc run %s --entry=last --input=random:1 --dim=5 --dim=3 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=LAST
// LAST: check: 15 elements, 0 differ
// RUN: qcc run %s --entry=none --input=random:1 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=NONE
// NONE: check: 20 elements, 0 differ
// RUN: qcc run %s --entry=combines --input=random:1:-4:4 --dim=0 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=COMBINES
// RUN: qcc run %s --entry=combines --input=random:1:-4:4 --dim=1 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=COMBINES
// COMBINES: check: 7 elements, 0 differ
// RUN: qcc run %s --entry=contractions --input=random:1 --dim=5 --dim=0 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=CONTRACTIONS
// CONTRACTIONS: check: 96 elements, 0 differ
// RUN: qcc run %s --entry=partial --input=random:1 --dim=2 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=PARTIAL
// PARTIAL: check: 32 elements, 0 differ
// RUN: qcc run %s --entry=loop --input=random:1 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=LOOP
// LOOP: check: 12 elements, 0 differ
#k = affine_map<(m, k) -> (m, k)>
#m = affine_map<(m, k) -> (m)>
#s = affine_map<(m, k) -> ()>

func.func @last(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %five = arith.constant 5.0 : f32
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%five : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#k, #m], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %b = math.exp %a : f32
    linalg.yield %b : f32
  } -> tensor<?xf32>
  %t = linalg.generic {indexing_maps = [#k, #m], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    linalg.yield %five : f32
  } -> tensor<?xf32>
  %g = tensor.empty(%n) : tensor<?xi32>
  %h = linalg.fill ins(%seven : i32) outs(%g : tensor<?xi32>) -> tensor<?xi32>
  %u = linalg.generic {indexing_maps = [#k, #m], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%h : tensor<?xi32>) {
  ^bb0(%a: f32, %acc: i32):
    %b = arith.muli %acc, %zero : i32
    linalg.yield %b : i32
  } -> tensor<?xi32>
  return %r, %t, %u : tensor<?xf32>, tensor<?xf32>, tensor<?xi32>
}

func.func @none(%x: tensor<5x0xf32>, %i: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %a = linalg.generic {indexing_maps = [#k, #m], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x0xf32>) outs(%i : tensor<5xf32>) {
  ^bb0(%v: f32, %acc: f32):
    linalg.yield %v : f32
  } -> tensor<5xf32>
  %b = linalg.reduce { arith.addf } ins(%x : tensor<5x0xf32>) outs(%i : tensor<5xf32>) dimensions = [1]
  %c = linalg.reduce { arith.maximumf } ins(%x : tensor<5x0xf32>) outs(%i : tensor<5xf32>) dimensions = [1]
  %d = linalg.reduce { arith.minnumf } ins(%x : tensor<5x0xf32>) outs(%i : tensor<5xf32>) dimensions = [1]
  return %a, %b, %c, %d : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

func.func @combines(%x: tensor<?xf32>, %i: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f16>) {
  %add = linalg.reduce { arith.addf } ins(%x : tensor<?xf32>) outs(%i : tensor<f32>) dimensions = [0]
  %mul = linalg.reduce { arith.mulf } ins(%x : tensor<?xf32>) outs(%i : tensor<f32>) dimensions = [0]
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<?xf32>) outs(%i : tensor<f32>) dimensions = [0]
  %min = linalg.reduce { arith.minimumf } ins(%x : tensor<?xf32>) outs(%i : tensor<f32>) dimensions = [0]
  %maxnum = linalg.reduce { arith.maxnumf } ins(%x : tensor<?xf32>) outs(%i : tensor<f32>) dimensions = [0]
  %minnum = linalg.reduce { arith.minnumf } ins(%x : tensor<?xf32>) outs(%i : tensor<f32>) dimensions = [0]
  %h = arith.truncf %x : tensor<?xf32> to tensor<?xf16>
  %j = arith.truncf %i : tensor<f32> to tensor<f16>
  %half = linalg.reduce { arith.maxnumf } ins(%h : tensor<?xf16>) outs(%j : tensor<f16>) dimensions = [0]
  return %add, %mul, %max, %min, %maxnum, %minnum, %half : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f16>
}

func.func @contractions(%x: tensor<?x?xi8>, %w: tensor<0x8xi8>, %b: tensor<4x8xi32>, %y: tensor<4x0xi8>, %i: tensor<4x8xf32>) -> (tensor<4x8xi32>, tensor<4x8xf32>, tensor<4x8xi32>) {
  %r = linalg.matmul ins(%y, %w : tensor<4x0xi8>, tensor<0x8xi8>) outs(%b : tensor<4x8xi32>) -> tensor<4x8xi32>
  %yf = arith.sitofp %y : tensor<4x0xi8> to tensor<4x0xf32>
  %wf = arith.sitofp %w : tensor<0x8xi8> to tensor<0x8xf32>
  %f = linalg.matmul ins(%yf, %wf : tensor<4x0xf32>, tensor<0x8xf32>) outs(%i : tensor<4x8xf32>) -> tensor<4x8xf32>
  %v = tensor.extract_slice %x[0, 0] [4, 0] [1, 1] : tensor<?x?xi8> to tensor<4x0xi8>
  %s = linalg.matmul ins(%v, %w : tensor<4x0xi8>, tensor<0x8xi8>) outs(%b : tensor<4x8xi32>) -> tensor<4x8xi32>
  return %r, %f, %s : tensor<4x8xi32>, tensor<4x8xf32>, tensor<4x8xi32>
}

func.func private @accumulate(%x: tensor<8xf32>, %init: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%init : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.map { math.absf } ins(%r : tensor<8xf32>) outs(%init : tensor<8xf32>)
  %t = arith.addf %s, %init : tensor<8xf32>
  return %t : tensor<8xf32>
}

func.func @partial(%x: tensor<3xf32>, %y: tensor<8xf32>, %n: tensor<?xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %i = tensor.dim %n, %c0 : tensor<?xf32>
  %e = tensor.empty() : tensor<8xf32>
  %a = tensor.insert_slice %x into %e[%i] [3] [1] : tensor<3xf32> into tensor<8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %b = func.call @accumulate(%y, %f) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %g = tensor.empty() : tensor<8xf32>
  %h = tensor.insert_slice %x into %g[0] [3] [2] : tensor<3xf32> into tensor<8xf32>
  %p = tensor.empty() : tensor<8xf32>
  %q = tensor.insert_slice %n into %p[3] [%i] [1] : tensor<?xf32> into tensor<8xf32>
  return %a, %b, %h, %q : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

func.func @loop(%x: tensor<4xf32>, %n: tensor<0xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<4xf32>
  %a = scf.for %i = %c0 to %c0 step %c1 iter_args(%acc = %x) -> tensor<4xf32> {
    %s = arith.addf %acc, %acc : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  %b = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %e) -> tensor<4xf32> {
    %s = arith.addf %acc, %x : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  %c = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %e) -> tensor<4xf32> {
    %v = tensor.extract_slice %x[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %s = tensor.insert_slice %v into %acc[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
