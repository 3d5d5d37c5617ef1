// RUN: qcc run %s --check | FileCheck %s
// RUN: qcc run %s --device=emulator --check | FileCheck %s
// CHECK: check: 2048 elements, 0 differ
// RUN: qcc explain %s --mcpu=cascadelake | FileCheck %s --check-prefix=KERNEL
// KERNEL: contract {{.*}}linalg.conv_2d_nhwc_fhwc_q{{.*}}atom avx512vnni

// A convolution of int8 with a zero point of -5, scaled by 2^-6 to int8 and moved by 2: TOSA, as converters of TensorFlow
// Lite write it. It becomes one kernel.

func.func @main(%x: tensor<1x8x8x16xi8>) -> tensor<1x8x8x32xi8> {
  %w = "tosa.const"() {values = dense<3> : tensor<32x3x3x16xi8>} : () -> tensor<32x3x3x16xi8>
  %b = "tosa.const"() {values = dense<7> : tensor<32xi32>} : () -> tensor<32xi32>
  %xz = "tosa.const"() {values = dense<-5> : tensor<1xi8>} : () -> tensor<1xi8>
  %wz = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %m = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
  %s = "tosa.const"() {values = dense<36> : tensor<1xi8>} : () -> tensor<1xi8>
  %iz = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %oz = "tosa.const"() {values = dense<2> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.conv2d %x, %w, %b, %xz, %wz {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x16xi8>, tensor<32x3x3x16xi8>, tensor<32xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x8x32xi32>
  %1 = tosa.rescale %0, %m, %s, %iz, %oz {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x8x8x32xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x8x8x32xi8>
  return %1 : tensor<1x8x8x32xi8>
}
