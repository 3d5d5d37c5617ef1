// REQUIRES: x86-64-v3
// Rows in several dimensions, loops of one iteration and convolutions of 1x1 are ordinary matmuls.
// RUN: qcc run %s --mcpu=x86-64-v3 --input=random:1 --dim=3 --dim=3 --check | FileCheck %s
// RUN: %if avx512f %{ qcc run %s --mcpu=skylake-avx512 --input=random:1 --dim=3 --dim=3 --check | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake --input=random:1 --dim=3 --dim=3 --check | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake+emulated-amx --input=random:1 --dim=3 --dim=3 --check | FileCheck %s %}
// CHECK: 0 differ
// RUN: qcc compile %s --mcpu=cascadelake --emit=kernel -o - | FileCheck %s --check-prefix=KERNEL --implicit-check-not=generic
// KERNEL-COUNT-8: kernel.contract
!u = !quant.uniform<u8:f32, 0.05:3>
!w = !quant.uniform<i8:f32, 0.01>
!q = !quant.uniform<i8:f32, 0.1:-5>

// A residual over rows in three dimensions, the first of them dynamic.
func.func private @pixels(%x: tensor<?x7x7x64x!u>, %w: tensor<33x64x!w>, %r: tensor<?x7x7x33x!q>) -> tensor<?x7x7x33x!q> {
  %y = qnn.linear %x, %w : tensor<?x7x7x64x!u>, tensor<33x64x!w> -> tensor<?x7x7x33x!q>
  %s = qnn.add %y, %r : tensor<?x7x7x33x!q>, tensor<?x7x7x33x!q> -> tensor<?x7x7x33x!q>
  return %s : tensor<?x7x7x33x!q>
}

func.func private @conv_1x1(%x: tensor<2x5x7x20xi8>, %w: tensor<1x1x20x33xi8>) -> tensor<2x5x7x33xi32> {
  %c0 = arith.constant 0 : i32
  %zx = arith.constant 3 : i32
  %e = tensor.empty() : tensor<2x5x7x33xi32>
  %i = linalg.fill ins(%c0 : i32) outs(%e : tensor<2x5x7x33xi32>) -> tensor<2x5x7x33xi32>
  %r = linalg.conv_2d_nhwc_hwcf_q ins(%x, %w, %zx, %c0 : tensor<2x5x7x20xi8>, tensor<1x1x20x33xi8>, i32, i32)
      outs(%i : tensor<2x5x7x33xi32>) -> tensor<2x5x7x33xi32>
  return %r : tensor<2x5x7x33xi32>
}

// Channels before pixels.
func.func private @channels_first(%x: tensor<2x20x5x7xi8>, %w: tensor<33x20x1x1xi8>, %i: tensor<2x33x5x7xi32>) -> tensor<2x33x5x7xi32> {
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x20x5x7xi8>, tensor<33x20x1x1xi8>)
      outs(%i : tensor<2x33x5x7xi32>) -> tensor<2x33x5x7xi32>
  return %r : tensor<2x33x5x7xi32>
}

// The last row and column of the input are read by nobody; the others are a view.
func.func private @larger_input(%x: tensor<2x6x8x20xi8>, %w: tensor<1x1x20x33xi8>, %i: tensor<2x5x7x33xi32>) -> tensor<2x5x7x33xi32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x6x8x20xi8>, tensor<1x1x20x33xi8>)
      outs(%i : tensor<2x5x7x33xi32>) -> tensor<2x5x7x33xi32>
  return %r : tensor<2x5x7x33xi32>
}

// The window is all of the input.
func.func private @whole_input(%x: tensor<3x5x5x9xi8>, %w: tensor<5x5x9x17xi8>, %i: tensor<3x1x1x17xi32>) -> tensor<3x1x1x17xi32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<3x5x5x9xi8>, tensor<5x5x9x17xi8>)
      outs(%i : tensor<3x1x1x17xi32>) -> tensor<3x1x1x17xi32>
  return %r : tensor<3x1x1x17xi32>
}

// A batch of one, and rows that are images: M is their number, not 1.
func.func private @one_row_each(%x: tensor<9x1x64x!u>, %w: tensor<33x64x!w>) -> tensor<9x1x33x!q> {
  %y = qnn.linear %x, %w : tensor<9x1x64x!u>, tensor<33x64x!w> -> tensor<9x1x33x!q>
  return %y : tensor<9x1x33x!q>
}

// A factor of each image keeps images apart, and a slice its rows.
func.func private @factor_of_images(%x: tensor<3x5x64x!u>, %s: tensor<3xf32>, %w: tensor<33x64x!w>) -> tensor<3x5x33xf32> {
  %y = qnn.linear %x, %w : tensor<3x5x64x!u>, tensor<33x64x!w> -> tensor<3x5x33xf32>
  %e = tensor.empty() : tensor<3x5x33xf32>
  %b = linalg.broadcast ins(%s : tensor<3xf32>) outs(%e : tensor<3x5x33xf32>) dimensions = [1, 2]
  %r = arith.mulf %y, %b : tensor<3x5x33xf32>
  return %r : tensor<3x5x33xf32>
}

