// RUN: qcc-opt %s -assign-scratch -verify-diagnostics

func.func private @step(%n: index, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step} {
  // expected-error@+1 {{a temporary of a kernel has a dynamic size}}
  %a = memref.alloca(%n) : memref<?xi8>
  return
}
