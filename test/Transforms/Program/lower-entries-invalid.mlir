// RUN: qcc-opt %s -lower-entries -split-input-file -verify-diagnostics

memref.global "private" constant @w : memref<3xi8> = uninitialized
func.func private @f.step0(%w: memref<3xi8>, %ops: index, %bytes: index, %thread: index, %threads: index) attributes {qcc.step, qcc.writes = array<i64>} {
  return
}
func.func @f(%arena: memref<?xi8>) -> (index, index) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{has no constant value}}
  %w = memref.get_global @w : memref<3xi8>
  call @f.step0(%w, %c0, %c0, %c0, %c0) {qcc.kernel = {kind = "generic", name = "f.step0"}} : (memref<3xi8>, index, index, index, index) -> ()
  return %c0, %c0 : index, index
}

// -----

func.func private @f.step0(%w: memref<3xi8>, %ops: index, %bytes: index, %thread: index, %threads: index) attributes {qcc.step, qcc.writes = array<i64>} {
  return
}
func.func @f(%arena: memref<?xi8>) -> (index, index) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{a step uses a buffer of unknown origin}}
  %w = memref.alloc() : memref<3xi8>
  call @f.step0(%w, %c0, %c0, %c0, %c0) {qcc.kernel = {kind = "generic", name = "f.step0"}} : (memref<3xi8>, index, index, index, index) -> ()
  return %c0, %c0 : index, index
}
