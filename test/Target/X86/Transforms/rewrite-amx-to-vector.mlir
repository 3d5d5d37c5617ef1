// RUN: qcc-opt %s --rewrite-amx-to-vector --split-input-file | FileCheck %s

// Rows follow each other by the pitch of the memory: the second last index moves.
// CHECK-LABEL: func.func @load_rows
// CHECK: %[[T:.*]]:2 = call @amx.tile_load(%arg0, %arg1, %arg2)
// CHECK: return %[[T]]#0, %[[T]]#1
// CHECK-LABEL: func.func private @amx.tile_load
// CHECK-SAME: (%[[A:.*]]: memref<?x?xi8, strided<[?, 1]>>, %[[I:.*]]: index, %[[J:.*]]: index)
// CHECK: %[[ROW0:.*]] = vector.load %[[A]][%[[I]], %[[J]]] : {{.*}}, vector<64xi8>
// CHECK: %[[C1:.*]] = arith.constant 1 : index
// CHECK: %[[I1:.*]] = arith.addi %[[I]], %[[C1]]
// CHECK: %[[ROW1:.*]] = vector.load %[[A]][%[[I1]], %[[J]]] : {{.*}}, vector<64xi8>
// CHECK: return %[[ROW0]], %[[ROW1]] : vector<64xi8>, vector<64xi8>
func.func @load_rows(%a: memref<?x?xi8, strided<[?, 1]>>, %i: index, %j: index)
    -> !amx.tile<2x64xi8> {
  %t = amx.tile_load %a[%i, %j]
      : memref<?x?xi8, strided<[?, 1]>> into !amx.tile<2x64xi8>
  return %t : !amx.tile<2x64xi8>
}

// -----

// With a stride of its own the last index moves.
// CHECK-LABEL: func.func private @amx.tile_load
// CHECK-SAME: (%[[A:.*]]: memref<?xi8>, %[[I:.*]]: index, %[[S:.*]]: index)
// CHECK: vector.load %[[A]][%[[I]]] : memref<?xi8>, vector<24xi8>
// CHECK: %[[C1:.*]] = arith.constant 1 : index
// CHECK: %[[D1:.*]] = arith.muli %[[S]], %[[C1]]
// CHECK: %[[I1:.*]] = arith.addi %[[I]], %[[D1]]
// CHECK: vector.load %[[A]][%[[I1]]]
// CHECK: %[[C2:.*]] = arith.constant 2 : index
// CHECK: %[[D2:.*]] = arith.muli %[[S]], %[[C2]]
// CHECK: %[[I2:.*]] = arith.addi %[[I]], %[[D2]]
// CHECK: vector.load %[[A]][%[[I2]]]
// CHECK: return %{{.*}}, %{{.*}}, %{{.*}} : vector<24xi8>, vector<24xi8>, vector<24xi8>
func.func @load_stride(%a: memref<?xi8>, %i: index, %stride: index)
    -> !amx.tile<3x24xi8> {
  %t = amx.tile_load %a[%i], %stride : memref<?xi8> into !amx.tile<3x24xi8>
  return %t : !amx.tile<3x24xi8>
}

// -----

// CHECK-LABEL: func.func @store_zero
// CHECK: %[[ZERO:.*]] = arith.constant dense<0> : vector<16xi32>
// CHECK: call @amx.tile_store(%arg0, %arg1, %arg2, %arg3, %[[ZERO]], %[[ZERO]])
// CHECK-LABEL: func.func private @amx.tile_store
// CHECK-SAME: (%[[C:.*]]: memref<2x8x32xi32>, %[[I:.*]]: index, %[[J:.*]]: index, %[[K:.*]]: index, %[[ROW0:.*]]: vector<16xi32>, %[[ROW1:.*]]: vector<16xi32>)
// CHECK: vector.store %[[ROW0]], %[[C]][%[[I]], %[[J]], %[[K]]]
// CHECK: %[[J1:.*]] = arith.addi %[[J]]
// CHECK: vector.store %[[ROW1]], %[[C]][%[[I]], %[[J1]], %[[K]]] : memref<2x8x32xi32>, vector<16xi32>
func.func @store_zero(%c: memref<2x8x32xi32>, %i: index, %j: index, %k: index) {
  %t = amx.tile_zero : !amx.tile<2x16xi32>
  amx.tile_store %c[%i, %j, %k], %t : memref<2x8x32xi32>, !amx.tile<2x16xi32>
  return
}

// -----

