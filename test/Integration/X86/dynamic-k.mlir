// Contractions whose K is dynamic, computed in parts or by loops, and others without a kernel: exact with every rest of rows, columns and K.
// REQUIRES: x86-64-v3
// RUN: qcc run %s --entry=columns --input=random:1 --dim=1 --dim=1 --dim=1 --dim=1 --check | FileCheck %s
// RUN: qcc run %s --entry=columns --input=random:2 --dim=7 --dim=67 --dim=67 --dim=7 --check | FileCheck %s
// RUN: qcc run %s --entry=columns --input=random:2 --dim=7 --dim=67 --dim=67 --dim=7 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %s --entry=columns --input=random:3 --dim=37 --dim=64 --dim=64 --dim=37 --threads=2 --check | FileCheck %s
// RUN: qcc run %s --entry=rows --input=random:1 --dim=1 --dim=1 --dim=1 --dim=1 --check | FileCheck %s
// RUN: qcc run %s --entry=rows --input=random:2 --dim=7 --dim=67 --dim=13 --dim=67 --check | FileCheck %s
// RUN: qcc run %s --entry=rows --input=random:2 --dim=7 --dim=67 --dim=13 --dim=67 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %s --entry=rows --input=random:3 --dim=66 --dim=128 --dim=4 --dim=128 --threads=2 --check | FileCheck %s
// RUN: qcc run %s --entry=columns --input=random:4 --dim=0 --dim=9 --dim=9 --dim=0 --check | FileCheck %s --check-prefix=EMPTY
// RUN: qcc run %s --entry=columns --input=random:4 --dim=9 --dim=0 --dim=0 --dim=9 --check | FileCheck %s
// RUN: %if avx512 %{ qcc run %s --entry=columns --input=random:5 --dim=9 --dim=129 --dim=129 --dim=9 --mcpu=skylake-avx512 --check | FileCheck %s %}
// RUN: qcc run %s --entry=zero_points --input=random:6 --dim=11 --dim=70 --dim=70 --check | FileCheck %s
// RUN: qcc run %s --entry=zero_points --input=random:6 --dim=11 --dim=70 --dim=70 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %s --entry=total --input=random:1 --dim=200 --check | FileCheck %s
// RUN: qcc run %s --entry=total --input=random:1 --dim=3 --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: qcc run %s --entry=convolution --input=random:1 --check | FileCheck %s
// CHECK: check: {{[0-9]+}} elements, 0 differ
// EMPTY: check: 0 elements, 0 differ

#id = affine_map<(b, m, n, k) -> (b, m, n)>

// K innermost of the left operand, N innermost of the right one; the accumulator starts with data.
func.func @columns(%x: tensor<3x?x?xi8>, %w: tensor<3x?x41xi8>, %y: tensor<3x?x41xi32>) -> tensor<3x?x41xi32> {
  %r = linalg.batch_matmul ins(%x, %w : tensor<3x?x?xi8>, tensor<3x?x41xi8>) outs(%y : tensor<3x?x41xi32>) -> tensor<3x?x41xi32>
  return %r : tensor<3x?x41xi32>
}

// K innermost of both, with a zero point that only data gives.
func.func @rows(%x: tensor<2x?x?xi8>, %w: tensor<2x?x?xi8>, %z: tensor<i32>) -> tensor<2x?x?xi32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = tensor.dim %x, %c1 : tensor<2x?x?xi8>
  %n = tensor.dim %w, %c1 : tensor<2x?x?xi8>
  %e = tensor.empty(%m, %n) : tensor<2x?x?xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<2x?x?xi32>) -> tensor<2x?x?xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> ()>, #id], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w, %z : tensor<2x?x?xi8>, tensor<2x?x?xi8>, tensor<i32>) outs(%f : tensor<2x?x?xi32>) {
  ^bb0(%a: i8, %b: i8, %zp: i32, %acc: i32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.subi %0, %zp : i32
    %2 = arith.extui %b : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %acc, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<2x?x?xi32>
  return %r : tensor<2x?x?xi32>
}

// Both have zero points, constants; the result is transposed.
func.func @zero_points(%x: tensor<?x?xi8>, %w: tensor<?x33xi8>) -> tensor<33x?xi32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %zx = arith.constant 200 : i32
  %zw = arith.constant -7 : i32
  %m = tensor.dim %x, %c0 : tensor<?x?xi8>
  %e = tensor.empty(%m) : tensor<33x?xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<33x?xi32>) -> tensor<33x?xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?xi8>, tensor<?x33xi8>) outs(%f : tensor<33x?xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %0 = arith.extui %a : i8 to i32
    %1 = arith.subi %0, %zx : i32
    %2 = arith.extsi %b : i8 to i32
    %3 = arith.subi %2, %zw : i32
    %4 = arith.muli %1, %3 : i32
    %5 = arith.addi %acc, %4 : i32
    linalg.yield %5 : i32
  } -> tensor<33x?xi32>
  return %r : tensor<33x?xi32>
}

// No product, no dimension left.
func.func @total(%x: tensor<3x?xi16>) -> tensor<i64> {
  %zero = arith.constant dense<5> : tensor<i64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<3x?xi16>) outs(%zero : tensor<i64>) {
  ^bb0(%a: i16, %acc: i64):
    %0 = arith.extsi %a : i16 to i64
    %1 = arith.addi %0, %acc : i64
    linalg.yield %1 : i64
  } -> tensor<i64>
  return %r : tensor<i64>
}

// Rows that are computed side by side read other parts of the input.
func.func @convolution(%x: tensor<1x9x13x5xi8>, %w: tensor<3x3x5x19xi8>, %y: tensor<1x7x11x19xi32>) -> tensor<1x7x11x19xi32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x9x13x5xi8>, tensor<3x3x5x19xi8>) outs(%y : tensor<1x7x11x19xi32>) -> tensor<1x7x11x19xi32>
  return %r : tensor<1x7x11x19xi32>
}
