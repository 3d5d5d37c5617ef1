// REQUIRES: x86-64-v3
// Values that are quantized per channel keep their scales down to the artifact, and are compared as real numbers.
// RUN: rm -rf %t && mkdir %t
// RUN: qcc compile %s --unfused -o %t/m.so
// RUN: qcc-run %t/m.so --list | FileCheck %s --check-prefix=LIST
// LIST: entry float:
// LIST: float.step0.generic double -> ?x3xf32
// LIST: entry int8:
// LIST: result 0 d0x3xi8 (3 scales and zero points along dimension 1)
// LIST: int8.step0.generic double -> ?x3xf32
// LIST: int8.step1.generic double -> ?x3xi8 (3 scales and zero points along dimension 1)

// RUN: qcc-run %t/m.so --entry=int8 --input=random:1:-1:1 --dim=4 --dump-steps=%t/dump
// RUN: %python -c "import json; print(json.load(open(r'%t/dump/index.json'))['steps'][1]['outputs'][0]['quantization'])" | FileCheck %s --check-prefix=INDEX
// INDEX: {'axis': 1, 'scales': [0.25, 0.5, 0.125], 'zero_points': [0, 1, -2]}

// RUN: qcc diff %t/m.so %t/m.so --entry-a=float --entry-b=int8 --input=random:1:-1:1 --dim=1000 --tolerance=0.13 | FileCheck %s --check-prefix=DIFF
// RUN: not qcc diff %s %s --entry-a=float --entry-b=int8 --input=random:1:-1:1 --dim=1000 --tolerance=0.12 | FileCheck %s --check-prefix=OVER
// Half of the largest scale, 0.25 of values up to 2.
// DIFF: double 0.2{{[45][0-9]*}} 0.0{{[0-9]+}} {{[0-9.]+}} dB 0 of 3000 f32 i8, 3 scales and zero points along dimension 1
// DIFF: no difference
// OVER: first difference: double

!c = !quant.uniform<i8:f32:1, {2.500000e-01, 5.000000e-01:1, 1.250000e-01:-2}>

func.func @float(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %y = arith.addf %x, %x : tensor<?x3xf32> loc("double")
  return %y : tensor<?x3xf32>
}

func.func @int8(%x: tensor<?x3xf32>) -> tensor<?x3x!c> {
  %y = arith.addf %x, %x : tensor<?x3xf32> loc("double")
  %q = qnn.quantize %y : tensor<?x3xf32> -> tensor<?x3x!c>
  return %q : tensor<?x3x!c>
}
