// REQUIRES: x86-64-v3
// Layers of equal shape share their code, whatever their scales, zero points, clamps and borders are: the bits are those of
// each layer, on one thread and on several, also of what each step writes.
// RUN: qcc run %s --weights=random:7 --input=random:1 --dim=2 --threads=1 --check | FileCheck %s
// RUN: qcc run %s --weights=random:7 --input=random:2 --dim=3 --threads=3 --check | FileCheck %s
// RUN: qcc run %s --weights=random:7 --input=random:1 --dim=1 --check-steps | FileCheck %s
// RUN: %if avx512vnni %{ qcc run %s --weights=random:7 --input=random:1 --dim=2 --mcpu=x86-64-v3 --check | FileCheck %s %}
// RUN: %if avx512vnni %{ qcc run %s --weights=random:7 --input=random:1 --dim=2 --mcpu=sapphirerapids+emulated-amx --check | FileCheck %s %}
// CHECK: 0 differ

// All names remain.
// RUN: env COLUMNS=200 qcc explain %s --weights=random:7 --mcpu=x86-64-v3 > %t.txt
// RUN: FileCheck %s --input-file=%t.txt --check-prefix=EXPLAIN
// EXPLAIN: network.step{{[0-9]+}}.contract {{ *}}conv1,
// EXPLAIN: network.step{{[0-9]+}}.contract {{ *}}conv2,
// EXPLAIN: network.step{{[0-9]+}}.contract {{ *}}conv3,
// EXPLAIN: network.step{{[0-9]+}}.contract {{ *}}conv4,
// RUN: qcc explain %s --weights=random:7 --mcpu=x86-64-v3 --json | %python -c "import json, sys; r = json.load(sys.stdin); assert r['distinct_kernels'] <= len(r['kernels']) - 2, (r['distinct_kernels'], len(r['kernels']))"
// RUN: qcc run %s --weights=random:7 --input=random:1 --dim=1 --profile | FileCheck %s --check-prefix=PROFILE
// PROFILE-DAG: network.step{{[0-9]+}}.contract {{ *}}conv1
// PROFILE-DAG: network.step{{[0-9]+}}.contract {{ *}}conv2
// PROFILE-DAG: network.step{{[0-9]+}}.contract {{ *}}conv3
// PROFILE-DAG: network.step{{[0-9]+}}.contract {{ *}}conv4

// The code of shared steps is in the artifact once.
// RUN: qcc compile %s --weights=random:7 --mcpu=x86-64-v3 --emit=target -o %t.target
// RUN: %python -c "import re; text = open(r'%t.target').read(); calls = re.findall(r'call @(network[.]step[0-9]+)', text); functions = re.findall(r'func.func private @(network[.]step[0-9]+)', text); assert sorted(set(calls)) == sorted(functions) and len(calls) >= len(functions) + 2, (calls, functions)"

!a = !quant.uniform<u8:f32, 0.05:131>
!b = !quant.uniform<u8:f32, 0.3:5>
!c = !quant.uniform<u8:f32, 0.21:77>
!d = !quant.uniform<u8:f32, 0.4:128>
!e = !quant.uniform<u8:f32, 0.17:250>
!w = !quant.uniform<i8:f32, 0.01>
!v = !quant.uniform<i8:f32, 0.013>

func.func @network(%x: tensor<?x9x9x16x!a>) -> tensor<?x9x9x16x!e> {
  %w1 = arith.constant dense_resource<w1> : tensor<16x3x3x16x!w>
  %w2 = arith.constant dense_resource<w2> : tensor<16x3x3x16x!v>
  %w3 = arith.constant dense_resource<w3> : tensor<16x3x3x16x!w>
  %w4 = arith.constant dense_resource<w4> : tensor<16x3x3x16x!v>
  %0 = qnn.conv2d %x, %w1 {padding = array<i64: 1, 1, 1, 1>, clamp_min = -0.7 : f32, clamp_max = 6.0 : f32} : tensor<?x9x9x16x!a>, tensor<16x3x3x16x!w> -> tensor<?x9x9x16x!b> loc("conv1")
  %1 = qnn.conv2d %0, %w2 {padding = array<i64: 1, 1, 1, 1>, clamp_min = -0.9 : f32, clamp_max = 9.0 : f32} : tensor<?x9x9x16x!b>, tensor<16x3x3x16x!v> -> tensor<?x9x9x16x!c> loc("conv2")
  %2 = qnn.conv2d %1, %w3 {padding = array<i64: 1, 1, 1, 1>, clamp_min = -3.0 : f32, clamp_max = 4.5 : f32} : tensor<?x9x9x16x!c>, tensor<16x3x3x16x!w> -> tensor<?x9x9x16x!d> loc("conv3")
  %3 = qnn.conv2d %2, %w4 {padding = array<i64: 1, 1, 1, 1>, clamp_min = -20.0 : f32, clamp_max = 0.5 : f32} : tensor<?x9x9x16x!d>, tensor<16x3x3x16x!v> -> tensor<?x9x9x16x!e> loc("conv4")
  return %3 : tensor<?x9x9x16x!e>
}
