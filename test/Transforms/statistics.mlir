// RUN: qcc-opt %s --pass-pipeline='builtin.module(func.func(hoist-temporaries))' --mlir-pass-statistics -o %t.mlir 2>&1 \
// RUN:   | FileCheck %s
// CHECK: Statistics Collected
// CHECK: 1 hoist-temporaries - Temporaries allocated before loops and branches
// CHECK: 1 hoist-temporaries - Temporaries that stay in loops and branches

func.func @loop(%n: index, %x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %fixed = memref.alloc() : memref<8xf32>
    memref.copy %x, %fixed : memref<8xf32> to memref<8xf32>
    %growing = memref.alloc(%i) : memref<?xf32>
  }
  return
}
