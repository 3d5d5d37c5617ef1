// A program of JAX that is spread over devices runs on one, in the printed and in the generic form.
// RUN: qcc compile %s --emit=import -o %t.pretty
// RUN: qcc-opt %s --mlir-print-op-generic > %t.generic.mlir && qcc compile %t.generic.mlir --emit=import -o %t.generic
// RUN: diff %t.pretty %t.generic
// RUN: qcc run %s --input=random --check | FileCheck %s
// RUN: sed 's/{"y":(1)2, ?}/{*}/' %s > %t.wrong.mlir && not qcc run %t.wrong.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// CHECK: check: 32 elements, 0 differ
// WRONG: error: custom op 'sdy.sharding_constraint' expected axes of devices
module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  sdy.mesh @mesh = <["x"=1, "y"=2], device_ids=[1, 0]> {stablehlo.mesh = {axes = [{name = "x", size = 1 : i64}]}}
  sdy.mesh @empty = <[]>
  func.func public @main(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.add %x, %x : tensor<4x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<4x8xf32>
    %2 = stablehlo.multiply %1, %x : tensor<4x8xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{?}p1, {"y":(1)2, ?}], replicated={"x"}> : tensor<4x8xf32>
    return %3 : tensor<4x8xf32>
  }
}
