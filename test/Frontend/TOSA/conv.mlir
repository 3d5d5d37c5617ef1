// A quantized convolution and its rescale are one kernel.
// RUN: qcc run %S/../../../docs/examples/tosa_conv.mlir --check | FileCheck %s
// RUN: qcc run %S/../../../docs/examples/tosa_conv.mlir --device=emulator --check | FileCheck %s
// CHECK: check: 2048 elements, 0 differ
// RUN: qcc explain %S/../../../docs/examples/tosa_conv.mlir --mcpu=cascadelake | FileCheck %s --check-prefix=KERNEL
// KERNEL: contract {{.*}}linalg.conv_2d_nhwc_fhwc_q{{.*}}atom avx512vnni
