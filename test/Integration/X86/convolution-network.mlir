// REQUIRES: x86-64-v3
// Two layers: each convolution is one kernel with its epilogue, and reads its windows in place.
// RUN: qcc run %s --weights=random:7 --input=random:1 --dim=2 --check | FileCheck %s
// CHECK: 0 differ
// RUN: env COLUMNS=200 qcc explain %s --weights=random:7 --mcpu=cascadelake | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: conv1, {{.*}}qnn.conv2d {{ *}}atom avx512vnni {{.*}} lhs in place
// EXPLAIN: conv2, {{.*}}qnn.conv2d {{ *}}atom avx512vnni {{.*}} lhs in place

!u = !quant.uniform<u8:f32, 0.05:131>
!w = !quant.uniform<i8:f32, 0.01>
!y = !quant.uniform<i8:f32, 0.3:5>
!z = !quant.uniform<u8:f32, 0.9:99>

func.func @network(%x: tensor<?x16x16x32x!u>) -> tensor<?x8x8x48x!y> {
  %w1 = arith.constant dense_resource<w1> : tensor<64x3x3x32x!w>
  %w2 = arith.constant dense_resource<w2> : tensor<48x3x3x64x!w>
  %0 = qnn.conv2d %x, %w1 {padding = array<i64: 1, 1, 1, 1>, clamp_min = 0.0 : f32} : tensor<?x16x16x32x!u>, tensor<64x3x3x32x!w> -> tensor<?x16x16x64x!z> loc("conv1")
  %1 = qnn.conv2d %0, %w2 {strides = array<i64: 2, 2>, padding = array<i64: 1, 0, 0, 1>} : tensor<?x16x16x64x!z>, tensor<48x3x3x64x!w> -> tensor<?x8x8x48x!y> loc("conv2")
  return %1 : tensor<?x8x8x48x!y>
}
