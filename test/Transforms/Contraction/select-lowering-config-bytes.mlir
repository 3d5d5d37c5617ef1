// RUN: qcc-opt %s -split-input-file -verify-diagnostics -select-lowering-config=target=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: qcc-opt %s -split-input-file -verify-diagnostics -select-lowering-config=target=skylake-avx512 | FileCheck %s --check-prefixes=CHECK,BW
// RUN: qcc-opt %s -split-input-file -verify-diagnostics -select-lowering-config=target=cascadelake | FileCheck %s --check-prefix=VNNI

// Constants whose products cannot saturate when two are added: no element is further than 64 from 0.

// CHECK-LABEL: func.func @small
// AVX2: atom = "avx2-bytes", tile = [{{.*}}, 8, 4], {{.*}} lhs = panel
// BW: atom = "avx512bw-bytes", tile = [{{.*}}, 16, 4], {{.*}} lhs = panel
// VNNI: atom = "avx512vnni"
func.func @small(%x: tensor<?x4xi8>, %o: tensor<?x2xi32>) -> tensor<?x2xi32> {
  %w = arith.constant dense<[[-64, 64, 0, 1], [1, 2, 3, 64]]> : tensor<2x4xi8>
  %y = kernel.contract lhs(%x : tensor<?x4xi8>) rhs(%w : tensor<2x4xi8>) outs(%o : tensor<?x2xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x2xi32>
  return %y : tensor<?x2xi32>
}

// Unsigned ones are stored minus 128.
// CHECK-LABEL: func.func @unsigned
// AVX2: atom = "avx2-bytes", {{.*}} lhs = in_place
// BW: atom = "avx512bw-bytes", {{.*}} lhs = in_place
func.func @unsigned(%x: tensor<?x4xi8>, %o: tensor<?x2xi32>) -> tensor<?x2xi32> {
  %w = arith.constant dense<[[64, -64, 127, 127], [127, 127, -128, -64]]> : tensor<2x4xi8>
  %y = kernel.contract lhs(%x : tensor<?x4xi8>) rhs(%w : tensor<2x4xi8>) outs(%o : tensor<?x2xi32>)
      {lhs_unsigned, rhs_unsigned}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x2xi32>
  return %y : tensor<?x2xi32>
}

// CHECK-LABEL: func.func @large
// AVX2: atom = "avx2{{(-pairs)?}}"
// BW: atom = "avx512bw-pairs"
func.func @large(%x: tensor<?x4xi8>, %o: tensor<?x2xi32>) -> tensor<?x2xi32> {
  %w = arith.constant dense<[[-64, 65, 0, 1], [1, 2, 3, 64]]> : tensor<2x4xi8>
  %y = kernel.contract lhs(%x : tensor<?x4xi8>) rhs(%w : tensor<2x4xi8>) outs(%o : tensor<?x2xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x2xi32>
  return %y : tensor<?x2xi32>
}

// The least unsigned element is 63, stored as -65.
// CHECK-LABEL: func.func @large_unsigned
// AVX2: atom = "avx2{{(-pairs)?}}"
// BW: atom = "avx512bw-pairs"
func.func @large_unsigned(%x: tensor<?x4xi8>, %o: tensor<?x2xi32>) -> tensor<?x2xi32> {
  %w = arith.constant dense<[[63, -64, 127, 127], [127, 127, -128, -64]]> : tensor<2x4xi8>
  %y = kernel.contract lhs(%x : tensor<?x4xi8>) rhs(%w : tensor<2x4xi8>) outs(%o : tensor<?x2xi32>)
      {lhs_unsigned, rhs_unsigned}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x2xi32>
  return %y : tensor<?x2xi32>
}

// CHECK-LABEL: func.func @splat
// AVX2: atom = "avx2-bytes"
// BW: atom = "avx512bw-bytes"
func.func @splat(%x: tensor<?x4xi8>, %o: tensor<?x2xi32>) -> tensor<?x2xi32> {
  %w = arith.constant dense<-64> : tensor<2x4xi8>
  %y = kernel.contract lhs(%x : tensor<?x4xi8>) rhs(%w : tensor<2x4xi8>) outs(%o : tensor<?x2xi32>)
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x2xi32>
  return %y : tensor<?x2xi32>
}
