// RUN: qcc compile %s --mcpu=sapphirerapids --emit=asm -o %t.s
// RUN: sed -n '/step1.run:/,/Lfunc_end/p' %t.s | FileCheck %s --implicit-check-not=ldtilecfg --implicit-check-not=vpdpbusd
// RUN: %python %S/Inputs/tile-loops.py < %t.s | FileCheck %s --check-prefix=LOOPS
// LOOPS: configured 4, released 4, returns that hold tiles 0, tiles on the stack 0, calls 0

// A kernel configures its tiles once, keeps them in registers and multiplies with the instruction of its signs; elements
// are not moved to another sign. Only the packing of the weight, which sums it, is apart.

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: ss.step1.run:
// CHECK: ldtilecfg
// CHECK: tdpbssd
// CHECK: tilestored
// CHECK: tdpbssd
// CHECK: tilerelease
func.func @ss(%x: tensor<64x512xi8>, %w: tensor<512x64xi8>) -> tensor<64x64xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<64x64xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<64x64xi32>) -> tensor<64x64xi32>
  %y = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x512xi8>, tensor<512x64xi8>) outs(%f : tensor<64x64xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %i = arith.extsi %a : i8 to i32
    %j = arith.extsi %b : i8 to i32
    %p = arith.muli %i, %j : i32
    %s = arith.addi %c, %p : i32
    linalg.yield %s : i32
  } -> tensor<64x64xi32>
  return %y : tensor<64x64xi32>
}

// CHECK-LABEL: su.step1.run:
// CHECK: ldtilecfg
// CHECK: tdpbsud
// CHECK: tilestored
// CHECK: tdpbsud
// CHECK: tilerelease
func.func @su(%x: tensor<64x512xi8>, %w: tensor<512x64xi8>) -> tensor<64x64xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<64x64xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<64x64xi32>) -> tensor<64x64xi32>
  %y = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x512xi8>, tensor<512x64xi8>) outs(%f : tensor<64x64xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %i = arith.extsi %a : i8 to i32
    %j = arith.extui %b : i8 to i32
    %p = arith.muli %i, %j : i32
    %s = arith.addi %c, %p : i32
    linalg.yield %s : i32
  } -> tensor<64x64xi32>
  return %y : tensor<64x64xi32>
}

// CHECK-LABEL: us.step1.run:
// CHECK: ldtilecfg
// CHECK: tdpbusd
// CHECK: tilestored
// CHECK: tdpbusd
// CHECK: tilerelease
func.func @us(%x: tensor<64x512xi8>, %w: tensor<512x64xi8>) -> tensor<64x64xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<64x64xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<64x64xi32>) -> tensor<64x64xi32>
  %y = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x512xi8>, tensor<512x64xi8>) outs(%f : tensor<64x64xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %i = arith.extui %a : i8 to i32
    %j = arith.extsi %b : i8 to i32
    %p = arith.muli %i, %j : i32
    %s = arith.addi %c, %p : i32
    linalg.yield %s : i32
  } -> tensor<64x64xi32>
  return %y : tensor<64x64xi32>
}

// CHECK-LABEL: uu.step1.run:
// CHECK: ldtilecfg
// CHECK: tdpbuud
// CHECK: tilestored
// CHECK: tdpbuud
// CHECK: tilerelease
func.func @uu(%x: tensor<64x512xi8>, %w: tensor<512x64xi8>) -> tensor<64x64xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<64x64xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<64x64xi32>) -> tensor<64x64xi32>
  %y = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x512xi8>, tensor<512x64xi8>) outs(%f : tensor<64x64xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %i = arith.extui %a : i8 to i32
    %j = arith.extui %b : i8 to i32
    %p = arith.muli %i, %j : i32
    %s = arith.addi %c, %p : i32
    linalg.yield %s : i32
  } -> tensor<64x64xi32>
  return %y : tensor<64x64xi32>
}
