//===- ConvertKernels.h - Kernel ops to a target's code ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_CONVERTKERNELS_H
#define QCC_TARGET_CONVERTKERNELS_H

#include "mlir/IR/PatternMatch.h"
#include "qcc/Target/Target.h"

namespace qcc {

/// How a target replaces a kernel.pack. Reports a diagnostic if it cannot.
using ConvertPack = llvm::function_ref<llvm::LogicalResult(mlir::RewriterBase &,
                                                           kernel::PackOp)>;

/// Replaces each kernel.contract in `root` by the code of its strategy, one of
/// `target`, and each kernel.pack by that of `pack`. Reports the first op that
/// is on tensors, or not replaced.
llvm::LogicalResult convertKernels(mlir::Operation *root, const Target &target,
                                   ConvertPack pack);

/// A pass that calls convertKernels. `Base` is its generated class.
template <typename Base> class ConvertKernelsPass : public Base {
protected:
  using Pack = llvm::LogicalResult (*)(mlir::RewriterBase &, kernel::PackOp);

  /// `target` outlives the pass.
  ConvertKernelsPass(const Target &target, Pack pack)
      : target(target), pack(pack) {}
  ConvertKernelsPass(TargetRef target, Pack pack)
      : own(std::move(target)), target(*own), pack(pack) {}

  void runOnOperation() override {
    if (failed(convertKernels(this->getOperation(), target, pack)))
      this->signalPassFailure();
  }

private:
  TargetRef own;
  const Target &target;
  Pack pack;
};

} // namespace qcc

#endif // QCC_TARGET_CONVERTKERNELS_H
