// RUN: qcc-opt %s -share-steps -canonicalize | FileCheck %s

// Steps that differ in literals share the function of the first. A literal that is the same in all of them stays, one
// that differs is an argument before the last four, and is broadcast once; equal ones are one argument. A clamp of a
// shared bound is a comparison and a choice.
// CHECK-LABEL: func.func private @f.step0(
// CHECK-SAME: %[[X:.*]]: memref<16xf32>, %[[Y:.*]]: memref<16xf32>, %[[S:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index) attributes {qcc.step, qcc.writes = array<i64: 1>}
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<16xf32>
// CHECK-DAG: %[[SS:.*]] = vector.broadcast %[[S]] : f32 to vector<16xf32>
// CHECK-DAG: %[[BB:.*]] = vector.broadcast %[[B]] : f32 to vector<16xf32>
// CHECK: %[[V:.*]] = vector.load
// CHECK: %[[P:.*]] = arith.mulf %[[V]], %[[SS]]
// CHECK: %[[Q:.*]] = arith.addf %[[P]], %[[SS]]
// CHECK: %[[R:.*]] = arith.addf %[[Q]], %[[ONE]]
// CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[R]], %[[BB]]
// CHECK: %[[M:.*]] = arith.select %[[LESS]], %[[BB]], %[[R]]
// CHECK: %[[MORE:.*]] = arith.cmpf ogt, %[[M]], %[[SS]]
// CHECK: arith.select %[[MORE]], %[[SS]], %[[M]]
// CHECK-NOT: func.func private @f.step1
func.func private @f.step0(%x: memref<16xf32>, %y: memref<16xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  %c0 = arith.constant 0 : index
  %s = arith.constant dense<0.5> : vector<16xf32>
  %one = arith.constant dense<1.0> : vector<16xf32>
  %b = arith.constant dense<-2.0> : vector<16xf32>
  %v = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
  %p = arith.mulf %v, %s : vector<16xf32>
  %q = arith.addf %p, %s : vector<16xf32>
  %r = arith.addf %q, %one : vector<16xf32>
  %m = arith.maximumf %r, %b : vector<16xf32>
  %n = arith.minimumf %m, %s : vector<16xf32>
  vector.store %n, %y[%c0] : memref<16xf32>, vector<16xf32>
  return
}
func.func private @f.step1(%x: memref<16xf32>, %y: memref<16xf32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  %b = arith.constant dense<-3.0> : vector<16xf32>
  %c0 = arith.constant 0 : index
  %s = arith.constant dense<0.25> : vector<16xf32>
  %one = arith.constant dense<1.0> : vector<16xf32>
  %v = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
  %p = arith.mulf %v, %s : vector<16xf32>
  %q = arith.addf %p, %s : vector<16xf32>
  %r = arith.addf %q, %one : vector<16xf32>
  %m = arith.maximumf %r, %b : vector<16xf32>
  %n = arith.minimumf %m, %s : vector<16xf32>
  vector.store %n, %y[%c0] : memref<16xf32>, vector<16xf32>
  return
}

// Which bound is 0 decides how the sign of zero is computed: another form. So do a NaN, and a literal that an
// instruction depends on.
// CHECK: func.func private @f.step2(
// CHECK: arith.maximumf
// CHECK: func.func private @f.step3(
// CHECK: arith.maximumf
// CHECK: func.func private @f.step4(
// CHECK: func.func private @f.step5(
func.func private @f.step2(%x: memref<f32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  %b = arith.constant 0.0 : f32
  %v = memref.load %x[] : memref<f32>
  %m = arith.maximumf %v, %b : f32
  memref.store %m, %x[] : memref<f32>
  return
}
func.func private @f.step3(%x: memref<f32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  %b = arith.constant 1.0 : f32
  %v = memref.load %x[] : memref<f32>
  %m = arith.maximumf %v, %b : f32
  memref.store %m, %x[] : memref<f32>
  return
}
func.func private @f.step4(%x: memref<i32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  %b = arith.constant 3 : i32
  %v = memref.load %x[] : memref<i32>
  %m = arith.shrsi %v, %b : i32
  memref.store %m, %x[] : memref<i32>
  return
}
func.func private @f.step5(%x: memref<i32>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  %b = arith.constant 4 : i32
  %v = memref.load %x[] : memref<i32>
  %m = arith.shrsi %v, %b : i32
  memref.store %m, %x[] : memref<i32>
  return
}

