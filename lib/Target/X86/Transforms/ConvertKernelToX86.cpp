//===- ConvertKernelToX86.cpp - Kernel ops to x86 vector code -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Emit/Emit.h"
#include "qcc/Target/ConvertKernels.h"
#include "qcc/Target/X86/Passes.h"
#include "qcc/Target/X86/X86Target.h"

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
    : ConvertKernelsPass<
          qcc::impl::ConvertKernelToX86Base<ConvertKernelToX86>> {
  /// By itself, the pass knows the strategies that every target of x86 has.
  ConvertKernelToX86() : ConvertKernelsPass(x86::hostTarget(), convertPack) {}
  explicit ConvertKernelToX86(const Target &target)
      : ConvertKernelsPass(target, convertPack) {}
};
} // namespace

std::unique_ptr<Pass> x86::createConvertKernelToX86(const Target &target) {
  return std::make_unique<::ConvertKernelToX86>(target);
}
