//===- VerifyStage.cpp - Rejects dialects that a stage does not allow -----===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassManager.h"
#include "qcc/Transforms/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_VERIFYSTAGE
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;

namespace {
struct VerifyStage : qcc::impl::VerifyStageBase<VerifyStage> {
  using Base::Base;

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([&](Operation *op) {
      StringRef dialect = op->getName().getDialectNamespace();
      if (llvm::is_contained(dialects, dialect))
        return WalkResult::advance();
      op->emitError() << "'" << op->getName() << "' may not exist after stage '"
                      << stage << "', which allows only "
                      << llvm::join(dialects, ", ")
                      << "; this program cannot be compiled";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

void qcc::addVerifyStage(OpPassManager &pm, StringRef stage,
                         ArrayRef<StringRef> dialects) {
  VerifyStageOptions options;
  options.stage = stage.str();
  for (StringRef dialect : {"builtin", "func", "affine", "scf"})
    options.dialects.push_back(dialect.str());
  for (StringRef dialect : dialects)
    options.dialects.push_back(dialect.str());
  pm.addPass(createVerifyStage(options));
}
