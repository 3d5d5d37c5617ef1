// RUN: qcc-opt %s -separate-prologues=target=sm_90 | FileCheck %s
// RUN: qcc-opt %s -separate-prologues=target=x86-64-v3 | FileCheck %s --check-prefix=X86

// Many tiles of columns would each quantize the same rows.
// CHECK-LABEL: func.func @many(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<10240x4096xf16>, %[[W:[a-z0-9]+]]: tensor<8192x4096xi8>, %[[S:[a-z0-9]+]]: tensor<4096xf32>, %[[O:[a-z0-9]+]]
// CHECK: %[[Q:.*]] = linalg.generic {indexing_maps = [#[[ID:[a-z0-9]+]], #{{[a-z0-9]+}}, #[[ID]]], {{.*}}} ins(%[[X]], %[[S]] : tensor<10240x4096xf16>, tensor<4096xf32>) {{.*}}qcc.refused = "a pass over memory of its own is expected to take less time than to repeat it for each tile of columns"
// CHECK: arith.mulf
// CHECK: linalg.yield %{{.*}} : i8
// CHECK: kernel.contract lhs(%[[Q]] : tensor<10240x4096xi8>) rhs(%[[W]]
// CHECK-NOT: lhs_prologue
// CHECK: kernel.yield
// X86-LABEL: func.func @many(
// X86: lhs_prologue
func.func @many(%x: tensor<10240x4096xf16>, %w: tensor<8192x4096xi8>, %s: tensor<4096xf32>, %o: tensor<10240x8192xi8>) -> tensor<10240x8192xi8> {
  %y = kernel.contract lhs(%x : tensor<10240x4096xf16>) rhs(%w : tensor<8192x4096xi8>) lhs_ins(%s : tensor<4096xf32>) outs(%o : tensor<10240x8192xi8>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 4096>}
  lhs_prologue {
  ^bb0(%a: f16, %scale: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.mulf %0, %scale : f32
    %2 = math.roundeven %1 : f32
    %3 = arith.fptosi %2 : f32 to i8
    kernel.yield %3 : i8
  } epilogue {
  ^bb0(%acc: i32):
    %byte = arith.trunci %acc : i32 to i8
    kernel.yield %byte : i8
  } -> tensor<10240x8192xi8>
  return %y : tensor<10240x8192xi8>
}

// One tile of columns, a number of rows that is not known, and an operand of columns: the prologue stays.
// CHECK-LABEL: func.func @one(
// CHECK-NOT: {{linalg.generic|tensor.empty}}
// CHECK: lhs_prologue
// CHECK-LABEL: func.func @dynamic(
// CHECK-NOT: linalg.generic
// CHECK: lhs_prologue
// CHECK-LABEL: func.func @columns(
// CHECK-NOT: linalg.generic
// CHECK: lhs_prologue
func.func @one(%x: tensor<10240x4096xf16>, %w: tensor<16x4096xi8>, %o: tensor<10240x16xi8>) -> tensor<10240x16xi8> {
  %y = kernel.contract lhs(%x : tensor<10240x4096xf16>) rhs(%w : tensor<16x4096xi8>) outs(%o : tensor<10240x16xi8>)
  lhs_prologue {
  ^bb0(%a: f16):
    %3 = arith.fptosi %a : f16 to i8
    kernel.yield %3 : i8
  } epilogue {
  ^bb0(%acc: i32):
    %byte = arith.trunci %acc : i32 to i8
    kernel.yield %byte : i8
  } -> tensor<10240x16xi8>
  return %y : tensor<10240x16xi8>
}

func.func @dynamic(%x: tensor<?x4096xf16>, %w: tensor<8192x4096xi8>, %o: tensor<?x8192xi8>) -> tensor<?x8192xi8> {
  %y = kernel.contract lhs(%x : tensor<?x4096xf16>) rhs(%w : tensor<8192x4096xi8>) outs(%o : tensor<?x8192xi8>)
  lhs_prologue {
  ^bb0(%a: f16):
    %3 = arith.fptosi %a : f16 to i8
    kernel.yield %3 : i8
  } epilogue {
  ^bb0(%acc: i32):
    %byte = arith.trunci %acc : i32 to i8
    kernel.yield %byte : i8
  } -> tensor<?x8192xi8>
  return %y : tensor<?x8192xi8>
}

func.func @columns(%x: tensor<10240x4096xf16>, %w: tensor<8192x4096xi8>, %s: tensor<8192xf16>, %o: tensor<10240x8192xi8>) -> tensor<10240x8192xi8> {
  %y = kernel.contract lhs(%x : tensor<10240x4096xf16>) rhs(%w : tensor<8192x4096xi8>) lhs_ins(%s : tensor<8192xf16>) outs(%o : tensor<10240x8192xi8>)
    {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (n)>, affine_map<(m, n, k) -> (m, n)>],
     reduction_dims = array<i64: 2>, reduction_sizes = array<i64: 4096>}
  lhs_prologue {
  ^bb0(%a: f16, %scale: f16):
    %1 = arith.mulf %a, %scale : f16
    %3 = arith.fptosi %1 : f16 to i8
    kernel.yield %3 : i8
  } epilogue {
  ^bb0(%acc: i32):
    %byte = arith.trunci %acc : i32 to i8
    kernel.yield %byte : i8
  } -> tensor<10240x8192xi8>
  return %y : tensor<10240x8192xi8>
}
