// REQUIRES: avx512vnni
// A left operand without rows, whose one row tiles of AMX read for all of theirs.
// RUN: qcc run %s --entry=static --mcpu=cascadelake+emulated-amx --input=random:1 --check | FileCheck %s
// RUN: qcc run %s --entry=dynamic --mcpu=cascadelake+emulated-amx --input=random:1 --dim=100 --check | FileCheck %s
// CHECK: 0 differ
#k = affine_map<(m, n, k) -> (k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @static(%x: tensor<64xi8>, %w: tensor<48x64xi8>, %i: tensor<16x48xi32>) -> tensor<16x48xi32> {
  %y = linalg.generic {indexing_maps = [#k, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64xi8>, tensor<48x64xi8>) outs(%i : tensor<16x48xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %d = arith.extsi %a : i8 to i32
    %e = arith.extsi %b : i8 to i32
    %f = arith.muli %d, %e : i32
    %g = arith.addi %c, %f : i32
    linalg.yield %g : i32
  } -> tensor<16x48xi32>
  return %y : tensor<16x48xi32>
}

func.func @dynamic(%x: tensor<64xi8>, %w: tensor<48x64xi8>, %i: tensor<?x48xi32>) -> tensor<?x48xi32> {
  %y = linalg.generic {indexing_maps = [#k, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64xi8>, tensor<48x64xi8>) outs(%i : tensor<?x48xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %d = arith.extsi %a : i8 to i32
    %e = arith.extsi %b : i8 to i32
    %f = arith.muli %d, %e : i32
    %g = arith.addi %c, %f : i32
    linalg.yield %g : i32
  } -> tensor<?x48xi32>
  return %y : tensor<?x48xi32>
}
