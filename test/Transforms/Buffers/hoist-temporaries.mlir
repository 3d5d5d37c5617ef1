// RUN: qcc-opt %s --hoist-temporaries | FileCheck %s

// CHECK-LABEL: func.func @loops
// CHECK: %[[T:.*]] = memref.alloc(%arg0) : memref<?xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[T]]
func.func @loops(%n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %t = memref.alloc(%n) : memref<?xf32>
      memref.store %v, %t[%c0] : memref<?xf32>
    }
  }
  return
}

// Out of the inner loop, but not out of the one that decides its size.
// CHECK-LABEL: func.func @size
// CHECK: scf.for %[[I:.*]] =
// CHECK: memref.alloc(%[[I]])
// CHECK: scf.for
func.func @size(%n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %t = memref.alloc(%i) : memref<?xf32>
      memref.store %v, %t[%c0] : memref<?xf32>
    }
  }
  return
}

// One that the next iteration gets, through a view, stays: both live at once.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for
// CHECK: memref.alloc
func.func @carried(%n: index, %m: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %m) -> memref<?xf32> {
    %t = memref.alloc() : memref<4xf32>
    %u = memref.cast %t : memref<4xf32> to memref<?xf32>
    scf.yield %u : memref<?xf32>
  }
  return %r : memref<?xf32>
}
