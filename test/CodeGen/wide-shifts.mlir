// LLVM for NVIDIA chips would shift by the low half of an amount of 64 bits: amounts of 2^32 and more give 0, as all beyond
// 63 do.
// RUN: %python -c "import numpy as np; n = np.uint64(2)**np.arange(64, dtype=np.uint64); n = np.stack([n - np.uint64(1), n, n + np.uint64(1), ~n]); np.save('%t.n.npy', n.view(np.int64).reshape(-1, 2)); np.save('%t.x.npy', (n * np.uint64(0x9E3779B97F4A7C15) | np.uint64(1)).view(np.int64).reshape(-1, 2))"
// RUN: qcc run %s --input=%t.x.npy --input=%t.n.npy --target=cuda --mcpu=sm_80 --device=emulator --check | FileCheck %s
// RUN: qcc run %s --input=%t.x.npy --input=%t.n.npy --target=cuda --mcpu=sm_90 --device=emulator --check | FileCheck %s
// CHECK: check: 1024 elements, 0 differ
func.func @shifts(%x: tensor<?x2xi64>, %n: tensor<?x2xi64>) -> (tensor<?x2xi64>, tensor<?x2xi64>, tensor<?x2xi64>, tensor<?x2xi32>) {
  %l = arith.shli %x, %n : tensor<?x2xi64>
  %u = arith.shrui %x, %n : tensor<?x2xi64>
  %s = arith.shrsi %x, %n : tensor<?x2xi64>
  // A shift of 32 bits, whose amount was compared before it lost its high half.
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x2xi64>
  %e = tensor.empty(%rows) : tensor<?x2xi32>
  %h = linalg.map ins(%x, %n : tensor<?x2xi64>, tensor<?x2xi64>) outs(%e : tensor<?x2xi32>)
    (%a: i64, %b: i64, %old: i32) {
      %width = arith.constant 32 : i64
      %zero = arith.constant 0 : i32
      %below = arith.cmpi ult, %b, %width : i64
      %value = arith.trunci %a : i64 to i32
      %amount = arith.trunci %b : i64 to i32
      %shifted = arith.shrui %value, %amount : i32
      %guarded = arith.select %below, %shifted, %zero : i32
      linalg.yield %guarded : i32
    }
  return %l, %u, %s, %h : tensor<?x2xi64>, tensor<?x2xi64>, tensor<?x2xi64>, tensor<?x2xi32>
}
