// RUN: qcc-opt %s -plan-memory -verify-diagnostics

func.func private @work(memref<?xi8>)
func.func private @size() -> index

func.func @f() {
  %n = call @size() : () -> index
  // expected-error@+1 {{the size of a temporary depends on data; qcc needs shapes that follow from those of the arguments}}
  %a = memref.alloc(%n) : memref<?xi8>
  call @work(%a) : (memref<?xi8>) -> ()
  return
}
