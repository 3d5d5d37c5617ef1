// RUN: qcc-opt %s -outline-steps -split-input-file -verify-diagnostics

func.func @chosen(%p: memref<i1>, %x: memref<4xf32>, %y: memref<4xf32>, %o: memref<4xf32> {qcc.result}) {
  %c = memref.load %p[] : memref<i1>
  // expected-error@+1 {{'scf.if' chooses a tensor at run time; such control flow cannot be compiled, compute both and select between them}}
  %r = scf.if %c -> memref<4xf32> {
    scf.yield %x : memref<4xf32>
  } else {
    scf.yield %y : memref<4xf32>
  }
  memref.copy %r, %o : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func @nested(%o: memref<4xf32> {qcc.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{'scf.for' needs a temporary inside of a loop or a branch, whose memory cannot be planned; move the computation out of it}}
  scf.for %i = %c0 to %c4 step %c1 {
    %t = memref.alloc() : memref<4xf32>
    linalg.exp ins(%o : memref<4xf32>) outs(%t : memref<4xf32>)
    memref.copy %t, %o : memref<4xf32> to memref<4xf32>
  }
  return
}

// -----

// expected-error@+1 {{has control flow between blocks; use scf instead}}
func.func @blocks() {
  cf.br ^bb1
^bb1:
  return
}

// -----

// expected-error@+1 {{the shape of a result depends on data; qcc needs shapes that follow from those of the arguments}}
func.func @result(%n: memref<index>) -> index {
  %i = memref.load %n[] : memref<index>
  return %i : index
}

// -----

// Which dimension is asked for must be known, too.
// expected-error@+1 {{the shape of a result depends on data}}
func.func @dimension(%x: memref<?x?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %i = memref.dim %x, %c0 : memref<?x?xf32>
  %j = memref.dim %x, %i : memref<?x?xf32>
  return %j : index
}

// -----

func.func @temporary(%n: memref<index>, %o: memref<f32> {qcc.result}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %i = memref.load %n[] : memref<index>
  // expected-error@+1 {{the size of a temporary depends on data; qcc needs shapes that follow from those of the arguments}}
  %t = memref.alloc(%i) : memref<?xf32>
  linalg.fill ins(%one : f32) outs(%t : memref<?xf32>)
  return
}
