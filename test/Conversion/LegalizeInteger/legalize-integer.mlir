// RUN: qcc-opt %s --legalize-integer | FileCheck %s

// CHECK-LABEL: func @shift_left
// CHECK-SAME: (%[[X:.*]]: i32, %[[N:.*]]: i32)
// CHECK: %[[S:.*]] = arith.shli %[[X]], %[[N]]
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[N]], %{{.*}} : i32
// CHECK: %[[R:.*]] = arith.select %[[IN]], %[[S]], %{{.*}} : i32
// CHECK: return %[[R]]
func.func @shift_left(%x: i32, %n: i32) -> i32 {
  %r = arith.shli %x, %n : i32
  return %r : i32
}

// CHECK-LABEL: func @shift_right_signed
// CHECK-SAME: (%[[X:.*]]: i8, %[[N:.*]]: i8)
// CHECK: %[[SEVEN:.*]] = arith.constant 7 : i8
// CHECK: %[[M:.*]] = arith.minui %[[N]], %[[SEVEN]]
// CHECK: arith.shrsi %[[X]], %[[M]]
func.func @shift_right_signed(%x: i8, %n: i8) -> i8 {
  %r = arith.shrsi %x, %n : i8
  return %r : i8
}

// A constant that excludes the bad cases leaves the op alone.
// CHECK-LABEL: func @constants
// CHECK-NOT: arith.select
func.func @constants(%x: i32) -> (i32, i32) {
  %c3 = arith.constant 3 : i32
  %a = arith.shrui %x, %c3 : i32
  %b = arith.divsi %x, %c3 : i32
  return %a, %b : i32, i32
}

// CHECK-LABEL: func @divide
// CHECK-SAME: (%[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[Y]]
// CHECK: arith.select %[[ZERO]]
// CHECK: %[[MINUS:.*]] = arith.cmpi eq, %[[Y]]
// CHECK: %[[SAFE:.*]] = arith.select %[[MINUS]]
// CHECK: %[[Q:.*]] = arith.divsi %[[X]], %[[SAFE]]
// CHECK: %[[NEG:.*]] = arith.subi %{{.*}}, %[[X]]
// CHECK: %[[T:.*]] = arith.select %[[MINUS]], %[[NEG]], %[[Q]]
// CHECK: %[[R:.*]] = arith.select %[[ZERO]], %{{.*}}, %[[T]]
// CHECK: return %[[R]]
func.func @divide(%x: i32, %y: i32) -> i32 {
  %r = arith.divsi %x, %y : i32
  return %r : i32
}

// Roundings other than towards zero are spelled out around a division that is safe.
// CHECK-LABEL: func @floor
// CHECK-SAME: (%[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK: %[[ONE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[Y]]
// CHECK: %[[SAFE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[ONE]]
// CHECK: %[[Q:.*]] = arith.divsi %[[X]], %[[SAFE]]
// CHECK: %[[P:.*]] = arith.muli %[[Q]], %[[SAFE]]
// CHECK: %[[REST:.*]] = arith.subi %[[X]], %[[P]]
// CHECK: %[[INEXACT:.*]] = arith.cmpi ne, %[[REST]]
// CHECK: %[[SIGNS:.*]] = arith.xori %[[X]], %[[SAFE]]
// CHECK: %[[DIFFER:.*]] = arith.cmpi slt, %[[SIGNS]]
// CHECK: %[[DOWN:.*]] = arith.andi %[[INEXACT]], %[[DIFFER]]
// CHECK: %[[LESS:.*]] = arith.subi %[[Q]]
// CHECK: arith.select %[[DOWN]], %[[LESS]], %[[Q]]
// CHECK-NOT: arith.floordivsi
func.func @floor(%x: i32, %y: i32) -> i32 {
  %r = arith.floordivsi %x, %y : i32
  return %r : i32
}

// CHECK-LABEL: func @ceil_unsigned
// CHECK: arith.divui
// CHECK-NOT: arith.ceildivui
// CHECK: return
func.func @ceil_unsigned(%x: index, %y: index) -> index {
  %r = arith.ceildivui %x, %y : index
  return %r : index
}

// One bit holds no other divisor than the one that leaves the dividend.
// CHECK-LABEL: func @one_bit
// CHECK-SAME: (%[[X:.*]]: i1, %[[Y:.*]]: i1)
// CHECK-DAG: %[[Q:.*]] = arith.andi %[[X]], %[[Y]]
// CHECK-DAG: %[[R:.*]] = arith.constant false
// CHECK: return %[[Q]], %[[R]]
func.func @one_bit(%x: i1, %y: i1) -> (i1, i1) {
  %q = arith.divsi %x, %y : i1
  %r = arith.remsi %x, %y : i1
  return %q, %r : i1, i1
}

// Flags of overflow would make poison of what wraps.
// CHECK-LABEL: func @assumptions
// CHECK-NOT: overflow
// CHECK-NOT: exact
// CHECK: return
func.func @assumptions(%x: i32) -> (i32, i8, i32) {
  %c3 = arith.constant 3 : i32
  %a = arith.addi %x, %c3 overflow<nsw, nuw> : i32
  %b = arith.trunci %a overflow<nsw> : i32 to i8
  %c = arith.shrui %x, %c3 exact : i32
  return %a, %b, %c : i32, i8, i32
}
