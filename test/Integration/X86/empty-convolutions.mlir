// REQUIRES: x86-64-v3
// Convolutions of images without rows, channels or filters, or without images: what is left is padding, bias or nothing.
// RUN: qcc run %s --entry=rows --input=random:1 --check | FileCheck %s --check-prefix=ROWS
// ROWS: check: 24 elements, 0 differ
// RUN: qcc run %s --entry=channels --input=random:1 --check | FileCheck %s --check-prefix=CHANNELS
// CHANNELS: check: 212 elements, 0 differ
// RUN: qcc run %s --entry=filters --input=random:1 --check | FileCheck %s --check-prefix=FILTERS
// FILTERS: check: 0 elements, 0 differ
// RUN: qcc run %s --entry=images --input=random:1 --check | FileCheck %s --check-prefix=IMAGES
// IMAGES: check: 0 elements, 0 differ
// Within a loop, dimensions of arguments are asked for, too.
// RUN: qcc run %s --entry=loop --input=random:1 --dim=2 --dim=4 --check | FileCheck %s --check-prefix=LOOP
// LOOP: check: 48 elements, 0 differ
// RUN: not qcc run %s --entry=loop --input=random:1 --dim=2 --dim=0 2>&1 | FileCheck %s --check-prefix=NO-ROWS
// NO-ROWS: the input needs at least 1 elements along H, having dimension 1 of argument 0, by 'qnn.conv2d' at

!x = !quant.uniform<i8:f32, 0.05:3>
!w = !quant.uniform<i8:f32, 0.01>

func.func @rows(%x: tensor<1x0x3x2x!x>, %w: tensor<4x3x3x2x!w>) -> tensor<1x2x3x4xf32> {
  %y = qnn.conv2d %x, %w {padding = array<i64: 2, 2, 1, 1>} : tensor<1x0x3x2x!x>, tensor<4x3x3x2x!w> -> tensor<1x2x3x4xf32>
  return %y : tensor<1x2x3x4xf32>
}

func.func @channels(%x: tensor<1x3x3x0x!x>, %w: tensor<4x3x3x0x!w>, %b: tensor<4xf32>) -> (tensor<1x1x3x4xf32>, tensor<1x1x1x4xi32>, tensor<1x7x7x4xf32>) {
  %0 = qnn.conv2d %x, %w bias(%b : tensor<4xf32>) {padding = array<i64: 0, 0, 1, 1>} : tensor<1x3x3x0x!x>, tensor<4x3x3x0x!w> -> tensor<1x1x3x4xf32>
  %1 = qnn.conv2d %x, %w {groups = 2} : tensor<1x3x3x0x!x>, tensor<4x3x3x0x!w> -> tensor<1x1x1x4xi32>
  %2 = qnn.conv_transpose2d %x, %w bias(%b : tensor<4xf32>) {strides = array<i64: 2, 2>} : tensor<1x3x3x0x!x>, tensor<4x3x3x0x!w> -> tensor<1x7x7x4xf32>
  return %0, %1, %2 : tensor<1x1x3x4xf32>, tensor<1x1x1x4xi32>, tensor<1x7x7x4xf32>
}

func.func @filters(%x: tensor<1x3x3x2x!x>, %w: tensor<0x3x3x2x!w>) -> (tensor<1x1x1x0xf32>, tensor<1x7x7x0x!x>) {
  %0 = qnn.conv2d %x, %w : tensor<1x3x3x2x!x>, tensor<0x3x3x2x!w> -> tensor<1x1x1x0xf32>
  %1 = qnn.conv_transpose2d %x, %w {strides = array<i64: 2, 2>} : tensor<1x3x3x2x!x>, tensor<0x3x3x2x!w> -> tensor<1x7x7x0x!x>
  return %0, %1 : tensor<1x1x1x0xf32>, tensor<1x7x7x0x!x>
}

func.func @images(%x: tensor<0x3x3x2x!x>, %w: tensor<4x3x3x2x!w>) -> (tensor<0x2x2x4x!x>, tensor<0x7x7x4xf32>) {
  %0 = qnn.conv2d %x, %w {padding = array<i64: 1, 0, 0, 1>} : tensor<0x3x3x2x!x>, tensor<4x3x3x2x!w> -> tensor<0x2x2x4x!x>
  %1 = qnn.conv_transpose2d %x, %w {strides = array<i64: 2, 2>} : tensor<0x3x3x2x!x>, tensor<4x3x3x2x!w> -> tensor<0x7x7x4xf32>
  return %0, %1 : tensor<0x2x2x4x!x>, tensor<0x7x7x4xf32>
}

func.func private @layer(%x: tensor<?x?x3x2x!x>, %w: tensor<2x3x3x2x!w>) -> tensor<?x?x3x2x!x> {
  %y = qnn.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>} : tensor<?x?x3x2x!x>, tensor<2x3x3x2x!w> -> tensor<?x?x3x2x!x>
  return %y : tensor<?x?x3x2x!x>
}

func.func @loop(%x: tensor<?x?x3x2x!x>, %w: tensor<2x3x3x2x!w>) -> tensor<?x?x3x2x!x> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %x) -> tensor<?x?x3x2x!x> {
    %t = func.call @layer(%s, %w) : (tensor<?x?x3x2x!x>, tensor<2x3x3x2x!w>) -> tensor<?x?x3x2x!x>
    scf.yield %t : tensor<?x?x3x2x!x>
  }
  return %r : tensor<?x?x3x2x!x>
}
