// A program that does not parse: the diagnostic has the place, and no file is left behind.
// RUN: rm -f %t.so && not qcc compile %s -o %t.so 2>&1 | FileCheck %s
// RUN: not test -e %t.so
// RUN: not qcc run %s --input=random 2>&1 | FileCheck %s
// RUN: not qcc explain %s 2>&1 | FileCheck %s
// RUN: not qcc bench %s 2>&1 | FileCheck %s
// RUN: not qcc run %s --target=reference --input=random 2>&1 | FileCheck %s

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: syntax-error.mlir:[[@LINE+1]]:{{[0-9]+}}: error:
  return %x tensor<4xf32>
}
