// Why an operand is packed at every call, and why element by element.
// RUN: env COLUMNS=1000 qcc explain %s | FileCheck %s
// RUN: qcc run %s --entry=side_by_side --input=random:1 --check | FileCheck %s --check-prefix=SAME
// RUN: qcc run %s --entry=batch_innermost --input=random:1 --check | FileCheck %s --check-prefix=SAME
// SAME: 0 differ

// CHECK: entry side_by_side:
// CHECK: side_by_side.step0.pack
// CHECK-NEXT: bytes
// CHECK-NEXT: why: runs at every call, since the operand is not a constant of the program
// CHECK-NOT: element by element
// CHECK: entry batch_innermost:
// CHECK: batch_innermost.step0.pack
// CHECK-NEXT: bytes
// CHECK-NEXT: why: runs at every call
// CHECK-NEXT: why element by element: its innermost dimension is neither the columns nor the innermost one of K; store it so that one of them is contiguous

#x = affine_map<(b, m, n, k) -> (b, m, k)>
#y = affine_map<(b, m, n, k) -> (b, m, n)>

func.func @side_by_side(%x: tensor<3x4x9xi8>, %w: tensor<3x9x17xi8>) -> tensor<3x4x17xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<3x4x17xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<3x4x17xi32>) -> tensor<3x4x17xi32>
  %y = linalg.generic {indexing_maps = [#x, affine_map<(b, m, n, k) -> (b, k, n)>, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<3x4x9xi8>, tensor<3x9x17xi8>) outs(%init : tensor<3x4x17xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %l = arith.extsi %a : i8 to i32
    %r = arith.extsi %b : i8 to i32
    %p = arith.muli %l, %r : i32
    %s = arith.addi %acc, %p : i32
    linalg.yield %s : i32
  } -> tensor<3x4x17xi32>
  return %y : tensor<3x4x17xi32>
}

func.func @batch_innermost(%x: tensor<3x4x9xi8>, %w: tensor<9x17x3xi8>) -> tensor<3x4x17xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<3x4x17xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<3x4x17xi32>) -> tensor<3x4x17xi32>
  %y = linalg.generic {indexing_maps = [#x, affine_map<(b, m, n, k) -> (k, n, b)>, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<3x4x9xi8>, tensor<9x17x3xi8>) outs(%init : tensor<3x4x17xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %l = arith.extsi %a : i8 to i32
    %r = arith.extsi %b : i8 to i32
    %p = arith.muli %l, %r : i32
    %s = arith.addi %acc, %p : i32
    linalg.yield %s : i32
  } -> tensor<3x4x17xi32>
  return %y : tensor<3x4x17xi32>
}