// CHECK-LABEL: func.func private @amx.tile_store
// CHECK-SAME: (%[[C:.*]]: memref<?xi32>, %[[I:.*]]: index, %[[ROW0:.*]]: vector<4xi32>, %[[ROW1:.*]]: vector<4xi32>, %[[S:.*]]: index)
// CHECK: vector.store %[[ROW0]], %[[C]][%[[I]]]
// CHECK: %[[D1:.*]] = arith.muli %[[S]], %{{.*}}
// CHECK: %[[I1:.*]] = arith.addi %[[I]], %[[D1]]
// CHECK: vector.store %[[ROW1]], %[[C]][%[[I1]]] : memref<?xi32>, vector<4xi32>
func.func @store_stride(%t: !amx.tile<2x4xi32>, %c: memref<?xi32>, %i: index,
                        %stride: index) {
  amx.tile_store %c[%i], %t, %stride : memref<?xi32>, !amx.tile<2x4xi32>
  return
}

// -----

// Memory of other elements: the distance of rows counts those.
// CHECK-LABEL: func.func private @amx.tile_load
// CHECK-SAME: (%[[W:.*]]: memref<4x32xi32>, %[[I:.*]]: index, %[[J:.*]]: index)
// CHECK: %[[ROW0:.*]] = vector.load %[[W]][%[[I]], %[[J]]] : memref<4x32xi32>, vector<16xi32>
// CHECK: vector.bitcast %[[ROW0]] : vector<16xi32> to vector<64xi8>
func.func @load_words(%w: memref<4x32xi32>, %i: index) -> !amx.tile<2x64xi8> {
  %t = amx.tile_load %w[%i, %i] : memref<4x32xi32> into !amx.tile<2x64xi8>
  return %t : !amx.tile<2x64xi8>
}

// -----

// CHECK-LABEL: func.func private @amx.tile_store
// CHECK-SAME: (%[[W:.*]]: memref<4x32xi32>, %[[I:.*]]: index, %[[J:.*]]: index, %[[ROW0:.*]]: vector<64xi8>, %[[ROW1:.*]]: vector<64xi8>)
// CHECK: %[[WORDS:.*]] = vector.bitcast %[[ROW0]] : vector<64xi8> to vector<16xi32>
// CHECK: vector.store %[[WORDS]], %[[W]][%[[I]], %[[J]]] : memref<4x32xi32>, vector<16xi32>
func.func @store_words(%t: !amx.tile<2x64xi8>, %w: memref<4x32xi32>, %i: index) {
  amx.tile_store %w[%i, %i], %t : memref<4x32xi32>, !amx.tile<2x64xi8>
  return
}

// -----

// The operands go to buffers, whose elements a loop can address; bytes are
// extended by a pair of shifts.
// CHECK-LABEL: func.func private @amx.tile_muli
// CHECK-SAME: (%[[A0:.*]]: vector<8xi8>, %{{.*}}: vector<8xi8>, %[[B0:.*]]: vector<12xi8>, %{{.*}}: vector<12xi8>, %{{.*}}: vector<3xi32>, %[[ACC1:.*]]: vector<3xi32>) -> (vector<3xi32>, vector<3xi32>)
// CHECK: %[[LHS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<16x16xi32>
// CHECK: %[[WORDS:.*]] = vector.bitcast %[[A0]] : vector<8xi8> to vector<2xi32>
// CHECK: vector.store %[[WORDS]], %[[LHS]][%{{.*}}, %{{.*}}] : memref<16x16xi32>, vector<2xi32>
// CHECK: %[[RHS:.*]] = memref.alloca()
// CHECK: vector.bitcast %[[B0]] : vector<12xi8> to vector<3xi32>
// CHECK: %[[SUMS:.*]] = memref.alloca()
// CHECK: vector.store %[[ACC1]], %[[SUMS]]
// CHECK: scf.for %[[M:.*]] =
// CHECK:   %[[START:.*]] = vector.load %[[SUMS]][%[[M]], {{.*}}, vector<3xi32>
// CHECK:   scf.for %[[W:.*]] = {{.*}} iter_args(%{{.*}} = %[[START]])
// CHECK:     %[[L:.*]] = memref.load %[[LHS]][%[[M]], %[[W]]]
// CHECK:     %[[R:.*]] = vector.load %[[RHS]][%[[W]], %{{.*}}] : memref<16x16xi32>, vector<3xi32>
// CHECK:     %[[LHIGH:.*]] = arith.shli %[[L]]
// CHECK:     %[[LBYTE:.*]] = arith.shrsi %[[LHIGH]]
// CHECK:     %[[LEFT:.*]] = vector.broadcast %[[LBYTE]] : i32 to vector<3xi32>
// CHECK:     %[[RHIGH:.*]] = arith.shli %[[R]]
// CHECK:     %[[RBYTE:.*]] = arith.shrsi %[[RHIGH]]
// CHECK:     %[[PRODUCT:.*]] = arith.muli %[[LEFT]], %[[RBYTE]]
// CHECK:     arith.addi %{{.*}}, %[[PRODUCT]]
// CHECK: return %{{.*}}, %{{.*}} : vector<3xi32>, vector<3xi32>
func.func @product(%a: !amx.tile<2x8xi8>, %b: !amx.tile<2x12xi8>,
                   %acc: !amx.tile<2x3xi32>) -> !amx.tile<2x3xi32> {
  %r = amx.tile_muli %a, %b, %acc
      : !amx.tile<2x8xi8>, !amx.tile<2x12xi8>, !amx.tile<2x3xi32>
  return %r : !amx.tile<2x3xi32>
}

