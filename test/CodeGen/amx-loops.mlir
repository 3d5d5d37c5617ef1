// The loop over tiles of kernels: as many loads as multiplications, each register of the tile before stored once, the
// next rows prefetched a share at a time, few other instructions, and the epilogue's vectors spread between the
// multiplications instead of in one piece.

// RUN: qcc compile %s --mcpu=sapphirerapids --emit=asm -o - | %python %S/Inputs/tile-loops.py | FileCheck %s

// 8 steps of 32 x 32 results: 4 multiplications and 2 rows to prefetch in each. The epilogue has 450 vector
// instructions, for 7 steps.
// CHECK: loop: 32 multiplications, 32 loads, 4 stores, 16 prefetches, {{[0-3]}}.{{[0-9]}} others each, {{4[0-9][0-9]}} of vectors, at most {{[1-3]?[0-9]}} together
func.func @a(%x: tensor<512x512x!quant.uniform<i8:f32, 0.02>>, %w: tensor<512x512x!quant.uniform<i8:f32, 0.01>>, %b: tensor<512xi32>) -> tensor<512x512x!quant.uniform<i8:f32, 0.5>> {
  %y = qnn.linear %x, %w bias(%b : tensor<512xi32>) {clamp_min = 0.0 : f32} : tensor<512x512x!quant.uniform<i8:f32, 0.02>>, tensor<512x512x!quant.uniform<i8:f32, 0.01>> -> tensor<512x512x!quant.uniform<i8:f32, 0.5>>
  return %y : tensor<512x512x!quant.uniform<i8:f32, 0.5>>
}

// 48 steps: 32 of them with the epilogue between, the others after it.
// CHECK: loop: 192 multiplications, 192 loads, 4 stores, 192 prefetches, {{[0-2]}}.{{[0-9]}} others each, {{4[0-9][0-9]}} of vectors, at most {{[12]?[0-9]}} together
func.func @b(%x: tensor<512x3072x!quant.uniform<i8:f32, 0.02>>, %w: tensor<512x3072x!quant.uniform<i8:f32, 0.01>>, %b: tensor<512xi32>) -> tensor<512x512x!quant.uniform<i8:f32, 0.5>> {
  %y = qnn.linear %x, %w bias(%b : tensor<512xi32>) {clamp_min = 0.0 : f32} : tensor<512x3072x!quant.uniform<i8:f32, 0.02>>, tensor<512x3072x!quant.uniform<i8:f32, 0.01>> -> tensor<512x512x!quant.uniform<i8:f32, 0.5>>
  return %y : tensor<512x512x!quant.uniform<i8:f32, 0.5>>
}

// 197 rows: the last 5, a row of two registers, have their epilogue between 12 steps as well, and nothing after them to
// prefetch.
// CHECK-DAG: loop: 48 multiplications, 48 loads, 4 stores, 24 prefetches, {{[0-3]}}.{{[0-9]}} others each, {{4[0-9][0-9]}} of vectors, at most {{[12]?[0-9]}} together
// CHECK-DAG: loop: 24 multiplications, 36 loads, 2 stores, 0 prefetches, {{[0-3]}}.{{[0-9]}} others each, {{[67][0-9]}} of vectors, at most {{[12]?[0-9]}} together
func.func @c(%x: tensor<197x768x!quant.uniform<i8:f32, 0.02>>, %w: tensor<768x768x!quant.uniform<i8:f32, 0.01>>, %b: tensor<768xi32>) -> tensor<197x768x!quant.uniform<i8:f32, 0.5>> {
  %y = qnn.linear %x, %w bias(%b : tensor<768xi32>) {clamp_min = 0.0 : f32} : tensor<197x768x!quant.uniform<i8:f32, 0.02>>, tensor<768x768x!quant.uniform<i8:f32, 0.01>> -> tensor<197x768x!quant.uniform<i8:f32, 0.5>>
  return %y : tensor<197x768x!quant.uniform<i8:f32, 0.5>>
}

// CHECK: configured 3, released 3, returns that hold tiles 0, tiles on the stack 0, calls 0
