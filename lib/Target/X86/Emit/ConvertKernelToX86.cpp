//===- ConvertKernelToX86.cpp - Kernel ops to x86 vector code -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "qcc/Target/X86/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_CONVERTKERNELTOX86
#include "qcc/Target/X86/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

namespace {
struct ConvertKernelToX86
    : qcc::impl::ConvertKernelToX86Base<ConvertKernelToX86> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<kernel::ContractOp, kernel::PackOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (!isa<MemRefType>(op->getOperand(0).getType())) {
        op->emitError("is not bufferized; run one-shot-bufferize first");
        return signalPassFailure();
      }
      if (auto pack = dyn_cast<kernel::PackOp>(op)) {
        auto name = pack.getAtomAttr();
        const Atom *atom = name ? findX86Atom(name) : nullptr;
        if (name && !atom) {
          op->emitError() << "is packed for atom " << name
                          << ", which x86 has not";
          return signalPassFailure();
        }
        x86::emitPack(rewriter, pack, atom);
        continue;
      }
      auto contract = cast<kernel::ContractOp>(op);
      kernel::LoweringConfigAttr config = contract.getLoweringConfigAttr();
      const Atom *atom = config ? findX86Atom(config.getAtom()) : nullptr;
      if (!atom || contract.isPacked() == config.readsRhsInPlace()) {
        op->emitError(
            "needs a lowering_config with an x86 atom and a right "
            "operand that is packed unless the config reads it in place");
        return signalPassFailure();
      }
      x86::emitContract(rewriter, contract, *atom);
    }
  }
};
} // namespace
