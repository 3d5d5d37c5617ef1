// REQUIRES: x86-64-v3
// No sum of products saturates or overflows on its way, whatever instructions multiply: bytes at the ends of their
// ranges, both operands of either sign, K not a multiple of what an instruction takes. Rows and columns are all lowest,
// all highest, or take turns.
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy; lines = lambda n, a, b, t: numpy.array([[(a, b, (a, b)[k % 2], (b, a)[k // 2 % 2])[i % 4] for k in range(517)] for i in range(n)], t); numpy.save('%t/xs', lines(66, -128, 127, 'int8')); numpy.save('%t/xu', lines(66, 255, 0, 'uint8')); numpy.save('%t/ws', lines(37, -128, 127, 'int8')); numpy.save('%t/wu', lines(37, 255, 0, 'uint8'))"
// RUN: qcc run %s --mcpu=x86-64-v3 --input=%t/xs.npy --input=%t/xu.npy --input=%t/ws.npy --input=%t/wu.npy --check | FileCheck %s --check-prefix=SAME
// RUN: %if avx512 %{ qcc run %s --mcpu=skylake-avx512 --input=%t/xs.npy --input=%t/xu.npy --input=%t/ws.npy --input=%t/wu.npy --check | FileCheck %s --check-prefix=SAME %}
// RUN: qcc run %s --mcpu=native --input=%t/xs.npy --input=%t/xu.npy --input=%t/ws.npy --input=%t/wu.npy --check | FileCheck %s --check-prefix=SAME
// SAME: check
// RUN: qcc explain %s --mcpu=x86-64-v3 | FileCheck %s --check-prefix=AVX2
// AVX2-COUNT-4: atom avx2-pairs
// RUN: qcc explain %s --mcpu=skylake-avx512 | FileCheck %s --check-prefix=BW
// BW-COUNT-4: atom avx512bw-pairs
!s = !quant.uniform<i8:f32, 1.0>
!u = !quant.uniform<u8:f32, 1.0>
!i = tensor<66x37xi32>
func.func @all(%xs: tensor<66x517x!s>, %xu: tensor<66x517x!u>, %ws: tensor<37x517x!s>, %wu: tensor<37x517x!u>) -> (!i, !i, !i, !i) {
  %a = qnn.matmul %xs, %ws {transpose_rhs} : tensor<66x517x!s>, tensor<37x517x!s> -> !i
  %b = qnn.matmul %xs, %wu {transpose_rhs} : tensor<66x517x!s>, tensor<37x517x!u> -> !i
  %c = qnn.matmul %xu, %ws {transpose_rhs} : tensor<66x517x!u>, tensor<37x517x!s> -> !i
  %d = qnn.matmul %xu, %wu {transpose_rhs} : tensor<66x517x!u>, tensor<37x517x!u> -> !i
  return %a, %b, %c, %d : !i, !i, !i, !i
}
