// REQUIRES: x86-64-v3
// Integers become f16 and bf16 through f32 (N8), with two roundings: the values are just above the middle between two
// bf16, and the nearest f32 is the middle.
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy; k = numpy.arange(-150, 150); numpy.save('%t/x', (k * 262144 + 16842753).astype('int32')); numpy.save('%t/y', (k * 2**48 + 2**54 + 2**46 + 1))"
// RUN: qcc run %s --input=%t/x.npy --input=%t/y.npy --mcpu=x86-64-v3 --check | FileCheck %s
// RUN: %if avx512 %{ qcc run %s --input=%t/x.npy --input=%t/y.npy --mcpu=skylake-avx512 --check | FileCheck %s %}
// CHECK: check: 1200 elements, 0 differ
func.func @main(%x: tensor<?xi32>, %y: tensor<?xi64>) -> (tensor<?xbf16>, tensor<?xf16>, tensor<?xbf16>, tensor<?xbf16>) {
  %a = arith.sitofp %x : tensor<?xi32> to tensor<?xbf16>
  %b = arith.sitofp %x : tensor<?xi32> to tensor<?xf16>
  %c = arith.uitofp %y : tensor<?xi64> to tensor<?xbf16>
  %d = arith.sitofp %y : tensor<?xi64> to tensor<?xbf16>
  return %a, %b, %c, %d : tensor<?xbf16>, tensor<?xf16>, tensor<?xbf16>, tensor<?xbf16>
}
