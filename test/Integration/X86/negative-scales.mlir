// REQUIRES: x86-64-v3
// A clamp that is absent does not clamp, whatever sign the scale of a result has at run time.
// DEFINE: %{inputs} = --input=random:1 --input=random:2 --input=random:3:-1:1 --input=random:4 --input=random:5:-0.2:-0.1 --dim=9
// RUN: qcc run %s --mcpu=x86-64-v3 %{inputs} --check | FileCheck %s
// RUN: %if avx512vnni %{ qcc run %s --mcpu=cascadelake %{inputs} --check | FileCheck %s %}
// CHECK: 0 differ
!x = !quant.uniform<i8:f32, 0.04:3>
!w = !quant.uniform<i8:f32, 0.01>

func.func @main(%x: tensor<?x24x!x>, %w: tensor<17x24x!w>, %b: tensor<17xf32>, %zy: tensor<i8>, %sy: tensor<f32>) -> (tensor<?x17xi8>, tensor<?x17xi8>, tensor<?x17xi8>) {
  %q = qnn.linear %x, %w bias(%b : tensor<17xf32>) output_scale(%sy : tensor<f32>) output_zero_point(%zy : tensor<i8>)
      : tensor<?x24x!x>, tensor<17x24x!w> -> tensor<?x17xi8>
  %low = qnn.linear %x, %w bias(%b : tensor<17xf32>) output_scale(%sy : tensor<f32>) output_zero_point(%zy : tensor<i8>) {clamp_min = 0.0 : f32}
      : tensor<?x24x!x>, tensor<17x24x!w> -> tensor<?x17xi8>
  %high = qnn.linear %x, %w output_scale(%sy : tensor<f32>) output_zero_point(%zy : tensor<i8>) {clamp_max = 0.5 : f32}
      : tensor<?x24x!x>, tensor<17x24x!w> -> tensor<?x17xi8>
  return %q, %low, %high : tensor<?x17xi8>, tensor<?x17xi8>, tensor<?x17xi8>
}
