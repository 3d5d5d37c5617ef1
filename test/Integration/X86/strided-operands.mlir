// REQUIRES: x86-64-v3
// An operand that is a strided view is not read in place: its rows are copied, and explain says so.
// RUN: qcc run %s --mcpu=x86-64-v3 --input=random:1 --check | FileCheck %s
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake --input=random:1 --check | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake+emulated-amx --input=random:1 --check | FileCheck %s %}
// CHECK: 0 differ
// RUN: env COLUMNS=200 qcc explain %s --mcpu=cascadelake | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: atom avx512vnni {{.*}} lhs panel
// EXPLAIN: why: rows of the left operand are copied, since its elements along K do not follow each other in memory
// RUN: sed 's/\[1, 2\]/[1, 1]/' %s | env COLUMNS=200 qcc explain - --mcpu=cascadelake | FileCheck %s --check-prefix=CONTIGUOUS
// CONTIGUOUS: atom avx512vnni {{.*}} lhs in place
// CONTIGUOUS-NOT: are copied
!u = !quant.uniform<u8:f32, 0.05:3>
!w = !quant.uniform<i8:f32, 0.01>

func.func @main(%x: tensor<40x128x!u>, %w: tensor<48x64x!w>) -> tensor<40x48xf32> {
  %s = tensor.extract_slice %x[0, 0] [40, 64] [1, 2] : tensor<40x128x!u> to tensor<40x64x!u>
  %y = qnn.linear %s, %w : tensor<40x64x!u>, tensor<48x64x!w> -> tensor<40x48xf32>
  return %y : tensor<40x48xf32>
}
