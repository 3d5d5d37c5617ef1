// A dynamic size that is 1 does not broadcast: the entry asks for equal sizes.
// RUN: qcc run %s --dim=5 --dim=5 --check | FileCheck %s
// CHECK: elements, 0 differ
// RUN: not qcc run %s --dim=5 --dim=1 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not qcc run %s --dim=1 --dim=5 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: qcc: error: {{.*}}size
func.func @main(%x: tensor<?x6xf32>, %y: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %0 = tosa.add %x, %y : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}