// -----

// Each signedness is a function, of which another call makes no second one.
// CHECK-LABEL: func.func @unsigned_left
// CHECK: call @[[LEFT:[a-z0-9_.]+]](
// CHECK-LABEL: func.func @unsigned_right
// CHECK: call @[[RIGHT:[a-z0-9_.]+]](
// CHECK-LABEL: func.func @unsigned_both
// CHECK: %[[ONCE:.*]] = call @[[BOTH:[a-z0-9_.]+]](%{{.*}}, %{{.*}}, %arg2)
// CHECK: call @[[BOTH]](%{{.*}}, %{{.*}}, %[[ONCE]])
// CHECK: func.func private @[[LEFT]]({{.*}} attributes {llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline"]}
// CHECK: arith.shrui {{.*}} : i32
// CHECK: arith.shrsi {{.*}} : vector<1xi32>
// CHECK: func.func private @[[RIGHT]](
// CHECK: arith.shrsi {{.*}} : i32
// CHECK: arith.shrui {{.*}} : vector<1xi32>
// CHECK: func.func private @[[BOTH]](
// CHECK: arith.shrui {{.*}} : i32
// CHECK: arith.shrui {{.*}} : vector<1xi32>
// CHECK-NOT: func.func
!t = !amx.tile<1x4xi8>
!s = !amx.tile<1x1xi32>
func.func @unsigned_left(%a: !t, %b: !t, %c: !s) -> !s {
  %r = amx.tile_muli %a zext, %b, %c : !t, !t, !s
  return %r : !s
}
func.func @unsigned_right(%a: !t, %b: !t, %c: !s) -> !s {
  %r = amx.tile_muli %a, %b zext, %c : !t, !t, !s
  return %r : !s
}
func.func @unsigned_both(%a: !t, %b: !t, %c: !s) -> !s {
  %r = amx.tile_muli %a zext, %b zext, %c : !t, !t, !s
  %s = amx.tile_muli %a zext, %b zext, %r : !t, !t, !s
  return %s : !s
}

// -----

// Tiles that loops and branches carry, and that calls take and return.
// CHECK-LABEL: func.func private @external(vector<4xi32>, vector<4xi32>) -> (vector<4xi32>, vector<4xi32>)
// CHECK-LABEL: func.func @carried
// CHECK: scf.for {{.*}} iter_args(%[[T0:.*]] = %{{.*}}, %[[T1:.*]] = %{{.*}}) -> (vector<4xi32>, vector<4xi32>)
// CHECK: scf.if {{.*}} -> (vector<4xi32>, vector<4xi32>)
// CHECK: call @external(%[[T0]], %[[T1]]) : (vector<4xi32>, vector<4xi32>) -> (vector<4xi32>, vector<4xi32>)
// CHECK: scf.yield %[[T0]], %[[T1]] : vector<4xi32>, vector<4xi32>
// CHECK-NOT: !amx
func.func private @external(!amx.tile<2x4xi32>) -> !amx.tile<2x4xi32>
func.func @carried(%c: memref<4x4xi32>, %n: index, %often: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = amx.tile_zero : !amx.tile<2x4xi32>
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (!amx.tile<2x4xi32>) {
    %next = scf.if %often -> (!amx.tile<2x4xi32>) {
      %u = func.call @external(%t) : (!amx.tile<2x4xi32>) -> !amx.tile<2x4xi32>
      scf.yield %u : !amx.tile<2x4xi32>
    } else {
      scf.yield %t : !amx.tile<2x4xi32>
    }
    scf.yield %next : !amx.tile<2x4xi32>
  }
  amx.tile_store %c[%c0, %c0], %end : memref<4x4xi32>, !amx.tile<2x4xi32>
  return
}
