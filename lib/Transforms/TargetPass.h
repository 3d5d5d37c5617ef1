//===- TargetPass.h - Passes with a target ----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_TARGETPASS_H
#define QCC_LIB_TRANSFORMS_TARGETPASS_H

#include "mlir/IR/Diagnostics.h"
#include "qcc/Target/Target.h"

namespace qcc {

/// A pass with a target: `Base` is its generated class, which has an option
/// `target`. A target that C++ code hands over comes first; otherwise the
/// option names it. Reports an unknown name.
template <typename Base> class TargetPass : public Base {
public:
  using Base::Base;
  TargetPass() = default;
  explicit TargetPass(TargetRef target) : target(std::move(target)) {
    // So that the pipeline, printed as text, is one that can be run.
    if (this->target)
      this->targetName = this->target->getName();
  }

  mlir::LogicalResult initialize(mlir::MLIRContext *context) override {
    if (target)
      return mlir::success();
    if (this->targetName.empty())
      return mlir::emitError(mlir::UnknownLoc::get(context))
             << "no target; name one by the option target";
    llvm::Expected<TargetRef> found = findTarget(this->targetName, *context);
    if (!found)
      return mlir::emitError(mlir::UnknownLoc::get(context))
             << llvm::toString(found.takeError());
    target = std::move(*found);
    return mlir::success();
  }

protected:
  TargetRef target;
};

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_TARGETPASS_H
