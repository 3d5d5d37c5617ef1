// REQUIRES: x86-64-v3
// Private functions of qnn ops are inlined, and what loops compute on the way has memory.
// RUN: qcc run %s --entry=call --weights=random:2 --input=random:1 --dim=5 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=CALL
// CALL: check: 160 elements, 0 differ
// RUN: qcc run %s --entry=layers --weights=random:2 --input=random:1 --dim=5 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=LAYERS
// RUN: qcc run %s --entry=layers --weights=random:2 --input=random:1 --dim=17 --mcpu=native --check | FileCheck %s --check-prefix=LAYERS
// LAYERS: check: {{165|561}} elements, 0 differ
// RUN: qcc run %s --entry=rows --weights=random:2 --input=random:1 --dim=4 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=ROWS
// RUN: qcc run %s --entry=rows --weights=random:2 --input=random:1 --dim=0 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=ROWS
// ROWS: check: {{28|0}} elements, 0 differ
// RUN: qcc run %s --entry=until --weights=random:2 --input=random:1 --dim=5 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=UNTIL
// UNTIL: check: 9 elements, 0 differ
// RUN: qcc run %s --entry=either --weights=random:2 --input=random:1 --dim=5 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=EITHER
// EITHER: check: 5 elements, 0 differ
// RUN: qcc run %s --entry=cast_after --weights=random:2 --input=random:1 --dim=4 --mcpu=x86-64-v3 --check | FileCheck %s --check-prefix=CAST
// CAST: check: 108 elements, 0 differ
// RUN: not qcc run %s --entry=other_size --weights=random:2 --input=random:1 --dim=4 --dim=9 --mcpu=x86-64-v3 --check 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: dimension 0 of argument 1 must be equal to dimension 0 of argument 0, by 'scf.for'
!s = !quant.uniform<i8:f32, 0.2>
!w = !quant.uniform<i8:f32, 0.0025>

func.func private @layer(%a: tensor<?x32xi8>, %w: tensor<32x32xi8>) -> tensor<?x32xi32> {
  %y = qnn.linear %a, %w : tensor<?x32xi8>, tensor<32x32xi8> -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}
func.func @call(%a: tensor<?x32xi8>, %w: tensor<32x32xi8>) -> tensor<?x32xi32> {
  %y = func.call @layer(%a, %w) : (tensor<?x32xi8>, tensor<32x32xi8>) -> tensor<?x32xi32>
  return %y : tensor<?x32xi32>
}

func.func @layers(%x: tensor<?x33x!s>) -> tensor<?x33x!s> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %w = arith.constant dense_resource<w> : tensor<33x33x!w>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%h = %x) -> tensor<?x33x!s> {
    %a = qnn.linear %h, %w : tensor<?x33x!s>, tensor<33x33x!w> -> tensor<?x33x!s>
    %b = qnn.linear %a, %w : tensor<?x33x!s>, tensor<33x33x!w> -> tensor<?x33x!s>
    scf.yield %b : tensor<?x33x!s>
  }
  return %r : tensor<?x33x!s>
}

// The temporary's size is computed in the loop, from what the loop does not change.
func.func @rows(%x: tensor<?x7xf32>, %w: tensor<7x7xf32>) -> tensor<?x7xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %x) -> tensor<?x7xf32> {
    %n = tensor.dim %h, %c0 : tensor<?x7xf32>
    %e = tensor.empty(%n) : tensor<?x7xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x7xf32>) -> tensor<?x7xf32>
    %p = linalg.matmul ins(%h, %w : tensor<?x7xf32>, tensor<7x7xf32>) outs(%f : tensor<?x7xf32>) -> tensor<?x7xf32>
    %q = linalg.softmax dimension(1) ins(%p : tensor<?x7xf32>) outs(%e : tensor<?x7xf32>) -> tensor<?x7xf32>
    scf.yield %q : tensor<?x7xf32>
  }
  return %r : tensor<?x7xf32>
}

// A tensor that scf.while carries, as often as data says.
func.func @until(%x: tensor<?xf32>, %n: tensor<4xi32>) -> (tensor<?xf32>, tensor<4xi32>) {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %any = tensor.extract %n[%c0] : tensor<4xi32>
  %start = arith.andi %any, %three : i32
  %r:2 = scf.while (%a = %x, %k = %start) : (tensor<?xf32>, i32) -> (tensor<?xf32>, i32) {
    %c = arith.cmpi sgt, %k, %zero : i32
    scf.condition(%c) %a, %k : tensor<?xf32>, i32
  } do {
  ^bb0(%a: tensor<?xf32>, %k: i32):
    %s = arith.addf %a, %x : tensor<?xf32>
    %l = arith.subi %k, %one : i32
    scf.yield %s, %l : tensor<?xf32>, i32
  }
  return %r#0, %n : tensor<?xf32>, tensor<4xi32>
}

// Both branches write to the result.
func.func @either(%x: tensor<?xi32>, %k: i1) -> tensor<?xi32> {
  %r = scf.if %k -> tensor<?xi32> {
    %a = arith.muli %x, %x : tensor<?xi32>
    scf.yield %a : tensor<?xi32>
  } else {
    %b = arith.addi %x, %x : tensor<?xi32>
    scf.yield %b : tensor<?xi32>
  }
  return %r : tensor<?xi32>
}

// The memory that a loop carries would not hold another size.
func.func @other_size(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %s = arith.addf %y, %y : tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// The sizes of a result are not asked of its own memory.
func.func @cast_after(%x: tensor<?x9x3xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = arith.addf %x, %x : tensor<?x9x3xf32>
  %c = tensor.cast %y : tensor<?x9x3xf32> to tensor<?x?x?xf32>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %c) -> (tensor<?x?x?xf32>) {
    %b = arith.addf %a, %c : tensor<?x?x?xf32>
    scf.yield %b : tensor<?x?x?xf32>
  }
  return %r : tensor<?x?x?xf32>
}
