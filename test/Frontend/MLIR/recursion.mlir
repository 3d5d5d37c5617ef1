// RUN: not qcc compile %s --emit=import -o - 2>&1 | FileCheck %s

func.func @f(%x: f32) -> f32 {
  // CHECK: recursion.mlir:[[@LINE+1]]:{{[0-9]+}}: error: 'func.call' op to 'f' is recursive
  %y = call @f(%x) : (f32) -> f32
  return %y : f32
}
