// What contractions become: bytes are summed in i32, and fuse with what follows into one kernel.
// RUN: qcc compile %s --emit=import -o - | FileCheck %s
// RUN: qcc explain %s --mcpu=cascadelake | FileCheck %s --check-prefix=KERNEL

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<8x64xi8>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %{{.*}} : tensor<8x64xi8>, tensor<64x32xi8>)
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.muli
// CHECK: arith.addi
// CHECK: arith.sitofp
// KERNEL: contract {{.*}}atom avx512vnni
func.func public @main(%x: tensor<8x64xi8>, %w: tensor<64x32xi8>) -> tensor<8x32xi8> {
  %0 = stablehlo.dot %x, %w, precision = [DEFAULT, DEFAULT] : (tensor<8x64xi8>, tensor<64x32xi8>) -> tensor<8x32xi32>
  %1 = stablehlo.convert %0 : (tensor<8x32xi32>) -> tensor<8x32xf32>
  %c = stablehlo.constant dense<1.250000e-01> : tensor<8x32xf32>
  %2 = stablehlo.multiply %1, %c : tensor<8x32xf32>
  %3 = stablehlo.round_nearest_even %2 : tensor<8x32xf32>
  %lo = stablehlo.constant dense<-128> : tensor<i32>
  %hi = stablehlo.constant dense<127> : tensor<i32>
  %4 = stablehlo.convert %lo : (tensor<i32>) -> tensor<f32>
  %5 = stablehlo.convert %hi : (tensor<i32>) -> tensor<f32>
  %6 = stablehlo.clamp %4, %3, %5 : (tensor<f32>, tensor<8x32xf32>, tensor<f32>) -> tensor<8x32xf32>
  %7 = stablehlo.convert %6 : (tensor<8x32xf32>) -> tensor<8x32xi8>
  return %7 : tensor<8x32xi8>
}
