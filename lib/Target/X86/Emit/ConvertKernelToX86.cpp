//===- ConvertKernelToX86.cpp - Kernel ops to x86 vector code -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Strategies/GroupedColumns.h"
#include "Emit.h"
#include "qcc/Target/ConvertKernels.h"
#include "qcc/Target/X86/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_CONVERTKERNELTOX86
#include "qcc/Target/X86/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using x86::Atom;

/// The atom of a name; reports an unknown name.
static const Atom *resolveAtom(Operation *op, StringRef name) {
  const Atom *atom = x86::findAtom(name);
  if (!atom)
    op->emitError() << "is for atom \"" << name
                    << "\", but x86 does not have this atom";
  return atom;
}

/// Rejects a config that cannot be obeyed; nothing is done otherwise than a
/// config says.
static LogicalResult verifyConfig(kernel::ContractOp op, x86::ConfigAttr config,
                                  const Atom &atom) {
  bool isDepthwise = config.getStrategy() == x86::StrategyKind::Depthwise;
  if (isDepthwise != op.getRoles()->isDepthwise)
    return op.emitError() << "has strategy " << config.getStrategyName()
                          << (isDepthwise
                                  ? ", but its columns share a left operand"
                                  : ", but each of its columns has a left "
                                    "operand of its own");
  if (isDepthwise)
    if (auto groups = x86::GroupedColumns::of(op, atom.lanes))
      if (std::optional<std::string> reason =
              groups->refuse(op, config.getNr() / atom.lanes, atom.kr))
        return op.emitError() << "has strategy " << config.getStrategyName()
                              << ", but " << *reason;
  if (!isDepthwise && op.getLhsPadding())
    return op.emitError() << "has strategy " << config.getStrategyName()
                          << ", which does not read lhs_padding; pad the "
                             "left operand in memory";
  if (!isDepthwise &&
      kernel::leavesOut(op.getLhsMap(), op.getReductionDims().back()))
    return op.emitError("leaves out elements of the left operand along the "
                        "innermost dimension of K; run collapse-reductions "
                        "first");
  if (op.isPacked() == config.readsRhsInPlace())
    return op.emitError("needs a right operand that is packed unless the "
                        "config reads it in place");
  bool needsTiles = config.getStrategy() == x86::StrategyKind::AmxTiles;
  if (atom.hasTiles() != needsTiles)
    return op.emitError() << "has strategy " << config.getStrategyName()
                          << ", but atom \"" << atom.name << "\" multiplies "
                          << (needsTiles ? "vectors" : "tiles");
  if (config.readsLhsInPlace() && !isDepthwise &&
      !cast<MemRefType>(op.getLhs().getType()).isLastDimUnitStride())
    return op.emitError("reads the left operand in place, but its elements "
                        "along K do not follow each other; run "
                        "adapt-lowering-config first");
  return success();
}

static LogicalResult convertContract(RewriterBase &rewriter,
                                     kernel::ContractOp op) {
  x86::ConfigAttr config = x86::configOf(op);
  if (!config)
    return op.emitError("needs a lowering_config of x86");
  const Atom *atom = resolveAtom(op, config.getAtom());
  if (!atom || failed(verifyConfig(op, config, *atom)))
    return failure();
  x86::emitContract(rewriter, op, *atom);
  return success();
}

static LogicalResult convertPack(RewriterBase &rewriter, kernel::PackOp op) {
  const Atom *atom = nullptr;
  if (std::optional<StringRef> name = op.getAtom()) {
    atom = resolveAtom(op, *name);
    if (!atom)
      return failure();
  }
  x86::emitPack(rewriter, op, atom);
  return success();
}

namespace {
struct ConvertKernelToX86
    : qcc::impl::ConvertKernelToX86Base<ConvertKernelToX86> {
  void runOnOperation() override {
    if (failed(convertKernels(getOperation(), convertContract, convertPack)))
      signalPassFailure();
  }
};
} // namespace
