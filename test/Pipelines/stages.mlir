// The whole linear layer of TensorFlow is one kernel, and its i32 sums are in no buffer.
// RUN: qcc compile %examples/tf_linear.mlir --weights=random:1 --emit=kernel -o - | FileCheck %s --check-prefix=KERNEL --implicit-check-not="= linalg." --implicit-check-not=kernel.pack
// KERNEL: kernel.contract
// KERNEL-NOT: kernel.contract

// RUN: qcc compile %examples/tf_linear.mlir --weights=random:1 --emit=buffer -o - | FileCheck %s --check-prefix=BUFFER --implicit-check-not="memref<?x2048xi32" --implicit-check-not=memref.alloc --implicit-check-not=tensor
// BUFFER: func.func private @tf_linear.step0
// BUFFER: kernel.contract
// BUFFER-NOT: kernel.contract
// BUFFER: func.func @tf_linear(
// BUFFER: call @tf_linear.step0
// BUFFER-NOT: call

// RUN: qcc compile %s --emit=import -o - | FileCheck %s --check-prefix=IMPORT
// RUN: qcc compile %s --emit=graph -o - | FileCheck %s --check-prefix=GRAPH
// RUN: qcc compile %s --emit=tensor -o - | FileCheck %s --check-prefix=TENSOR --implicit-check-not="= qnn."
// RUN: qcc compile %s --emit=kernel --mcpu=cascadelake -o - | FileCheck %s --check-prefix=CONTRACT
// RUN: qcc compile %s --emit=target --mcpu=cascadelake -o - | FileCheck %s --check-prefix=TARGET --implicit-check-not=scf.forall --implicit-check-not=memref.alloca
// RUN: qcc compile %s --emit=llvm --mcpu=cascadelake -o - | FileCheck %s --check-prefix=LLVM --implicit-check-not=memref. --implicit-check-not=vector.

// Dequantize, linear, relu, quantize, in real numbers.
// IMPORT: qnn.dequantize
// IMPORT: qnn.linear {{.*}} -> tensor<?x9xf32>

// The contraction is an integer one (N3), with an f32 result; what follows stays as written (N4).
// GRAPH-NOT: qnn.dequantize
// GRAPH: qnn.linear
// GRAPH: arith.maximumf
// GRAPH: qnn.quantize

// TENSOR: linalg.generic
// TENSOR: arith.muli
// TENSOR: arith.sitofp
// TENSOR: math.roundeven

// CONTRACT: kernel.contract
// CONTRACT-SAME: lowering_config = #x86.config<vector_tiles, atom = "avx512vnni"
// CONTRACT-NOT: linalg.generic

// TARGET: func.func private @f.step1(%{{.*}}: memref<?xi8>
// TARGET-SAME: qcc.parallel
// TARGET-SAME: qcc.scratch
// TARGET: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"

// LLVM: llvm.func @f.plan
// LLVM: llvm.func @f.step1.run
!x = tensor<?x7x!quant.uniform<i8:f32, 0.5:3>>
!w = tensor<9x7x!quant.uniform<i8:f32, 0.25>>
!y = tensor<?x9x!quant.uniform<i8:f32, 0.125>>
func.func @f(%x: !x, %w: !w) -> !y {
  %xf = qnn.dequantize %x : !x -> tensor<?x7xf32>
  %wf = qnn.dequantize %w : !w -> tensor<9x7xf32>
  %a = qnn.linear %xf, %wf : tensor<?x7xf32>, tensor<9x7xf32> -> tensor<?x9xf32>
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : !x
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?x9xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x9xf32>) -> tensor<?x9xf32>
  %r = arith.maximumf %a, %z : tensor<?x9xf32>
  %q = qnn.quantize %r : tensor<?x9xf32> -> !y
  return %q : !y
}
