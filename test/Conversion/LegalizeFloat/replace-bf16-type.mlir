// RUN: qcc-opt %s --replace-bf16-type | FileCheck %s

// CHECK: llvm.mlir.global private constant @g(dense<[16256, 16384]> : tensor<2xi16>) {addr_space = 0 : i32} : !llvm.array<2 x i16>
llvm.mlir.global private constant @g(dense<[1.0, 2.0]> : tensor<2xbf16>) {addr_space = 0 : i32} : !llvm.array<2 x bf16>

// What describes the source program keeps its types.
// CHECK-LABEL: llvm.func @f
// CHECK-SAME: (%[[P:.*]]: !llvm.ptr {qcc.type = bf16}, %[[N:.*]]: i64) -> i16
llvm.func @f(%p: !llvm.ptr {qcc.type = bf16}, %n: i64) -> bf16 {
  // CHECK-DAG: %[[NEUTRAL:.*]] = llvm.mlir.constant(-32768 : i16) : i16
  // CHECK-DAG: llvm.mlir.constant(dense<16256> : vector<4xi16>) : vector<4xi16>
  // CHECK: %[[A:.*]] = llvm.getelementptr %[[P]][%[[N]]] : (!llvm.ptr, i64) -> !llvm.ptr, i16
  // CHECK: %[[V:.*]] = llvm.load %[[A]] : !llvm.ptr -> i16
  // CHECK: llvm.br ^bb1(%[[V]] : i16)
  // CHECK: ^bb1(%[[W:.*]]: i16):
  // CHECK: llvm.zext %[[W]] : i16 to i32
  // CHECK: llvm.return %[[W]] : i16
  %neutral = llvm.mlir.constant(-0.0 : bf16) : bf16
  %ones = llvm.mlir.constant(dense<1.0> : vector<4xbf16>) : vector<4xbf16>
  %a = llvm.getelementptr %p[%n] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
  %v = llvm.load %a : !llvm.ptr -> bf16
  llvm.br ^bb1(%v : bf16)
^bb1(%w: bf16):
  %i = llvm.bitcast %w : bf16 to i16
  %x = llvm.zext %i : i16 to i32
  llvm.return %w : bf16
}
