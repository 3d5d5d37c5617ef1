// Constraints of jax.export on symbolic sizes are requirements of the entry: k >= 1, k mod 2 == 0, b == k.
// RUN: rm -rf %t && split-file %s %t
// RUN: qcc compile %t/even.mlir --emit=import -o - | FileCheck %t/even.mlir
// RUN: qcc run %t/even.mlir --dim=4 --dim=4 --check | FileCheck %s --check-prefix=RUNS
// RUN: not qcc run %t/even.mlir --dim=0 --dim=0 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not qcc run %t/even.mlir --dim=3 --dim=3 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not qcc run %t/even.mlir --dim=4 --dim=2 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not qcc run %t/even.mlir --dim=3 --dim=3 --device=emulator 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: qcc compile %t/even.mlir -o %t/even.so
// RUN: not qcc-run %t/even.so --dim=3 --dim=3 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not qcc compile %t/never.mlir -o %t/never.so 2>&1 | FileCheck %t/never.mlir
// RUN: not qcc compile %t/data.mlir -o %t/data.so 2>&1 | FileCheck %t/data.mlir
// RUN: not qcc compile %t/unknown.mlir -o %t/unknown.so 2>&1 | FileCheck %t/unknown.mlir
// RUN: not qcc compile %t/several.mlir -o %t/several.so 2>&1 | FileCheck %t/several.mlir

// RUNS: elements, 0 differ
// EMPTY: the program cannot run with these shapes: Expected value >= 1, but k = dimension 0 of argument 0; give arguments of sizes that fulfill it, or compile for other symbolic sizes (dimension 0 of argument 0 is 0)
// ODD: the program cannot run with these shapes: constraint mod(k,2)==0: found mod(dimension 0 of argument 0, 2); {{.*}} (dimension 0 of argument 0 is 3)
// OTHER: the program cannot run with these shapes: k is dimension 0 of argument 0, b is dimension 0 of argument 1; {{.*}} (dimension 0 of argument 0 is 4, dimension 0 of argument 1 is 2)

//--- even.mlir
// CHECK-COUNT-3: cf.assert
// CHECK-NOT: cf.assert
module {
  func.func public @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?x2xf32> {
    %k = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %b = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.compare GE, %k, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%0, %k) {error_message = "Expected value >= 1, but k = {0}. Please see the documentation"} : (tensor<i1>, tensor<i32>) -> ()
    %q, %r = call @divmod(%k, %two) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    %1 = stablehlo.compare EQ, %r, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%1, %r) {error_message = "constraint mod(k,2)==0:  found {0}."} : (tensor<i1>, tensor<i32>) -> ()
    %2 = stablehlo.compare EQ, %k, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%2, %k, %b) {error_message = "k is {0}, b is {1}"} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
    // What holds already, and what always holds, is not asked again.
    %3 = stablehlo.compare LT, %zero, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.or %3, %0 : tensor<i1>
    stablehlo.custom_call @shape_assertion(%4) {error_message = "k is not positive"} : (tensor<i1>) -> ()
    %n = stablehlo.reshape %q : (tensor<i32>) -> tensor<1xi32>
    %c2 = stablehlo.constant dense<2> : tensor<1xi32>
    %shape = stablehlo.concatenate %n, %c2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %5 = stablehlo.add %x, %y : tensor<?xf32>
    %6 = stablehlo.dynamic_reshape %5, %shape : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x2xf32>
    return %6 : tensor<?x2xf32>
  }
  func.func private @divmod(%x: tensor<i32>, %y: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %q = stablehlo.divide %x, %y : tensor<i32>
    %sx = stablehlo.sign %x : tensor<i32>
    %sy = stablehlo.sign %y : tensor<i32>
    %ne = stablehlo.compare NE, %sx, %sy, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = stablehlo.remainder %x, %y : tensor<i32>
    %rest = stablehlo.compare NE, %r, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %down = stablehlo.and %ne, %rest : tensor<i1>
    %less = stablehlo.subtract %q, %one : tensor<i32>
    %floor = stablehlo.select %down, %less, %q : tensor<i1>, tensor<i32>
    return %floor, %r : tensor<i32>, tensor<i32>
  }
}
//--- never.mlir
// CHECK: never.mlir:5:3: error: 'stablehlo.custom_call' asserts what never holds: 3 is not 4; correct the sizes of arguments
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %k = stablehlo.get_dimension_size %x, dim = 0 : (tensor<3xf32>) -> tensor<i32>
  %false = call @is_4(%k) : (tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%false, %k) {error_message = "{0} is not 4."} : (tensor<i1>, tensor<i32>) -> ()
  return %x : tensor<3xf32>
}
func.func private @is_4(%k: tensor<i32>) -> tensor<i1> {
  %four = stablehlo.constant dense<4> : tensor<i32>
  %0 = stablehlo.compare EQ, %k, %four, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %0 : tensor<i1>
}
//--- data.mlir
// CHECK: data.mlir:3:3: error: 'stablehlo.custom_call' asserts a condition that depends on data; leave it out of the constraints of jax.export.symbolic_shape
func.func @main(%x: tensor<3xf32>, %b: tensor<i1>) -> tensor<3xf32> {
  stablehlo.custom_call @shape_assertion(%b) {error_message = "no"} : (tensor<i1>) -> ()
  return %x : tensor<3xf32>
}
//--- unknown.mlir
// CHECK: unknown.mlir:6:3: error: 'stablehlo.custom_call' asserts a condition that is computed by 'stablehlo.popcnt', which conditions on sizes do not know; leave it out
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %k = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %p = stablehlo.popcnt %k : tensor<i32>
  %0 = stablehlo.compare EQ, %p, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%0) {error_message = "no"} : (tensor<i1>) -> ()
  return %x : tensor<?xf32>
}
//--- several.mlir
// CHECK: several.mlir:3:3: error: 'stablehlo.custom_call' asserts something else than one truth value; correct the program
func.func @main(%x: tensor<3xf32>, %b: tensor<2xi1>) -> tensor<3xf32> {
  stablehlo.custom_call @shape_assertion(%b) {error_message = "no"} : (tensor<2xi1>) -> ()
  return %x : tensor<3xf32>
}