func.func private @slice(%x: tensor<4x8x64x!u>, %w: tensor<33x64x!w>) -> tensor<4x5x33x!q> {
  %v = tensor.extract_slice %x[0, 2, 0] [4, 5, 64] [1, 1, 1] : tensor<4x8x64x!u> to tensor<4x5x64x!u>
  %y = qnn.linear %v, %w : tensor<4x5x64x!u>, tensor<33x64x!w> -> tensor<4x5x33x!q>
  return %y : tensor<4x5x33x!q>
}

func.func @main(%pixels_x: tensor<?x7x7x64x!u>,
                %pixels_w: tensor<33x64x!w>,
                %pixels_r: tensor<?x7x7x33x!q>,
                %conv_1x1_x: tensor<2x5x7x20xi8>,
                %conv_1x1_w: tensor<1x1x20x33xi8>,
                %channels_first_x: tensor<2x20x5x7xi8>,
                %channels_first_w: tensor<33x20x1x1xi8>,
                %channels_first_i: tensor<2x33x5x7xi32>,
                %larger_input_x: tensor<2x6x8x20xi8>,
                %larger_input_w: tensor<1x1x20x33xi8>,
                %larger_input_i: tensor<2x5x7x33xi32>,
                %whole_input_x: tensor<3x5x5x9xi8>,
                %whole_input_w: tensor<5x5x9x17xi8>,
                %whole_input_i: tensor<3x1x1x17xi32>,
                %one_row_each_x: tensor<9x1x64x!u>,
                %one_row_each_w: tensor<33x64x!w>,
                %factor_of_images_x: tensor<3x5x64x!u>,
                %factor_of_images_s: tensor<3xf32>,
                %factor_of_images_w: tensor<33x64x!w>,
                %slice_x: tensor<4x8x64x!u>,
                %slice_w: tensor<33x64x!w>)
    -> (tensor<?x7x7x33x!q>, tensor<2x5x7x33xi32>, tensor<2x33x5x7xi32>, tensor<2x5x7x33xi32>, tensor<3x1x1x17xi32>, tensor<9x1x33x!q>, tensor<3x5x33xf32>, tensor<4x5x33x!q>) {
  %pixels = call @pixels(%pixels_x, %pixels_w, %pixels_r) : (tensor<?x7x7x64x!u>, tensor<33x64x!w>, tensor<?x7x7x33x!q>) -> tensor<?x7x7x33x!q>
  %conv_1x1 = call @conv_1x1(%conv_1x1_x, %conv_1x1_w) : (tensor<2x5x7x20xi8>, tensor<1x1x20x33xi8>) -> tensor<2x5x7x33xi32>
  %channels_first = call @channels_first(%channels_first_x, %channels_first_w, %channels_first_i) : (tensor<2x20x5x7xi8>, tensor<33x20x1x1xi8>, tensor<2x33x5x7xi32>) -> tensor<2x33x5x7xi32>
  %larger_input = call @larger_input(%larger_input_x, %larger_input_w, %larger_input_i) : (tensor<2x6x8x20xi8>, tensor<1x1x20x33xi8>, tensor<2x5x7x33xi32>) -> tensor<2x5x7x33xi32>
  %whole_input = call @whole_input(%whole_input_x, %whole_input_w, %whole_input_i) : (tensor<3x5x5x9xi8>, tensor<5x5x9x17xi8>, tensor<3x1x1x17xi32>) -> tensor<3x1x1x17xi32>
  %one_row_each = call @one_row_each(%one_row_each_x, %one_row_each_w) : (tensor<9x1x64x!u>, tensor<33x64x!w>) -> tensor<9x1x33x!q>
  %factor_of_images = call @factor_of_images(%factor_of_images_x, %factor_of_images_s, %factor_of_images_w) : (tensor<3x5x64x!u>, tensor<3xf32>, tensor<33x64x!w>) -> tensor<3x5x33xf32>
  %slice = call @slice(%slice_x, %slice_w) : (tensor<4x8x64x!u>, tensor<33x64x!w>) -> tensor<4x5x33x!q>
  return %pixels, %conv_1x1, %channels_first, %larger_input, %whole_input, %one_row_each, %factor_of_images, %slice
      : tensor<?x7x7x33x!q>, tensor<2x5x7x33xi32>, tensor<2x33x5x7xi32>, tensor<2x5x7x33xi32>, tensor<3x1x1x17xi32>, tensor<9x1x33x!q>, tensor<3x5x33xf32>, tensor<4x5x33x!q>
}
