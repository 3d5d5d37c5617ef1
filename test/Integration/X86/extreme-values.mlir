// REQUIRES: x86-64-v3
// No sum of products saturates or overflows on its way, whatever instructions multiply: bytes at the ends of their
// ranges, both operands of either sign, K not a multiple of what an instruction takes. Rows and columns are all lowest,
// all highest, or take turns. Those of %v and %z are the ends of what sums of two products in i16 allow.
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy; lines = lambda n, a, b, t: numpy.array([[(a, b, (a, b)[k % 2], (b, a)[k // 2 % 2])[i % 4] for k in range(133)] for i in range(n)], t); numpy.save('%t/xs', lines(66, -128, 127, 'int8')); numpy.save('%t/xu', lines(66, 255, 0, 'uint8')); numpy.save('%t/ws', lines(37, -128, 127, 'int8')); numpy.save('%t/wu', lines(37, 255, 0, 'uint8')); numpy.savez('%t/w.npz', v=lines(37, -64, 64, 'int8'), z=lines(37, 64, 192, 'uint8'))"
// RUN: qcc run %s --mcpu=x86-64-v3 --weights=%t/w.npz --input=%t/xs.npy --input=%t/xu.npy --input=%t/ws.npy --input=%t/wu.npy --check | FileCheck %s --check-prefix=SAME
// RUN: %if avx512 %{ qcc run %s --mcpu=skylake-avx512 --weights=%t/w.npz --input=%t/xs.npy --input=%t/xu.npy --input=%t/ws.npy --input=%t/wu.npy --check | FileCheck %s --check-prefix=SAME %}
// RUN: qcc run %s --mcpu=native --weights=%t/w.npz --input=%t/xs.npy --input=%t/xu.npy --input=%t/ws.npy --input=%t/wu.npy --check | FileCheck %s --check-prefix=SAME
// SAME: check
// RUN: env COLUMNS=1000 qcc explain %s --weights=%t/w.npz --mcpu=x86-64-v3 | FileCheck %s --check-prefix=AVX2
// AVX2-COUNT-4: atom avx2-pairs
// AVX2-COUNT-4: atom avx2-bytes
// RUN: env COLUMNS=1000 qcc explain %s --weights=%t/w.npz --mcpu=skylake-avx512 | FileCheck %s --check-prefix=BW
// BW-COUNT-4: atom avx512bw-pairs
// BW-COUNT-4: atom avx512bw-bytes
!s = !quant.uniform<i8:f32, 1.0>
!u = !quant.uniform<u8:f32, 1.0>
!i = tensor<66x37xi32>
func.func @all(%xs: tensor<66x133x!s>, %xu: tensor<66x133x!u>, %ws: tensor<37x133x!s>, %wu: tensor<37x133x!u>) -> (!i, !i, !i, !i, !i, !i, !i, !i) {
  %v = arith.constant dense_resource<v> : tensor<37x133x!s>
  %z = arith.constant dense_resource<z> : tensor<37x133x!u>
  %a = qnn.matmul %xs, %ws {transpose_rhs} : tensor<66x133x!s>, tensor<37x133x!s> -> !i
  %b = qnn.matmul %xs, %wu {transpose_rhs} : tensor<66x133x!s>, tensor<37x133x!u> -> !i
  %c = qnn.matmul %xu, %ws {transpose_rhs} : tensor<66x133x!u>, tensor<37x133x!s> -> !i
  %d = qnn.matmul %xu, %wu {transpose_rhs} : tensor<66x133x!u>, tensor<37x133x!u> -> !i
  %e = qnn.matmul %xs, %v {transpose_rhs} : tensor<66x133x!s>, tensor<37x133x!s> -> !i
  %f = qnn.matmul %xs, %z {transpose_rhs} : tensor<66x133x!s>, tensor<37x133x!u> -> !i
  %g = qnn.matmul %xu, %v {transpose_rhs} : tensor<66x133x!u>, tensor<37x133x!s> -> !i
  %h = qnn.matmul %xu, %z {transpose_rhs} : tensor<66x133x!u>, tensor<37x133x!u> -> !i
  return %a, %b, %c, %d, %e, %f, %g, %h : !i, !i, !i, !i, !i, !i, !i, !i
}