// Steps with other attributes are other code, and so is the same op on other operands.
// CHECK: func.func private @f.step6(
// CHECK: func.func private @f.step7(
// CHECK: func.func private @f.step8(
// CHECK: func.func private @f.step9(
func.func private @f.step6(%x: memref<i8>, %y: memref<i8>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  %v = memref.load %x[] : memref<i8>
  memref.store %v, %y[] : memref<i8>
  return
}
func.func private @f.step7(%x: memref<i8>, %y: memref<i8>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.parallel, qcc.writes = array<i64: 1>} {
  %v = memref.load %x[] : memref<i8>
  memref.store %v, %y[] : memref<i8>
  return
}
func.func private @f.step8(%x: memref<i8>, %y: memref<i8>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  %a = memref.load %x[] : memref<i8>
  %b = memref.load %y[] : memref<i8>
  %v = arith.subi %a, %b : i8
  memref.store %v, %y[] : memref<i8>
  return
}
func.func private @f.step9(%x: memref<i8>, %y: memref<i8>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 1>} {
  %a = memref.load %x[] : memref<i8>
  %b = memref.load %y[] : memref<i8>
  %v = arith.subi %b, %a : i8
  memref.store %v, %y[] : memref<i8>
  return
}

// What is stored may be an argument, also inside of loops; steps without different literals share as they are.
// CHECK: func.func private @f.step10(%{{.*}}: memref<8xi8>, %[[Z:.*]]: i8, %{{.*}}: index,
// CHECK: %[[ZZ:.*]] = vector.broadcast %[[Z]] : i8 to vector<8xi8>
// CHECK: vector.maskedstore %{{.*}}, %{{.*}}, %[[ZZ]]
// CHECK: scf.for
// CHECK: memref.store %[[Z]]
// CHECK-NOT: func.func private
func.func private @f.step10(%x: memref<8xi8>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 5 : i8
  %zz = arith.constant dense<5> : vector<8xi8>
  %mask = vector.create_mask %ops : vector<8xi1>
  vector.maskedstore %x[%c0], %mask, %zz : memref<8xi8>, vector<8xi1>, vector<8xi8>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %z, %x[%i] : memref<8xi8>
  }
  return
}
func.func private @f.step11(%x: memref<8xi8>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 6 : i8
  %zz = arith.constant dense<6> : vector<8xi8>
  %mask = vector.create_mask %ops : vector<8xi1>
  vector.maskedstore %x[%c0], %mask, %zz : memref<8xi8>, vector<8xi1>, vector<8xi8>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %z, %x[%i] : memref<8xi8>
  }
  return
}
func.func private @f.step12(%x: memref<8xi8>, %ops: index, %bytes: index, %t: index, %ts: index) attributes {qcc.step, qcc.writes = array<i64: 0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 5 : i8
  %zz = arith.constant dense<5> : vector<8xi8>
  %mask = vector.create_mask %ops : vector<8xi1>
  vector.maskedstore %x[%c0], %mask, %zz : memref<8xi8>, vector<8xi1>, vector<8xi8>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %z, %x[%i] : memref<8xi8>
  }
  return
}

// Calls hand over their literals, and say what the step is.
// CHECK-LABEL: func.func @f(
// CHECK-DAG: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-DAG: %[[QUARTER:.*]] = arith.constant 2.500000e-01 : f32
// CHECK-DAG: %[[M2:.*]] = arith.constant -2.000000e+00 : f32
// CHECK-DAG: %[[M3:.*]] = arith.constant -3.000000e+00 : f32
// CHECK-DAG: %[[I5:.*]] = arith.constant 5 : i8
// CHECK-DAG: %[[I6:.*]] = arith.constant 6 : i8
// CHECK: call @f.step0(%{{.*}}, %{{.*}}, %[[HALF]], %[[M2]], %c0, %c0, %c0, %c0) {qcc.kernel = {layer = "a", name = "f.step0"}}
// CHECK: call @f.step0(%{{.*}}, %{{.*}}, %[[QUARTER]], %[[M3]], %c0, %c0, %c0, %c0) {arg_attrs = [{}, {qcc.layer = "b"}, {}, {}, {}, {}, {}, {}], qcc.kernel = {layer = "b", name = "f.step1"}}
// CHECK: call @f.step10(%{{.*}}, %[[I5]], %c0,
// CHECK: call @f.step10(%{{.*}}, %[[I6]], %c0,
// CHECK: call @f.step10(%{{.*}}, %[[I5]], %c0,
func.func @f(%x: memref<16xf32>, %y: memref<16xf32>, %z: memref<8xi8>) {
  %c0 = arith.constant 0 : index
  call @f.step0(%x, %y, %c0, %c0, %c0, %c0) {qcc.kernel = {layer = "a", name = "f.step0"}} : (memref<16xf32>, memref<16xf32>, index, index, index, index) -> ()
  call @f.step1(%y, %x, %c0, %c0, %c0, %c0) {arg_attrs = [{}, {qcc.layer = "b"}, {}, {}, {}, {}], qcc.kernel = {layer = "b", name = "f.step1"}} : (memref<16xf32>, memref<16xf32>, index, index, index, index) -> ()
  call @f.step10(%z, %c0, %c0, %c0, %c0) : (memref<8xi8>, index, index, index, index) -> ()
  call @f.step11(%z, %c0, %c0, %c0, %c0) : (memref<8xi8>, index, index, index, index) -> ()
  call @f.step12(%z, %c0, %c0, %c0, %c0) : (memref<8xi8>, index, index, index, index) -> ()
  return
}
