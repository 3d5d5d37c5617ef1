// RUN: qcc run %s --weights=random:7 --input=random:1 --dim=131 --check | FileCheck %s
// CHECK: check: 4192 elements, 0 differ

// Asymmetric quantization: uint8 activations with zero points, the weight in int8 with one
// scale per output channel, an i32 bias of scale sx * sw, and quantized types at the function's
// boundary. The zero point of the input is folded into the bias at compile time.

!x = !quant.uniform<u8:f32, 2.350000e-02:113>
!h = !quant.uniform<u8:f32, 1.100000e-01:7>
!y = !quant.uniform<u8:f32, 6.100000e-02:128>
!w1 = !quant.uniform<i8:f32:0, {5.737410e-03, 6.450722e-03, 6.771161e-03, 7.654702e-03, 6.439391e-03, 7.533950e-03, 2.174031e-03, 4.793736e-03, 7.660140e-03, 5.893847e-03, 7.405403e-03, 2.679236e-03, 4.814414e-03, 3.479437e-03, 5.262565e-03, 5.443647e-03, 2.078685e-03, 3.300379e-03, 3.676894e-03, 7.498072e-03, 6.594353e-03, 2.957625e-03, 6.782882e-03, 2.832605e-03, 5.704715e-03, 2.760195e-03, 2.010649e-03, 7.228428e-03, 3.256738e-03, 3.292887e-03, 7.894527e-03, 7.234447e-03}>
!w2 = !quant.uniform<u8:f32, 2.900000e-03:131>

func.func @asymmetric(%x: tensor<?x96x!x>) -> tensor<?x32x!y> {
  %w1 = arith.constant dense_resource<w1> : tensor<32x96x!w1>
  %b1 = arith.constant dense<[-11041, -9445, -16966, 5338, 27417, 14422, 11007, -16580, -18095, 15261, -17098, 28572, -4886, -10419, -28587, -6330, -2809, -19124, -20452, -12711, -25732, -8252, -10251, 23569, 9525, 8413, -29779, 9058, 14429, 16378, -7856, -25674]> : tensor<32xi32>
  %w2 = arith.constant dense_resource<w2> : tensor<32x32x!w2>

  // The ReLU6 between the layers is the clamp of the first one.
  %h = qnn.linear %x, %w1 bias(%b1 : tensor<32xi32>) {clamp_max = 6.000000e+00 : f32, clamp_min = 0.000000e+00 : f32}
    : tensor<?x96x!x>, tensor<32x96x!w1> -> tensor<?x32x!h>
  %y = qnn.linear %h, %w2 : tensor<?x32x!h>, tensor<32x32x!w2> -> tensor<?x32x!y>
  return %y : tensor<?x32x!y>
}
